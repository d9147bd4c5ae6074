/* SPDX-License-Identifier: MIT */
/* Iterates over the rows that broke a rule; each has a position and a sentence. */
#ifndef PROBE_CMDS_REPORT_GATE_ROWS_H
#define PROBE_CMDS_REPORT_GATE_ROWS_H

#include "cmds/report/gate_formats.h"
#include "cmds/report/report_db.h"

/* Strings are valid up to the next row, never NULL. */
struct gate_row {
	const char *rule, *metric, *kernel, *access, *space, *source;
	/*
	 * The position of a row without a line is that of its kernel. The path is relative to the
	 * current directory if below it.
	 */
	const char *path;
	long long line, column; /* 0: unknown */
	const char *own_file;	/* "" for a row without a line */
	long long nth;		/* of those that differ only in their position */
	char message[1000];
};

enum gate_verdict {
	GATE_BROKEN,
	GATE_UNJUDGED,
};

/*
 * Calls `fn` for the rows that `rule` (NULL: any rule) has with this verdict, at most `limit` of
 * them
 * (-1: all).
 */
struct probe_err *gate_each_row(const struct gate *gate, enum gate_verdict verdict,
				const char *rule, int64_t limit,
				void (*fn)(const struct gate_row *row, void *user), void *user);

#endif
