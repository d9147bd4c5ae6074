/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/run/listing.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <probe/handler.h>
#include <probe/wire.h>

#include "cmds/options/handler_plugins.h"
#include "cmds/options/install_paths.h"
#include "cmds/options/run_options.h"
#include "cmds/run/agent_query.h"
#include "cmds/run/device_choice.h"
#include "common/err.h"
#include "probe_version.h"
#include "store/store.h"

static int is_pass(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "llvm-", 5);
}

/* LLVM majors for which the installation has a pass: " 15 16". */
static void print_passes(const struct run_layout *layout)
{
	char *parent = strdup(layout->handlers);
	struct dirent **entries = NULL;
	int count = 0;

	if (parent) {
		*strrchr(parent, '/') = 0;
		count = scandir(parent, &entries, is_pass, versionsort);
	}
	for (int i = 0; i < count; i++) {
		printf(" %s", entries[i]->d_name + strlen("llvm-"));
		free(entries[i]);
	}
	printf("%s\n", count > 0 ? "" : " none");
	free(entries);
	free(parent);
}

static void list_agents_of(const struct run_layout *layout, bool simulated)
{
	static struct run_agents agents;
	struct probe_err *err = run_agents_read(layout, simulated, &agents);

	printf("agents and PC sampling (method, unit, interval)%s:\n",
	       simulated ? ", simulated" : "");
	if (err) {
		char text[512];

		probe_err_format(err, text, sizeof(text));
		printf("  unknown: %s\n", text);
		probe_err_destroy(err);
		return;
	}
	run_agents_print(&agents, stdout);
}

static void list_agents(const struct run_config *config, const struct run_layout *layout)
{
	fflush(stdout);
	if (config->device < RUN_DEVICE_SIM && run_gpu_present())
		list_agents_of(layout, false);
	if (config->device != RUN_DEVICE_GPU && run_simulator_installed(layout))
		list_agents_of(layout, true);
}

void run_list(const struct run_config *config, const struct run_layout *layout)
{
	printf("handlers (-a):\n");
	run_plugins_list(layout, stdout);
	printf("kinds of probes (--kind):\n  memory           counters per access, made on the GPU\n"
	       "  trace            the address of every access\n"
	       "  time             time stamps of kernels, functions and regions\n"
	       "  count            executions and lanes of basic blocks\n");
	printf("devices (--device):\n");
	printf("  gpu              %s\n", run_gpu_present() ? "/dev/kfd" : "none (/dev/kfd)");
	printf("  sim              %s\n",
	       run_simulator_installed(layout) ? "gfx90a, simulated" : "not installed");
	list_agents(config, layout);
	printf("passes for LLVM:");
	print_passes(layout);
}

void run_version(const struct run_layout *layout)
{
	printf("probe-run %s (%s)\nsegment %u, handler ABI %u to %u, schema %d\nSQLite %s\n"
	       "passes for LLVM:",
	       PROBE_VERSION, PROBE_GIT_ID, PROBE_SEG_VERSION, PROBE_HANDLER_ABI_MIN,
	       PROBE_HANDLER_ABI, PROBE_STORE_VERSION, probe_store_sqlite_version());
	print_passes(layout);
}
