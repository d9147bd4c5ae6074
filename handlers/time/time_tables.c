/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <probe/handler.h>
#include <probe/words.h>

#include "handlers/time/time_tables.h"

static const struct probe_column span_columns[] = {
	{"code_object", PROBE_TYPE_INTEGER}, {"kernel", PROBE_TYPE_INTEGER},
	{"site", PROBE_TYPE_INTEGER},	     {"what", PROBE_TYPE_TEXT},
	{"name", PROBE_TYPE_TEXT},	     {"executions", PROBE_TYPE_INTEGER},
	{"cycles", PROBE_TYPE_INTEGER},	     {"share", PROBE_TYPE_REAL},
	{"mean", PROBE_TYPE_REAL},	     {"min", PROBE_TYPE_INTEGER},
	{"max", PROBE_TYPE_INTEGER},	     {"p50", PROBE_TYPE_INTEGER},
	{"p90", PROBE_TYPE_INTEGER},	     {"p99", PROBE_TYPE_INTEGER},
	{"overhead", PROBE_TYPE_INTEGER},    {"stamp", PROBE_TYPE_INTEGER},
	{"open", PROBE_TYPE_INTEGER},
};

static const struct probe_column place_columns[] = {
	{"code_object", PROBE_TYPE_INTEGER}, {"kernel", PROBE_TYPE_INTEGER},
	{"site", PROBE_TYPE_INTEGER},	     {"se", PROBE_TYPE_INTEGER},
	{"cu", PROBE_TYPE_INTEGER},	     {"simd", PROBE_TYPE_INTEGER},
	{"executions", PROBE_TYPE_INTEGER},  {"cycles", PROBE_TYPE_INTEGER},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int write_places(const struct probe_host *host, int table, const struct sites_kernel *kernel,
			uint32_t id, const struct time_site *site)
{
	int err = 0;

	for (unsigned i = 0; i < TIME_PLACES && site->places && !err; i++) {
		const union probe_value values[COUNT(place_columns)] = {
			{.integer = kernel->code_object},
			{.integer = kernel->id},
			{.integer = id},
			{.integer = i >> 7},
			{.integer = i >> 2 & 0x1f},
			{.integer = i & 3},
			{.integer = (int64_t)site->places[i].count},
			{.integer = (int64_t)site->places[i].cycles},
		};

		if (site->places[i].count)
			err = host->row(host->ctx, table, values, COUNT(place_columns));
	}
	return err;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Cycles that one more stamp, or one more span in a single record, adds to the span that contains
 * it.
 */
static uint64_t cost_of(const struct time_kernel *own, unsigned form)
{
	uint64_t empty = own->empty[own->around_form[form]];
	uint64_t cost = own->around[form] > empty ? own->around[form] - empty : 0;

	return form == RECORD ? cost / 2 : cost;
}

/* A block ends where the next one begins, so it has one stamp. */
static uint64_t empty_of(const struct time_kernel *own, const struct time_site *site)
{
	if (!strcmp(probe_access_word(site->access), "block"))
		return least(cost_of(own, RECORD), site->cycles.min);
	return own->empty[site->own[RECORD] ? RECORD : ONE];
}

static uint64_t overhead_of(const struct time_kernel *own, const struct time_site *site)
{
	uint64_t cycles = site->cycles.count * empty_of(own, site);

	for (unsigned form = 0; form < FORMS; form++)
		cycles += site->inner[form] * cost_of(own, form);
	return least(cycles, site->cycles.sum);
}

static int write_span(const struct probe_host *host, int table, const struct sites_kernel *kernel,
		      uint32_t id, const struct time_site *site)
{
	const struct time_kernel *own = kernel->extra;
	const struct probe_site_info *info = host->site(host->ctx, kernel->code_object, id);
	const char *name = site->access == PROBE_ACCESS_REGION ? site->name : info->function;
	double count = (double)site->cycles.count;
	const union probe_value values[COUNT(span_columns)] = {
		{.integer = kernel->code_object},
		{.integer = kernel->id},
		{.integer = id},
		{.text = probe_access_word(site->access)},
		{.text = name},
		{.integer = (int64_t)site->cycles.count},
		{.integer = (int64_t)site->cycles.sum},
		{.real = own->cycles ? (double)site->cycles.sum / (double)own->cycles : 0},
		{.real = (double)site->cycles.sum / count},
		{.integer = (int64_t)site->cycles.min},
		{.integer = (int64_t)site->cycles.max},
		{.integer = (int64_t)cycles_percentile(&site->cycles, 50)},
		{.integer = (int64_t)cycles_percentile(&site->cycles, 90)},
		{.integer = (int64_t)cycles_percentile(&site->cycles, 99)},
		{.integer = (int64_t)overhead_of(own, site)},
		{.integer = (int64_t)empty_of(own, site)},
		{.integer = (int64_t)site->open},
	};

	return host->row(host->ctx, table, values, COUNT(span_columns));
}

/* Limits the length of empty spans: none is longer than the shortest span. */
static void limit_empty_spans(const struct sites_kernel *kernel)
{
	struct time_kernel *own = kernel->extra;

	for (uint32_t id = sites_next(kernel, 0); id < kernel->site_count;
	     id = sites_next(kernel, id + 1)) {
		const struct time_site *site = sites_at(kernel, id);
		unsigned form = site->own[RECORD] ? RECORD : ONE;

		if (site->cycles.count && own->empty[form] &&
		    strcmp(probe_access_word(site->access), "block"))
			own->empty[form] = least(own->empty[form], site->cycles.min);
	}
}

static int write_sites(const struct probe_host *host, int spans, int places,
		       const struct sites_kernel *kernel)
{
	for (uint32_t id = sites_next(kernel, 0); id < kernel->site_count;
	     id = sites_next(kernel, id + 1)) {
		const struct time_site *site = sites_at(kernel, id);
		int err = site->cycles.count ? write_span(host, spans, kernel, id, site) : 0;

		if (err)
			return err;
		err = write_places(host, places, kernel, id, site);
		if (err)
			return err;
	}
	return 0;
}

static void warn_ends(const struct probe_host *host, const struct sites_kernel *kernel)
{
	const struct time_kernel *own = kernel->extra;
	const struct time_site *site = sites_at(kernel, own->end_site);
	const struct probe_site_info *info =
		host->site(host->ctx, kernel->code_object, own->end_site);
	char place[256] = "";

	if (info->line)
		snprintf(place, sizeof(place), " at %s:%u", info->file, info->line);
	host->log(host->ctx, PROBE_LOG_WARNING,
		  "%llu ends of regions that had not begun, the first of '%s' in %s%s: look for "
		  "probe_region_end() without probe_region_begin()",
		  (unsigned long long)own->ends, site->name ? site->name : "", info->function,
		  place);
}

/* The function of the first span whose stamps are of a form of which no idle ones show the cost. */
static const char *lacks_costs(const struct probe_host *host, const struct sites_kernel *kernel)
{
	const struct time_kernel *own = kernel->extra;

	for (uint32_t id = sites_next(kernel, 0); id < kernel->site_count;
	     id = sites_next(kernel, id + 1)) {
		const struct time_site *site = sites_at(kernel, id);

		for (unsigned form = 0; form < FORMS && site->cycles.count; form++)
			if ((site->own[form] && !own->empty[form]) ||
			    (site->inner[form] && !own->around[form]))
				return host->site(host->ctx, kernel->code_object, id)->function;
	}
	return NULL;
}

static int write_kernel(const struct probe_host *host, int spans, int places,
			const struct sites_kernel *kernel)
{
	const struct time_kernel *own = kernel->extra;
	const char *lacking = lacks_costs(host, kernel);
	int err;

	limit_empty_spans(kernel);
	err = write_sites(host, spans, places, kernel);
	if (lacking)
		host->log(host->ctx, PROBE_LOG_WARNING,
			  "the cost of stamps in %s is not known, because records of a launch's "
			  "first wave are missing: `overhead` and `stamp` are 0",
			  lacking);
	if (own->ends)
		warn_ends(host, kernel);
	if (own->too_deep)
		host->log(host->ctx, PROBE_LOG_WARNING,
			  "%llu spans nested deeper than %d were left out",
			  (unsigned long long)own->too_deep, TIME_DEPTH);
	return err;
}

int time_rows_write(struct sites *sites)
{
	const struct probe_host *host = sites->host;
	int spans = host->table(host->ctx, "span", span_columns, COUNT(span_columns));
	int places = host->table(host->ctx, "place", place_columns, COUNT(place_columns));
	int err = spans < 0 ? spans : places < 0 ? places : 0;

	for (size_t k = 0; k < sites->count && !err; k++)
		err = write_kernel(host, spans, places, sites->kernels[k]);
	return err;
}
