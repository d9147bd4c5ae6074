/* SPDX-License-Identifier: MIT */
/*
 * probe-run --recover DIR, for use after probe-run or its recorder was killed. It waits for
 * recorders that still write databases in DIR. Those of recorders that died it makes again
 * (spool.h). Then it runs pending handlers over the stored records.
 */
#ifndef PROBE_CMDS_RUN_RECOVER_RUNS_H
#define PROBE_CMDS_RUN_RECOVER_RUNS_H

struct probe_err;
struct run_handler_limits;
struct run_layout;

struct probe_err *run_recover(const char *directory, const struct run_layout *layout,
			      const struct run_handler_limits *limits);

#endif
