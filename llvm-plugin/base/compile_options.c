/* SPDX-License-Identifier: MIT */
/*
 * Parsers of the pass's environment variables (docs/instrumenting.md lists them). An invalid value
 * is an error: if PROBE_SCOPE were ignored, for example, everything would be instrumented.
 */
#include "llvm-plugin/base/compile_options.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <probe/wire.h>

#include "llvm-plugin/base/ir_helpers.h"

static const char *const kind_names[PROBE_KINDS] = {
	[PROBE_KIND_MEMORY] = "memory",
	[PROBE_KIND_TRACE] = "trace",
	[PROBE_KIND_TIME] = "time",
	[PROBE_KIND_COUNT] = "count",
};

const char *pass_kind_name(enum probe_kind kind)
{
	return kind_names[kind];
}

/* Index of a name of `size` bytes in a list that may have gaps; `count` = it is not there. */
static size_t find_name(const char *const *names, size_t count, const char *text, size_t size)
{
	size_t i = 0;

	while (i < count && (!names[i] || strlen(names[i]) != size || memcmp(names[i], text, size)))
		i++;
	return i;
}

/* The error for `size` bytes of a variable's value. */
static char *invalid(const char *variable, const char *value, size_t size, const char *expected)
{
	return pass_format("invalid value '%.*s' for %s; expected %s", (int)size, value, variable,
			   expected);
}

static bool parse_kinds(struct pass_options *options, const char *text, char **ret_error)
{
	for (const char *at = text;; at++) {
		size_t size = strcspn(at, ",");
		size_t kind = find_name(kind_names, PROBE_KINDS, at, size);

		if (kind == PROBE_KINDS) {
			*ret_error = invalid("PROBE_KINDS", at, size,
					     "memory, trace, time or count, separated by commas");
			return false;
		}
		options->kinds |= 1u << kind;
		at += size;
		if (!*at)
			return true;
	}
}

/* Address spaces that are probed only on request. */
static bool parse_spaces(struct pass_options *options, const char *text, char **ret_error)
{
	static const char *const names[] = {
		[PROBE_SPACE_CONSTANT] = "constant",
		[PROBE_SPACE_SCRATCH] = "scratch",
	};
	const size_t count = sizeof(names) / sizeof(names[0]);

	for (const char *at = text;; at++) {
		size_t size = strcspn(at, ","), space = find_name(names, count, at, size);

		if (space == count) {
			*ret_error = invalid("PROBE_SPACES", at, size,
					     "constant or scratch, separated by commas");
			return false;
		}
		options->spaces |= 1u << space;
		at += size;
		if (!*at)
			return true;
	}
}

/* What each of them saves is in docs/mechanisms.md. */
static const char *const mechanisms[PASS_MECHANISMS] = {
	[PASS_BRANCHES] = "branches",
	[PASS_LAUNCH_ADDRESSES] = "launch-addresses",
	[PASS_LANE_ADDRESSES] = "lane-addresses",
	[PASS_BIT_FIELDS] = "bit-fields",
	[PASS_MASK_HISTOGRAM] = "mask-histogram",
	[PASS_LINE_HISTOGRAM] = "line-histogram",
	[PASS_PREFIX_HISTOGRAM] = "prefix-histogram",
	[PASS_RUN_COUNTERS] = "run-counters",
	[PASS_LEADERS] = "leaders",
	[PASS_ADDRESS_FORMS] = "address-forms",
	[PASS_TRACE_SCATTER] = "trace-scatter",
	[PASS_RESIDUE_LANES] = "residue-lanes",
	[PASS_LOOPS] = "loops",
	[PASS_ITERATIONS] = "iterations",
	[PASS_BATCHES] = "batches",
	[PASS_LANE_SUMS] = "lane-sums",
	[PASS_SHORT_CLOBBERS] = "short-clobbers",
	[PASS_PROBES] = "probes",
	[PASS_HOISTING] = "hoisting",
	[PASS_REMOVAL] = "removal",
};

