/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/record/host_records.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/options/run_options.h"
#include "cmds/record/allocation_records.h"
#include "cmds/record/call_records.h"
#include "cmds/record/code_objects.h"
#include "cmds/record/kernel_names.h"
#include "cmds/record/wave_storage_records.h"
#include "cmds/record/recording.h"
#include "common/log.h"
#include "store/json_text.h"
#include "wire/segment_reader.h"

/* The strings after a record's struct, read one after the other. */
struct tail {
	const char *at;
	size_t left;
};

static struct tail tail_of(const struct segment_record *rec, size_t fixed)
{
	return (struct tail){(const char *)rec->payload + fixed, rec->size - fixed};
}

/* A copy that ends with NUL; NULL if the length is wrong, or without memory. */
static char *next_string(struct tail *tail, uint32_t len)
{
	char *ret;

	if (len > tail->left)
		return NULL;
	ret = malloc((size_t)len + 1);
	if (!ret)
		return NULL;
	memcpy(ret, tail->at, len);
	ret[len] = 0;
	tail->at += len;
	tail->left -= len;
	return ret;
}

/* Converts "a\0b c\0" to "a 'b c'", the command line to type to run it again. */
static char *command_line(const char *words, size_t size)
{
	char *ret = malloc(size * 4 + 3), *out = ret;

	for (size_t i = 0; ret && i < size;) {
		size_t len = strnlen(words + i, size - i);
		bool plain = len && len == strspn(words + i, "abcdefghijklmnopqrstuvwxyz"
							     "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
							     "0123456789_-+=./:,@%");

		if (out != ret)
			*out++ = ' ';
		if (!plain)
			*out++ = '\'';
		for (size_t k = 0; k < len; k++) {
			if (words[i + k] == '\'') {
				memcpy(out, "'\\'", 3);
				out += 3;
			}
			*out++ = words[i + k];
		}
		if (!plain)
			*out++ = '\'';
		i += len + 1;
	}
	if (ret)
		*out = 0;
	return ret;
}

/* Only variables that affect the run: the rest of the environment may be private. */
static char *environment_json(const char *entries, size_t size)
{
	static const char *const prefixes[] = {"PROBE_", "HSA_", "HIP_", "ROCR_"};
	struct probe_json json = {0};
	char *ret;

	probe_json_open(&json, '{');
	for (size_t i = 0; i < size;) {
		const char *entry = entries + i;
		size_t len = strnlen(entry, size - i);
		const char *equals = memchr(entry, '=', len);

		i += len + 1;
		for (size_t k = 0; equals && k < sizeof(prefixes) / sizeof(*prefixes); k++) {
			if (strncmp(entry, prefixes[k], strlen(prefixes[k])))
				continue;
			probe_json_key(&json, entry, (size_t)(equals - entry));
			probe_json_string(&json, equals + 1, len - (size_t)(equals + 1 - entry));
		}
	}
	probe_json_close(&json, '}');
	ret = strdup(probe_json_text(&json));
	probe_json_deinit(&json);
	return ret;
}

/* True if there is an entry NAME=VALUE. */
static bool has_entry(const char *entries, size_t size, const char *wanted)
{
	for (size_t i = 0; i < size; i += strnlen(entries + i, size - i) + 1)
		if (strlen(wanted) == strnlen(entries + i, size - i) &&
		    !memcmp(entries + i, wanted, strlen(wanted)))
			return true;
	return false;
}

static bool apply_process(struct recording *recording, const struct segment_record *rec)
{
	struct process_objects *objects = &recording->objects;
	struct tail tail = tail_of(rec, sizeof(objects->process));
	struct probe_hr_process process;
	char *command, *environment;

	memcpy(&process, rec->payload, sizeof(process));
	if (objects->process_known || process.command_len > tail.left ||
	    process.environment_len > tail.left - process.command_len)
		return false;
	command = command_line(tail.at, process.command_len);
	environment = environment_json(tail.at + process.command_len, process.environment_len);
	if (!command || !environment) {
		free(command);
		free(environment);
		return false;
	}
	objects->process = process;
	objects->command = command;
	objects->environment = environment;
	objects->process_known = true;
	objects->simulated = process.flags & PROBE_PROCESS_SIMULATED;
	probe_facts_process(recording->facts, &process, command, environment, 0);
	probe_store_set(recording->store, "command", command);
	probe_store_set(recording->store, "device", objects->simulated ? "simulated" : "gpu");
	if (objects->simulated)
		probe_store_set(recording->store, "simulated_time",
				has_entry(tail.at + process.command_len, process.environment_len,
					  "PROBE_SIM_MODEL=0")
					? "host"
					: "model");
	probe_store_set_int(recording->store, "hsa_table_major", process.runtime[0]);
	probe_store_set_int(recording->store, "hsa_table_minor", process.runtime[1]);
	return true;
}

