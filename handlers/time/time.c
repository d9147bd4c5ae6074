/* SPDX-License-Identifier: MIT */
/*
 * Handler `time`: where waves spend their cycles. A span is the time from a begin to its end within
 * one wave: of a kernel, of a device function that was not inlined, of a block, or of a region that
 * the user marked (device.h). Spans nest; a span's time holds that of the spans in it.
 *   -a time:timeline=N	 at most N rows of the timeline (65536), 0 = none
 *
 * Table probe_time_span has a row per kernel and site: times in cycles of the device's clock,
 * percentiles exact below 512 cycles and else at most 1/256 too high; `share` of the cycles of all
 * waves of the kernel. `overhead` is the part of `cycles` that the stamps took, reckoned with what
 * the kernel itself told of them (PROBE_SITE_IDLE): `stamp`, what an empty span shows, for each
 * span, and the whole of what they cost for each in it. It is never more than a span was seen to
 * take. Where lanes part and begin or end a region apart, its span is from the first begin to the
 * last end. `open` counts spans that a wave left without their end. A block goes on until its
 * function comes to the next one, calls included. Table probe_time_place: the same cycles by shader
 * engine, compute unit and SIMD. Table probe_time_line: each span of each wave, until N.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <probe/handler.h>

#include "handlers/time/time_tables.h"

enum { IDLES = 2 };

struct span {
	uint32_t site;
	unsigned form, lanes;
	uint64_t clock, inner[FORMS]; /* stamps of the wave before what is in it */
};

/* A region that only some of its lanes have ended: it has ended if no others do. */
struct parted {
	unsigned lanes; /* that have not; 0 = there is none */
	struct span span;
	uint64_t clock, stamps[FORMS]; /* of the wave by then */
};

