/* SPDX-License-Identifier: MIT */
#include "cmds/record/call_records.h"

#include <stdlib.h>
#include <string.h>

#include <probe/wire_tracing.h>

#include "cmds/record/recording.h"
#include "wire/segment_reader.h"

#define TIDS_MAX   65536u
#define RANGES_MAX 65536u

struct call_function {
	uint32_t name, category; /* ids of strings */
};

void calls_deinit(struct call_state *calls)
{
	for (uint32_t i = 0; i < calls->functions.capacity; i++)
		free(calls->functions.items[i]);
	free(calls->functions.items);
	free(calls->ranges);
	*calls = (struct call_state){0};
}

void calls_note_thread(struct recording *recording, uint32_t tid)
{
	struct process_objects *objects = &recording->objects;
	uint32_t *grown;

	for (size_t i = objects->tid_count; i-- > 0;)
		if (objects->tids[i] == tid)
			return;
	if (objects->tid_count == TIDS_MAX)
		return;
	grown = realloc(objects->tids, (objects->tid_count + 1) * sizeof(*grown));
	if (!grown)
		return;
	objects->tids = grown;
	grown[objects->tid_count++] = tid;
	probe_facts_thread(recording->facts, tid, objects->process.ppid, NULL);
}

static uint32_t category(struct recording *recording, uint32_t domain)
{
#define DOMAIN(name, number, text) [number] = text,
	static const char *const names[PROBE_DOMAINS] = {PROBE_DOMAIN_TABLE(DOMAIN)};
#undef DOMAIN

	return probe_facts_string(recording->facts, names[domain], strlen(names[domain]));
}

bool calls_function(struct recording *recording, const struct segment_record *rec)
{
	struct call_function *function;
	struct probe_hr_function hr;

	memcpy(&hr, rec->payload, sizeof(hr));
	if (hr.domain >= PROBE_DOMAINS || hr.name_len > rec->size - sizeof(hr) ||
	    run_table_get(&recording->calls.functions, hr.id))
		return false;
	function = malloc(sizeof(*function));
	if (!function)
		return false;
	function->name = probe_facts_string(recording->facts,
					    (const char *)rec->payload + sizeof(hr), hr.name_len);
	function->category = category(recording, hr.domain);
	return run_table_put(&recording->calls.functions, hr.id, function);
}

bool calls_call(struct recording *recording, const struct segment_record *rec)
{
	const struct call_function *function;
	struct probe_hr_call hr;

	memcpy(&hr, rec->payload, sizeof(hr));
	function = run_table_get(&recording->calls.functions, hr.function);
	if (!function || hr.start > rec->time)
		return false;
	calls_note_thread(recording, rec->tid);
	probe_facts_region(recording->facts, &(struct probe_facts_region){
						     .tid = rec->tid,
						     .name = function->name,
						     .category = function->category,
						     .start = hr.start,
						     .end = rec->time,
						     .correlation = hr.correlation,
						     .parent = hr.parent,
					     });
	return true;
}

/* rocprofv3's name of a direction; [to a GPU][from a GPU]. */
static uint32_t direction(struct recording *recording, const struct probe_hr_copy *copy)
{
	static const char *const names[2][2] = {
		{"MEMORY_COPY_HOST_TO_HOST", "MEMORY_COPY_DEVICE_TO_HOST"},
		{"MEMORY_COPY_HOST_TO_DEVICE", "MEMORY_COPY_DEVICE_TO_DEVICE"},
	};
	const struct run_agent *to = run_table_get(&recording->objects.agents, copy->to_agent);
	const struct run_agent *from = run_table_get(&recording->objects.agents, copy->from_agent);
	const char *name =
		to && from ? names[to->hr.type & 1][from->hr.type & 1] : "MEMORY_COPY_NONE";

	return probe_facts_string(recording->facts, name, strlen(name));
}

bool calls_copy(struct recording *recording, const struct segment_record *rec)
{
	struct probe_hr_copy copy;

	memcpy(&copy, rec->payload, sizeof(copy));
	if (copy.start > copy.end)
		return false;
	if (!run_table_get(&recording->objects.agents, copy.to_agent))
		copy.to_agent = PROBE_AGENT_UNKNOWN;
	if (!run_table_get(&recording->objects.agents, copy.from_agent))
		copy.from_agent = PROBE_AGENT_UNKNOWN;
	/* An instant: the time at which its completion was noticed. */
	if (!copy.end)
		copy.start = copy.end = rec->time;
	calls_note_thread(recording, copy.tid);
	probe_facts_copy(recording->facts, &copy, direction(recording, &copy));
	return true;
}

