/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/run/application_environment.h"

#include <stdlib.h>
#include <string.h>

#include <probe/env.h>

#include "cmds/options/install_paths.h"
#include "cmds/options/run_options.h"
#include "cmds/run/device_choice.h"
#include "cmds/run/register_conflict.h"
#include "common/cleanup.h"
#include "common/err.h"

/* Takes ownership of the value. */
static bool set(struct run_environment *environment, const char *name, char *value)
{
	if (!value || environment->count == RUN_VARIABLES_MAX) {
		free(value);
		return false;
	}
	environment->variables[environment->count++] = (struct run_variable){name, value};
	return true;
}

static bool set_copy(struct run_environment *environment, const char *name, const char *value)
{
	return set(environment, name, strdup(value ? value : ""));
}

/* `ours` before the variable's value; `ours` alone if it has none. */
static char *in_front(const char *ours, const char *variable, char separator)
{
	const char *old = getenv(variable);
	char *ret;

	if (!old || !*old)
		return strdup(ours);
	return asprintf(&ret, "%s%c%s", ours, separator, old) < 0 ? NULL : ret;
}

/*
 * The tool's name in the syntax of HSA_TOOLS_LIB, where blanks separate and backslashes quote (ROCr
 * 5.2.3).
 */
static char *quoted_tool(const char *path)
{
	char *ret = malloc(2 * strlen(path) + 1), *out = ret;

	for (; ret && *path; path++) {
		if (strchr(" \t\"'\\", *path))
			*out++ = '\\';
		*out++ = *path;
	}
	if (ret)
		*out = 0;
	return ret;
}

static bool set_config(struct run_environment *environment, const struct run_config *config)
{
	char policy[PROBE_FULL_POLICY_TEXT], traced[PROBE_TRACED_TEXT];
	const struct {
		const char *name, *value;
	} rows[] = {
		{PROBE_ENV_KIND, probe_kind_name(config->kind)},
		{PROBE_ENV_WHEN_FULL, policy},
		{PROBE_ENV_TRACE, traced},
		{PROBE_ENV_GROUPS_X, config->groups[0]},
		{PROBE_ENV_GROUPS_Y, config->groups[1]},
		{PROBE_ENV_GROUPS_Z, config->groups[2]},
		{PROBE_ENV_INSTRUMENTED, config->instrumented ? "1" : "0"},
		{PROBE_ENV_KERNEL_INCLUDE, config->kernel_include},
		{PROBE_ENV_KERNEL_EXCLUDE, config->kernel_exclude},
		{PROBE_ENV_LIBRARY_INCLUDE, config->library_include},
		{PROBE_ENV_LIBRARY_EXCLUDE, config->library_exclude},
		{PROBE_ENV_DISPATCHES, config->dispatches},
		/* The last ones are set only for sampling. */
		{PROBE_ENV_SAMPLING_METHOD, config->sampling.text[RUN_SAMPLING_METHOD]},
		{PROBE_ENV_SAMPLING_UNIT, config->sampling.text[RUN_SAMPLING_UNIT]},
		{PROBE_ENV_SAMPLING_INTERVAL, config->sampling.text[RUN_SAMPLING_INTERVAL]},
	};
	size_t count = sizeof(rows) / sizeof(*rows) -
		       (config->sampling.on ? 0 : (size_t)RUN_SAMPLING_OPTIONS);

	probe_full_policy_format(config->full, policy);
	probe_traced_format(config->traced, traced);
	for (size_t i = 0; i < count; i++)
		if (!set_copy(environment, rows[i].name, rows[i].value))
			return false;
	return true;
}

struct probe_err *run_environment_make(struct run_environment *environment,
				       const struct run_config *config,
				       const struct run_layout *layout, const char *socket,
				       bool simulated)
{
	PROBE_AUTO_FREE char *tool = quoted_tool(layout->tool);
	bool ok = tool && (!socket || set_copy(environment, PROBE_ENV_SOCKET, socket)) &&
		  set(environment, "HSA_TOOLS_LIB", in_front(tool, "HSA_TOOLS_LIB", ' ')) &&
		  set_copy(environment, "HSA_TOOLS_REPORT_LOAD_FAILURE", "1") &&
		  (run_register_decided() ||
		   set_copy(environment, "HSA_TOOLS_DISABLE_REGISTER", "1")) &&
		  set_config(environment, config);

	if (ok && simulated && config->device > RUN_DEVICE_SIM)
		ok = set_copy(environment, "PROBE_SIM_DEVICE", run_simulated_target(config));
	if (ok && simulated)
		ok = set(environment, "LD_PRELOAD", run_simulator_preload(layout));
	return ok ? NULL : probe_err_oom();
}

void run_environment_clear(struct run_environment *environment)
{
	for (size_t i = 0; i < environment->count; i++)
		free(environment->variables[i].value);
	environment->count = 0;
}

void run_environment_print(const struct run_environment *environment, FILE *out)
{
	for (size_t i = 0; i < environment->count; i++) {
		fprintf(out, "export %s='", environment->variables[i].name);
		for (const char *c = environment->variables[i].value; *c; c++)
			*c == '\'' ? (void)fputs("'\\''", out) : (void)fputc(*c, out);
		fprintf(out, "'\n");
	}
}
