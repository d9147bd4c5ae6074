/* SPDX-License-Identifier: MIT */
/*
 * Draining trace rings. A piece of a ring is copied, written out into the arena (trace_widen.h),
 * stored, parsed in place into the batch, and its space given back to the device; the batch goes to
 * the handlers when it is full, when another dispatch begins, or at the end of the pass.
 *
 * A wave's dispatch is known before its records are looked at: its DISPATCH record is committed
 * before the launch, and the caller reads the host ring after the snapshot of the heads.
 */
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/log.h"
#include "wire/trace_pack.h"
#include "wire/trace_rows.h"
#include "cmds/record/run_session.h"

#define BATCH_ACCESSES 8192u
#define BATCH_STAMPS   8192u
#define BATCH_MESSAGES 1024u
#define BATCH_WAVES    1024u
#define ARENA_BYTES    (1u << 20)
#define STEP_BYTES     (128u << 10) /* written out at a time */

bool run_trace_batch_init(struct probe_trace_batch *batch)
{
	*batch = (struct probe_trace_batch){
		.room = BATCH_ACCESSES,
		.access = calloc(BATCH_ACCESSES, sizeof(*batch->access)),
		.stamp_room = BATCH_STAMPS,
		.stamps = calloc(BATCH_STAMPS, sizeof(*batch->stamps)),
		.message_room = BATCH_MESSAGES,
		.messages = calloc(BATCH_MESSAGES, sizeof(*batch->messages)),
		.wave_room = BATCH_WAVES,
		.waves = calloc(BATCH_WAVES, sizeof(*batch->waves)),
	};
	return batch->access && batch->stamps && batch->messages && batch->waves;
}

void run_trace_batch_deinit(struct probe_trace_batch *batch)
{
	free(batch->access);
	free(batch->stamps);
	free(batch->messages);
	free(batch->waves);
	*batch = (struct probe_trace_batch){0};
}

struct probe_err *run_trace_init(struct run_session *session)
{
	struct run_trace *trace = &session->trace;
	uint32_t count = session->seg.ring_count + 1;
	bool batch;

	if (!session->seg.ring_count)
		return NULL;
	trace->rings = calloc(count, sizeof(*trace->rings));
	batch = run_trace_batch_init(&trace->batch);
	trace->arena_room = ARENA_BYTES;
	trace->arena = malloc(trace->arena_room);
	trace->piece =
		malloc(session->seg.ring_size > session->seg.large_size ? session->seg.ring_size
									: session->seg.large_size);
	trace->wide = calloc(count, sizeof(*trace->wide));
	trace->packed = malloc(PROBE_TRACE_PACK_ROOM(STEP_BYTES));
	if (!trace->packed || !trace->piece || !trace->wide || !trace->rings || !batch ||
	    !trace->arena)
		return probe_err_oom();
	for (uint32_t i = 0; i < count; i++)
		trace->rings[i].number = i;
	return NULL;
}

void run_trace_deinit(struct run_session *session)
{
	struct run_trace *trace = &session->trace;

	free(trace->rings);
	run_trace_batch_deinit(&trace->batch);
	free(trace->arena);
	free(trace->packed);
	free(trace->piece);
	free(trace->wide);
	*trace = (struct run_trace){0};
}

void run_trace_feed(struct run_session *session, struct probe_trace_batch *batch,
		    const struct run_dispatch *dispatch)
{
	struct probe_batch parts[] = {
		{.stream = PROBE_STREAM_ACCESS, .count = batch->count, .access = batch->access},
		{.stream = PROBE_STREAM_TIME, .count = batch->stamp_count, .stamps = batch->stamps},
		{.stream = PROBE_STREAM_MESSAGE,
		 .count = batch->message_count,
		 .messages = batch->messages},
	};

	for (size_t i = 0; dispatch && i < sizeof(parts) / sizeof(*parts); i++) {
		parts[i].size = sizeof(struct probe_batch);
		parts[i].dispatch = &dispatch->info;
		run_instances_batch(session, &parts[i]);
	}
	probe_trace_reset(batch);
}

/* Hand the batch on and forget it; the arena may be used again only behind this. */
static void flush(struct run_session *session)
{
	struct run_trace *trace = &session->trace;
	const struct probe_trace_batch *batch = &trace->batch;
	size_t count = batch->count + batch->stamp_count + batch->message_count;
	struct run_dispatch *dispatch =
		count ? run_dispatch_find(&session->objects, trace->batch_dispatch) : NULL;

	if (!dispatch)
		session->numbers.trace_invalid += count;
	run_trace_feed(session, &trace->batch, dispatch);
}

/* Site ids a dispatch's records may name; 0 = no such dispatch, hand on nothing. */
static uint32_t site_limit(const struct run_session *session, uint64_t id)
{
	const struct run_dispatch *dispatch = run_dispatch_find(&session->objects, id);
	const struct run_code *code;

	if (!dispatch)
		return 0;
	code = run_table_get(&session->objects.codes, dispatch->info.code_object);
	return code && code->sites ? code->site_count : PROBE_SITE_MASK + 1;
}

/* Bytes of one dispatch in a row: raw into the store, with the records they hold. */
static void store_raw(struct run_session *session, uint64_t dispatch, uint32_t ring,
		      const unsigned char *bytes, size_t size, uint64_t records)
{
	size_t packed;

	if (!size)
		return;
	packed = probe_trace_pack(bytes, size, session->trace.packed);
	probe_facts_record(session->facts, dispatch, ring, size, session->trace.packed, packed);
	probe_store_count(session->store, PROBE_STREAM_ID_TRACE, records);
}

