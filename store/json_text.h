/* SPDX-License-Identifier: MIT */
/* Small JSON texts for database cells, appended piece by piece. */
#ifndef PROBE_STORE_JSON_TEXT_H
#define PROBE_STORE_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Initialised to zero. After a failed allocation `failed` is set and `text` must not be used. */
struct probe_json {
	char *text;
	size_t len, capacity;
	bool failed;
	bool comma; /* the next member is not the first */
};

void probe_json_open(struct probe_json *json, char bracket);  /* '{' or '[' */
void probe_json_close(struct probe_json *json, char bracket); /* '}' or ']' */
void probe_json_key(struct probe_json *json, const char *key, size_t len);
/* Bytes that are not UTF-8 become U+FFFD: the cell must be readable as JSON. */
void probe_json_string(struct probe_json *json, const char *text, size_t len);
void probe_json_uint(struct probe_json *json, uint64_t value);
void probe_json_int(struct probe_json *json, int64_t value);

/* The text so far, or "{}" without memory. */
const char *probe_json_text(const struct probe_json *json);
void probe_json_reset(struct probe_json *json);
void probe_json_deinit(struct probe_json *json);

#endif
