/* SPDX-License-Identifier: MIT */
/* Finds the newest databases that probe-run wrote below this directory, if no file is given. */
#ifndef PROBE_CMDS_REPORT_NEWEST_RUNS_H
#define PROBE_CMDS_REPORT_NEWEST_RUNS_H

#include <stddef.h>

struct probe_err;

/*
 * The `count` newest databases, the newest last; the caller frees paths and array. An error if
 * there is none.
 */
struct probe_err *report_newest_runs(size_t count, char ***ret, size_t *ret_count);
void report_newest_free(char **paths, size_t count);

#endif
