/* SPDX-License-Identifier: MIT */
#include "cmds/record/unknown_loss.h"

#include "cmds/record/access_groups.h"
#include "cmds/record/recording.h"
#include "wire/segment_reader.h"

/* The smallest record of the device, and the smallest that stands for a group of accesses. */
enum { RECORD_BYTES = 8, GROUP_BYTES = 16 };
/* Records of a wave of kind `time` that keeps its stamps until its end (wave_storage_records.c). */
enum { STORED_RECORDS = 2 + 5 + 2 * PROBE_STORED_SPANS };

static uint64_t records_in(uint64_t bytes, const struct run_code *code)
{
	bool groups = !code || (code->groups && access_groups_table(code->groups));

	return groups ? bytes / GROUP_BYTES * PROBE_GROUP_SITES : bytes / RECORD_BYTES;
}

static void add(struct unknown_loss *loss, uint64_t most)
{
	loss->sources++;
	if (most > RECORD_COUNT_MAX - loss->most)
		loss->unbounded = true;
	else
		loss->most += most;
}

static uint64_t waves_of(const struct run_dispatch *dispatch)
{
	uint64_t wave = dispatch->info.wave_size ? dispatch->info.wave_size : 64;
	uint64_t groups = 1, items = 1;

	for (int i = 0; i < 3; i++) {
		uint64_t group = dispatch->hr.group[i] ? dispatch->hr.group[i] : 1;

		items *= group;
		groups *= (dispatch->hr.grid[i] + group - 1) / group;
		if (groups > RECORD_COUNT_MAX / 1024)
			return RECORD_COUNT_MAX;
	}
	return groups * ((items + wave - 1) / wave);
}

/* True if more waves may have run at the same time than there are rings for their GPU. */
static bool rings_short(const struct recording *recording, const struct run_dispatch *dispatch,
			uint64_t waves)
{
	const struct segment_reader *segment = recording->trace.segment;
	const struct run_agent *agent =
		run_table_get(&recording->objects.agents, dispatch->hr.agent);
	uint32_t gpus = recording->objects.agents_of_type[1];
	uint64_t resident = agent && agent->hr.wave_slots < waves ? agent->hr.wave_slots : waves;

	return resident > (segment->ring_count - segment->large_count) / (gpus ? gpus : 1);
}

/* Each wave has a ring of its own; at most all of it is unpublished. */
static void find_trace(struct recording *recording, const struct run_dispatch *dispatch,
		       const struct run_code *code)
{
	struct unknown_loss *loss = &recording->counts.unknown[PROBE_STREAM_ID_TRACE];
	const struct segment_reader *segment = recording->trace.segment;
	uint64_t waves = waves_of(dispatch), rings = segment->ring_count;
	uint64_t bytes = segment->ring_size, most;

	/* A wave without a ring counts what it loses in a register. */
	loss->unbounded = loss->unbounded || rings_short(recording, dispatch, waves);
	if (segment->large_count && segment->large_size > bytes)
		bytes = segment->large_size;
	most = (waves < rings ? waves : rings) * records_in(bytes, code);
	if (dispatch->hr.kind == PROBE_KIND_TIME)
		most += (waves < RECORD_COUNT_MAX / 1024 ? waves : RECORD_COUNT_MAX / 1024) *
			STORED_RECORDS;
	add(loss, most);
}

/* At most one row per site. */
static void find_counters(struct recording *recording, const struct run_code *code)
{
	struct unknown_loss *loss = &recording->counts.unknown[PROBE_STREAM_ID_COUNTERS];

	add(loss, run_code_site_limit(code));
}

static void find_dispatch(struct recording *recording, const struct run_dispatch *dispatch)
{
	const struct run_code *code =
		run_table_get(&recording->objects.codes, dispatch->code_object);

	if (dispatch->hr.verdict != PROBE_V_SWAPPED)
		return;
	if (probe_kind_has_rings(dispatch->hr.kind))
		find_trace(recording, dispatch, code);
	if (probe_kind_has_counters(dispatch->hr.kind))
		find_counters(recording, code);
}

/* Published bytes that were malformed, or not read because the process still runs. */
static void find_bytes(struct recording *recording)
{
	struct unknown_loss *loss = &recording->counts.unknown[PROBE_STREAM_ID_TRACE];
	const struct trace_state *trace = &recording->trace;

	for (uint32_t i = 0; i < trace->segment->ring_count; i++) {
		uint64_t bytes = segment_reader_ring_unread(trace->segment, i) +
				 trace->expanders[i].bad_bytes;

		if (bytes)
			add(loss, records_in(bytes, NULL));
		loss->unbounded = loss->unbounded || trace->segment->rings[i].broken;
	}
}

void unknown_loss_find(struct recording *recording)
{
	for (uint32_t i = 0; i < recording->objects.bucket_count; i++)
		for (const struct run_dispatch *dispatch = recording->objects.buckets[i]; dispatch;
		     dispatch = dispatch->next)
			find_dispatch(recording, dispatch);
	find_bytes(recording);
	/* If a process was killed, its sampler may have had samples in its own buffer. */
	if (recording->samples.samplers.capacity && !recording->objects.exited)
		recording->counts.unknown[PROBE_STREAM_ID_SAMPLES] =
			(struct unknown_loss){.sources = 1, .unbounded = true};
}
