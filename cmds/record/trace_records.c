/* SPDX-License-Identifier: MIT */
#include "cmds/record/trace_records.h"

#include <stdlib.h>

#include "cmds/record/access_groups.h"
#include "cmds/record/handler_instance.h"
#include "cmds/record/recording.h"
#include "common/err.h"
#include "wire/segment_reader.h"
#include "wire/trace_pack.h"
#include "wire/trace_rows.h"

#define BATCH_ACCESSES 8192u
#define BATCH_STAMPS   8192u
#define BATCH_MESSAGES 1024u
#define BATCH_WAVES    1024u
#define ARENA_BYTES    (1u << 20)
#define STEP_BYTES     (128u << 10) /* bytes that are expanded at a time */

/* ---- Batches -------------------------------------------------------------------------------- */

bool trace_batch_init(struct probe_trace_batch *batch)
{
	*batch = (struct probe_trace_batch){
		.capacity = BATCH_ACCESSES,
		.access = calloc(BATCH_ACCESSES, sizeof(*batch->access)),
		.stamp_capacity = BATCH_STAMPS,
		.stamps = calloc(BATCH_STAMPS, sizeof(*batch->stamps)),
		.message_capacity = BATCH_MESSAGES,
		.messages = calloc(BATCH_MESSAGES, sizeof(*batch->messages)),
		.wave_capacity = BATCH_WAVES,
		.waves = calloc(BATCH_WAVES, sizeof(*batch->waves)),
	};
	return batch->access && batch->stamps && batch->messages && batch->waves;
}

void trace_batch_deinit(struct probe_trace_batch *batch)
{
	free(batch->access);
	free(batch->stamps);
	free(batch->messages);
	free(batch->waves);
	*batch = (struct probe_trace_batch){0};
}

size_t trace_batch_count(const struct probe_trace_batch *batch)
{
	return batch->count + batch->stamp_count + batch->message_count;
}

void trace_batch_deliver(struct probe_trace_batch *batch, const struct run_dispatch *dispatch,
			 struct handler_instance *handler)
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
		handler_instance_batch(handler, &parts[i]);
	}
	probe_trace_reset(batch);
}

/* ---- State ---------------------------------------------------------------------------------- */

struct probe_err *trace_init(struct trace_state *trace, struct segment_reader *segment)
{
	uint32_t count = segment->ring_count + 1, piece = segment->ring_size;
	bool batch;

	trace->segment = segment;
	if (!segment->ring_count)
		return NULL;
	if (piece < segment->large_size)
		piece = segment->large_size;
	trace->rings = calloc(count, sizeof(*trace->rings));
	trace->expanders = calloc(count, sizeof(*trace->expanders));
	batch = trace_batch_init(&trace->batch);
	trace->arena_capacity = ARENA_BYTES;
	trace->arena = malloc(trace->arena_capacity);
	trace->piece = malloc(piece);
	trace->packed = malloc(PROBE_TRACE_PACK_MAX(STEP_BYTES));
	if (!trace->packed || !trace->piece || !trace->expanders || !trace->rings || !batch ||
	    !trace->arena)
		return probe_err_oom();
	for (uint32_t i = 0; i < count; i++)
		trace->rings[i].number = i;
	return NULL;
}

void trace_deinit(struct trace_state *trace)
{
	free(trace->rings);
	free(trace->expanders);
	trace_batch_deinit(&trace->batch);
	free(trace->arena);
	free(trace->packed);
	free(trace->piece);
	*trace = (struct trace_state){0};
}

/* ---- Pieces --------------------------------------------------------------------------------- */

/* The dispatch with this id; the pointer is valid only during one pass over the rings. */
static const struct trace_dispatch *find(struct recording *recording, uint64_t id)
{
	struct trace_dispatch *current = &recording->trace.current;
	const struct run_dispatch *dispatch;
	const struct run_code *code;

	if (current->id == id)
		return current;
	dispatch = run_dispatch_find(&recording->objects, id);
	*current = (struct trace_dispatch){.id = id, .dispatch = dispatch};
	if (!dispatch)
		return current;
	code = run_table_get(&recording->objects.codes, dispatch->info.code_object);
	current->site_limit = run_code_site_limit(code);
	current->key.groups = code ? access_groups_table(code->groups) : NULL;
	for (int i = 0; i < 3; i++) {
		current->key.grid[i] = dispatch->hr.grid[i];
		current->key.group[i] = dispatch->hr.group[i];
	}
	current->key.rows = probe_trace_rows(current->key.grid, current->key.group);
	current->key.arguments = dispatch->arguments;
	current->key.argument_bytes = dispatch->argument_bytes;
	return current;
}

/*
 * True if records of the dispatch can be read now; false if something that they need has not
 * arrived.
 */
static bool is_announced(const struct trace_dispatch *of)
{
	return of->dispatch && (of->key.arguments || of->dispatch->hr.kind != PROBE_KIND_TRACE);
}

/* Empties the batch; the arena may be reused only after this. */
static void flush(struct recording *recording)
{
	struct trace_state *trace = &recording->trace;

	if (!trace->batch_dispatch)
		recording->counts.trace_invalid += trace_batch_count(&trace->batch);
	probe_trace_reset(&trace->batch);
}

static void begin_batch(struct recording *recording, const struct run_dispatch *dispatch)
{
	if (recording->trace.batch_dispatch == dispatch)
		return;
	flush(recording);
	recording->trace.batch_dispatch = dispatch;
}

/* Consecutive bytes of one dispatch, and the records in them. */
struct span {
	const unsigned char *bytes;
	size_t size;
	uint64_t records;
};

