/* SPDX-License-Identifier: MIT */
/*
 * Foreign text on its way out: to a terminal without control bytes, to CSV quoted, to JSON valid
 * whatever its bytes are.
 */
#ifndef PROBE_CMDS_REPORT_ESCAPE_H
#define PROBE_CMDS_REPORT_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes of the UTF-8 character at `text` and its code, 0 if these bytes are none (RFC 3629). */
unsigned report_utf8(const char *text, size_t len, uint32_t *code);

/* May it reach a terminal? No control characters, nor those that turn the direction of text. */
bool report_printable(uint32_t code);

/*
 * Write at most `len` bytes (SIZE_MAX: up to NUL): control bytes and what is not UTF-8 as \xNN,
 * tabs as blanks up to the next multiple of 8 counted from `column`. Returns the places taken.
 * `out` may be NULL: then they are counted only.
 */
size_t report_text(FILE *out, const char *text, size_t len, size_t column);

/* Text in HTML or XML, between tags or in a quoted attribute. */
void report_markup(FILE *out, const char *text);

/* One CSV field, quoted if it must be. */
void report_csv(FILE *out, const char *text, char separator);

/* ---- JSON, streaming ----------------------------------------------------------------------- */

struct report_json {
	FILE *out;
	unsigned depth;
	bool comma;   /* the next value is not the first */
	bool compact; /* objects on one line */
};

void report_json_open(struct report_json *json, char bracket);
void report_json_close(struct report_json *json, char bracket);
void report_json_key(struct report_json *json, const char *key);
void report_json_text(struct report_json *json, const char *text); /* NULL = null */
void report_json_int(struct report_json *json, int64_t value);
void report_json_real(struct report_json *json, double value);
void report_json_bool(struct report_json *json, bool value);
/* Text that is known to be JSON. */
void report_json_raw(struct report_json *json, const char *text);

#endif
