/* SPDX-License-Identifier: MIT */
/* Recordings whose recorder was killed, and that wait for probe-run --recover. */
#ifndef PROBE_CMDS_RUN_INTERRUPTED_RUNS_H
#define PROBE_CMDS_RUN_INTERRUPTED_RUNS_H

#include <stdbool.h>

struct probe_err;

/* Is there one of the name of this database? An error, if it is not to be replaced. */
struct probe_err *run_interrupted_check(const char *path, bool force);
/* Before the database `path` is created: fails if there is one of this name; `force` removes it. */
struct probe_err *run_interrupted_make_way(const char *path, bool force);
/* Warns the user of others in the directory of `path`. */
void run_interrupted_hint(const char *path);

#endif
