/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/filters.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include <probe/wire.h>

#include "hsa-plugin/code_image.h"

/* A decimal number from 1; `*text` moves past it. 0 = none there. */
static uint64_t number(const char **text)
{
	unsigned long long value;
	char *end;

	if (!isdigit((unsigned char)**text))
		return 0;
	errno = 0;
	value = strtoull(*text, &end, 10);
	if (errno)
		return 0;
	*text = end;
	return value;
}

/* Any number, 0 too, and nothing behind it. */
static bool seed(const char *text, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	return isdigit((unsigned char)*text) && !*end && !errno;
}

static bool parse_ranges(const char *text, struct probe_selection *ret)
{
	for (;;) {
		struct probe_range range;

		if (ret->ranges == PROBE_RANGES_MAX)
			return false;
		range.first = range.last = number(&text);
		if (*text == '-') {
			text++;
			range.last = number(&text);
		}
		if (!range.first || range.last < range.first)
			return false;
		ret->range[ret->ranges++] = range;
		if (!*text)
			return true;
		if (*text++ != ',')
			return false;
	}
}

bool probe_selection_parse(const char *text, struct probe_selection *ret)
{
	const char *at = text;

	memset(ret, 0, sizeof(*ret));
	if (!text || !*text || !strcmp(text, "all")) {
		ret->n = ret->m = 1;
		return true;
	}
	if (!strcmp(text, "first")) {
		ret->ranges = 1;
		ret->range[0] = (struct probe_range){1, 1};
		return true;
	}
	ret->n = number(&at);
	if (ret->n && !strncmp(at, "-in-", 4)) {
		at += 4;
		ret->m = number(&at);
		if (*at == ':')
			ret->seeded = seed(at + 1, &ret->seed);
		return (!*at || ret->seeded) && ret->m && ret->n <= ret->m;
	}
	ret->n = 0;
	return parse_ranges(text, ret);
}

/* SplitMix64: neighbouring numbers come out far apart. */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

bool probe_selection_has(const struct probe_selection *selection, uint64_t n)
{
	if (selection->seeded)
		return mix(mix(selection->seed) ^ n) % selection->m < selection->n;
	if (selection->m)
		return (n - 1) % selection->m < selection->n;
	for (uint32_t i = 0; i < selection->ranges; i++)
		if (n >= selection->range[i].first && n <= selection->range[i].last)
			return true;
	return false;
}

static bool compile(const char *name, regex_t *ret, bool *broken)
{
	const char *text = getenv(name);

	if (!text || !*text)
		return false;
	if (!regcomp(ret, text, REG_EXTENDED | REG_NOSUB))
		return true;
	*broken = true;
	return false;
}

static uint32_t kind_of(const char *text, bool *broken)
{
	if (!text || !*text || !strcmp(text, "memory"))
		return PROBE_KIND_MEMORY;
	if (!strcmp(text, "trace"))
		return PROBE_KIND_TRACE;
	if (!strcmp(text, "time"))
		return PROBE_KIND_TIME;
	if (!strcmp(text, "count"))
		return PROBE_KIND_COUNT;
	*broken = true;
	return PROBE_KIND_NONE;
}

/* A decimal number up to `most` at *at, which moves behind it. */
static bool read_number(const char **at, uint64_t most, uint64_t *ret)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	*ret = strtoull(*at, &end, 10);
	*at = end;
	return !errno && *ret <= most;
}

static void read_policy(const char *text, struct probe_config *ret)
{
	uint64_t every = 1;

	ret->when_full = PROBE_FULL_BLOCK;
	if (text && !strcmp(text, "drop")) {
		ret->when_full = PROBE_FULL_DROP;
	} else if (text && !strncmp(text, "sample:", 7)) {
		text += 7;
		ret->broken |= !read_number(&text, UINT32_MAX, &every) || *text || !every;
		ret->when_full = PROBE_FULL_SAMPLE;
	}
	ret->sample_every = (uint32_t)every;
}

static const char *const group_names[] = {"PROBE_GROUPS_X", "PROBE_GROUPS_Y", "PROBE_GROUPS_Z"};

/* "N" or "N:M" up to M = 2^32; unset and "" mean all. */
static bool read_groups(const char *text, uint32_t *ret_first, uint32_t *ret_last)
{
	uint64_t first = 0, end = 1ull << 32;

	if (text && *text) {
		if (!read_number(&text, UINT32_MAX, &first))
			return false;
		end = first + 1;
		if (*text == ':') {
			text++;
			if (!read_number(&text, 1ull << 32, &end))
				return false;
		}
		if (*text || end <= first)
			return false;
	}
	*ret_first = (uint32_t)first;
	*ret_last = (uint32_t)(end - 1);
	return true;
}

/* A copy that lives as long as the process. */
static char *globs(const char *name, bool *broken)
{
	const char *text = getenv(name);
	char *copy = text && *text ? strdup(text) : NULL;

	*broken = *broken || (text && *text && !copy);
	return copy;
}

bool probe_config_read(struct probe_config *ret)
{
	const char *text;

	memset(ret, 0, sizeof(*ret));
	if (getauxval(AT_SECURE))
		return false;
	text = getenv("PROBE_SOCKET");
	if (!text || !*text || strlen(text) >= sizeof(ret->socket))
		return false;
	strcpy(ret->socket, text);
	ret->kind = kind_of(getenv("PROBE_KIND"), &ret->broken);
	text = getenv("PROBE_INSTRUMENTED");
	if (text && !strcmp(text, "0"))
		ret->kind = PROBE_KIND_NONE;
	text = getenv("PROBE_WHEN_FULL");
	read_policy(text, ret);
	for (int i = 0; i < 3; i++) {
		if (!read_groups(getenv(group_names[i]), &ret->group_first[i], &ret->group_last[i]))
			ret->broken = true;
		ret->groups_chosen |= ret->group_first[i] || ret->group_last[i] != UINT32_MAX;
	}
	ret->include_set = compile("PROBE_KERNEL_INCLUDE", &ret->include, &ret->broken);
	ret->exclude_set = compile("PROBE_KERNEL_EXCLUDE", &ret->exclude, &ret->broken);
	if (!probe_selection_parse(getenv("PROBE_DISPATCHES"), &ret->selection))
		ret->broken = true;
	ret->library_include = globs("PROBE_LIBRARY_INCLUDE", &ret->broken);
	ret->library_exclude = globs("PROBE_LIBRARY_EXCLUDE", &ret->broken);
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