/* Stores the raw bytes before anything is parsed. */
static void store_raw(struct recording *recording, uint64_t dispatch, uint32_t ring,
		      struct span span)
{
	unsigned char *packed = recording->trace.packed;

	if (!span.size)
		return;
	probe_facts_record(recording->facts, dispatch, ring, span.size, packed,
			   probe_trace_pack(span.bytes, span.size, packed));
	probe_store_count(recording->store, PROBE_STREAM_ID_TRACE, span.records);
}

/*
 * Parse expanded bytes of a dispatch, maybe after the wave record that begins it. False if a wave's
 * dispatch is unknown while its record may still be behind an unfinished one: nothing is done.
 * *ret_records: how many were understood and stored.
 */
static bool parse_piece(struct recording *recording, const struct trace_dispatch *of,
			uint32_t index, struct trace_piece piece, uint64_t *ret_records)
{
	struct trace_state *trace = &recording->trace;
	struct probe_trace_ring *ring = &trace->rings[index];
	const size_t wave = sizeof(struct probe_rec_wave);
	struct probe_trace_counts counts = {0};
	uint32_t limit = 0; /* the wave record is the first one */
	uint64_t stored = 0;
	size_t from = 0;
	bool known = true;

	if (ring->dispatch == of->id) {
		limit = of->site_limit;
		begin_batch(recording, of->dispatch);
	}
	for (;;) {
		struct probe_trace_ring before = *ring;
		enum probe_trace_stop stop =
			probe_trace_parse(&piece, limit, ring, &trace->batch, &counts);

		if (stop == PROBE_TRACE_FULL) {
			flush(recording);
			continue;
		}
		if (stop != PROBE_TRACE_SWITCH) {
			size_t end = stop == PROBE_TRACE_BAD ? piece.pos : piece.size;

			store_raw(recording, ring->dispatch, index,
				  (struct span){piece.bytes + from, end - from,
						counts.records - stored});
			*ret_records = counts.records;
			break;
		}
		/* The wave record begins the next dispatch's bytes. */
		store_raw(recording, before.dispatch, index,
			  (struct span){piece.bytes + from, piece.pos - wave - from,
					counts.records - 1 - stored});
		stored = counts.records - 1;
		from = piece.pos - wave;
		of = find(recording, ring->dispatch);
		limit = of->site_limit;
		begin_batch(recording, of->dispatch);
		known = limit || !trace->waiting;
		if (!known) {
			*ring = before;
			break;
		}
	}
	recording->counts.trace_invalid += counts.invalid;
	return known;
}

/* A record that is malformed for the parser only, or that only it understands. */
static void count_records(struct record_counts *counts, uint64_t expanded, uint64_t parsed)
{
	counts->trace_read += expanded > parsed ? expanded : parsed;
	if (expanded > parsed)
		counts->trace_corrupt += expanded - parsed;
}

/* Expands, stores and parses a piece; returns how many of its bytes have been consumed. */
static size_t take_piece(struct recording *recording, uint32_t index, size_t size)
{
	struct trace_state *trace = &recording->trace;
	struct probe_trace_expander *expander = &trace->expanders[index];
	struct trace_piece piece = {trace->piece, size, 0};

	while (piece.size - piece.pos >= 8) {
		struct probe_trace_expander before = *expander;
		uint64_t id = probe_trace_expand_dispatch(&piece, expander);
		const struct trace_dispatch *of = find(recording, id);
		struct trace_piece expanded = {0};
		size_t from = piece.pos;
		uint64_t parsed = 0;
		unsigned char *to;

		/* Its record may follow an incomplete one. */
		if (id && trace->waiting && !is_announced(of))
			return from;
		if (trace->arena_capacity - trace->arena_used < STEP_BYTES) {
			flush(recording);
			trace->arena_used = 0;
		}
		to = trace->arena + trace->arena_used;
		expanded.bytes = to;
		expanded.size = probe_trace_expand(&piece, &of->key, expander, to, STEP_BYTES);
		trace->arena_used += expanded.size;
		if (!parse_piece(recording, of, index, expanded, &parsed)) {
			*expander = before;
			return from;
		}
		count_records(&recording->counts, expander->records - before.records, parsed);
	}
	return size;
}

/* ---- Rings ---------------------------------------------------------------------------------- */

static bool drain_ring(struct recording *recording, uint32_t index)
{
	struct trace_state *trace = &recording->trace;
	bool any = false;

	for (;;) {
		size_t size = segment_reader_ring_peek(trace->segment, index, trace->piece), done;

		if (!size)
			return any;
		done = take_piece(recording, index, size);
		recording->counts.trace_bytes += done;
		segment_reader_ring_consume(trace->segment, index, done);
		any = any || done;
		if (done < size)
			return any;
	}
}

void trace_take_stored(struct recording *recording, size_t size)
{
	recording->trace.waiting = false;
	recording->trace.current = (struct trace_dispatch){0};
	take_piece(recording, recording->trace.segment->ring_count, size);
}

/*
 * A wave's dispatch is known before its records are read: its DISPATCH record is committed before
 * the launch, and the caller reads the host ring after the snapshot of the ring heads.
 */
bool trace_drain(struct recording *recording, bool waiting)
{
	struct trace_state *trace = &recording->trace;
	const struct segment_reader *segment = trace->segment;
	bool any = false;

	trace->waiting = waiting;
	trace->current = (struct trace_dispatch){0};
	for (uint32_t i = 0; i < segment->ring_count; i++)
		if (segment->rings[i].limit != segment->rings[i].tail)
			any = drain_ring(recording, i) || any;
	flush(recording);
	trace->batch_dispatch = NULL;
	trace->arena_used = 0;
	return any;
}
