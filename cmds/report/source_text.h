/* SPDX-License-Identifier: MIT */
/* Text of source lines, read from the file system. */
#ifndef PROBE_CMDS_REPORT_SOURCE_TEXT_H
#define PROBE_CMDS_REPORT_SOURCE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#include "codeobj/digest.h"

struct report;

/*
 * Text of a line: below --source-dir if that is given, else where the file was when it was
 * compiled, if its content is still what a code object of the database was compiled from. NULL if
 * it is not there. Free it.
 */
char *report_source_text(const struct report *report, sqlite3 *db, const char *file, int64_t line);
/* Between databases: what may be shown of one may not be of another. */
void report_source_forget(void);

/* Hash of that whole file; false if it cannot be read. */
bool report_source_hash(const struct report *report, const char *file, char hash[PROBE_SHA256_HEX]);

#endif
