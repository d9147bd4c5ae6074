/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/record/replay.h"

#include <stdlib.h>
#include <string.h>

#include "cmds/record/allocation_records.h"
#include "cmds/record/handler_instance.h"
#include "cmds/record/replay_feed.h"
#include "cmds/record/trace_records.h"
#include "common/err.h"
#include "common/selection.h"
#include "store/store.h"
#include "wire/trace_pack.h"

#define PIECE_MAX (64u << 20)
#define RINGS_MAX (1u << 20)
#define ROWS_MAX  4096u

/* ---- Dispatches -------------------------------------------------------------------------------
 */

static uint64_t last_record(const struct replay_feed *feed, uint64_t dispatch)
{
	size_t low = 0, high = feed->last_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (feed->last[2 * middle] < dispatch)
			low = middle + 1;
		else
			high = middle;
	}
	return low < feed->last_count && feed->last[2 * low] == dispatch ? feed->last[2 * low + 1]
									 : 0;
}

static void end_dispatch(struct replay_feed *feed, struct run_dispatch *dispatch)
{
	if (dispatch->completed)
		handler_instance_end_dispatch(feed->handler, &dispatch->info);
	run_dispatch_remove(&feed->objects, dispatch);
}

static bool begin_dispatch(struct replay_feed *feed, sqlite3_stmt *stmt, bool more)
{
	struct run_dispatch *dispatch = calloc(1, sizeof(*dispatch));
	struct probe_hr_dispatch *hr;
	uint64_t start, end;

	if (!dispatch)
		return false;
	hr = &dispatch->hr;
	hr->id = replay_number(stmt, 0);
	hr->kernel = (uint32_t)replay_number(stmt, 1);
	hr->launched = (uint32_t)replay_number(stmt, 2);
	hr->kind = (uint32_t)replay_number(stmt, 3);
	hr->agent = (uint32_t)replay_number(stmt, 4);
	for (int i = 0; i < 3; i++) {
		hr->grid[i] = (uint32_t)replay_number(stmt, 5 + i);
		hr->group[i] = (uint32_t)replay_number(stmt, 8 + i);
	}
	hr->lds_aperture = (uint32_t)replay_number(stmt, 11);
	hr->scratch_aperture = (uint32_t)replay_number(stmt, 12);
	dispatch->completed = replay_number(stmt, 13);
	start = replay_number(stmt, 14);
	end = replay_number(stmt, 15);
	if (!hr->id || run_dispatch_find(&feed->objects, hr->id)) {
		free(dispatch);
		return false;
	}
	run_dispatch_info(&feed->objects, dispatch);
	run_dispatch_add(&feed->objects, dispatch);
	handler_instance_begin_dispatch(feed->handler, &dispatch->info);
	dispatch->info.start_ns = start;
	dispatch->info.end_ns = end;
	feed->counts->dispatches++;
	/* Without records there is nothing to wait for. */
	if (!more && !probe_kind_has_counters(hr->kind))
		end_dispatch(feed, dispatch);
	return true;
}

/* Begins all dispatches up to one, in launch order. */
static struct probe_err *begin_up_to(struct replay_feed *feed, uint64_t id)
{
	struct probe_err *err = NULL;

	while (feed->dispatches_left) {
		uint64_t next = replay_number(feed->dispatches, 0);

		if (next > id)
			break;
		feed->counts->invalid +=
			!begin_dispatch(feed, feed->dispatches, last_record(feed, next) != 0);
		err = replay_step(feed, feed->dispatches, &feed->dispatches_left);
		if (err)
			feed->dispatches_left = false;
	}
	return err;
}

static struct probe_err *open_dispatches(struct replay_feed *feed)
{
	struct probe_err *err = replay_prepare(
		feed,
		"SELECT d.dispatch_id, d.kernel_id, launched_kernel_id, kind, agent, grid_x, "
		"grid_y, grid_z, group_x, group_y, group_z, lds_aperture, scratch_aperture, "
		"completed, k.start, k.\"end\" FROM probe_dispatch d LEFT JOIN "
		"rocpd_kernel_dispatch k ON k.id = d.dispatch_id WHERE kind <> 0 ORDER BY "
		"d.dispatch_id",
		&feed->dispatches);

	return err ? err : replay_step(feed, feed->dispatches, &feed->dispatches_left);
}

static void end_all(struct replay_feed *feed)
{
	struct process_objects *objects = &feed->objects;

	for (size_t i = 0; i < RUN_BUCKETS; i++)
		while (objects->buckets[i])
			end_dispatch(feed, objects->buckets[i]);
}

