/* SPDX-License-Identifier: MIT */
/*
 * Handler `time`: where waves spend their cycles. A span is the time from a begin to its end within
 * one wave: of a kernel, of a device function that was not inlined, of a block, or of a region that
 * the user marked (device.h). Spans nest; the time of a span includes that of the spans in it.
 *   -a time:timeline=N	 at most N rows of the timeline (65536), 0 = none
 *
 * Table probe_time_span has a row per kernel and site. Times are in cycles of the device clock;
 * percentiles are exact below 512 cycles and else at most 1/256 too high. `share` is relative to
 * the cycles of all waves of the kernel. `overhead` is the part of `cycles` that the stamps took,
 * estimated from what the kernel measured of them itself (PROBE_SITE_IDLE): `stamp`, the length of
 * an empty span, for each span, and the whole cost of a stamp for each stamp in it. It never
 * exceeds what a span took. If lanes of a wave diverge and begin or end a region at different
 * times, the span is from the first begin to the last end. `open` counts spans that a wave left
 * without an end. A block lasts until its function reaches the next block, calls included.
 *
 * Table probe_time_place has the same cycles by shader engine, compute unit and SIMD. Table
 * probe_time_line has each span of each wave, up to N rows.
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
	uint64_t clock, inner[FORMS]; /* stamps of the wave before the span's contents */
};

/* A region that some of its lanes have ended; others may follow. */
struct partial {
	unsigned lanes; /* lanes that have not ended it; 0 = there is no such region */
	struct span span;
	uint64_t clock, stamps[FORMS]; /* at the latest end */
};

