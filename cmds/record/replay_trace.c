/* SPDX-License-Identifier: MIT */
/* The trace records of a replay: spans of the device's bytes, expanded and parsed for the handler.
 */
#include <stdlib.h>
#include <string.h>

#include "cmds/record/replay_feed.h"
#include "cmds/record/trace_records.h"
#include "common/err.h"
#include "wire/trace_unpack.h"

#define RINGS_MAX     (1u << 20)
#define EXPANDED      (256u << 10) /* bytes that are expanded at a time */
#define BLOCK_VERSION 5		   /* of the schema; earlier ones have a row per piece */

/* ---- Last spans ----------------------------------------------------------------------------- */

static bool add_last(struct replay_feed *feed, uint64_t dispatch)
{
	struct replay_last *grown = feed->last;
	size_t n = feed->last_count;

	feed->spans++;
	if (n && grown[n - 1].dispatch == dispatch) {
		grown[n - 1].span = feed->spans;
		return true;
	}
	/* The array grows at powers of two. */
	if (!(n & (n - 1)))
		grown = realloc(feed->last, (n ? n * 2 : 1) * sizeof(*grown));
	if (!grown)
		return false;
	feed->last = grown;
	grown[feed->last_count++] = (struct replay_last){dispatch, feed->spans};
	return true;
}

static int by_dispatch(const void *a, const void *b)
{
	const struct replay_last *x = a, *y = b;

	if (x->dispatch != y->dispatch)
		return x->dispatch < y->dispatch ? -1 : 1;
	return x->span < y->span ? -1 : x->span > y->span;
}

/* One entry per dispatch: its last span. */
static void sort_last(struct replay_feed *feed)
{
	size_t count = 0;

	if (feed->last_count)
		qsort(feed->last, feed->last_count, sizeof(*feed->last), by_dispatch);
	for (size_t i = 0; i < feed->last_count; i++) {
		if (count && feed->last[count - 1].dispatch == feed->last[i].dispatch)
			count--;
		feed->last[count++] = feed->last[i];
	}
	feed->last_count = count;
}

/* Reads the spans of a row, and maybe its bytes; false if it is malformed. */
static bool read_block(struct replay_feed *feed, sqlite3_stmt *stmt, bool bytes)
{
	struct probe_packed packed = {
		.spans = (void *)(uintptr_t)sqlite3_column_blob(stmt, 1),
		.spans_size = (size_t)sqlite3_column_bytes(stmt, 1),
	};

	if (bytes) {
		packed.bytes = (void *)(uintptr_t)sqlite3_column_blob(stmt, 2);
		packed.bytes_size = (size_t)sqlite3_column_bytes(stmt, 2);
	}
	return probe_block_unpack(&packed, replay_number(stmt, 0), &feed->block);
}

static bool list_spans(struct replay_feed *feed, sqlite3_stmt *stmt)
{
	bool ok = read_block(feed, stmt, false);

	for (size_t i = 0; ok && i < feed->block.span_count; i++)
		ok = add_last(feed, feed->block.spans[i].dispatch);
	return ok;
}

/* In earlier versions a row is a span. */
static bool list_row(struct replay_feed *feed, sqlite3_stmt *stmt)
{
	return add_last(feed, replay_number(stmt, 0));
}

struct probe_err *replay_read_spans(struct replay_feed *feed)
{
	bool blocks = feed->reader.version >= BLOCK_VERSION;
	struct probe_err *err =
		replay_each(feed,
			    blocks ? "SELECT size, spans FROM probe_record ORDER BY id"
				   : "SELECT dispatch_id FROM probe_record ORDER BY id",
			    blocks ? list_spans : list_row);

	sort_last(feed);
	feed->spans = 0;
	return err;
}

/* ---- Spans ---------------------------------------------------------------------------------- */

static struct replay_ring *ring_of(struct replay_feed *feed, uint64_t index)
{
	if (index >= RINGS_MAX)
		return NULL;
	if (index >= feed->ring_count) {
		uint32_t count = (uint32_t)index + 256;
		struct replay_ring *rings = realloc(feed->rings, count * sizeof(*rings));

		if (!rings)
			return NULL;
		memset(rings + feed->ring_count, 0, (count - feed->ring_count) * sizeof(*rings));
		for (uint32_t i = feed->ring_count; i < count; i++)
			rings[i].ring.number = i;
		feed->rings = rings;
		feed->ring_count = count;
	}
	return &feed->rings[index];
}

static void flush_batch(struct replay_feed *feed, const struct run_dispatch *dispatch)
{
	size_t count = trace_batch_count(&feed->batch);

	if (dispatch)
		feed->counts->records += count;
	else
		feed->counts->invalid += count;
	trace_batch_deliver(&feed->batch, dispatch, feed->handler);
}

/* Parses expanded bytes; all belong to one dispatch. */
static void parse(struct replay_feed *feed, const struct trace_dispatch *of,
		  struct probe_trace_ring *ring, size_t size)
{
	struct probe_trace_counts counts = {0};
	struct trace_piece piece = {feed->expanded, size, 0};
	enum probe_trace_stop stop;