static bool apply_agent(struct recording *recording, const struct segment_record *rec)
{
	struct tail tail = tail_of(rec, sizeof(struct probe_hr_agent));
	struct run_agent *agent = calloc(1, sizeof(*agent));
	char *name, *product = NULL, *vendor = NULL;
	uint32_t type_index;

	if (!agent)
		return false;
	memcpy(&agent->hr, rec->payload, sizeof(agent->hr));
	name = next_string(&tail, agent->hr.name_len);
	if (name)
		product = next_string(&tail, agent->hr.product_len);
	if (product)
		vendor = next_string(&tail, agent->hr.vendor_len);
	if (!vendor || agent->hr.type > 1) {
		free(product);
		free(name);
		free(vendor);
		free(agent);
		return false;
	}
	if (!run_agent_name(agent, strdup(name))) {
		free(agent);
		agent = NULL;
	} else if (process_add_agent(&recording->objects, agent)) {
		type_index = recording->objects.agents_of_type[agent->hr.type]++;
		probe_facts_agent(recording->facts, &agent->hr, type_index, name, product, vendor);
	} else {
		agent = NULL; /* the table has freed it */
	}
	free(product);
	free(name);
	free(vendor);
	return agent;
}

static bool apply_queue(struct recording *recording, const struct segment_record *rec)
{
	struct probe_hr_queue queue;

	memcpy(&queue, rec->payload, sizeof(queue));
	probe_facts_queue(recording->facts, &queue);
	return true;
}

static bool apply_code_object(struct recording *recording, const struct segment_record *rec)
{
	struct tail tail = tail_of(rec, sizeof(struct probe_hr_code_object));
	struct run_code *code = calloc(1, sizeof(*code));
	struct probe_hr_code_object hr;
	char *uri;

	if (!code)
		return false;
	memcpy(&hr, rec->payload, sizeof(hr));
	code->hr = hr;
	/* Addresses do not wrap. The size of the code is limited by the file's bytes. */
	uri = hr.id && hr.load_size <= UINT64_MAX - hr.load_base ? next_string(&tail, hr.uri_len)
								 : NULL;
	if (!uri) {
		free(code);
		return false;
	}
	code->built = source_files_built(uri);
	if (run_table_put(&recording->objects.codes, hr.id, code)) {
		probe_facts_code_object(recording->facts, &hr, uri);
		samples_load(recording, code);
	} else {
		code = NULL;
	}
	free(uri);
	return code;
}

static bool apply_code_bytes(struct recording *recording, const struct segment_record *rec)
{
	struct probe_hr_code_bytes hr;
	struct run_code *code;

	memcpy(&hr, rec->payload, sizeof(hr));
	code = run_table_get(&recording->objects.codes, hr.code_object);
	if (!code || hr.bytes > rec->size - sizeof(hr))
		return false;
	return run_code_bytes(recording, code, hr.offset, rec->payload + sizeof(hr), hr.bytes);
}

static bool apply_nothing(struct recording *recording, const struct segment_record *rec)
{
	(void)recording;
	(void)rec;
	return true;
}

static bool apply_code_unload(struct recording *recording, const struct segment_record *rec)
{
	struct probe_hr_code_unload hr;

	memcpy(&hr, rec->payload, sizeof(hr));
	samples_unload(recording, hr.code_object);
	return true;
}

static bool apply_kernel(struct recording *recording, const struct segment_record *rec)
{
	struct tail tail = tail_of(rec, sizeof(struct probe_hr_kernel));
	struct run_kernel *kernel = calloc(1, sizeof(*kernel));

	if (!kernel)
		return false;
	memcpy(&kernel->hr, rec->payload, sizeof(kernel->hr));
	if (kernel->hr.id && run_table_get(&recording->objects.codes, kernel->hr.code_object) &&
	    kernel->hr.kind < PROBE_KINDS)
		kernel->symbol = next_string(&tail, kernel->hr.name_len);
	if (!kernel->symbol) {
		free(kernel);
		return false;
	}
	if (!process_add_kernel(&recording->objects, kernel))
		return false;
	recording->counts.clones += kernel->hr.kind != PROBE_KIND_NONE;
	kernel->next_unnamed = recording->objects.unnamed;
	recording->objects.unnamed = kernel;
	recording->objects.unnamed_count++;
	return true;
}

