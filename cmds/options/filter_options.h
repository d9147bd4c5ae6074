/* SPDX-License-Identifier: MIT */
/* Options that choose what is instrumented, what records, and what happens when a ring is full. */
#ifndef PROBE_CMDS_OPTIONS_FILTER_OPTIONS_H
#define PROBE_CMDS_OPTIONS_FILTER_OPTIONS_H

struct probe_err;
struct run_config;

enum run_filter {
	RUN_FILTER_KERNEL,
	RUN_FILTER_NOT_KERNEL,
	RUN_FILTER_LIBRARY,
	RUN_FILTER_NOT_LIBRARY,
	RUN_FILTER_DISPATCHES,
	RUN_FILTER_GROUPS_X,
	RUN_FILTER_GROUPS_Y,
	RUN_FILTER_GROUPS_Z,
};

/*
 * Check and keep the value of an option or variable, whose name is for messages. Libraries may be
 * given several times.
 */
struct probe_err *run_filter_set(struct run_config *config, enum run_filter filter,
				 const char *option, const char *value);

struct probe_err *run_full_policy_set(struct run_config *config, const char *option,
				      const char *value);
/* An error if the kind that was chosen has no rings for the policy to apply to. */
struct probe_err *run_full_policy_check(const struct run_config *config);

#endif
