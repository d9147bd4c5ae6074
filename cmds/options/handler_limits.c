/* SPDX-License-Identifier: MIT */
#include "cmds/options/handler_limits.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"

struct run_handler_limits run_handler_limits_default(void)
{
	return (struct run_handler_limits){
		.seconds = 60,
		.memory = (uint64_t)sysconf(_SC_PHYS_PAGES) / 2 * (uint64_t)sysconf(_SC_PAGESIZE),
		.output = 1024ull << 20,
	};
}

struct probe_err *run_handler_limit_set(struct run_handler_limits *limits,
					enum run_handler_limit limit, const char *name,
					const char *value)
{
	bool none = !strcmp(value, "none");
	char *end;
	uint64_t number = strtoull(value, &end, 10);

	if (!none && (*value < '1' || *value > '9' || *end || number > 1000000000))
		return probe_err_create("invalid value '%s' for %s; expected a number from 1 to "
					"1000000000, or none",
					value, name);
	switch (limit) {
	case RUN_HANDLER_TIMEOUT:
		limits->seconds = none ? UINT64_MAX : number;
		return NULL;
	case RUN_HANDLER_MEMORY:
		limits->memory = none ? UINT64_MAX : number << 20;
		return NULL;
	case RUN_HANDLER_OUTPUT:
		limits->output = none ? UINT64_MAX : number << 20;
		return NULL;
	}
	return NULL;
}
