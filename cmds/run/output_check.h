/* SPDX-License-Identifier: MIT */
/* Whether a run can write its database, as far as that is known before the program starts. */
#ifndef PROBE_CMDS_RUN_OUTPUT_CHECK_H
#define PROBE_CMDS_RUN_OUTPUT_CHECK_H

struct probe_err;
struct run_config;

/*
 * Rejects unknown keys, names of files that cannot be made or must not be replaced, and directories
 * that cannot be written; warns of a disk that is almost full. A directory of -d whose name is
 * known is created.
 */
struct probe_err *run_output_check(const struct run_config *config);

#endif
