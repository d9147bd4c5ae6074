/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/record/foreign_code.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <probe/user_source.h>

#include "cmds/record/program_targets.h"
#include "cmds/record/recording.h"

char *foreign_code_program(pid_t pid)
{
	char link[64], path[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	length = readlink(link, path, sizeof(path));
	return length > 0 && (size_t)length < sizeof(path) ? strndup(path, (size_t)length) : NULL;
}

/* A kernel that is not the runtime's own has run. */
static bool own_kernel_ran(const struct process_objects *objects)
{
	for (uint32_t i = 0; i < objects->kernels.capacity; i++) {
		const struct run_kernel *kernel = objects->kernels.items[i];

		if (kernel && kernel->known_as && !probe_is_runtime_kernel(kernel->symbol))
			return true;
	}
	return false;
}

char *foreign_code_reason(const struct recording *recording)
{
	const struct process_objects *objects = &recording->objects;
	const struct run_agent *gpu = NULL;
	const char *other;
	struct run_targets targets;
	char *ret;

	if (!objects->program || own_kernel_ran(objects))
		return NULL;
	targets = run_program_targets(objects->program);
	if (!*targets.names || targets.more)
		return NULL;
	for (uint32_t i = 0; i < objects->agents.capacity; i++) {
		const struct run_agent *agent = objects->agents.items[i];

		if (!agent || agent->hr.type != 1)
			continue;
		if (run_targets_fit(&targets, agent->arch, agent->features))
			return NULL;
		if (!gpu)
			gpu = agent;
	}
	if (!gpu)
		return NULL;
	other = objects->simulated ? run_simulated_fit(&targets) : NULL;
	return asprintf(&ret,
			"none of its kernels could run: %s has kernels for %s, and the GPU is "
			"%s%s%s; compile it with --offload-arch=%s%s%s",
			objects->program, targets.names, gpu->arch, *gpu->features ? ":" : "",
			gpu->features, gpu->arch, other ? ", or use --device=sim:" : "",
			other ? other : "") < 0
		       ? NULL
		       : ret;
}