	do {
		stop = probe_trace_parse(&piece, of->site_limit, ring, &feed->batch, &counts);
		/* Only the wave that opens the span may change the dispatch. */
		if (stop == PROBE_TRACE_SWITCH && ring->dispatch != of->id)
			stop = PROBE_TRACE_BAD;
		if (stop == PROBE_TRACE_FULL)
			flush_batch(feed, of->dispatch);
	} while (stop == PROBE_TRACE_SWITCH || stop == PROBE_TRACE_FULL);
	flush_batch(feed, of->dispatch);
	feed->counts->invalid += counts.invalid + (stop == PROBE_TRACE_BAD);
	feed->wave_records += counts.records;
}

static void feed_trace(struct replay_feed *feed, const struct probe_span *span,
		       const unsigned char *bytes)
{
	struct trace_dispatch of = trace_dispatch_find(&feed->objects, span->dispatch);
	struct replay_ring *ring = ring_of(feed, span->ring);
	struct trace_piece piece = {bytes, span->size, 0};

	if (!ring || span->size % 8) {
		feed->counts->invalid++;
		return;
	}
	while (piece.pos < piece.size) {
		size_t size = probe_trace_expand(&piece, &of.key, &ring->expander, feed->expanded,
						 EXPANDED);

		parse(feed, &of, &ring->ring, size);
	}
}

static void keep_arguments(struct replay_feed *feed, const struct probe_span *span,
			   const unsigned char *bytes)
{
	struct run_dispatch *dispatch = run_dispatch_find(&feed->objects, span->dispatch);

	if (!dispatch || dispatch->arguments || !bytes)
		return;
	dispatch->arguments = malloc(span->size + 1ul);
	if (!dispatch->arguments)
		return;
	memcpy(dispatch->arguments, bytes, span->size);
	dispatch->argument_bytes = span->size;
}

static struct probe_err *feed_span(struct replay_feed *feed, const struct probe_span *span,
				   const unsigned char *bytes)
{
	struct probe_err *err = replay_begin_up_to(feed, span->dispatch);

	if (span->ring == PROBE_SPAN_ARGUMENTS)
		keep_arguments(feed, span, bytes);
	else
		feed_trace(feed, span, bytes);
	feed->spans++;
	if (feed->spans == replay_last_span(feed, span->dispatch)) {
		struct run_dispatch *dispatch = run_dispatch_find(&feed->objects, span->dispatch);

		if (dispatch)
			replay_end_dispatch(feed, dispatch);
	}
	return err;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static struct probe_err *feed_block(struct replay_feed *feed, sqlite3_stmt *stmt)
{
	struct probe_err *err = NULL;
	size_t at = 0;

	if (!read_block(feed, stmt, true)) {
		feed->counts->invalid++;
		if (read_block(feed, stmt, false))
			feed->spans += feed->block.span_count;
		return NULL;
	}
	for (size_t i = 0; i < feed->block.span_count && !err; i++) {
		const struct probe_span *span = &feed->block.spans[i];

		err = feed_span(feed, span, feed->block.bytes + at);
		at += probe_span_padded(span);
	}
	return err;
}

/* A row of an earlier version: one piece of a ring, expanded and packed (trace_unpack.h). */
static struct probe_err *feed_piece(struct replay_feed *feed, sqlite3_stmt *stmt)
{
	struct probe_span span = {replay_number(stmt, 0), (uint32_t)replay_number(stmt, 1), 0};
	uint64_t size = replay_number(stmt, 2);
	const void *packed = sqlite3_column_blob(stmt, 3);
	size_t packed_size = (size_t)sqlite3_column_bytes(stmt, 3);
	unsigned char *bytes = size <= PROBE_BLOCK_MAX ? malloc(size + 1) : NULL;
	struct probe_err *err;

	if (bytes && packed && probe_trace_unpack(packed, packed_size, bytes, size))
		span.size = (uint32_t)size;
	else
		feed->counts->invalid++;
	err = feed_span(feed, &span, bytes);
	free(bytes);
	return err;
}

struct probe_err *replay_trace(struct replay_feed *feed)
{
	bool blocks = feed->reader.version >= BLOCK_VERSION, row = true;
	sqlite3_stmt *stmt = NULL;
	struct probe_err *err = replay_prepare(
		feed,
		blocks ? "SELECT size, spans, bytes FROM probe_record ORDER BY id"
		       : "SELECT dispatch_id, ring, size, bytes FROM probe_record ORDER BY id",
		&stmt);

	feed->expanded = malloc(EXPANDED);
	if ((!trace_batch_init(&feed->batch) || !feed->expanded) && !err)
		err = probe_err_oom();
	while (!err) {
		err = replay_step(feed, stmt, &row);
		if (err || !row)
			break;
		err = blocks ? feed_block(feed, stmt) : feed_piece(feed, stmt);
	}
	sqlite3_finalize(stmt);
	return err;
}

void replay_trace_deinit(struct replay_feed *feed)
{
	free(feed->last);
	free(feed->rings);
	free(feed->expanded);
	probe_block_deinit(&feed->block);
	trace_batch_deinit(&feed->batch);
}