struct wave {
	uint64_t dispatch;
	uint32_t group[3], number;
	uint64_t stamps[FORMS];
	unsigned depth, idle, idle_form; /* open spans; of those of IDLE, what the inner one was */
	struct span span[TIME_DEPTH];
	struct span block[TIME_DEPTH];	  /* of the function there; clock 0 = none */
	struct parted parted[TIME_DEPTH]; /* the last one that lay there */
	unsigned partings;		  /* none lies as deep as this */
	uint64_t idle_clock[IDLES];
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

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int timing_open(const struct probe_host *host, void **state)
{
	struct timing *timing = calloc(1, sizeof(*timing));
	int err;

	if (!timing)
		return -ENOMEM;
	timing->sites = (struct sites){
		.host = host,
		.site_size = sizeof(struct time_site),
		.extra_size = sizeof(struct time_kernel),
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

static struct time_site *site_get(struct timing *timing, const struct sites_kernel *kernel,
				  uint32_t id)
{
	const struct probe_host *host = timing->sites.host;
	struct time_site *site;

	if (id >= kernel->site_count) {
		timing->sites.invalid++;
		return NULL;
	}
	site = &((struct time_site *)kernel->sites)[id];
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

/* SIMD, then CU, SH and SE of gfx9's HW_ID. */
static unsigned place_of(uint32_t hw_id)
{
	return (hw_id >> 4 & 3) | (hw_id >> 8 & 0xff) << 2;
}

static int count_span(struct time_site *site, uint64_t cycles, uint32_t hw_id)
{
	struct time_place *place;

	if (!site->places)
		site->places = calloc(TIME_PLACES, sizeof(*site->places));
	if (!site->places)
		return -ENOMEM;
	place = &site->places[place_of(hw_id)];
	place->count++;
	place->cycles += cycles;
	return cycles_count(&site->cycles, cycles);
}

/* ---- Spans of a wave ------------------------------------------------------------------------- */

static int put_line(struct timing *timing, const struct probe_batch *batch,
		    const struct probe_wave_info *wave, const struct span *span, uint64_t clock,
		    unsigned depth, const char *name)
{
	const struct probe_host *host = timing->sites.host;
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
		{.integer = (int64_t)clock},
		{.integer = (int64_t)wave->time},
	};

	if (timing->lines >= timing->line_max) {
		timing->lines_left++;
		return 0;
	}
	timing->lines++;
	return host->row(host->ctx, timing->line_table, values, COUNT(line_columns));
}

/* A span of a wave at `depth` has ended, when `stamps` were made. */
static int count_end(struct timing *timing, const struct probe_batch *batch,
		     const struct sites_kernel *kernel, const struct probe_wave_info *wave,
		     const struct span *span, uint64_t clock, const uint64_t stamps[FORMS],
		     unsigned depth)
{
	struct time_site *site = &((struct time_site *)kernel->sites)[span->site];
	int err = count_span(site, clock - span->clock, wave->hw_id);

	site->own[span->form]++;
	for (unsigned form = 0; form < FORMS; form++)
		site->inner[form] += stamps[form] - span->inner[form];
	return err ? err : put_line(timing, batch, wave, span, clock, depth, site->name);
}

static int close_span(struct timing *timing, const struct probe_batch *batch,
		      const struct sites_kernel *kernel, const struct wave *wave,
		      const struct span *span, const struct probe_stamp *stamp, unsigned depth)
{
	return count_end(timing, batch, kernel, stamp->wave, span, stamp->clock, wave->stamps,
			 depth);
}

/* Nobody will end the region that lanes have ended apart, at this depth, any more. */
static int settle(struct timing *timing, const struct probe_batch *batch,
		  const struct sites_kernel *kernel, struct wave *wave,
		  const struct probe_wave_info *info, unsigned depth)
{
	struct parted *parted = &wave->parted[depth];

	if (!parted->lanes)
		return 0;
	parted->lanes = 0;
	return count_end(timing, batch, kernel, info, &parted->span, parted->clock, parted->stamps,
			 depth);
}

/* The same of all at this depth and below. */
static int settle_all(struct timing *timing, const struct probe_batch *batch,
		      const struct sites_kernel *kernel, struct wave *wave,
		      const struct probe_wave_info *info, unsigned depth)
{
	int err = 0;

	while (wave->partings > depth && !err)
		err = settle(timing, batch, kernel, wave, info, --wave->partings);
	return err;
}

/* End the innermost span at a stamp, and the block a function was in. */
static int pop(struct timing *timing, const struct probe_batch *batch,
	       const struct sites_kernel *kernel, struct wave *wave,
	       const struct probe_stamp *stamp, bool proper)
{
	unsigned depth = --wave->depth;
	const struct span *span = &wave->span[depth], *block = &wave->block[depth];
	int err = settle_all(timing, batch, kernel, wave, stamp->wave, depth + 1);

	((struct time_site *)kernel->sites)[span->site].open += !proper;
	if (!depth)
		((struct time_kernel *)kernel->extra)->cycles += stamp->clock - span->clock;
	if (block->clock && !err)
		err = close_span(timing, batch, kernel, wave, block, stamp, depth + 1);
	return err ? err : close_span(timing, batch, kernel, wave, span, stamp, depth);
}

static struct span new_span(const struct wave *wave, const struct probe_stamp *stamp)
{
	unsigned form = stamp->flags & PROBE_STAMP_ONE ? ONE : RECORD;
	struct span span = {
		.site = stamp->site, .form = form, .lanes = stamp->lanes, .clock = stamp->clock};

	for (unsigned i = 0; i < FORMS; i++)
		span.inner[i] = wave->stamps[i];
	span.inner[RECORD] += form == RECORD;
	return span;
}

/* A block of the innermost function ends the one before it. */
static int begin_block(struct timing *timing, const struct probe_batch *batch,
		       const struct sites_kernel *kernel, struct wave *wave,
		       const struct probe_stamp *stamp)
{
	const struct time_site *sites = (const struct time_site *)kernel->sites;
	unsigned at = wave->depth;
	struct span *block;
	int err = 0;

	while (at && sites[wave->span[at - 1].site].access != PROBE_ACCESS_FUNCTION)
		at--;
	if (!at) {
		timing->sites.invalid++;
		return 0;
	}
	block = &wave->block[at - 1];
	if (block->clock)
		err = close_span(timing, batch, kernel, wave, block, stamp, at);
	*block = new_span(wave, stamp);
	return err;
}

static int begin(struct timing *timing, const struct probe_batch *batch,
		 const struct sites_kernel *kernel, struct wave *wave,
		 const struct probe_stamp *stamp, const struct time_site *site)
{
	if (site->access != PROBE_ACCESS_FUNCTION && site->access != PROBE_ACCESS_REGION)
		return begin_block(timing, batch, kernel, wave, stamp);
	if (wave->depth == TIME_DEPTH) {
		((struct time_kernel *)kernel->extra)->too_deep++;
		return 0;
	}
	wave->block[wave->depth].clock = 0;
	wave->span[wave->depth++] = new_span(wave, stamp);
	return 0;
}

/* Does the end of one site end a span of another? Regions are told by their names. */
static bool matches(const struct sites_kernel *kernel, const struct span *span, uint32_t id,
		    const struct time_site *end)
{
	const struct time_site *open = &((const struct time_site *)kernel->sites)[span->site];

	if (end->access != PROBE_ACCESS_REGION)
		return span->site == id;
	return open->access == PROBE_ACCESS_REGION && open->name && end->name &&
	       !strcmp(open->name, end->name);
}

/* Lanes that began a region apart and end it together were in one span. */
static void join(const struct sites_kernel *kernel, struct wave *wave,
		 const struct probe_stamp *stamp, const struct time_site *site)
{
	while (wave->depth > 1) {
		const struct span *top = &wave->span[wave->depth - 1];
		struct span *below = &wave->span[wave->depth - 2];

		if (top->lanes + below->lanes > stamp->lanes ||
		    !matches(kernel, below, stamp->site, site))
			return;
		below->lanes += top->lanes;
		wave->depth--;
	}
}

/* The innermost span, a region, ends at a stamp for some of its lanes. */
static int part(struct timing *timing, const struct probe_batch *batch,
		const struct sites_kernel *kernel, struct wave *wave,
		const struct probe_stamp *stamp)
{
	unsigned depth = wave->depth - 1;
	int err = settle(timing, batch, kernel, wave, stamp->wave, depth);

	wave->depth = depth;
	wave->partings = wave->partings > depth ? wave->partings : depth + 1;
	wave->parted[depth] = (struct parted){
		.lanes = wave->span[depth].lanes - stamp->lanes,
		.span = wave->span[depth],
		.clock = stamp->clock,
	};
	memcpy(wave->parted[depth].stamps, wave->stamps, sizeof(wave->stamps));
	return err;
}

/* An end of no open span: other lanes of a region have been there before. False: of no region. */
static bool end_parted(struct timing *timing, const struct probe_batch *batch,
		       const struct sites_kernel *kernel, struct wave *wave,
		       const struct probe_stamp *stamp, const struct time_site *site, int *err)
{
	for (unsigned depth = wave->partings; depth--;) {
		struct parted *parted = &wave->parted[depth];

		if (parted->lanes < stamp->lanes ||
		    !matches(kernel, &parted->span, stamp->site, site))
			continue;
		parted->clock = stamp->clock;
		memcpy(parted->stamps, wave->stamps, sizeof(wave->stamps));
		if (parted->lanes == stamp->lanes)
			*err = settle_all(timing, batch, kernel, wave, stamp->wave, depth);
		else
			parted->lanes -= stamp->lanes;
		return true;
	}
	return false;
}

static int end(struct timing *timing, const struct probe_batch *batch,
	       const struct sites_kernel *kernel, struct wave *wave,
	       const struct probe_stamp *stamp, const struct time_site *site)
{
	unsigned at = wave->depth;
	int err = 0;

	while (at && !matches(kernel, &wave->span[at - 1], stamp->site, site))
		at--;
	if (!at && !end_parted(timing, batch, kernel, wave, stamp, site, &err))
		((struct time_kernel *)kernel->extra)->ends++;
	while (at && wave->depth > at && !err)
		err = pop(timing, batch, kernel, wave, stamp, false);
	if (!at || err)
		return err;
	if (site->access != PROBE_ACCESS_REGION)
		return pop(timing, batch, kernel, wave, stamp, true);
	join(kernel, wave, stamp, site);
	return wave->span[wave->depth - 1].lanes > stamp->lanes
		       ? part(timing, batch, kernel, wave, stamp)
		       : pop(timing, batch, kernel, wave, stamp, true);
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
		memset(wave->stamps, 0, sizeof(wave->stamps));
		while (wave->partings)
			wave->parted[--wave->partings].lanes = 0;
		wave->depth = wave->idle = 0;
	}
	return wave;
}

static void keep_least(uint64_t *least, uint64_t cycles)
{
	*least = !*least || cycles < *least ? cycles : *least;
}

/* What stamps cost: an empty span, and one around it. */
static void take_idle(struct time_kernel *own, struct wave *wave, const struct probe_stamp *stamp)
{
	unsigned form = stamp->flags & PROBE_STAMP_ONE ? ONE : RECORD;
	uint64_t cycles;

	if (stamp->form == PROBE_FORM_BEGIN) {
		wave->idle = wave->idle == IDLES ? 0 : wave->idle;
		wave->idle_clock[wave->idle++] = stamp->clock;
		return;
	}
	if (!wave->idle)
		return;
	cycles = stamp->clock - wave->idle_clock[--wave->idle];
	if (wave->idle) {
		wave->idle_form = form;
		keep_least(&own->empty[form], cycles);
	} else {
		keep_least(&own->around[wave->idle_form], cycles);
		own->around_form[wave->idle_form] = form;
	}
}

static void count_stamp(struct wave *wave, const struct probe_stamp *stamp)
{
	if (!(stamp->flags & PROBE_STAMP_ONE))
		wave->stamps[RECORD]++;
	else if (stamp->form == PROBE_FORM_END)
		wave->stamps[ONE]++;
}

static int take_stamp(struct timing *timing, const struct probe_batch *batch,
		      const struct sites_kernel *kernel, const struct probe_stamp *stamp)
{
	struct wave *wave = wave_get(timing, batch, stamp->wave);
	const struct time_site *site;
	int err = 0;

	if (!wave)
		return -ENOMEM;
	if (stamp->site == PROBE_SITE_IDLE) {
		take_idle(kernel->extra, wave, stamp);
		return 0;
	}
	site = site_get(timing, kernel, stamp->site);
	if (stamp->form == PROBE_FORM_WAVE_END) {
		while (wave->depth && !err)
			err = pop(timing, batch, kernel, wave, stamp, wave->depth == 1);
		if (!err)
			err = settle_all(timing, batch, kernel, wave, stamp->wave, 0);
	} else if (site && stamp->form == PROBE_FORM_BEGIN) {
		err = begin(timing, batch, kernel, wave, stamp, site);
	} else if (site) {
		err = end(timing, batch, kernel, wave, stamp, site);
	}
	count_stamp(wave, stamp);
	return err;
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

static void release(struct timing *timing)
{
	for (size_t k = 0; k < timing->sites.count; k++)
		for (uint32_t id = 0; id < timing->sites.kernels[k]->site_count; id++) {
			struct time_site *site =
				&((struct time_site *)timing->sites.kernels[k]->sites)[id];

			free(site->cycles.bin);
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
	int err = time_rows_write(&timing->sites);

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
	.summary = "cycles of kernels, functions, regions, blocks: percentiles, by CU, timeline",
	.streams = PROBE_STREAM_TIME,
	.open = timing_open,
	.batch = timing_batch,
	.close = timing_close,
};