/* ---- Markers --------------------------------------------------------------------------------- */

static void put_range(struct recording *recording, const struct call_range *range, uint64_t end,
		      const char *extdata)
{
	probe_facts_region(recording->facts,
			   &(struct probe_facts_region){
				   .tid = range->tid,
				   .name = range->name,
				   .category = category(recording, PROBE_DOMAIN_MARKER),
				   .start = range->start,
				   .end = end < range->start ? range->start : end,
				   .extdata = extdata,
			   });
}

static bool open_range(struct call_state *calls, const struct call_range *range)
{
	if (calls->range_count == RANGES_MAX)
		return false;
	if (calls->range_count == calls->range_capacity) {
		size_t capacity = calls->range_capacity ? 2 * calls->range_capacity : 64;
		struct call_range *grown = realloc(calls->ranges, capacity * sizeof(*grown));

		if (!grown)
			return false;
		calls->ranges = grown;
		calls->range_capacity = capacity;
	}
	calls->ranges[calls->range_count++] = *range;
	return true;
}

/*
 * The innermost pushed range of a thread, or the range with that id. A pop without a push is
 * ignored.
 */
static void close_range(struct recording *recording, const struct probe_hr_marker *hr)
{
	struct call_state *calls = &recording->calls;

	for (size_t i = calls->range_count; i-- > 0;) {
		struct call_range range = calls->ranges[i];

		if (range.range != hr->range || (!range.range && range.tid != hr->tid))
			continue;
		calls->range_count--;
		memmove(&calls->ranges[i], &calls->ranges[i + 1],
			(calls->range_count - i) * sizeof(range));
		put_range(recording, &range, hr->time, NULL);
		return;
	}
}

uint32_t calls_range(const struct call_state *calls, uint32_t tid)
{
	for (size_t i = calls->range_count; i-- > 0;)
		if (!calls->ranges[i].range && calls->ranges[i].tid == tid)
			return calls->ranges[i].name;
	return 0;
}

static void name_thread(struct recording *recording, uint32_t tid, const char *text, size_t length)
{
	char *name = strndup(text, length);

	if (name)
		probe_facts_thread(recording->facts, tid, recording->objects.process.ppid, name);
	free(name);
}

bool calls_marker(struct recording *recording, const struct segment_record *rec)
{
	const char *message = (const char *)rec->payload + sizeof(struct probe_hr_marker);
	struct probe_hr_marker hr;
	struct call_range range;

	memcpy(&hr, rec->payload, sizeof(hr));
	if (hr.marker >= PROBE_MARKERS || hr.message_len > rec->size - sizeof(hr) ||
	    (hr.marker == PROBE_MARKER_START && !hr.range))
		return false;
	calls_note_thread(recording, hr.tid);
	if (hr.marker == PROBE_MARKER_PAUSE)
		message = "roctxProfilerPause";
	else if (hr.marker == PROBE_MARKER_RESUME)
		message = "roctxProfilerResume";
	if (hr.marker == PROBE_MARKER_PAUSE || hr.marker == PROBE_MARKER_RESUME)
		hr.message_len = (uint32_t)strlen(message);
	range = (struct call_range){.start = hr.time, .range = hr.range, .tid = hr.tid};
	switch (hr.marker) {
	case PROBE_MARKER_POP:
	case PROBE_MARKER_STOP:
		close_range(recording, &hr);
		return true;
	case PROBE_MARKER_NAME_THREAD:
		name_thread(recording, hr.tid, message, hr.message_len);
		return true;
	}
	range.name = probe_facts_string(recording->facts, message, hr.message_len);
	if (hr.marker == PROBE_MARKER_PUSH || hr.marker == PROBE_MARKER_START)
		return open_range(&recording->calls, &range);
	put_range(recording, &range, range.start, NULL);
	return true;
}

void calls_end_ranges(struct recording *recording, uint64_t time)
{
	struct call_state *calls = &recording->calls;

	while (calls->range_count) {
		calls->range_count--;
		put_range(recording, &calls->ranges[calls->range_count], time,
			  "{\"unfinished\":1}");
	}
}
