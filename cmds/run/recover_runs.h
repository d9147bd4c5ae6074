/* SPDX-License-Identifier: MIT */
/*
 * probe-run --recover DIR: after probe-run was killed. Waits for recorders that still work on
 * databases in DIR, and runs the handlers that a run did not get to over what it stored.
 */
#ifndef PROBE_CMDS_RUN_RECOVER_RUNS_H
#define PROBE_CMDS_RUN_RECOVER_RUNS_H

struct probe_err;
struct run_layout;

struct probe_err *run_recover(const char *directory, const struct run_layout *layout);

#endif