static char *list_mechanisms(void)
{
	char *list = pass_format("%s", mechanisms[0]);

	for (size_t i = 1; i < PASS_MECHANISMS; i++) {
		char *longer = pass_format("%s, %s", list, mechanisms[i]);

		free(list);
		list = longer;
	}
	return list;
}

static bool parse_disabled(struct pass_options *options, const char *text, char **ret_error)
{
	for (const char *at = text; at && *at; at += *at == ',') {
		size_t size = strcspn(at, ",");
		size_t which = find_name(mechanisms, PASS_MECHANISMS, at, size);

		if (which == PASS_MECHANISMS) {
			char *known = list_mechanisms();

			*ret_error = invalid("PROBE_DISABLE", at, size, known);
			free(known);
			return false;
		}
		options->disabled |= 1u << which;
		at += size;
	}
	return true;
}

static bool parse_stamps(struct pass_options *options, const char *text, char **ret_error)
{
	static const char *const names[] = {
		[PASS_STAMPS_REGIONS] = "regions",
		[PASS_STAMPS_FUNCTIONS] = "functions",
		[PASS_STAMPS_BLOCKS] = "blocks",
	};
	const size_t count = sizeof(names) / sizeof(names[0]);
	size_t stamps = find_name(names, count, text, strlen(text));

	if (stamps < count) {
		options->stamps = (enum pass_stamps)stamps;
		return true;
	}
	*ret_error = invalid("PROBE_TIME", text, strlen(text),
			     "regions, functions (and regions) or blocks (and both)");
	return false;
}

/* "0" or "1"; unset or empty: unchanged. */
static bool parse_switch(const char *name, bool *value, char **ret_error)
{
	const char *text = getenv(name);

	if (!text || !*text)
		return true;
	if (strcmp(text, "0") && strcmp(text, "1")) {
		*ret_error = invalid(name, text, strlen(text), "0 or 1");
		return false;
	}
	*value = *text == '1';
	return true;
}

/* A line number from 1 at *at, which is advanced past it; 0 = none. */
static uint32_t parse_line(const char **at)
{
	char *end;
	unsigned long value;

	if (**at < '0' || **at > '9')
		return 0;
	errno = 0;
	value = strtoul(*at, &end, 10);
	*at = end;
	return errno || value > UINT32_MAX ? 0 : (uint32_t)value;
}

/* Reads ":N" or ":N-M" at `at` into the range; false = neither. */
static bool parse_range(const char *at, const char *end, struct pass_scope *ret)
{
	at++;
	ret->first = parse_line(&at);
	ret->last = ret->first;
	if (ret->first && at < end && *at == '-') {
		at++;
		ret->last = parse_line(&at);
	}
	return at == end && ret->first && ret->last >= ret->first;
}

static void add_scope(struct pass_options *options, const struct pass_scope *scope)
{
	options->scope =
		pass_alloc(options->scope, (options->scopes + 1) * sizeof(*options->scope));
	options->scope[options->scopes++] = *scope;
}

static bool parse_scope(struct pass_options *options, const char *text, char **ret_error)
{
	for (const char *at = text;; at++) {
		const char *end = at + strcspn(at, ",");
		const char *colon = memchr(at, ':', (size_t)(end - at));
		struct pass_scope scope = {.first = 1, .last = UINT32_MAX};
		size_t size = (size_t)((colon ? colon : end) - at);

		if (size == 8 && colon && !memcmp(at, "function", 8) && colon + 1 < end) {
			scope.function = pass_format("%.*s", (int)(end - colon - 1), colon + 1);
		} else if (!size || (colon && !parse_range(colon, end, &scope))) {
			*ret_error =
				invalid("PROBE_SCOPE", at, (size_t)(end - at),
					"FILE, FILE:LINE, FILE:FIRST-LAST with lines from 1, or "
					"function:NAME");
			return false;
		} else {
			scope.file = pass_format("%.*s", (int)size, at);
		}
		add_scope(options, &scope);
		at = end;
		if (!*at)
			return true;
	}
}

