/* SPDX-License-Identifier: MIT */
/*
 * Options of PC sampling: the three options of rocprofv3, all or none, checked against the
 * hardware's limits (tables of rocprofiler-sdk and the kernel driver).
 */
#ifndef PROBE_CMDS_OPTIONS_SAMPLING_OPTIONS_H
#define PROBE_CMDS_OPTIONS_SAMPLING_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct probe_err;

enum run_sampling_option {
	RUN_SAMPLING_METHOD,
	RUN_SAMPLING_UNIT,
	RUN_SAMPLING_INTERVAL,
	RUN_SAMPLING_OPTIONS,
};

struct run_sampling {
	bool on;				/* checked and complete */
	const char *text[RUN_SAMPLING_OPTIONS]; /* as given, or NULL */
	uint32_t method, unit;			/* as in struct probe_hr_sampler */
	uint64_t interval;
	bool clones; /* sample the instrumented clones */
};

/* Checks and stores one value; `name` of the option or variable is for messages. */
struct probe_err *run_sampling_set(struct run_sampling *sampling, enum run_sampling_option option,
				   const char *name, const char *value);

/*
 * Called when all options are known: sets `on`, or returns an error if they are incomplete or
 * conflict.
 */
struct probe_err *run_sampling_check(struct run_sampling *sampling);

const char *run_sampling_method_name(uint32_t method);
const char *run_sampling_unit_name(uint32_t unit);

#endif
