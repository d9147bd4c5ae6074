/* SPDX-License-Identifier: MIT */
/* Folded stacks of samples: kernel, functions inlined, file:line, state, joined by semicolons. */
#ifndef PROBE_CMDS_REPORT_FLAME_STACKS_H
#define PROBE_CMDS_REPORT_FLAME_STACKS_H

#include <sqlite3.h>
#include <stdio.h>

struct probe_err;
struct report;
struct report_db;

/* Writes them. */
struct probe_err *flame_stacks_put(const struct report *report, const struct report_db *db,
				   FILE *out);

/* A query of stack and number of samples. */
struct probe_err *flame_stacks_prepare(const struct report *report, const struct report_db *db,
				       sqlite3_stmt **ret);

/* Why there is no stack. It is an error, because no graph can be drawn. */
struct probe_err *flame_stacks_missing(const struct report *report, const struct report_db *db);

#endif
