/* SPDX-License-Identifier: MIT */
#include "filters.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include <probe/wire.h>

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
		return !*at && ret->m && ret->n <= ret->m;
	}
	ret->n = 0;
	return parse_ranges(text, ret);
}

bool probe_selection_has(const struct probe_selection *selection, uint64_t n)
{
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
	*broken = true;
	return PROBE_KIND_NONE;
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
	ret->when_full = text && !strcmp(text, "drop") ? PROBE_FULL_DROP : PROBE_FULL_BLOCK;
	ret->include_set = compile("PROBE_KERNEL_INCLUDE", &ret->include, &ret->broken);
	ret->exclude_set = compile("PROBE_KERNEL_EXCLUDE", &ret->exclude, &ret->broken);
	if (!probe_selection_parse(getenv("PROBE_DISPATCHES"), &ret->selection))
		ret->broken = true;
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
