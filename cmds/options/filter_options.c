/* SPDX-License-Identifier: MIT */
#include "cmds/options/filter_options.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/options/run_options.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/selection.h"

static struct probe_err *check_regex(const char *option, const char *value)
{
	regex_t regex;
	char message[128];
	int rc;

	if (!probe_pattern_bounded(value))
		return probe_err_create(
			"invalid regular expression for %s: " PROBE_PATTERN_UNBOUNDED, option);
	rc = regcomp(&regex, value, REG_EXTENDED | REG_NOSUB);
	if (!rc) {
		regfree(&regex);
		return NULL;
	}
	regerror(rc, &regex, message, sizeof(message));
	return probe_err_create("invalid regular expression '%s' for %s: %s", value, option,
				message);
}

static struct probe_err *check_dispatches(const char *option, const char *value)
{
	struct probe_selection selection;

	if (*value && probe_selection_parse(value, &selection))
		return NULL;
	return probe_err_create(
		"invalid value '%s' for %s; expected all, first, numbers and "
		"ranges from 1 such as 3,7-9, N-in-M or N-in-M:SEED with 0 < N <= M",
		value, option);
}

static struct probe_err *set_workgroups(struct run_config *config, int axis, const char *option,
					const char *value)
{
	config->groups[axis] = value;
	if (*value && probe_workgroups_parse(value, axis, &config->workgroups))
		return NULL;
	return probe_err_create("invalid value '%s' for %s; expected a workgroup N, or N:M for N "
				"to M - 1",
				value, option);
}

/* Appends a line to the list. */
static struct probe_err *add_glob(char **list, const char *option, const char *value)
{
	size_t old = *list ? strlen(*list) + 1 : 0;
	char *grown;

	if (!*value || strchr(value, '\n'))
		return probe_err_create("invalid value '%s' for %s; expected a pattern for file "
					"names",
					value, option);
	grown = realloc(*list, old + strlen(value) + 1);
	if (!grown)
		return probe_err_oom();
	if (old)
		grown[old - 1] = '\n';
	strcpy(grown + old, value);
	*list = grown;
	return NULL;
}

struct probe_err *run_filter_set(struct run_config *config, enum run_filter filter,
				 const char *option, const char *value)
{
	switch (filter) {
	case RUN_FILTER_KERNEL:
		config->kernel_include = value;
		return check_regex(option, value);
	case RUN_FILTER_NOT_KERNEL:
		config->kernel_exclude = value;
		return check_regex(option, value);
	case RUN_FILTER_LIBRARY:
		return add_glob(&config->library_include, option, value);
	case RUN_FILTER_NOT_LIBRARY:
		return add_glob(&config->library_exclude, option, value);
	case RUN_FILTER_DISPATCHES:
		config->dispatches = value;
		return check_dispatches(option, value);
	case RUN_FILTER_GROUPS_X:
	case RUN_FILTER_GROUPS_Y:
	case RUN_FILTER_GROUPS_Z:
		return set_workgroups(config, (int)(filter - RUN_FILTER_GROUPS_X), option, value);
	}
	return NULL;
}

struct probe_err *run_globs_set(struct run_config *config, enum run_filter filter,
				const char *variable, const char *value)
{
	PROBE_AUTO_FREE char *copy = strdup(value);
	struct probe_err *err = copy ? NULL : probe_err_oom();

	for (char *rest = copy, *line; !err && (line = strsep(&rest, "\n"));)
		if (*line)
			err = run_filter_set(config, filter, variable, line);
	return err;
}

struct probe_err *run_trace_set(struct run_config *config, const char *variable, const char *value)
{
	char all[PROBE_TRACED_TEXT];

	config->tracing = true;
	if (probe_traced_parse(value, &config->traced))
		return NULL;
	probe_traced_format(UINT32_MAX, all);
	return probe_err_create("invalid value '%s' for %s; expected words of %s", value, variable,
				all);
}

struct probe_err *run_full_policy_set(struct run_config *config, const char *option,
				      const char *value)
{
	if (*value && probe_full_policy_parse(value, &config->full))
		return NULL;
	return probe_err_create("invalid value '%s' for %s; expected block, drop, sample or "
				"sample:N with N from 1",
				value, option);
}

struct probe_err *run_full_policy_check(const struct run_config *config)
{
	if (config->full.action == PROBE_FULL_BLOCK || !config->instrumented ||
	    probe_kind_has_rings(config->kind))
		return NULL;
	return probe_err_create("--when-full %s applies to --kind trace and time only; --kind %s "
				"has no rings",
				config->full.action == PROBE_FULL_DROP ? "drop" : "sample",
				probe_kind_name(config->kind));
}
