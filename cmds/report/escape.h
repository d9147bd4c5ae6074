/* SPDX-License-Identifier: MIT */
/*
 * Escapes foreign text for output: without control bytes for a terminal, quoted for CSV, always
 * valid for JSON.
 */
#ifndef PROBE_CMDS_REPORT_ESCAPE_H
#define PROBE_CMDS_REPORT_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Length of the UTF-8 character at `text` and its code; 0 if the bytes are not valid (RFC 3629). */
unsigned report_utf8(const char *text, size_t len, uint32_t *code);

/* True if a terminal may receive it: no control characters and no direction marks. */
bool report_printable(uint32_t code);

/*
 * Writes at most `len` bytes (SIZE_MAX: up to NUL). Control bytes and invalid UTF-8 become \xNN,
 * tabs become blanks up to the next multiple of 8 counted from `column`. Returns the columns used.
 * If `out` is NULL, only counts them.
 */
size_t report_text(FILE *out, const char *text, size_t len, size_t column);

/*
 * Replaces characters of ASCII: special[i] by replaced[i]. Other control bytes become blanks; direction
 * marks and invalid UTF-8 become \xNN.
 */
void report_replaced(FILE *out, const char *text, const char *special, const char *const *replaced);

/* Text in HTML or XML, between tags or in a quoted attribute. */
void report_markup(FILE *out, const char *text);

/* One CSV field, quoted if necessary. */
void report_csv(FILE *out, const char *text, char separator);

/* ---- JSON, streaming ----------------------------------------------------------------------- */

struct report_json {
	FILE *out;
	unsigned depth;
	bool comma;   /* a value precedes the next one */
	bool compact; /* write objects on one line */
};

void report_json_open(struct report_json *json, char bracket);
void report_json_close(struct report_json *json, char bracket);
void report_json_key(struct report_json *json, const char *key);
void report_json_text(struct report_json *json, const char *text); /* NULL gives null */
void report_json_int(struct report_json *json, int64_t value);
void report_json_real(struct report_json *json, double value);
/* A key with its value. */
void report_json_member(struct report_json *json, const char *key, const char *text);
void report_json_int_member(struct report_json *json, const char *key, int64_t value);
void report_json_bool(struct report_json *json, bool value);
/* Text that is already valid JSON. */
void report_json_raw(struct report_json *json, const char *text);

#endif
