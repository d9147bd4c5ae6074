/* SPDX-License-Identifier: MIT */
/* Iterates over the rows that broke a rule; each has a position and a sentence. */
#ifndef PROBE_CMDS_REPORT_GATE_ROWS_H
#define PROBE_CMDS_REPORT_GATE_ROWS_H

#include "cmds/report/gate_formats.h"
#include "cmds/report/report_db.h"

/* Strings are valid up to the next row, never NULL. */
struct gate_row {
	const char *rule, *metric, *kernel, *access, *space, *source;
	const char *path; /* of the source file, relative to the current directory if below it */
	long long line, column; /* 0 for a row of a kernel */
	char message[400];
};

/* Calls `fn` for the rows that broke `rule` (NULL: any rule), at most `limit` of them (-1: all). */
struct probe_err *gate_each_row(const struct gate *gate, const char *rule, int64_t limit,
				void (*fn)(const struct gate_row *row, void *user), void *user);

#endif
