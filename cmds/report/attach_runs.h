/* SPDX-License-Identifier: MIT */
/*
 * --runs: opens two files, a sampled run and a probed run of the same program, as one database in
 * memory. Names of tables and columns are foreign text: they are quoted, and their number is
 * limited.
 */
#ifndef PROBE_CMDS_REPORT_ATTACH_RUNS_H
#define PROBE_CMDS_REPORT_ATTACH_RUNS_H

#include <stdbool.h>

struct probe_err;
struct report;
struct report_db;

/* Copies the rows of a table to schema.table; `make`: which is made first, without keys. */
struct probe_err *report_copy_table(const struct report_db *from, const char *table,
				    const struct report_db *to, const char *schema, bool make);

struct probe_err *report_runs_open(const struct report *report, struct report_db *db);

#endif
