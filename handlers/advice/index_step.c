/* SPDX-License-Identifier: MIT */
#include "handlers/advice/index_step.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <probe/handler.h>

#include "handlers/advice/lane_offsets.h"

enum { STEPS = 16, DEPTH = 12 };

/* The constant factors of an address's terms: 152 and 8 of "p + 152*threadIdx.x*ld + 8*i". */
struct terms {
	uint64_t step[STEPS];
	bool of_group[STEPS]; /* the term is a multiple of a workgroup's id */
	unsigned count;
	bool unknown; /* a part of the expression has steps that it does not show */
};

static uint64_t divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The end of what begins at `at`: of a factor if `between` is "*", of a term if it is "+-". */
static const char *end_of(const char *at, const char *end, const char *between)
{
	unsigned depth = 0;

	for (const char *from = at; at < end; at++) {
		bool spaced = at > from && at[-1] == ' ' && end - at > 1 && at[1] == ' ';

		if (!depth && strchr(between, *at) && (*between == '*' || spaced))
			return *between == '*' ? at : at - 1;
		depth += *at == '(';
		depth -= *at == ')' && depth;
	}
	return end;
}

static bool contains(const char *at, const char *end, const char *word)
{
	size_t length = strlen(word);

	for (; (size_t)(end - at) >= length; at++)
		if (!memcmp(at, word, length))
			return true;
	return false;
}

static bool has_space(const char *at, const char *end)
{
	for (unsigned depth = 0; at < end; at++) {
		if (*at == ' ' && !depth)
			return true;
		depth += *at == '(';
		depth -= *at == ')' && depth;
	}
	return false;
}

static void add_step(struct terms *terms, uint64_t step, const char *at, const char *end)
{
	if (terms->count == STEPS || !step || contains(at, end, "...") ||
	    contains(at, end, "(a variable)") || contains(at, end, "(a computed value)")) {
		terms->unknown = true;
		return;
	}
	terms->step[terms->count] = step;
	terms->of_group[terms->count++] = contains(at, end, "blockIdx");
}

/* What a product consists of. */
struct product {
	uint64_t constant;
	const char *sum, *sum_end; /* its factor in parentheses, NULL if it has none or several */
	unsigned variables;
};

static struct product factors_of(const char *at, const char *end)
{
	struct product ret = {.constant = 1};
	unsigned sums = 0;

	for (const char *to; at < end; at = to + 1) {
		at += *at == '-';
		to = end_of(at, end, "*");
		if (at < to && isdigit((unsigned char)*at)) {
			uint64_t number = strtoull(at, NULL, 10);

			ret.constant = number < INT32_MAX ? ret.constant * number : 0;
			ret.constant = ret.constant < INT32_MAX ? ret.constant : 0;
			continue;
		}
		ret.variables++;
		if (to - at > 2 && *at == '(' && to[-1] == ')') {
			sums++;
			ret.sum = at + 1;
			ret.sum_end = to - 1;
		}
	}
	if (sums != 1)
		ret.sum = NULL;
	return ret;
}

static void add_sum(struct terms *terms, const char *at, const char *end, uint64_t scale,
		    unsigned depth);

static void add_term(struct terms *terms, const char *at, const char *end, uint64_t scale,
		     unsigned depth)
{
	struct product product = factors_of(at, end);
	uint64_t step = scale * product.constant;
	bool opaque;

	/* A constant is an offset, which all lanes have. */
	if (!product.variables)
		return;
	/* Quotients, remainders and the like count elements of that step. */
	opaque = !product.sum || depth == DEPTH || step >= INT32_MAX || !step;
	if (!opaque) {
		const char *first = end_of(product.sum, product.sum_end, "+-");

		opaque = first == product.sum_end && has_space(product.sum, first);
	}
	if (opaque)
		add_step(terms, step < INT32_MAX ? step : 0, at, end);
	else
		add_sum(terms, product.sum, product.sum_end, step, depth + 1);
}

static void add_sum(struct terms *terms, const char *at, const char *end, uint64_t scale,
		    unsigned depth)
{
	while (at < end) {
		const char *to = end_of(at, end, "+-");

		add_term(terms, at, to, scale, depth);
		at = to + (to < end ? 3 : 0);
	}
}

/* The terms after the pointer, which comes first. */
static struct terms terms_of(const char *text)
{
	struct terms ret = {.count = 0};
	const char *end = text + strlen(text), *first = end_of(text, end, "+-");

	ret.unknown = first == end || contains(text, first, "...") ||
		      contains(text, first, "(a variable)") ||
		      contains(text, first, "(a computed value)");
	if (first < end)
		add_sum(&ret, first + 3, end, 1, 0);
	return ret;
}

/*
 * The greatest common divisor of all steps. Structs with arrays have several: it is that of the
 * elements of the array, and lanes that use neighbouring structs are farther apart. Ids of
 * workgroups count tiles of elements.
 */
static struct index_step step_of(const struct advice_site *site, uint64_t stride)
{
	const struct probe_site_info *info = site->info;
	struct index_step ret = {.certain = true};
	bool member;
	struct terms terms;

	if (!info || !info->address || !*info->address)
		return (struct index_step){.bytes = 0};
	member = info->address_flags & PROBE_ADDRESS_MEMBER;
	terms = terms_of(info->address);
	for (unsigned i = 0; i < terms.count && !terms.unknown; i++)
		ret.bytes = divisor(ret.bytes, terms.step[i]);
	for (unsigned i = 0; i < terms.count; i++)
		if (terms.step[i] != ret.bytes && terms.step[i] < stride &&
		    (member || !terms.of_group[i]))
			ret.certain = false;
	return ret;
}

/* The smallest step of the workgroup's other axes; 0 = none that is known. */
static uint64_t axis_step(const struct advice_site *site, uint64_t stride)
{
	struct axis_strides axes;
	uint64_t least = 0;

	if (!axis_strides(site, &axes) || axes.fields)
		return 0;
	for (int i = 1; i < 3; i++) {
		uint64_t step = (uint64_t)llabs((long long)axes.stride[i]);

		if (site->group[i] > 1 && axes.known[i] && step && step < stride &&
		    (!least || step < least))
			least = step;
	}
	return least;
}

struct index_step index_step(const struct advice_site *site, uint64_t stride)
{
	struct index_step ret = step_of(site, stride);
	uint64_t axis = axis_step(site, stride);

	if (axis && (axis <= site->bytes || !ret.bytes || axis == ret.bytes))
		return (struct index_step){.bytes = axis, .certain = true};
	if (axis)
		ret.certain = false;
	ret.certain = ret.certain && ret.bytes;
	return ret;
}
