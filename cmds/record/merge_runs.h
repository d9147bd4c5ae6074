/* SPDX-License-Identifier: MIT */
/*
 * Merges two runs of one program into one database: the records of a sampled run are added to those
 * of a probed run. Code objects are identified by the hash of their bytes, kernels by code object
 * and symbol. Both runs' numbers therefore refer to the same instructions and lines.
 */
#ifndef PROBE_CMDS_RECORD_MERGE_RUNS_H
#define PROBE_CMDS_RECORD_MERGE_RUNS_H

#include <sqlite3.h>

struct probe_err;

/*
 * `db` has the probed run as "main" and the sampled one attached as "a"; both have this schema
 * version. Dispatches of the sampled run get ids after those of the probed run, whose last id is
 * stored as 'sampled_from'. All in one transaction: on failure "main" is unchanged. `name` is for
 * messages.
 */
struct probe_err *probe_merge(sqlite3 *db, const char *name);

#endif