/* The part after "__probe_<kind>_" if it is a clone (wire_kinds.h section 1). */
static const char *original_symbol(const struct run_kernel *kernel)
{
	static const char prefix[] = "__probe_";
	const char *underscore;

	if (kernel->hr.kind == PROBE_KIND_NONE || strncmp(kernel->symbol, prefix, strlen(prefix)))
		return kernel->symbol;
	underscore = strchr(kernel->symbol + strlen(prefix), '_');
	return underscore ? underscore + 1 : kernel->symbol;
}

/* A clone is shown by the name of its original, followed by the kind. */
static char *display_name(const struct run_kernel *kernel, const char *demangled, size_t length)
{
	char *ret;

	if (kernel->hr.kind == PROBE_KIND_NONE)
		return strndup(demangled, length);
	if (asprintf(&ret, "%.*s [%s]", (int)length, demangled,
		     probe_kind_name((enum probe_kind)kernel->hr.kind)) < 0)
		return NULL;
	return ret;
}

/*
 * Records of a code object's kernels are consecutive. They are demangled together, because names
 * are not trusted and each call starts a child process.
 */
static void name_kernels(struct recording *recording)
{
	struct process_objects *objects = &recording->objects;
	size_t count = objects->unnamed_count, n = 0;
	const char **symbols = calloc(count + 1, sizeof(*symbols));
	char **names = NULL;

	for (struct run_kernel *kernel = objects->unnamed; symbols && kernel;
	     kernel = kernel->next_unnamed, n++) {
		symbols[n] = original_symbol(kernel);
	}
	if (symbols)
		names = run_names_demangle(symbols, count);
	n = 0;
	for (struct run_kernel *kernel = objects->unnamed; kernel; kernel = kernel->next_unnamed) {
		const char *name = names ? names[n] : kernel->symbol;
		size_t length = strlen(name);

		if (recording->config->truncate_kernels)
			name = probe_truncated_name(name, &length);
		kernel->demangled = display_name(kernel, name, length);
		probe_facts_kernel(recording->facts, &kernel->hr, kernel->symbol,
				   kernel->demangled ? kernel->demangled : kernel->symbol);
		n++;
	}
	objects->unnamed = NULL;
	objects->unnamed_count = 0;
	if (names)
		run_names_destroy(names, count);
	free(symbols);
}

static bool apply_dispatch(struct recording *recording, const struct segment_record *rec)
{
	struct run_dispatch *dispatch = calloc(1, sizeof(*dispatch));
	struct record_counts *counts = &recording->counts;
	struct probe_hr_dispatch_origin origin;
	struct probe_hr_dispatch_stack stack;
	struct run_kernel *kernel;

	if (!dispatch)
		return false;
	memcpy(&dispatch->hr, rec->payload, sizeof(dispatch->hr));
	if (!dispatch->hr.id || dispatch->hr.kind >= PROBE_KINDS ||
	    dispatch->hr.verdict >= PROBE_VERDICTS ||
	    run_dispatch_find(&recording->objects, dispatch->hr.id)) {
		free(dispatch);
		return false;
	}
	/* Row 0 represents all kernels that were not announced. */
	kernel = run_table_get(&recording->objects.kernels, dispatch->hr.kernel);
	if (!kernel)
		dispatch->hr.kernel = 0;
	dispatch->tid = rec->tid;
	if (rec->size >= sizeof(dispatch->hr) + sizeof(origin)) {
		memcpy(&origin, rec->payload + sizeof(dispatch->hr), sizeof(origin));
		dispatch->correlation = origin.correlation;
	}
	if (rec->size >= sizeof(dispatch->hr) + sizeof(origin) + sizeof(stack)) {
		memcpy(&stack, rec->payload + sizeof(dispatch->hr) + sizeof(origin), sizeof(stack));
		launch_stacks_dispatch(recording, dispatch->hr.id, stack.stack);
	}
	run_dispatch_info(&recording->objects, dispatch);
	run_dispatch_add(&recording->objects, dispatch);
	if (dispatch->hr.id > recording->objects.last_dispatch)
		recording->objects.last_dispatch = dispatch->hr.id;
	calls_note_thread(recording, rec->tid);
	dispatch->range = calls_range(&recording->calls, rec->tid);
	counts->seen++;
	counts->verdicts[dispatch->hr.verdict]++;
	if (kernel)
		kernel->unprobed += dispatch->hr.verdict == PROBE_V_NO_CLONE;
	if (dispatch->hr.verdict == PROBE_V_SWAPPED)
		counts->swapped_kinds[dispatch->hr.kind]++;
	samples_dispatch(recording, dispatch);
	return true;
}