/* ---- Counters ---------------------------------------------------------------------------------
 */

struct counters {
	uint64_t dispatch;
	uint32_t count;
	struct probe_counter_row rows[ROWS_MAX];
};

static uint32_t site_limit(const struct replay_feed *feed, uint32_t code_object)
{
	return run_code_site_limit(run_table_get(&feed->objects.codes, code_object));
}

static void flush_counters(struct replay_feed *feed, struct counters *counters)
{
	struct run_dispatch *dispatch = run_dispatch_find(&feed->objects, counters->dispatch);

	if (!dispatch)
		feed->counts->invalid += counters->count;
	else if (counters->count)
		handler_instance_batch(feed->handler,
				       &(struct probe_batch){
					       .size = sizeof(struct probe_batch),
					       .stream = dispatch->hr.kind == PROBE_KIND_COUNT
								 ? PROBE_STREAM_BLOCKS
								 : PROBE_STREAM_COUNTERS,
					       .dispatch = &dispatch->info,
					       .count = counters->count,
					       .counters = counters->rows,
				       });
	feed->counts->counters += dispatch ? counters->count : 0;
	counters->count = 0;
}

static struct probe_err *take_counter(struct replay_feed *feed, struct counters *counters,
				      sqlite3_stmt *stmt)
{
	uint64_t id = replay_number(stmt, 0);
	struct probe_counter_row *row;
	struct probe_err *err = NULL;

	if (id != counters->dispatch || counters->count == ROWS_MAX) {
		struct run_dispatch *before = run_dispatch_find(&feed->objects, counters->dispatch);

		flush_counters(feed, counters);
		if (id != counters->dispatch && before)
			end_dispatch(feed, before);
		counters->dispatch = id;
		err = begin_up_to(feed, id);
	}
	if (replay_number(stmt, 2) >= site_limit(feed, (uint32_t)replay_number(stmt, 1))) {
		feed->counts->invalid++;
		return err;
	}
	row = &counters->rows[counters->count++];
	memset(row, 0, sizeof(*row));
	row->site = (uint32_t)replay_number(stmt, 2);
	for (int i = 0; i < PROBE_COUNTERS; i++)
		row->value[i] = replay_number(stmt, 3 + i);
	return err;
}

static struct probe_err *feed_counters(struct replay_feed *feed)
{
	struct counters *counters = calloc(1, sizeof(*counters));
	sqlite3_stmt *stmt = NULL;
	struct probe_err *err =
		counters ? replay_prepare(feed,
					  "SELECT dispatch_id, code_object_id, site, "
					  "executions, lanes, quads, lines64, needed64, "
					  "excess64, lines128, needed128, excess128, passes, "
					  "ideal_passes, affine, max_way, stride_hi, stride_lo, "
					  "spare FROM probe_counter ORDER BY rowid",
					  &stmt)
			 : probe_err_oom();
	bool row = true;

	while (!err) {
		err = replay_step(feed, stmt, &row);
		if (err || !row)
			break;
		feed->counter_rows++;
		err = take_counter(feed, counters, stmt);
	}
	if (counters)
		flush_counters(feed, counters);
	free(counters);
	sqlite3_finalize(stmt);
	return err;
}

/* ---- Addresses --------------------------------------------------------------------------------
 */

static struct probe_trace_ring *ring_of(struct replay_feed *feed, uint64_t index)
{
	if (index >= RINGS_MAX)
		return NULL;
	if (index >= feed->ring_count) {
		uint32_t count = (uint32_t)index + 256;
		struct probe_trace_ring *rings = realloc(feed->rings, count * sizeof(*rings));

		if (!rings)
			return NULL;
		memset(rings + feed->ring_count, 0, (count - feed->ring_count) * sizeof(*rings));
		for (uint32_t i = feed->ring_count; i < count; i++)
			rings[i].number = i;
		feed->rings = rings;
		feed->ring_count = count;
	}
	return &feed->rings[index];
}

static void flush_batch(struct replay_feed *feed, const struct run_dispatch *dispatch)
{
	const struct probe_trace_batch *batch = &feed->batch;
	size_t count = trace_batch_count(batch);

	if (dispatch)
		feed->counts->records += count;
	else
		feed->counts->invalid += count;
	trace_batch_deliver(&feed->batch, dispatch, feed->handler);
}

