/* SPDX-License-Identifier: MIT */
/* Options about what the device decides: which workgroups record, and what a full ring means. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "cmds/options/run_options.h"
#include "model/proved_rows.h"

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

/* "N" or "N:M"; the end is not included. */
static bool parse_groups(const char *value, uint64_t *ret_first, uint64_t *ret_end)
{
	const char *at = value;

	if (!number(&at, UINT32_MAX, ret_first))
		return false;
	*ret_end = *ret_first + 1;
	if (*at == ':') {
		at++;
		if (!number(&at, 1ull << 32, ret_end))
			return false;
	}
	return !*at && *ret_end > *ret_first;
}

struct probe_err *run_groups_check(const char *option, const char *value)
{
	uint64_t first, end;

	if (parse_groups(value, &first, &end))
		return NULL;
	return probe_err_create("%s: '%s' is no workgroup N and no range N:M, which ends before M",
				option, value);
}

bool run_groups_chosen(const struct run_config *config, struct proved_groups *ret)
{
	bool chosen = false;

	for (int i = 0; i < 3; i++) {
		uint64_t first = 0, end = 1ull << 32;

		chosen |= config->groups[i] && parse_groups(config->groups[i], &first, &end);
		ret->first[i] = (uint32_t)first;
		ret->last[i] = (uint32_t)(end - 1);
	}
	return chosen;
}

struct probe_err *run_policy_apply(const struct run_config *config)
{
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
