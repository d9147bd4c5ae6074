/* SPDX-License-Identifier: MIT */
/*
 * The agents of the runtime that a program would load, and how they can be sampled. A child process
 * (probe-agents) starts the runtime briefly to find out.
 */
#ifndef PROBE_CMDS_RUN_AGENT_QUERY_H
#define PROBE_CMDS_RUN_AGENT_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct probe_err;
struct run_layout;
struct run_sampling;

enum { RUN_AGENTS_MAX = 64, RUN_CONFIGURATIONS_MAX = 8 };

struct run_agent_sampling {
	uint32_t method, units;
	uint64_t min, max, flags; /* flag 1: powers of two only */
};

struct run_agent_row {
	uint32_t index;
	bool gpu;
	char name[64], product[64];
	struct run_agent_sampling sampling[RUN_CONFIGURATIONS_MAX];
	size_t count;
};

struct run_agents {
	struct run_agent_row rows[RUN_AGENTS_MAX];
	size_t count;
	char provider[32]; /* provider of sampling: "simulated", "ROCr", "none" */
};

/* `simulated`: query the simulated GPU. */
struct probe_err *run_agents_read(const struct run_layout *layout, bool simulated,
				  struct run_agents *ret);

void run_agents_print(const struct run_agents *agents, FILE *out);

/* If no GPU agent supports these options, returns an error that lists what is supported. */
struct probe_err *run_agents_check(const struct run_agents *agents,
				   const struct run_sampling *sampling);

#endif
