/* SPDX-License-Identifier: MIT */
/*
 * PC sampling as asked for on the command line: rocprofv3's three options, all or none, and what
 * the hardware allows (rocprofiler-sdk's and the kernel driver's tables).
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
	bool on;				/* checked, and to be done */
	const char *text[RUN_SAMPLING_OPTIONS]; /* as given; NULL: not */
	uint32_t method, unit;			/* as in struct probe_hr_sampler */
	uint64_t interval;
	bool clones; /* sample instrumented clones, knowingly */
};

/* The long option, or the variable that equals it. */
const char *run_sampling_option(enum run_sampling_option option);
const char *run_sampling_variable(enum run_sampling_option option);

/* One option; checks the word by itself. */
struct probe_err *run_sampling_take(struct run_sampling *sampling, enum run_sampling_option option,
				    const char *name, const char *value);

/* When all options are known: sets `on`, or says what is missing or does not go together. */
struct probe_err *run_sampling_check(struct run_sampling *sampling);

const char *run_sampling_method_name(uint32_t method);
const char *run_sampling_unit_name(uint32_t unit);

#endif
