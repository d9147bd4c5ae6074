/* SPDX-License-Identifier: MIT */
/* A connection to PostgreSQL, by libpq, which is loaded when the first one is made. */
#ifndef PROBE_CMDS_REPORT_POSTGRES_H
#define PROBE_CMDS_REPORT_POSTGRES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe_err;
struct postgres;

/* True of postgresql://... and postgres://... */
bool postgres_is_address(const char *word);

struct probe_err *postgres_open(const char *address, struct postgres **ret);
void postgres_close(struct postgres *postgres);

/* Runs statements; the text is formatted as by sqlite3_mprintf (%Q: text, "%w": identifier). */
struct probe_err *postgres_exec(struct postgres *postgres, const char *format, ...);
/* The same with a query; *ret: the first cell of its first row, which the caller frees, or NULL. */
struct probe_err *postgres_cell(struct postgres *postgres, char **ret, const char *format, ...);

/*
 * COPY FROM STDIN, in text format: the statement, then for each row its fields and postgres_row(),
 * at last postgres_copy_end(). The first error is kept, and returned there.
 */
struct probe_err *postgres_copy(struct postgres *postgres, const char *format, ...);
/* Bytes that are not UTF-8, and NUL, which PostgreSQL refuses, become U+FFFD. */
void postgres_text(struct postgres *postgres, const char *text, size_t length);
void postgres_bytes(struct postgres *postgres, const unsigned char *bytes, size_t size);
void postgres_int(struct postgres *postgres, int64_t value);
void postgres_real(struct postgres *postgres, double value);
void postgres_null(struct postgres *postgres);
void postgres_row(struct postgres *postgres);
struct probe_err *postgres_copy_end(struct postgres *postgres);

#endif
