/* SPDX-License-Identifier: MIT */
/* Options of probe-run and probe-report replay: the limits of a handler's process. */
#ifndef PROBE_CMDS_OPTIONS_HANDLER_LIMITS_H
#define PROBE_CMDS_OPTIONS_HANDLER_LIMITS_H

#include <stdint.h>

struct probe_err;

enum run_handler_limit {
	RUN_HANDLER_TIMEOUT,
	RUN_HANDLER_MEMORY,
	RUN_HANDLER_OUTPUT,
};

/* UINT64_MAX = no limit. */
struct run_handler_limits {
	uint64_t seconds; /* for one call of a handler */
	uint64_t memory;  /* bytes of its process */
	uint64_t output;  /* bytes of its rows and messages */
};

/* Rows of a table of options; keys from `key` on, in the order of enum run_handler_limit. */
#define RUN_HANDLER_LIMIT_OPTIONS(key)                                                             \
	{"handler-timeout", 0, "SECONDS",                                                          \
	 "end a handler's process if a call takes longer;\n"                                       \
	 "none: no limit (default: 60)",                                                           \
	 (key) + RUN_HANDLER_TIMEOUT},                                                             \
		{"handler-memory", 0, "MIB",                                                       \
		 "memory limit of a handler's process; none: no limit\n"                           \
		 "(default: half of the machine's memory)",                                        \
		 (key) + RUN_HANDLER_MEMORY},                                                      \
	{                                                                                          \
		"handler-output", 0, "MIB",                                                        \
			"end a handler's process if its rows and messages are\n"                   \
			"more; none: no limit (default: 1024)",                                    \
			(key) + RUN_HANDLER_OUTPUT                                                 \
	}

struct run_handler_limits run_handler_limits_default(void);

/* Checks and stores one value; `name` of the option is for messages. */
struct probe_err *run_handler_limit_set(struct run_handler_limits *limits,
					enum run_handler_limit limit, const char *name,
					const char *value);

#endif
