/* SPDX-License-Identifier: MIT */
/* Options about what the device decides: which workgroups record, and what a full ring means. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "probe_run_options.h"

#define SAMPLE_EVERY 16u

/* A decimal number up to `most` and nothing behind it but `end`. */
static bool number(const char **at, uint64_t most, uint64_t *ret)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	*ret = strtoull(*at, &end, 10);
	*at = end;
	return !errno && *ret <= most;
}

struct probe_err *run_policy_parse(const char *option, const char *value, struct run_config *config)
{
	uint64_t every = SAMPLE_EVERY;
	const char *at = value + 6;

	config->sample_every = 1;
	if (!strcmp(value, "block") || !strcmp(value, "drop")) {
		config->when_full = *value == 'b' ? PROBE_FULL_BLOCK : PROBE_FULL_DROP;
		return NULL;
	}
	if (!strncmp(value, "sample", 6)) {
		if (*at == ':' && (++at, !number(&at, UINT32_MAX, &every)))
			every = 0;
		if (every && !*at) {
			config->when_full = PROBE_FULL_SAMPLE;
			config->sample_every = (uint32_t)every;
			return NULL;
		}
	}
	return probe_err_create("%s: '%s' is none of: block, drop, sample, sample:N with N from 1",
				option, value);
}

struct probe_err *run_groups_check(const char *option, const char *value)
{
	uint64_t first = 0, end = 0;
	const char *at = value;
	bool good = number(&at, UINT32_MAX, &first);

	end = first + 1;
	if (good && *at == ':') {
		at++;
		good = number(&at, 1ull << 32, &end);
	}
	if (good && !*at && end > first)
		return NULL;
	return probe_err_create("%s: '%s' is no workgroup N and no range N:M, which ends before M",
				option, value);
}

struct probe_err *run_groups_apply(const struct run_config *config)
{
	static const char names[] = "xyz";

	for (int i = 0; i < 3; i++)
		if (config->groups[i] && config->instrumented &&
		    !probe_kind_has_rings(config->kind))
			return probe_err_create("--filter-%c goes with --kind trace and time only; "
						"--kind %s counts all workgroups",
						names[i], run_kind_name(config->kind));
	if (config->when_full != PROBE_FULL_BLOCK && config->instrumented &&
	    !probe_kind_has_rings(config->kind))
		return probe_err_create("--when-full %s goes with --kind trace and time only; "
					"--kind %s has no rings that could be full",
					config->when_full == PROBE_FULL_DROP ? "drop" : "sample",
					run_kind_name(config->kind));
	return NULL;
}

char *run_policy_text(const struct run_config *config)
{
	char *text = NULL;

	if (config->when_full != PROBE_FULL_SAMPLE)
		return strdup(config->when_full == PROBE_FULL_DROP ? "drop" : "block");
	return asprintf(&text, "sample:%u", config->sample_every) < 0 ? NULL : text;
}
