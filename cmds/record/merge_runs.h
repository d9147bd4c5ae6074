/* SPDX-License-Identifier: MIT */
/*
 * Two runs of one program in one database: what a sampled run recorded, added to what a probed run
 * did. Code objects are told by the hash of their bytes, kernels by code object and symbol, so that
 * both runs' numbers stand at the same instructions and lines.
 */
#ifndef PROBE_CMDS_RECORD_MERGE_RUNS_H
#define PROBE_CMDS_RECORD_MERGE_RUNS_H

#include <sqlite3.h>

struct probe_err;

/*
 * `db` has the probed run as "main" and the sampled one attached as "a"; both of this schema
 * version. Dispatches of the sampled run get ids behind those of the other: probe_run has the last
 * one of the others as 'sampled_from'. In one transaction: on failure "main" is as it was. `name`
 * is for messages.
 */
struct probe_err *probe_merge(sqlite3 *db, const char *name);

#endif
