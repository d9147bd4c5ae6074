/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/run/register_conflict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/mapped_file.h"

#define SYMBOL	 "rocprofiler_configure"
#define VARIABLE "HSA_TOOLS_DISABLE_REGISTER"

bool run_register_decided(void)
{
	return getenv(VARIABLE);
}

bool run_register_kept(void)
{
	const char *decided = getenv(VARIABLE);

	return decided && strcmp(decided, "1");
}

/*
 * True if the file's strings contain the name. It is then exported or only looked up by name; the
 * second case is harmless.
 */
static bool has_symbol(const char *path)
{
	PROBE_AUTO(probe_file_unmap) struct probe_mapped_file file = {0};

	return probe_file_map(path, &file) && memmem(file.bytes, file.size, SYMBOL, sizeof(SYMBOL));
}

static bool preloaded(char *text, size_t size)
{
	const char *list = getenv("LD_PRELOAD");
	PROBE_AUTO_FREE char *copy = list ? strdup(list) : NULL;
	char *rest = NULL;

	for (char *name = copy ? strtok_r(copy, ": ", &rest) : NULL; name;
	     name = strtok_r(NULL, ": ", &rest)) {
		if (!has_symbol(name))
			continue;
		snprintf(text, size, "%s in LD_PRELOAD has " SYMBOL, name);
		return true;
	}
	return false;
}

bool run_register_conflict(char *text, size_t size)
{
	static const char *const names[] = {"ROCP_TOOL_LIBRARIES", "ROCPROFILER_REGISTER_LIBRARY",
					    "ROCPROFILER_REGISTER_FORCE_LOAD"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (!value || !*value)
			continue;
		snprintf(text, size, "%s is set", names[i]);
		return true;
	}
	return preloaded(text, size);
}

void run_register_announce(void)
{
	const char *decided = getenv(VARIABLE);
	char why[512];

	if (!run_register_conflict(why, sizeof(why)) || (decided && !run_register_kept()))
		return;
	if (decided)
		probe_log(
			PROBE_LOG_WARNING,
			"%s: ROCr 6.1 and later then call that profiler and not Probe; unset " VARIABLE
			" (now '%s') to record with Probe",
			why, decided);
	else
		probe_log(PROBE_LOG_WARNING,
			  "%s: " VARIABLE
			  "=1 is set for the program, so that ROCr 6.1 and later call "
			  "Probe; that profiler sees no HSA calls",
			  why);
}
