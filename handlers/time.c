/* SPDX-License-Identifier: MIT */
/*
 * Handler `time`: where waves spend their cycles. A span is the time from a begin to its end within
 * one wave: of a kernel, of a device function that was not inlined, of a block, or of a region that
 * the user marked (device.h). Spans nest; a span's time holds that of the spans in it.
 *   -a time:timeline=N	 at most N rows of the timeline (65536), 0 = none
 *
 * Table probe_time_span has a row per kernel and site: times in cycles of the device's clock,
 * percentiles exact below 512 cycles and else at most 1/256 too high; `share` of the cycles of all
 * waves of the kernel. `overhead` is the part of `cycles` that the stamps inside took, reckoned
 * with the kernel's least distance of two stamps that have nothing between them (`stamp`). `open`
 * counts spans that a wave left without their end. Table probe_time_place: the same cycles by
 * shader engine, compute unit and SIMD. Table probe_time_line: each span of each wave, until N.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <probe/handler.h>

#include "sites.h"

enum {
	DEPTH = 64, /* spans open at the same time in a wave; deeper ones are counted and left out
		     */
	FINE = 256, /* steps of the histogram per power of two */
	PLACES = 1024,
};

struct place {
	uint64_t count, cycles;
};

struct site {
	bool known, valid;
	uint8_t access;
	const char *name; /* the region's; NULL = none */
	uint64_t count, cycles, min, max, stamps, open;
	uint64_t *bin;
	size_t bins;
	struct place *places;
};

/* Per kernel. */
struct kernel {
	uint64_t cycles;	 /* of all waves */
	uint64_t stamp;		 /* least distance of two stamps; 0 = not seen */
	uint64_t too_deep, ends; /* ends without a begin */
};

struct span {
	uint32_t site;
	uint64_t clock, stamps; /* stamps of the wave before it */
};

struct wave {
	uint64_t dispatch;
	uint32_t group[3], number;
	uint64_t stamps, probe; /* clock of the stamp that has nothing behind it; 0 = none */
	unsigned depth;
	struct span span[DEPTH];
};

struct timing {
	struct sites sites;
	struct wave **waves; /* by ring */
	size_t wave_count;
	uint64_t line_max, lines, lines_left;
	int line_table;
};

static const struct probe_column line_columns[] = {
	{"dispatch", PROBE_TYPE_INTEGER}, {"code_object", PROBE_TYPE_INTEGER},
	{"kernel", PROBE_TYPE_INTEGER},	  {"site", PROBE_TYPE_INTEGER},
	{"name", PROBE_TYPE_TEXT},	  {"group_x", PROBE_TYPE_INTEGER},
	{"group_y", PROBE_TYPE_INTEGER},  {"group_z", PROBE_TYPE_INTEGER},
	{"wave", PROBE_TYPE_INTEGER},	  {"se", PROBE_TYPE_INTEGER},
	{"cu", PROBE_TYPE_INTEGER},	  {"simd", PROBE_TYPE_INTEGER},
	{"slot", PROBE_TYPE_INTEGER},	  {"depth", PROBE_TYPE_INTEGER},
	{"begin", PROBE_TYPE_INTEGER},	  {"end", PROBE_TYPE_INTEGER},
	{"wave_time", PROBE_TYPE_INTEGER}};

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

static int timing_open(const struct probe_host *host, void **state)
{
	struct timing *timing = calloc(1, sizeof(*timing));
	int err;

	if (!timing)
		return -ENOMEM;
	timing->sites = (struct sites){
		.host = host,
		.site_size = sizeof(struct site),
		.extra_size = sizeof(struct kernel),
	};
	timing->line_max = 65536;
	err = sites_arg(host, "time", "timeline", 0, UINT32_MAX, &timing->line_max);
	if (!err) {
		timing->line_table =
			host->table(host->ctx, "line", line_columns, COUNT(line_columns));
		err = timing->line_table < 0 ? timing->line_table : 0;
	}
	if (err) {
		free(timing);
		return err;
	}
	*state = timing;
	return 0;
}

static struct site *site_get(struct timing *timing, const struct sites_kernel *kernel, uint32_t id)
{
	const struct probe_host *host = timing->sites.host;
	struct site *site;

	if (id >= kernel->site_count) {
		timing->sites.invalid++;
		return NULL;
	}
	site = &((struct site *)kernel->sites)[id];
	if (!site->known) {
		const struct probe_site_info *info = host->site(host->ctx, kernel->code_object, id);

		site->known = true;
		site->valid = info && info->access > PROBE_ACCESS_ATOMIC;
		if (site->valid) {
			site->access = info->access;
			if (info->size >= offsetof(struct probe_site_info, name) + sizeof(char *))
				site->name = info->name;
		}
	}
	timing->sites.invalid += !site->valid;
	return site->valid ? site : NULL;
}

