/* SPDX-License-Identifier: MIT */
#include "cmds/record/trace_records.h"

#include <stdlib.h>

#include "cmds/record/access_groups.h"
#include "cmds/record/handler_instance.h"
#include "cmds/record/recording.h"
#include "common/err.h"
#include "store/record_block.h"
#include "wire/segment_reader.h"
#include "wire/trace_rows.h"

#define BATCH_ACCESSES 8192u
#define BATCH_STAMPS   8192u
#define BATCH_MESSAGES 1024u
#define BATCH_WAVES    1024u
#define STEP_BYTES     (128u << 10) /* bytes that are expanded at a time: they stay in a cache */

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
	trace->piece = malloc(piece);
	trace->expanded = malloc(STEP_BYTES);
	if (!trace->expanded || !trace->piece || !trace->expanders || !trace->rings || !batch)
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
	free(trace->expanded);
	free(trace->piece);
	*trace = (struct trace_state){0};
}

/* ---- Pieces --------------------------------------------------------------------------------- */

struct trace_dispatch trace_dispatch_find(const struct process_objects *objects, uint64_t id)
{
	struct trace_dispatch ret = {.id = id, .dispatch = run_dispatch_find(objects, id)};
	const struct run_code *code;

	if (!ret.dispatch)
		return ret;
	code = run_table_get(&objects->codes, ret.dispatch->info.code_object);
	ret.site_limit = run_code_site_limit(code);
	ret.key.groups = code ? access_groups_table(code->groups) : NULL;
	for (int i = 0; i < 3; i++) {
		ret.key.grid[i] = ret.dispatch->hr.grid[i];
		ret.key.group[i] = ret.dispatch->hr.group[i];
	}
	ret.key.rows = probe_trace_rows(ret.key.grid, ret.key.group);
	ret.key.arguments = ret.dispatch->arguments;
	ret.key.argument_bytes = ret.dispatch->argument_bytes;
	return ret;
}

/* The dispatch with this id; the pointer is valid only during one pass over the rings. */
static const struct trace_dispatch *find(struct recording *recording, uint64_t id)
{
	struct trace_dispatch *current = &recording->trace.current;

	if (current->id != id)
		*current = trace_dispatch_find(&recording->objects, id);
	return current;
}

/* Stores a part of a ring's stream; the arguments of its dispatch before the first one. */
static void store_span(struct recording *recording, const struct trace_dispatch *of, uint32_t ring,
		       const unsigned char *bytes, size_t size)
{
	struct probe_span span = {of->id, ring, (uint32_t)size};
	struct probe_span arguments = {of->id, PROBE_SPAN_ARGUMENTS, of->key.argument_bytes};
	struct run_dispatch *dispatch = of->dispatch;

	if (dispatch && dispatch->hr.kind == PROBE_KIND_TRACE && !dispatch->arguments_stored) {
		probe_store_trace(recording->store, &arguments, of->key.arguments);
		dispatch->arguments_stored = true;
	}
	probe_store_trace(recording->store, &span, bytes);
}

/*
 * Counts the records of expanded bytes of a dispatch, maybe after the wave record that begins it.
 * Returns how many were understood.
 */
static uint64_t parse_piece(struct recording *recording, const struct trace_dispatch *of,
			    uint32_t index, struct trace_piece piece)
{
	struct trace_state *trace = &recording->trace;
	struct probe_trace_ring *ring = &trace->rings[index];
	struct probe_trace_counts counts = {0};
	enum probe_trace_stop stop;

	do {
		uint32_t limit = ring->dispatch == of->id ? of->site_limit : 0;

		stop = probe_trace_parse(&piece, limit, ring, &trace->batch, &counts);
		probe_trace_reset(&trace->batch);
	} while (stop == PROBE_TRACE_SWITCH || stop == PROBE_TRACE_FULL);
	recording->counts.trace_invalid += counts.invalid;
	return counts.records;
}

/* A record that is malformed for the parser only, or that only it understands. */
static void count_records(struct record_counts *counts, uint64_t expanded, uint64_t parsed)
{
	counts->trace_read += expanded > parsed ? expanded : parsed;
	if (expanded > parsed)
		counts->trace_corrupt += expanded - parsed;
}

/* Stores a piece and counts its records. */
static void read_piece(struct recording *recording, uint32_t index, const unsigned char *bytes,
		       size_t size)
{
	struct trace_state *trace = &recording->trace;
	struct probe_trace_expander *expander = &trace->expanders[index];
	struct trace_piece piece = {bytes, size, 0};

	while (piece.size - piece.pos >= 8) {
		uint64_t before = expander->records, parsed;
		uint64_t id = probe_trace_expand_dispatch(&piece, expander);
		const struct trace_dispatch *of = find(recording, id);
		struct trace_piece expanded = {.bytes = trace->expanded};
		size_t from = piece.pos;

		expanded.size =
			probe_trace_expand(&piece, &of->key, expander, trace->expanded, STEP_BYTES);
		parsed = parse_piece(recording, of, index, expanded);
		store_span(recording, of, index, piece.bytes + from,
			   piece.pos - from - expander->rest);
		probe_store_count(recording->store, PROBE_STREAM_ID_TRACE, parsed);
		count_records(&recording->counts, expander->records - before, parsed);
	}
}

/* ---- Rings ---------------------------------------------------------------------------------- */

void trace_read_ring(struct recording *recording, uint32_t ring, const unsigned char *bytes,
		     size_t size)
{
	read_piece(recording, ring, bytes, size);
	recording->counts.trace_bytes += size;
}

void trace_read_waves(struct recording *recording, size_t size)
{
	struct trace_state *trace = &recording->trace;

	trace->current = (struct trace_dispatch){0};
	read_piece(recording, trace->segment->ring_count, trace->piece, size);
}

void trace_end_pass(struct recording *recording)
{
	recording->trace.current = (struct trace_dispatch){0};
}
