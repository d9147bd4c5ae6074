/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/record/replay.h"

#include <stdlib.h>
#include <string.h>

#include "cmds/record/allocation_records.h"
#include "cmds/record/handler_instance.h"
#include "cmds/record/replay_feed.h"
#include "common/err.h"
#include "common/selection.h"
#include "store/store.h"

#define ROWS_MAX 4096u

/* ---- Counters ---------------------------------------------------------------------------------
 */

struct counters {
	uint64_t dispatch;
	uint32_t count;
	struct probe_counter_row rows[ROWS_MAX];
};

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

static struct probe_err *feed_counter(struct replay_feed *feed, struct counters *counters,
				      sqlite3_stmt *stmt)
{
	uint64_t id = replay_number(stmt, 0);
	struct probe_counter_row *row;
	const struct run_code *code;
	struct probe_err *err = NULL;

	if (id != counters->dispatch || counters->count == ROWS_MAX) {
		struct run_dispatch *before = run_dispatch_find(&feed->objects, counters->dispatch);

		flush_counters(feed, counters);
		if (id != counters->dispatch && before)
			replay_end_dispatch(feed, before);
		counters->dispatch = id;
		err = replay_begin_up_to(feed, id);
	}
	code = run_table_get(&feed->objects.codes, (uint32_t)replay_number(stmt, 1));
	if (replay_number(stmt, 2) >= run_code_site_limit(code)) {
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
		err = feed_counter(feed, counters, stmt);
	}
	if (counters)
		flush_counters(feed, counters);
	free(counters);
	sqlite3_finalize(stmt);
	return err;
}

/* ---- Replay --------------------------------------------------------------------------------- */

static struct probe_err *feed_records(struct replay_feed *feed)
{
	struct probe_err *err = feed_counters(feed);

	if (err)
		return err;
	err = replay_trace(feed);
	if (err)
		return err;
	err = replay_begin_up_to(feed, UINT64_MAX);
	return err ? err : replay_missing(feed);
}

static struct probe_err *feed_all(struct replay_feed *feed, const struct replay_source *from)
{
	const struct handler_source source = {
		.objects = &feed->objects,
		.allocations = feed->allocations,
		.kind = from->kind,
		.flags = from->flags,
	};
	struct probe_err *err = replay_read(feed);

	if (err)
		return err;
	err = replay_read_spans(feed);
	if (err)
		return err;
	err = replay_open_dispatches(feed);
	if (err)
		return err;
	handler_instance_attach(feed->handler, &source);
	if (!from->used)
		return NULL;
	handler_instance_begin_run(feed->handler);
	err = feed_records(feed);
	replay_end_all(feed);
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
	replay_trace_deinit(&feed);
	probe_reader_close(&feed.reader);
	return err;
}