/*
 * Parse a piece; returns how many bytes of it are done with. Less than all only if a wave's
 * dispatch is unknown while its record may still be behind an unfinished one.
 */
static size_t parse_piece(struct run_session *session, uint32_t index, const unsigned char *bytes,
			  size_t size)
{
	struct run_trace *trace = &session->trace;
	struct probe_trace_ring *ring = &trace->rings[index];
	struct probe_trace_counts counts = {0};
	uint32_t limit = site_limit(session, ring->dispatch);
	uint64_t stored = 0;
	size_t pos = 0, from = 0;

	if (ring->dispatch != trace->batch_dispatch) {
		flush(session);
		trace->batch_dispatch = ring->dispatch;
	}
	for (;;) {
		struct probe_trace_ring before = *ring;
		size_t wave = sizeof(struct probe_rec_wave);
		enum probe_trace_stop stop =
			probe_trace_parse(bytes, size, &pos, limit, ring, &trace->batch, &counts);

		if (stop == PROBE_TRACE_FULL) {
			flush(session);
			continue;
		}
		if (stop != PROBE_TRACE_SWITCH) {
			store_raw(session, ring->dispatch, index, bytes + from,
				  stop == PROBE_TRACE_BAD ? pos - from : size - from,
				  counts.records - stored);
			session->numbers.trace_bad += stop == PROBE_TRACE_BAD;
			session->numbers.trace_invalid += counts.invalid;
			return size;
		}
		/* The wave record opens the next dispatch's bytes. */
		store_raw(session, before.dispatch, index, bytes + from, pos - wave - from,
			  counts.records - 1 - stored);
		stored = counts.records - 1;
		from = pos - wave;
		flush(session);
		limit = site_limit(session, ring->dispatch);
		if (!limit && session->waiting) {
			*ring = before;
			session->numbers.trace_invalid += counts.invalid;
			return from;
		}
		trace->batch_dispatch = ring->dispatch;
	}
}

static struct probe_trace_key key_of(const struct run_session *session, uint64_t id)
{
	const struct run_dispatch *dispatch = run_dispatch_find(&session->objects, id);
	struct probe_trace_key key = {0};
	const struct run_code *code;

	if (!dispatch)
		return key;
	code = run_table_get(&session->objects.codes, dispatch->info.code_object);
	key.groups = code ? run_groups_table(code->groups) : NULL;
	for (int i = 0; i < 3; i++) {
		key.grid[i] = dispatch->hr.grid[i];
		key.group[i] = dispatch->hr.group[i];
	}
	key.rows = probe_trace_rows(key.grid, key.group);
	key.arguments = dispatch->arguments;
	key.argument_bytes = dispatch->argument_bytes;
	return key;
}

static bool is_told(const struct run_session *session, uint64_t id)
{
	const struct run_dispatch *dispatch = run_dispatch_find(&session->objects, id);

	return dispatch && (dispatch->arguments || dispatch->hr.kind != PROBE_KIND_TRACE);
}

/* Write out, store and parse a piece; returns how many bytes of it are done with. */
static size_t take_piece(struct run_session *session, uint32_t index, size_t size)
{
	struct run_trace *trace = &session->trace;
	struct probe_trace_wide *wide = &trace->wide[index];
	size_t pos = 0;

	while (size - pos >= 8) {
		struct probe_trace_wide before = *wide;
		struct probe_trace_key key;
		uint64_t dispatch = probe_trace_wide_dispatch(trace->piece + pos, size - pos, wide);
		size_t from = pos, room;
		unsigned char *to;

		/* Its records, and with them what it means, may be behind an unfinished one. */
		if (dispatch && session->waiting && !is_told(session, dispatch))
			return from;

		if (trace->arena_room - trace->arena_used < STEP_BYTES) {
			flush(session);
			trace->arena_used = 0;
		}
		to = trace->arena + trace->arena_used;
		key = key_of(session, dispatch);
		room = probe_trace_widen(trace->piece, size, &pos, &key, wide, to, STEP_BYTES);
		trace->arena_used += room;
		/* Not all only where a wave's dispatch is unknown: its record is the first. */
		if (parse_piece(session, index, to, room) < room) {
			*wide = before;
			return from;
		}
		session->numbers.trace_read += wide->records - before.records;
	}
	return size;
}

static bool drain_ring(struct run_session *session, uint32_t index)
{
	bool any = false;

	for (;;) {
		size_t size = probe_seg_ring_peek(&session->seg, index, session->trace.piece), done;

		if (!size)
			return any;
		done = take_piece(session, index, size);
		session->numbers.trace_bytes += done;
		probe_seg_ring_consume(&session->seg, index, done);
		any = any || done;
		if (done < size)
			return any;
	}
}

void run_trace_take_late(struct run_session *session, size_t size)
{
	take_piece(session, session->seg.ring_count, size);
}

bool run_trace_drain(struct run_session *session)
{
	bool any = false;

	for (uint32_t i = 0; i < session->seg.ring_count; i++)
		if (session->seg.rings[i].limit != session->seg.rings[i].tail)
			any = drain_ring(session, i) || any;
	flush(session);
	session->trace.arena_used = 0;
	return any;
}