/*
 * No stream can have as many records. The process states this number, and sums must not overflow.
 */
static bool plausible(uint64_t count)
{
	return count <= RECORD_COUNT_MAX;
}

static bool apply_complete(struct recording *recording, const struct segment_record *rec)
{
	struct process_objects *objects = &recording->objects;
	struct probe_hr_complete complete;
	struct run_dispatch *dispatch;

	memcpy(&complete, rec->payload, sizeof(complete));
	dispatch = run_dispatch_find(objects, complete.id);
	if (!dispatch || dispatch->completed || !plausible(complete.rows_dropped) ||
	    !plausible(complete.counters))
		return false;
	dispatch->completed = true;
	dispatch->complete = complete;
	samples_complete(recording, dispatch);
	*objects->complete_end = dispatch;
	objects->complete_end = &dispatch->next_complete;
	return true;
}

static bool apply_allocation(struct recording *recording, const struct segment_record *rec)
{
	struct tail tail = tail_of(rec, sizeof(struct probe_hr_allocation));
	struct probe_hr_allocation hr;
	char *frames;
	bool ok;

	memcpy(&hr, rec->payload, sizeof(hr));
	frames = next_string(&tail, hr.frames_len);
	ok = frames && run_allocations_add(recording->allocations,
					   &(struct probe_allocation_info){.address = hr.address,
									   .bytes = hr.size,
									   .source = hr.source,
									   .site = frames},
					   recording->objects.last_dispatch + 1, UINT64_MAX);
	free(frames);
	return ok;
}

/* The allocation may have been made before the library was loaded. */
static bool apply_free(struct recording *recording, const struct segment_record *rec)
{
	struct probe_hr_free hr;

	memcpy(&hr, rec->payload, sizeof(hr));
	run_allocations_free(recording->allocations, hr.address, recording->objects.last_dispatch);
	return true;
}

static bool apply_loss(struct recording *recording, const struct segment_record *rec)
{
	struct tail tail = tail_of(rec, sizeof(struct probe_hr_loss));
	struct probe_hr_loss loss;
	char *reason;

	memcpy(&loss, rec->payload, sizeof(loss));
	if (!plausible(loss.records))
		return false;
	reason = next_string(&tail, loss.reason_len);
	if (!reason)
		return false;
	record_log_put(&recording->log, PROBE_LOG_WARNING, "tool",
		       "process %d lost %" PRIu64 " records here: %s", (int)recording->objects.pid,
		       loss.records, reason);
	free(reason);
	return true;
}

static bool apply_note(struct recording *recording, const struct segment_record *rec)
{
	struct probe_hr_note hr;

	memcpy(&hr, rec->payload, sizeof(hr));
	if (hr.text_len > rec->size - sizeof(hr) || hr.text_len > 1024)
		return false;
	record_log_put(&recording->log,
		       hr.level == PROBE_NOTE_INFO ? PROBE_LOG_INFO : PROBE_LOG_WARNING, "tool",
		       "%.*s", (int)hr.text_len, (const char *)rec->payload + sizeof(hr));
	return true;
}

static bool apply_exit(struct recording *recording, const struct segment_record *rec)
{
	struct probe_hr_exit hr;

	memcpy(&hr, rec->payload, sizeof(hr));
	if (!plausible(hr.dispatches) || !plausible(hr.completed))
		return false;
	recording->objects.exited = true;
	/*
	 * The library's own count of dispatches; if it exceeds those recorded, records were lost.
	 */
	probe_store_set_int(recording->store, "tool_dispatches", (int64_t)hr.dispatches);
	probe_store_set_int(recording->store, "tool_completed", (int64_t)hr.completed);
	return true;
}