struct wave {
	uint64_t dispatch;
	uint32_t group[3], number;
	uint64_t stamps[FORMS];
	unsigned depth, idle,
		idle_form; /* open spans; open spans of site IDLE, and the form of the inner one */
	struct span span[TIME_DEPTH];
	struct span block[TIME_DEPTH]; /* the current block of the function at this depth; clock
					* 0 = none */
	struct partial partial[TIME_DEPTH]; /* the latest one at this depth */
	unsigned partial_depth;		    /* all partial regions are at smaller depths */
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

static int timing_init(struct timing *timing, const struct probe_host *host)
{
	int err;

	timing->sites = (struct sites){
		.host = host,
		.site_size = sizeof(struct time_site),
		.extra_size = sizeof(struct time_kernel),
	};
	timing->line_max = 65536;
	err = sites_arg(host, "time", "timeline", 0, UINT32_MAX, &timing->line_max);
	if (err)
		return err;
	timing->line_table = host->table(host->ctx, "line", line_columns, COUNT(line_columns));
	return timing->line_table < 0 ? timing->line_table : 0;
}

static int timing_open(const struct probe_host *host, void **state)
{
	struct timing *timing = calloc(1, sizeof(*timing));
	int err;

	if (!timing)
		return -ENOMEM;
	err = timing_init(timing, host);
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
	struct time_site *site = sites_make(kernel, id);

	if (!site) {
		timing->sites.invalid++;
		return NULL;
	}
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

/* A stamp, with its context. */
struct event {
	struct timing *timing;
	const struct probe_batch *batch;
	const struct sites_kernel *kernel;
	struct wave *wave;
	const struct probe_stamp *stamp;
	const struct time_site *site; /* of the stamp; NULL = none */
};

static struct time_site *site_of(const struct event *event, uint32_t id)
{
	return sites_at(event->kernel, id);
}

static struct time_kernel *kernel_of(const struct event *event)
{
	return event->kernel->extra;
}

static int put_line(const struct event *event, const struct span *span, uint64_t clock,
		    unsigned depth, const char *name)
{
	const struct probe_wave_info *wave = event->stamp->wave;
	const struct probe_dispatch_info *dispatch = event->batch->dispatch;
	struct timing *timing = event->timing;
	const struct probe_host *host = timing->sites.host;
	const union probe_value values[COUNT(line_columns)] = {
		{.integer = (int64_t)dispatch->id},
		{.integer = dispatch->code_object},
		{.integer = dispatch->kernel_id},
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

/* A span at `depth` has ended at `clock`, after `stamps` stamps of the wave. */
static int count_end(const struct event *event, const struct span *span, uint64_t clock,
		     const uint64_t stamps[FORMS], unsigned depth)
{
	struct time_site *site = site_of(event, span->site);
	int err = count_span(site, clock - span->clock, event->stamp->wave->hw_id);

	site->own[span->form]++;
	for (unsigned form = 0; form < FORMS; form++)
		site->inner[form] += stamps[form] - span->inner[form];
	return err ? err : put_line(event, span, clock, depth, site->name);
}

/* The same, ending at the stamp. */
static int close_span(const struct event *event, const struct span *span, unsigned depth)
{
	return count_end(event, span, event->stamp->clock, event->wave->stamps, depth);
}

/* No further lanes can end the partly ended region at this depth, so it ended at its last stamp. */
static int end_partial(const struct event *event, unsigned depth)
{
	struct partial *partial = &event->wave->partial[depth];

	if (!partial->lanes)
		return 0;
	partial->lanes = 0;
	return count_end(event, &partial->span, partial->clock, partial->stamps, depth);
}

/* The same for all at this depth and deeper. */
static int end_partials(const struct event *event, unsigned depth)
{
	struct wave *wave = event->wave;
	int err = 0;

	while (wave->partial_depth > depth && !err)
		err = end_partial(event, --wave->partial_depth);
	return err;
}

/* Ends the innermost span at a stamp, and the current block of a function. */
static int pop(const struct event *event, bool proper)
{
	struct wave *wave = event->wave;
	unsigned depth = --wave->depth;
	const struct span *span = &wave->span[depth], *block = &wave->block[depth];
	int err = end_partials(event, depth + 1);

	site_of(event, span->site)->open += !proper;
	if (!depth)
		kernel_of(event)->cycles += event->stamp->clock - span->clock;
	if (block->clock && !err)
		err = close_span(event, block, depth + 1);
	return err ? err : close_span(event, span, depth);
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

/* A block of the innermost function ends the block before it. */
static int begin_block(const struct event *event)
{
	struct wave *wave = event->wave;
	unsigned at = wave->depth;
	struct span *block;
	int err = 0;

	while (at && site_of(event, wave->span[at - 1].site)->access != PROBE_ACCESS_FUNCTION)
		at--;
	if (!at) {
		event->timing->sites.invalid++;
		return 0;
	}
	block = &wave->block[at - 1];
	if (block->clock)
		err = close_span(event, block, at);
	*block = new_span(wave, event->stamp);
	return err;
}

static int begin(const struct event *event)
{
	struct wave *wave = event->wave;

	if (event->site->access != PROBE_ACCESS_FUNCTION &&
	    event->site->access != PROBE_ACCESS_REGION)
		return begin_block(event);
	if (wave->depth == TIME_DEPTH) {
		kernel_of(event)->too_deep++;
		return 0;
	}
	wave->block[wave->depth].clock = 0;
	wave->span[wave->depth++] = new_span(wave, event->stamp);
	return 0;
}

/* True if the stamp, an end, belongs to that span. Ends of regions match by name. */
static bool matches(const struct event *event, const struct span *span)
{
	const struct time_site *open = site_of(event, span->site), *end = event->site;

	if (end->access != PROBE_ACCESS_REGION)
		return span->site == event->stamp->site;
	return open->access == PROBE_ACCESS_REGION && open->name && end->name &&
	       !strcmp(open->name, end->name);
}

/* Lanes that began a region at different times and end it together were in one span. */
static void join_spans(const struct event *event)
{
	struct wave *wave = event->wave;

	while (wave->depth > 1) {
		const struct span *top = &wave->span[wave->depth - 1];
		struct span *below = &wave->span[wave->depth - 2];

		if (top->lanes + below->lanes > event->stamp->lanes || !matches(event, below))
			return;
		below->lanes += top->lanes;
		wave->depth--;
	}
}

/* The innermost span, a region, ends at a stamp for some of its lanes. */
static int end_for_some_lanes(const struct event *event)
{
	struct wave *wave = event->wave;
	unsigned depth = wave->depth - 1;
	int err = end_partial(event, depth);

	wave->depth = depth;
	wave->partial_depth = wave->partial_depth > depth ? wave->partial_depth : depth + 1;
	wave->partial[depth] = (struct partial){
		.lanes = wave->span[depth].lanes - event->stamp->lanes,
		.span = wave->span[depth],
		.clock = event->stamp->clock,
	};
	memcpy(wave->partial[depth].stamps, wave->stamps, sizeof(wave->stamps));
	return err;
}

/*
 * An end without an open span: true if it belongs to a region that other lanes have already ended.
 */
static bool end_partial_for_lanes(const struct event *event, int *err)
{
	struct wave *wave = event->wave;

	for (unsigned depth = wave->partial_depth; depth--;) {
		struct partial *partial = &wave->partial[depth];

		if (partial->lanes < event->stamp->lanes || !matches(event, &partial->span))
			continue;
		partial->clock = event->stamp->clock;
		memcpy(partial->stamps, wave->stamps, sizeof(wave->stamps));
		if (partial->lanes == event->stamp->lanes)
			*err = end_partials(event, depth);
		else
			partial->lanes -= event->stamp->lanes;
		return true;
	}
	return false;
}

static int end(const struct event *event)
{
	struct wave *wave = event->wave;
	unsigned at = wave->depth;
	int err = 0;

	while (at && !matches(event, &wave->span[at - 1]))
		at--;
	if (!at && !end_partial_for_lanes(event, &err) && !kernel_of(event)->ends++)
		kernel_of(event)->end_site = event->stamp->site;
	while (at && wave->depth > at && !err)
		err = pop(event, false);
	if (!at || err)
		return err;
	if (event->site->access != PROBE_ACCESS_REGION)
		return pop(event, true);
	join_spans(event);
	return wave->span[wave->depth - 1].lanes > event->stamp->lanes ? end_for_some_lanes(event)
								       : pop(event, true);
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
		while (wave->partial_depth)
			wave->partial[--wave->partial_depth].lanes = 0;
		wave->depth = wave->idle = 0;
	}
	return wave;
}

static void keep_least(uint64_t *least, uint64_t cycles)
{
	*least = !*least || cycles < *least ? cycles : *least;
}

/* Measures the cost of stamps: an empty span, and a span around it. */
static void count_idle(struct time_kernel *own, struct wave *wave, const struct probe_stamp *stamp)
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

/* Ends all spans of the wave. */
static int end_wave(struct event *event)
{
	while (event->wave->depth) {
		int err = pop(event, event->wave->depth == 1);

		if (err)
			return err;
	}
	return end_partials(event, 0);
}

static int handle_stamp(struct timing *timing, const struct probe_batch *batch,
			const struct sites_kernel *kernel, const struct probe_stamp *stamp)
{
	struct event event = {
		.timing = timing,
		.batch = batch,
		.kernel = kernel,
		.wave = wave_get(timing, batch, stamp->wave),
		.stamp = stamp,
	};
	int err = 0;

	if (!event.wave)
		return -ENOMEM;
	if (stamp->site == PROBE_SITE_IDLE) {
		count_idle(kernel->extra, event.wave, stamp);
		return 0;
	}
	event.site = site_get(timing, kernel, stamp->site);
	if (stamp->form == PROBE_FORM_WAVE_END)
		err = end_wave(&event);
	else if (event.site && stamp->form == PROBE_FORM_BEGIN)
		err = begin(&event);
	else if (event.site)
		err = end(&event);
	count_stamp(event.wave, stamp);
	return err;
}

static int timing_batch(void *state, const struct probe_batch *batch)
{
	struct timing *timing = state;
	const struct sites_kernel *kernel = sites_kernel(&timing->sites, batch->dispatch);
	int err = kernel ? 0 : -ENOMEM;

	for (size_t i = 0; i < batch->count && !err; i++)
		err = handle_stamp(timing, batch, kernel, &batch->stamps[i]);
	return err;
}

static void release(struct timing *timing)
{
	for (size_t k = 0; k < timing->sites.count; k++) {
		const struct sites_kernel *kernel = timing->sites.kernels[k];

		for (uint32_t id = sites_next(kernel, 0); id < kernel->site_count;
		     id = sites_next(kernel, id + 1)) {
			struct time_site *site = sites_at(kernel, id);

			free(site->cycles.bin);
			free(site->places);
		}
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
			  "the timeline has the first %llu spans, %llu more were left out "
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
