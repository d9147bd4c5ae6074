/* SPDX-License-Identifier: MIT */
/*
 * Options that choose which kernels are instrumented, which workgroups record, and what happens
 * when a ring is full.
 */
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
 * Checks and stores the value of an option or variable; its name is for messages. Library options
 * may be repeated.
 */
struct probe_err *run_filter_set(struct run_config *config, enum run_filter filter,
				 const char *option, const char *value);

/* For the variables of the library options: one value per line; and of the tracing options. */
struct probe_err *run_globs_set(struct run_config *config, enum run_filter filter,
				const char *variable, const char *value);
struct probe_err *run_trace_set(struct run_config *config, const char *variable, const char *value);

struct probe_err *run_full_policy_set(struct run_config *config, const char *option,
				      const char *value);
/* An error if the chosen kind has no rings to which the policy could apply. */
struct probe_err *run_full_policy_check(const struct run_config *config);

#endif