/* "1-in-N" */
static bool parse_measured(struct pass_options *options, char **ret_error)
{
	const char *text = getenv("PROBE_SITES_MEASURED");
	unsigned every;
	int end = 0;

	if (!text || !*text)
		return true;
	if (sscanf(text, "1-in-%u%n", &every, &end) != 1 || text[end] || !every ||
	    every > PROBE_MEASURED_EVERY_MAX) {
		*ret_error = invalid("PROBE_SITES_MEASURED", text, strlen(text),
				     "1-in-N, with N from 1 to 1000");
		return false;
	}
	options->measured_every = every;
	return true;
}

static bool parse_verbose(struct pass_options *options, char **ret_error)
{
	const char *text = getenv("PROBE_VERBOSE");

	if (!text || !*text)
		return true;
	if (strlen(text) != 1 || *text < '0' || *text > '2') {
		*ret_error =
			invalid("PROBE_VERBOSE", text, strlen(text), "0, 1 or 2 (also proofs)");
		return false;
	}
	options->verbose = *text - '0';
	return true;
}

bool pass_options_init(struct pass_options *options, char **ret_error)
{
	const char *kinds = getenv("PROBE_KINDS");
	const char *scope = getenv("PROBE_SCOPE");
	const char *spaces = getenv("PROBE_SPACES");
	const char *stamps = getenv("PROBE_TIME");
	bool portable = false;

	*options = (struct pass_options){
		.prove = true,
		.fallback = true,
		.by_default = !kinds,
	};
	if (!parse_kinds(options, kinds ? kinds : "memory,trace", ret_error))
		return false;
	if (!parse_switch("PROBE_PROVE", &options->prove, ret_error) ||
	    !parse_switch("PROBE_PORTABLE", &portable, ret_error) ||
	    !parse_switch("PROBE_FALLBACK", &options->fallback, ret_error) ||
	    !parse_measured(options, ret_error) || !parse_verbose(options, ret_error) ||
	    !parse_disabled(options, getenv("PROBE_DISABLE"), ret_error))
		return false;
	options->portable = portable;
	if (spaces && !parse_spaces(options, spaces, ret_error))
		return false;
	if (!parse_stamps(options, stamps ? stamps : "functions", ret_error))
		return false;
	return !scope || parse_scope(options, scope, ret_error);
}

void pass_options_deinit(struct pass_options *options)
{
	for (size_t i = 0; i < options->scopes; i++) {
		free(options->scope[i].file);
		free(options->scope[i].function);
	}
	free(options->scope);
}

/* Whole path components only: "b.hip" is the end of "a/b.hip" but not of "ab.hip". */
static bool path_ends_with(const char *path, const char *tail)
{
	size_t size = strlen(path), end;

	while (!strncmp(tail, "./", 2))
		tail += 2;
	end = strlen(tail);
	return size >= end && !strcmp(path + size - end, tail) &&
	       (size == end || tail[0] == '/' || path[size - end - 1] == '/');
}

bool pass_options_in_scope(const struct pass_options *options, const char *file, uint32_t line)
{
	for (size_t i = 0; i < options->scopes; i++) {
		const struct pass_scope *scope = &options->scope[i];

		if (scope->file && line >= scope->first && line <= scope->last &&
		    path_ends_with(file, scope->file))
			return true;
	}
	return !options->scopes;
}

bool pass_options_function_in_scope(const struct pass_options *options, const char *name,
				    size_t size)
{
	for (size_t i = 0; i < options->scopes; i++) {
		const char *function = options->scope[i].function;

		if (function && strlen(function) == size && !memcmp(function, name, size))
			return true;
	}
	return false;
}