static const struct {
	size_t size;
	bool (*apply)(struct recording *recording, const struct segment_record *rec);
} types[] = {
	[PROBE_HR_PROCESS] = {sizeof(struct probe_hr_process), apply_process},
	[PROBE_HR_AGENT] = {sizeof(struct probe_hr_agent), apply_agent},
	[PROBE_HR_QUEUE] = {sizeof(struct probe_hr_queue), apply_queue},
	[PROBE_HR_CODE_OBJECT] = {sizeof(struct probe_hr_code_object), apply_code_object},
	[PROBE_HR_CODE_BYTES] = {sizeof(struct probe_hr_code_bytes), apply_code_bytes},
	[PROBE_HR_CODE_UNLOAD] = {sizeof(struct probe_hr_code_unload), apply_code_unload},
	[PROBE_HR_KERNEL] = {sizeof(struct probe_hr_kernel), apply_kernel},
	[PROBE_HR_DISPATCH] = {sizeof(struct probe_hr_dispatch), apply_dispatch},
	[PROBE_HR_COMPLETE] = {sizeof(struct probe_hr_complete), apply_complete},
	[PROBE_HR_COUNTERS] = {sizeof(struct probe_hr_counters), counters_read},
	[PROBE_HR_QUEUE_END] = {sizeof(struct probe_hr_queue_end), apply_nothing},
	[PROBE_HR_LOSS] = {sizeof(struct probe_hr_loss), apply_loss},
	[PROBE_HR_EXIT] = {sizeof(struct probe_hr_exit), apply_exit},
	[PROBE_HR_QUEUE_HARDWARE] = {sizeof(struct probe_hr_queue_hardware), samples_queue},
	[PROBE_HR_SAMPLER] = {sizeof(struct probe_hr_sampler), samples_sampler},
	[PROBE_HR_ARGUMENTS] = {sizeof(struct probe_hr_arguments), counters_read_arguments},
	[PROBE_HR_WAVE_STORAGE] = {sizeof(struct probe_hr_wave_storage), wave_storage_read},
	[PROBE_HR_SAMPLES] = {sizeof(struct probe_hr_samples), samples_read},
	[PROBE_HR_ALLOCATION] = {sizeof(struct probe_hr_allocation), apply_allocation},
	[PROBE_HR_FREE] = {sizeof(struct probe_hr_free), apply_free},
	[PROBE_HR_FUNCTION] = {sizeof(struct probe_hr_function), calls_function},
	[PROBE_HR_CALL] = {sizeof(struct probe_hr_call), calls_call},
	[PROBE_HR_COPY] = {sizeof(struct probe_hr_copy), calls_copy},
	[PROBE_HR_MARKER] = {sizeof(struct probe_hr_marker), calls_marker},
	[PROBE_HR_STACK] = {sizeof(struct probe_hr_stack), launch_stacks_take},
	[PROBE_HR_NOTE] = {sizeof(struct probe_hr_note), apply_note},
};

void host_record_apply(struct recording *recording, const struct segment_record *rec)
{
	bool known = rec->type < sizeof(types) / sizeof(*types) && types[rec->type].apply;

	if (recording->objects.unnamed && rec->type != PROBE_HR_KERNEL)
		name_kernels(recording);
	if (known && rec->size >= types[rec->type].size && types[rec->type].apply(recording, rec)) {
		probe_store_count(recording->store, PROBE_STREAM_ID_HOST, 1);
		return;
	}
	if (!recording->counts.invalid++)
		record_log_put(&recording->log, PROBE_LOG_WARNING, "probe-run",
			       "process %d: a record of type %u and %zu bytes is malformed",
			       (int)recording->objects.pid, rec->type, rec->size);
}

void host_records_store_in_flight(struct recording *recording)
{
	const struct process_objects *objects = &recording->objects;

	for (uint32_t i = 0; i < objects->bucket_count; i++)
		for (struct run_dispatch *at = objects->buckets[i]; at; at = at->next) {
			if (at->stored)
				continue;
			probe_facts_incomplete(recording->facts, &at->hr);
			at->stored = true;
		}
}

static void finish(struct recording *recording, struct run_dispatch *dispatch)
{
	const struct probe_hr_complete *complete = &dispatch->complete;
	struct record_counts *counts = &recording->counts;

	dispatch->info.start_ns = complete->start;
	dispatch->info.end_ns = complete->end;
	counts->completed++;
	if (probe_kind_has_rings(dispatch->hr.kind)) {
		counts->storage_lost += complete->rows_dropped;
	} else {
		counts->rows_device += complete->rows_dropped;
		counts->rows_emitted += complete->rows_dropped;
	}
	if (complete->counters > dispatch->rows) {
		counts->rows_missing += complete->counters - dispatch->rows;
		counts->rows_emitted += complete->counters - dispatch->rows;
	}
	counters_finish(recording, dispatch);
	probe_facts_complete(
		recording->facts, &dispatch->hr, complete,
		(struct probe_facts_origin){dispatch->tid, dispatch->range, dispatch->correlation,
					    dispatch->stored});
	run_dispatch_remove(&recording->objects, dispatch);
}

void host_records_finish(struct recording *recording, struct run_dispatch *list)
{
	while (list) {
		struct run_dispatch *next = list->next_complete;

		finish(recording, list);
		list = next;
	}
}