/* ---- Counting -------------------------------------------------------------------------------- */

/* Where a number of cycles is counted: each in a bin of its own below 2 * FINE. */
static size_t bin_of(uint64_t cycles)
{
	unsigned shift;

	if (cycles < 2 * FINE)
		return cycles;
	shift = 55 - (unsigned)__builtin_clzll(cycles);
	return FINE * (size_t)shift + (cycles >> shift);
}

/* The most cycles that fall into a bin. */
static uint64_t bin_end(size_t bin)
{
	size_t shift = bin < 2 * FINE ? 0 : bin / FINE - 1;

	return ((bin - FINE * shift + 1) << shift) - 1;
}

static int count_bin(struct site *site, uint64_t cycles)
{
	size_t bin = bin_of(cycles);

	if (bin >= site->bins) {
		size_t bins = (bin + FINE) & ~(size_t)(FINE - 1);
		uint64_t *grown = realloc(site->bin, bins * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		memset(grown + site->bins, 0, (bins - site->bins) * sizeof(*grown));
		site->bin = grown;
		site->bins = bins;
	}
	site->bin[bin]++;
	return 0;
}

/* Nearest rank; of `count` spans. */
static uint64_t percentile(const struct site *site, unsigned percent)
{
	uint64_t rank = (site->count * percent + 99) / 100, seen = 0;

	for (size_t bin = 0; bin < site->bins; bin++) {
		seen += site->bin[bin];
		if (seen >= rank)
			return bin_end(bin) < site->max ? bin_end(bin) : site->max;
	}
	return site->max;
}

/* SIMD, then CU, SH and SE of gfx9's HW_ID. */
static unsigned place_of(uint32_t hw_id)
{
	return (hw_id >> 4 & 3) | (hw_id >> 8 & 0xff) << 2;
}

static int count_span(struct site *site, uint64_t cycles, uint64_t stamps, uint32_t hw_id)
{
	struct place *place;

	if (!site->places)
		site->places = calloc(PLACES, sizeof(*site->places));
	if (!site->places)
		return -ENOMEM;
	place = &site->places[place_of(hw_id)];
	place->count++;
	place->cycles += cycles;
	site->min = !site->count || cycles < site->min ? cycles : site->min;
	site->max = cycles > site->max ? cycles : site->max;
	site->count++;
	site->cycles += cycles;
	site->stamps += stamps;
	return count_bin(site, cycles);
}

/* ---- Spans of a wave ------------------------------------------------------------------------- */

static int put_line(struct timing *timing, const struct probe_batch *batch,
		    const struct probe_stamp *stamp, const struct span *span, unsigned depth,
		    const char *name)
{
	const struct probe_host *host = timing->sites.host;
	const struct probe_wave_info *wave = stamp->wave;
	const union probe_value values[COUNT(line_columns)] = {
		{.integer = (int64_t)batch->dispatch->id},
		{.integer = batch->dispatch->code_object},
		{.integer = batch->dispatch->kernel_id},
		{.integer = span->site},
		{.text = name && *name ? name : NULL},
		{.integer = wave->group[0]},
		{.integer = wave->group[1]},
		{.integer = wave->group[2]},
		{.integer = wave->wave},
		{.integer = wave->hw_id >> 13 & 7},
		{.integer = wave->hw_id >> 8 & 0x1f},
		{.integer = wave->hw_id >> 4 & 3},
		{.integer = wave->hw_id & 15},
		{.integer = depth},
		{.integer = (int64_t)span->clock},
		{.integer = (int64_t)stamp->clock},
		{.integer = (int64_t)wave->time},
	};

	if (timing->lines >= timing->line_max) {
		timing->lines_left++;
		return 0;
	}
	timing->lines++;
	return host->row(host->ctx, timing->line_table, values, COUNT(line_columns));
}

/* End the innermost span at a stamp. */
static int pop(struct timing *timing, const struct probe_batch *batch,
	       const struct sites_kernel *kernel, struct wave *wave,
	       const struct probe_stamp *stamp, bool proper)
{
	struct span *span = &wave->span[--wave->depth];
	struct site *site = &((struct site *)kernel->sites)[span->site];
	uint64_t cycles = stamp->clock - span->clock;
	int err = count_span(site, cycles, wave->stamps - span->stamps, stamp->wave->hw_id);

	site->open += !proper;
	if (!wave->depth)
		((struct kernel *)kernel->extra)->cycles += cycles;
	return err ? err : put_line(timing, batch, stamp, span, wave->depth, site->name);
}

static bool is_block(const struct sites_kernel *kernel, const struct span *span)
{
	uint8_t access = ((const struct site *)kernel->sites)[span->site].access;

	return access != PROBE_ACCESS_FUNCTION && access != PROBE_ACCESS_REGION;
}

static int begin(struct timing *timing, const struct probe_batch *batch,
		 const struct sites_kernel *kernel, struct wave *wave,
		 const struct probe_stamp *stamp, const struct site *site)
{
	struct kernel *own = kernel->extra;
	bool block = site->access != PROBE_ACCESS_FUNCTION && site->access != PROBE_ACCESS_REGION;
	int err = 0;

	/* A block goes on until the next one begins. */
	if (block && wave->depth && is_block(kernel, &wave->span[wave->depth - 1]))
		err = pop(timing, batch, kernel, wave, stamp, true);
	if (wave->depth == DEPTH) {
		own->too_deep++;
		return err;
	}
	wave->span[wave->depth++] = (struct span){stamp->site, stamp->clock, wave->stamps};
	return err;
}

/* Does the end of one site end a span of another? Regions are told by their names. */
static bool matches(const struct sites_kernel *kernel, const struct span *span, uint32_t id,
		    const struct site *end)
{
	const struct site *open = &((const struct site *)kernel->sites)[span->site];

	if (end->access != PROBE_ACCESS_REGION)
		return span->site == id;
	return open->access == PROBE_ACCESS_REGION && open->name && end->name &&
	       !strcmp(open->name, end->name);
}

static int end(struct timing *timing, const struct probe_batch *batch,
	       const struct sites_kernel *kernel, struct wave *wave,
	       const struct probe_stamp *stamp, const struct site *site)
{
	unsigned at = wave->depth;
	int err = 0;

	while (at && !matches(kernel, &wave->span[at - 1], stamp->site, site))
		at--;
	if (!at)
		((struct kernel *)kernel->extra)->ends++;
	while (at && wave->depth >= at && !err) {
		const struct span *top = &wave->span[wave->depth - 1];

		err = pop(timing, batch, kernel, wave, stamp,
			  wave->depth == at || is_block(kernel, top));
	}
	return err;
}

static struct wave *wave_get(struct timing *timing, const struct probe_batch *batch,
			     const struct probe_wave_info *info)
{
	struct wave *wave;

	if (info->ring >= timing->wave_count) {
		size_t count = (info->ring | 63u) + 1;
		struct wave **grown = realloc(timing->waves, count * sizeof(*grown));

		if (!grown)
			return NULL;
		memset(grown + timing->wave_count, 0,
		       (count - timing->wave_count) * sizeof(*grown));
		timing->waves = grown;
		timing->wave_count = count;
	}
	wave = timing->waves[info->ring];
	if (!wave)
		wave = timing->waves[info->ring] = calloc(1, sizeof(*wave));
	if (!wave)
		return NULL;
	if (wave->dispatch != batch->dispatch->id || wave->number != info->wave ||
	    memcmp(wave->group, info->group, sizeof(wave->group))) {
		wave->dispatch = batch->dispatch->id;
		wave->number = info->wave;
		memcpy(wave->group, info->group, sizeof(wave->group));
		wave->stamps = wave->probe = 0;
		wave->depth = 0;
	}
	return wave;
}

static int take_stamp(struct timing *timing, const struct probe_batch *batch,
		      const struct sites_kernel *kernel, const struct probe_stamp *stamp)
{
	struct kernel *own = kernel->extra;
	struct wave *wave = wave_get(timing, batch, stamp->wave);
	const struct site *site;
	int err = 0;

	if (!wave)
		return -ENOMEM;
	if (stamp->site == PROBE_SITE_IDLE) {
		wave->probe = stamp->clock;
		return 0;
	}
	if (wave->probe && (!own->stamp || stamp->clock - wave->probe < own->stamp))
		own->stamp = stamp->clock - wave->probe;
	wave->probe = 0;
	wave->stamps++;
	site = site_get(timing, kernel, stamp->site);
	if (stamp->form == PROBE_FORM_WAVE_END) {
		while (wave->depth && !err)
			err = pop(timing, batch, kernel, wave, stamp, wave->depth == 1);
		return err;
	}
	if (!site)
		return 0;
	return stamp->form == PROBE_FORM_BEGIN ? begin(timing, batch, kernel, wave, stamp, site)
					       : end(timing, batch, kernel, wave, stamp, site);
}

static int timing_batch(void *state, const struct probe_batch *batch)
{
	struct timing *timing = state;
	const struct sites_kernel *kernel = sites_kernel(&timing->sites, batch->dispatch);
	int err = kernel ? 0 : -ENOMEM;

	for (size_t i = 0; i < batch->count && !err; i++)
		err = take_stamp(timing, batch, kernel, &batch->stamps[i]);
	return err;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static int write_places(const struct probe_host *host, int table, const struct sites_kernel *kernel,
			uint32_t id, const struct site *site)
{
	int err = 0;

	for (unsigned i = 0; i < PLACES && site->places && !err; i++) {
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

static int write_span(const struct probe_host *host, int table, const struct sites_kernel *kernel,
		      uint32_t id, const struct site *site)
{
	const struct kernel *own = kernel->extra;
	const struct probe_site_info *info = host->site(host->ctx, kernel->code_object, id);
	const char *what = site->access == PROBE_ACCESS_REGION	   ? "region"
			   : site->access == PROBE_ACCESS_FUNCTION ? "function"
								   : "block";
	const char *name = site->access == PROBE_ACCESS_REGION ? site->name : info->function;
	double count = (double)site->count;
	const union probe_value values[COUNT(span_columns)] = {
		{.integer = kernel->code_object},
		{.integer = kernel->id},
		{.integer = id},
		{.text = what},
		{.text = name},
		{.integer = (int64_t)site->count},
		{.integer = (int64_t)site->cycles},
		{.real = own->cycles ? (double)site->cycles / (double)own->cycles : 0},
		{.real = (double)site->cycles / count},
		{.integer = (int64_t)site->min},
		{.integer = (int64_t)site->max},
		{.integer = (int64_t)percentile(site, 50)},
		{.integer = (int64_t)percentile(site, 90)},
		{.integer = (int64_t)percentile(site, 99)},
		{.integer = (int64_t)(site->stamps * own->stamp)},
		{.integer = (int64_t)own->stamp},
		{.integer = (int64_t)site->open},
	};

	return host->row(host->ctx, table, values, COUNT(span_columns));
}

static int write_kernel(const struct probe_host *host, int spans, int places,
			const struct sites_kernel *kernel)
{
	const struct kernel *own = kernel->extra;
	int err = 0;

	for (uint32_t id = 0; id < kernel->site_count && !err; id++) {
		const struct site *site = &((const struct site *)kernel->sites)[id];

		if (site->count)
			err = write_span(host, spans, kernel, id, site);
		if (!err)
			err = write_places(host, places, kernel, id, site);
	}
	if (own->ends)
		host->log(host->ctx, PROBE_LOG_WARNING,
			  "%llu ends of regions that had not begun: look for "
			  "probe_region_end() without its begin",
			  (unsigned long long)own->ends);
	if (own->too_deep)
		host->log(host->ctx, PROBE_LOG_WARNING, "%llu spans deeper than %d were left out",
			  (unsigned long long)own->too_deep, DEPTH);
	return err;
}

static void release(struct timing *timing)
{
	for (size_t k = 0; k < timing->sites.count; k++)
		for (uint32_t id = 0; id < timing->sites.kernels[k]->site_count; id++) {
			struct site *site = &((struct site *)timing->sites.kernels[k]->sites)[id];

			free(site->bin);
			free(site->places);
		}
	for (size_t i = 0; i < timing->wave_count; i++)
		free(timing->waves[i]);
	free(timing->waves);
	sites_deinit(&timing->sites);
	free(timing);
}

static int timing_close(void *state)
{
	struct timing *timing = state;
	const struct probe_host *host = timing->sites.host;
	int spans = host->table(host->ctx, "span", span_columns, COUNT(span_columns));
	int places = host->table(host->ctx, "place", place_columns, COUNT(place_columns));
	int err = spans < 0 ? spans : places < 0 ? places : 0;

	for (size_t k = 0; k < timing->sites.count && !err; k++)
		err = write_kernel(host, spans, places, timing->sites.kernels[k]);
	if (timing->lines_left)
		host->log(host->ctx, PROBE_LOG_INFO,
			  "the timeline has the first %llu spans, %llu are left out "
			  "(time:timeline=N)",
			  (unsigned long long)timing->lines,
			  (unsigned long long)timing->lines_left);
	sites_report(&timing->sites, "time");
	release(timing);
	return err;
}

PROBE_HANDLER struct probe_handler probe_handler = {
	.size = sizeof(struct probe_handler),
	.abi = PROBE_HANDLER_ABI,
	.name = "time",
	.summary =
		"cycles of kernels, functions and regions: percentiles, by compute unit, timeline",
	.streams = PROBE_STREAM_TIME,
	.open = timing_open,
	.batch = timing_batch,
	.close = timing_close,
};
