/* SPDX-License-Identifier: MIT */
/* Folded stacks of samples: kernel, functions inlined, file:line, state, joined by semicolons. */
#ifndef PROBE_CMDS_REPORT_FLAME_STACKS_H
#define PROBE_CMDS_REPORT_FLAME_STACKS_H

#include "cmds/report/sample_source.h"

struct probe_err;
struct report;
struct report_db;

/* A query of stack and number of samples; NULL: out of memory. Free with sqlite3_free(). */
char *flame_stacks_sql(const struct report *report, enum report_source source);

/* Why there is no stack. It is an error, because no graph can be drawn. */
struct probe_err *flame_stacks_missing(const struct report *report, const struct report_db *db);

#endif