/* All records of a piece belong to one dispatch. */
static void parse_piece(struct replay_feed *feed, struct probe_trace_ring *ring, uint64_t id,
			size_t size)
{
	const struct run_dispatch *dispatch = run_dispatch_find(&feed->objects, id);
	uint32_t limit = dispatch ? site_limit(feed, dispatch->info.code_object) : 0;
	struct probe_trace_counts counts = {0};
	struct trace_piece piece = {feed->bytes, size, 0};
	enum probe_trace_stop stop;

	do {
		stop = probe_trace_parse(&piece, limit, ring, &feed->batch, &counts);
		/* Only the wave that opens the piece may change the dispatch. */
		if (stop == PROBE_TRACE_SWITCH && ring->dispatch != id)
			stop = PROBE_TRACE_BAD;
		if (stop == PROBE_TRACE_FULL)
			flush_batch(feed, dispatch);
	} while (stop == PROBE_TRACE_SWITCH || stop == PROBE_TRACE_FULL);
	flush_batch(feed, dispatch);
	feed->counts->invalid += counts.invalid + (stop == PROBE_TRACE_BAD);
	feed->wave_records += counts.records;
}

static struct probe_err *take_piece(struct replay_feed *feed, sqlite3_stmt *stmt)
{
	uint64_t record = replay_number(stmt, 0), id = replay_number(stmt, 1);
	struct probe_trace_ring *ring = ring_of(feed, replay_number(stmt, 2));
	uint64_t size = replay_number(stmt, 3);
	const void *packed = sqlite3_column_blob(stmt, 4);
	size_t packed_size = (size_t)sqlite3_column_bytes(stmt, 4);
	struct probe_err *err = begin_up_to(feed, id);
	unsigned char *bytes = size <= PIECE_MAX ? realloc(feed->bytes, size + 1) : NULL;

	if (bytes)
		feed->bytes = bytes;
	if (ring && bytes && packed && probe_trace_unpack(packed, packed_size, bytes, size))
		parse_piece(feed, ring, id, size);
	else
		feed->counts->invalid++;
	if (record == last_record(feed, id)) {
		struct run_dispatch *dispatch = run_dispatch_find(&feed->objects, id);

		if (dispatch)
			end_dispatch(feed, dispatch);
	}
	return err;
}

static struct probe_err *feed_trace(struct replay_feed *feed)
{
	sqlite3_stmt *stmt = NULL;
	struct probe_err *err = replay_prepare(
		feed, "SELECT id, dispatch_id, ring, size, bytes FROM probe_record ORDER BY id",
		&stmt);
	bool row = true;

	if (!trace_batch_init(&feed->batch) && !err)
		err = probe_err_oom();
	while (!err) {
		err = replay_step(feed, stmt, &row);
		if (err || !row)
			break;
		err = take_piece(feed, stmt);
	}
	sqlite3_finalize(stmt);
	return err;
}

/* ---- Replay --------------------------------------------------------------------------------- */

static struct probe_err *feed_all(struct replay_feed *feed, const struct replay_source *from)
{
	const struct handler_source source = {
		.objects = &feed->objects,
		.allocations = feed->allocations,
		.kind = from->kind,
		.flags = from->flags,
	};
	struct probe_err *err = replay_read(feed);

	if (!err)
		err = open_dispatches(feed);
	if (err)
		return err;
	handler_instance_attach(feed->handler, &source);
	if (!from->used)
		return NULL;
	handler_instance_begin_run(feed->handler);
	err = feed_counters(feed);
	if (!err)
		err = feed_trace(feed);
	if (!err)
		err = begin_up_to(feed, UINT64_MAX);
	if (!err)
		err = replay_missing(feed);
	end_all(feed);
	return err;
}

struct probe_err *replay_into(struct handler_instance *handler, const struct replay_source *source,
			      struct replay_counts *counts)
{
	struct replay_feed feed = {.handler = handler, .counts = counts};
	struct probe_err *err = probe_reader_open(source->path, &feed.reader);

	if (err)
		return err;
	probe_reader_allow_replay(&feed.reader);
	process_objects_init(&feed.objects, 0);
	feed.allocations = run_allocations_create();
	err = feed.allocations ? feed_all(&feed, source) : probe_err_oom();
	/* The handler may look up sites until then. */
	handler_instance_close(handler);
	sqlite3_finalize(feed.dispatches);
	process_objects_deinit(&feed.objects);
	run_allocations_destroy(feed.allocations);
	free(feed.last);
	free(feed.rings);
	trace_batch_deinit(&feed.batch);
	free(feed.bytes);
	probe_reader_close(&feed.reader);
	return err;
}
