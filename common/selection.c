/* SPDX-License-Identifier: MIT */
#include "common/selection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_EVERY 16u /* of "sample" alone */

static const char *const kind_names[PROBE_KINDS] = {[PROBE_KIND_NONE] = "none",
#define KIND(name, number, word, text) [number] = word,
						    PROBE_KIND_TABLE(KIND)
#undef KIND
};

const char *probe_kind_name(enum probe_kind kind)
{
	return (unsigned)kind < PROBE_KINDS ? kind_names[kind] : "";
}

bool probe_kind_parse(const char *text, enum probe_kind *ret)
{
	for (int kind = 0; kind < PROBE_KINDS; kind++) {
		if (strcmp(text, kind_names[kind]))
			continue;
		*ret = (enum probe_kind)kind;
		return true;
	}
	return false;
}

/* A decimal number from `least` to `most` at *text, which is advanced past it. */
static bool number(const char **text, uint64_t least, uint64_t most, uint64_t *ret)
{
	unsigned long long value;
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	value = strtoull(*text, &end, 10);
	if (errno || value < least || value > most)
		return false;
	*text = end;
	*ret = value;
	return true;
}

static bool parse_ranges(const char *text, struct probe_selection *ret)
{
	for (;;) {
		struct probe_range range;

		if (ret->ranges == PROBE_RANGES_MAX || !number(&text, 1, UINT64_MAX, &range.first))
			return false;
		range.last = range.first;
		if (*text == '-') {
			text++;
			if (!number(&text, range.first, UINT64_MAX, &range.last))
				return false;
		}
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

	*ret = (struct probe_selection){0};
	if (!text || !*text || !strcmp(text, "all")) {
		ret->n = ret->m = 1;
		return true;
	}
	if (!strcmp(text, "first"))
		return parse_ranges("1", ret);
	if (!number(&at, 1, UINT32_MAX, &ret->n) || strncmp(at, "-in-", 4)) {
		ret->n = 0;
		return parse_ranges(text, ret);
	}
	at += 4;
	if (!number(&at, ret->n, UINT32_MAX, &ret->m))
		return false;
	if (!*at)
		return true;
	ret->seeded = true;
	return *at++ == ':' && number(&at, 0, UINT64_MAX, &ret->seed) && !*at;
}

/* SplitMix64: consecutive numbers give unrelated results. */
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

bool probe_workgroups_parse(const char *text, int axis, struct probe_workgroups *ret)
{
	uint64_t first = 0, end = 1ull << 32;

	if (text && *text) {
		if (!number(&text, 0, UINT32_MAX, &first))
			return false;
		end = first + 1;
		if (*text == ':') {
			text++;
			if (!number(&text, first + 1, 1ull << 32, &end))
				return false;
		}
		if (*text)
			return false;
	}
	ret->first[axis] = (uint32_t)first;
	ret->last[axis] = (uint32_t)(end - 1);
	return true;
}

bool probe_workgroups_restricted(const struct probe_workgroups *workgroups)
{
	for (int i = 0; i < 3; i++)
		if (workgroups->first[i] || workgroups->last[i] != UINT32_MAX)
			return true;
	return false;
}

bool probe_full_policy_parse(const char *text, struct probe_full_policy *ret)
{
	uint64_t every = SAMPLE_EVERY;

	if (!text || !*text || !strcmp(text, "block") || !strcmp(text, "drop")) {
		*ret = (struct probe_full_policy){
			.action = text && *text == 'd' ? PROBE_FULL_DROP : PROBE_FULL_BLOCK,
			.sample_every = 1,
		};
		return true;
	}
	if (strncmp(text, "sample", 6))
		return false;
	text += 6;
	if (*text && (*text++ != ':' || !number(&text, 1, UINT32_MAX, &every) || *text))
		return false;
	*ret = (struct probe_full_policy){PROBE_FULL_SAMPLE, (uint32_t)every};
	return true;
}

void probe_full_policy_format(struct probe_full_policy policy, char text[PROBE_FULL_POLICY_TEXT])
{
	if (policy.action == PROBE_FULL_SAMPLE)
		snprintf(text, PROBE_FULL_POLICY_TEXT, "sample:%u", policy.sample_every);
	else
		snprintf(text, PROBE_FULL_POLICY_TEXT, "%s",
			 policy.action == PROBE_FULL_DROP ? "drop" : "block");
}

#define TRACED(name, number, word, text) word,
static const char *const traced_words[] = {PROBE_TRACED_TABLE(TRACED)};
#undef TRACED
enum { TRACED_WORDS = sizeof(traced_words) / sizeof(*traced_words) };

bool probe_traced_parse(const char *text, uint32_t *ret)
{
	uint32_t traced = 0;

	while (text && *text) {
		size_t len = strcspn(text, ",");
		int i = 0;

		while (i < TRACED_WORDS &&
		       (strlen(traced_words[i]) != len || memcmp(traced_words[i], text, len)))
			i++;
		if (i == TRACED_WORDS)
			return false;
		traced |= 1u << i;
		text += len + (text[len] == ',');
	}
	*ret = traced;
	return true;
}

void probe_traced_format(uint32_t traced, char text[PROBE_TRACED_TEXT])
{
	*text = 0;
	for (int i = 0; i < TRACED_WORDS; i++) {
		if (!(traced >> i & 1))
			continue;
		if (*text)
			strcat(text, ",");
		strcat(text, traced_words[i]);
	}
}

enum { PATTERN_CHARACTERS = 1000, PATTERN_COPIES = 1000, PATTERN_NODES = 2000 };

#define INTERVAL "0123456789,"

/* Behind the bracket expression at `at`, in which a first ] is an ordinary character. */
static const char *bracket_end(const char *at)
{
	at += 1 + (at[1] == '^');
	at += *at == ']';
	for (; *at && *at != ']'; at++) {
		const char *end = NULL;

		if (*at == '[' && at[1] && strchr(".:=", at[1]))
			end = strstr(at + 2, (const char[]){at[1], ']', 0});
		at = end ? end + 1 : at;
	}
	return at + (*at == ']');
}

/*
 * Copies that regcomp() makes for {n,m}; 0 for another character. It doubles the operand of +, and
 * the ways through that of * and ?. If these are nested, it follows each way from each copy, so they
 * count twice: five levels take milliseconds, ten take minutes.
 */
static uint64_t copies(const char *at)
{
	uint64_t most = 1;

	if (*at == '*' || *at == '?' || *at == '+')
		return 4;
	if (*at != '{')
		return 0;
	/* The larger bound, or one more for {n,}; no digits if it is an ordinary character. */
	for (at++; *at && strchr(INTERVAL, *at); at++) {
		char *end;
		uint64_t bound = strtoull(at, &end, 10);

		if (end > at)
			at = end - 1;
		else if (*at == ',' && at[1] == '}')
			bound = most + 1;
		if (bound > most)
			most = bound;
	}
	return most;
}

bool probe_pattern_bounded(const char *text)
{
	/* Nodes of each open parenthesis, and of what a repetition would repeat. */
	uint32_t open[PATTERN_CHARACTERS + 1] = {0}, depth = 0;
	uint64_t last = 0;

	if (strnlen(text, PATTERN_CHARACTERS + 1) > PATTERN_CHARACTERS)
		return false;
	for (const char *at = text; *at;) {
		uint64_t repeated = copies(at);

		if (repeated > PATTERN_COPIES || last * repeated > PATTERN_NODES)
			return false;
		if (repeated) {
			open[depth] += (uint32_t)(last * (repeated - 1) + 1);
			last = last * repeated + 1;
			at += 1 + (*at == '{' ? strspn(at + 1, INTERVAL) : 0);
		} else if (*at == '(') {
			open[++depth] = 0;
			last = 1;
			at++;
		} else if (*at == ')' && depth) {
			last = open[depth--] + 1;
			open[depth] += (uint32_t)last;
			at++;
		} else {
			last = 1;
			open[depth]++;
			at = *at == '[' ? bracket_end(at) : at + 1 + (*at == '\\' && at[1]);
		}
		if (open[depth] > PATTERN_NODES)
			return false;
	}
	return true;
}
