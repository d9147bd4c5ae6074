/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/run/program_targets.h"

#include <stdio.h>
#include <string.h>

#include "cmds/run/program_file.h"
#include "codeobj/bundle.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/mapped_file.h"

/* Both simulated GPUs have sramecc and no xnack; a target without a feature runs with either. */
static bool features_fit(const char *features)
{
	return !strstr(features, ":xnack+") && !strstr(features, ":sramecc-");
}

static bool names(const char *target, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(target, name, length) && (target[length] == ':' || !target[length]) &&
	       features_fit(target + length);
}

void run_targets_add(struct run_targets *targets, const char *id)
{
	/* The features of a target may contain '-'. */
	const char *target = strstr(id, "-gfx");

	if (!target)
		return;
	target++;
	targets->gfx90a |= names(target, "gfx90a");
	targets->gfx942 |= names(target, "gfx942") || names(target, "gfx9-4-generic");
	if (!*targets->first)
		snprintf(targets->first, sizeof(targets->first), "%s", target);
}

struct run_targets run_program_targets(const char *program)
{
	PROBE_AUTO(probe_file_unmap) struct probe_mapped_file file = {0};
	PROBE_AUTO(probe_bundle_release) struct probe_bundle *bundle = NULL;
	PROBE_AUTO_FREE char *path = run_program_path(program);
	struct run_targets targets = {0};

	/* Scripts and damaged files are the loader's to judge. */
	if (path && probe_file_map(path, &file))
		probe_err_destroy(probe_bundle_find(path, file.bytes, file.size, &bundle));
	for (size_t i = 0; bundle && i < bundle->count; i++)
		run_targets_add(&targets, bundle->entries[i].id);
	return targets;
}
