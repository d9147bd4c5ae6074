/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/code/filters.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include <probe/env.h>

#include "hsa-plugin/code/code_image.h"

static bool compile(const char *name, regex_t *ret, bool *broken)
{
	const char *text = getenv(name);

	if (!text || !*text)
		return false;
	if (probe_pattern_bounded(text) && !regcomp(ret, text, REG_EXTENDED | REG_NOSUB))
		return true;
	*broken = true;
	return false;
}

/* A copy that is never freed. */
static char *globs(const char *name, bool *broken)
{
	const char *text = getenv(name);
	char *copy = text && *text ? strdup(text) : NULL;

	*broken = *broken || (text && *text && !copy);
	return copy;
}

/* The kind of the clones to launch. */
static enum probe_kind read_kind(bool *broken)
{
	const char *text = getenv(PROBE_ENV_KIND), *on = getenv(PROBE_ENV_INSTRUMENTED);
	enum probe_kind kind = PROBE_KIND_MEMORY;

	if (text && *text && !probe_kind_parse(text, &kind)) {
		*broken = true;
		kind = PROBE_KIND_NONE;
	}
	return on && !strcmp(on, "0") ? PROBE_KIND_NONE : kind;
}

bool probe_config_read(struct probe_config *ret)
{
	static const char *const groups[] = {PROBE_ENV_GROUPS_X, PROBE_ENV_GROUPS_Y,
					     PROBE_ENV_GROUPS_Z};
	const char *text;

	memset(ret, 0, sizeof(*ret));
	if (getauxval(AT_SECURE))
		return false;
	text = getenv(PROBE_ENV_SOCKET);
	if (!text || !*text || strlen(text) >= sizeof(ret->socket))
		return false;
	strcpy(ret->socket, text);
	ret->kind = read_kind(&ret->broken);
	if (!probe_traced_parse(getenv(PROBE_ENV_TRACE), &ret->traced))
		ret->broken = true;
	if (!probe_full_policy_parse(getenv(PROBE_ENV_WHEN_FULL), &ret->full))
		ret->broken = true;
	for (int i = 0; i < 3; i++)
		if (!probe_workgroups_parse(getenv(groups[i]), i, &ret->workgroups))
			ret->broken = true;
	ret->workgroups_restricted = probe_workgroups_restricted(&ret->workgroups);
	ret->include_set = compile(PROBE_ENV_KERNEL_INCLUDE, &ret->include, &ret->broken);
	ret->exclude_set = compile(PROBE_ENV_KERNEL_EXCLUDE, &ret->exclude, &ret->broken);
	if (!probe_selection_parse(getenv(PROBE_ENV_DISPATCHES), &ret->selection))
		ret->broken = true;
	ret->library_include = globs(PROBE_ENV_LIBRARY_INCLUDE, &ret->broken);
	ret->library_exclude = globs(PROBE_ENV_LIBRARY_EXCLUDE, &ret->broken);
	return true;
}

bool probe_config_wants(const struct probe_config *config, const char *demangled)
{
	if (config->broken)
		return false;
	if (config->include_set && regexec(&config->include, demangled, 0, NULL, 0))
		return false;
	return !config->exclude_set || regexec(&config->exclude, demangled, 0, NULL, 0) != 0;
}

static bool matches(const char *globs_text, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char glob[PATH_MAX];

	for (const char *at = globs_text; at && *at;) {
		size_t length = strcspn(at, "\n");

		if (length && length < sizeof(glob)) {
			memcpy(glob, at, length);
			glob[length] = 0;
			if (!fnmatch(glob, strchr(glob, '/') ? path : name, 0))
				return true;
		}
		at += length + (at[length] == '\n');
	}
	return false;
}

bool probe_config_wants_library(const struct probe_config *config, const char *uri)
{
	char *file = NULL;
	uint64_t offset, size;
	const char *path;
	bool wanted;

	if (!config->library_include && !config->library_exclude)
		return true;
	path = uri && !probe_image_parse_uri(uri, &file, &offset, &size) ? file : "memory";
	wanted = (!config->library_include || matches(config->library_include, path)) &&
		 !matches(config->library_exclude, path);
	free(file);
	return wanted;
}
