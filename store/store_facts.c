/* SPDX-License-Identifier: MIT */
/* Rows of facts; see store_facts.h. */
#include "store/store_facts.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "common/fnv.h"
#include "store/dispatch_sums.h"
#include "store/json_text.h"
#include "store/store.h"
#include "store/string_ids.h"

#define NODE	      1 /* one machine per file */
#define STRING_EMPTY  1 /* rows of rocpd_tables.sql */
#define STRING_KERNEL 2
#define STRING_COPY   3
#define STRING_FIRST  4 /* of those that are added */
#define STREAM_NONE   1 /* the dummy stream: HSA knows queues only */
/* Bytes of a kernel's name that is also in its JSON, where ROCpd has it. */
#define NAME_TWICE_MAX 1000
/* Events of dispatches have the dispatch's id; those of calls, ranges and copies begin here. */
#define EVENT_FIRST (1ull << 40)

enum table {
	T_NODE,
	T_PROCESS,
	T_THREAD,
	T_AGENT,
	T_QUEUE,
	T_STREAM,
	T_CODE_OBJECT,
	T_KERNEL,
	T_EVENT,
	T_KERNEL_DISPATCH,
	T_STRING,
	T_REGION,
	T_COPY,
	T_CODE,
	T_DISPATCH,
	T_DISPATCH_SUM,
	T_COUNTER,
	T_SITE,
	T_UNCOVERED,
	T_ALLOCATION,
	T_STACK,
	T_LAUNCH,
	T_SOURCE,
	T_SOURCE_FILE,
	T_SAMPLER,
	T_SAMPLE,
	T_SAMPLE_STATE,
	T_SAMPLE_DISPATCH,
	T_SAMPLE_PART,
	T_SAMPLE_RAW,
	TABLES,
};

/* Tables and columns; batched for tables with many rows, which are `numbered` by the first column.
 */
static const struct {
	const char *name, *columns;
	uint8_t count, batch;
} tables[TABLES] = {
	[T_NODE] = {"rocpd_info_node",
		    "id, hash, machine_id, system_name, hostname, release, version, hardware_name",
		    8, 1},
	[T_PROCESS] = {"rocpd_info_process",
		       "id, nid, ppid, pid, init, fini, start, \"end\", command, environment", 10,
		       1},
	[T_THREAD] = {"rocpd_info_thread", "id, nid, ppid, pid, tid, name", 6, 1},
	[T_AGENT] = {"rocpd_info_agent",
		     "id, nid, pid, type, absolute_index, logical_index, type_index, uuid, name, "
		     "model_name, vendor_name, product_name, user_name, extdata",
		     14, 1},
	[T_QUEUE] = {"rocpd_info_queue", "id, nid, pid, name, extdata", 5, 1},
	[T_STREAM] = {"rocpd_info_stream", "id, nid, pid, name", 4, 1},
	[T_CODE_OBJECT] = {"rocpd_info_code_object",
			   "id, nid, pid, agent_id, uri, load_base, load_size, load_delta, "
			   "storage_type, extdata",
			   10, 1},
	[T_KERNEL] = {"rocpd_info_kernel_symbol",
		      "id, nid, pid, code_object_id, kernel_name, display_name, kernel_object, "
		      "kernarg_segment_size, kernarg_segment_alignment, group_segment_size, "
		      "private_segment_size, sgpr_count, arch_vgpr_count, accum_vgpr_count, "
		      "extdata",
		      15, 1},
	[T_EVENT] = {"rocpd_event", "id, category_id, stack_id, parent_stack_id, correlation_id", 5,
		     250},
	[T_KERNEL_DISPATCH] = {"rocpd_kernel_dispatch",
			       "id, nid, pid, tid, agent_id, kernel_id, dispatch_id, queue_id, "
			       "stream_id, start, \"end\", private_segment_size, "
			       "group_segment_size, workgroup_size_x, workgroup_size_y, "
			       "workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, "
			       "region_name_id, event_id",
			       21, 250},
	[T_STRING] = {"rocpd_string", "id, string", 2, 1},
	[T_REGION] = {"rocpd_region",
		      "id, nid, pid, tid, start, \"end\", name_id, event_id, extdata", 9, 250},
	[T_COPY] = {"rocpd_memory_copy",
		    "id, nid, pid, tid, start, \"end\", name_id, dst_agent_id, dst_address, "
		    "src_agent_id, src_address, size, stream_id, region_name_id, event_id, extdata",
		    16, 250},
	[T_CODE] = {"probe_code", "code_object_id, hash, bytes", 3, 1},
	[T_DISPATCH] = {"probe_dispatch",
			"dispatch_id, kernel_id, launched_kernel_id, kind, verdict, queue_id, "
			"agent, grid_x, grid_y, grid_z, group_x, group_y, group_z, lds_aperture, "
			"scratch_aperture, completed",
			16, 250},
	[T_DISPATCH_SUM] = {"probe_dispatchsum",
			    "kernel_id, launched_kernel_id, kind, verdict, agent, grid_x, grid_y, "
			    "grid_z, group_x, group_y, group_z, first_dispatch, dispatches, timed, "
			    "ns",
			    15, 50},
	[T_COUNTER] = {"probe_counter",
		       "dispatch_id, code_object_id, site, executions, lanes, quads, lines64, "
		       "needed64, excess64, lines128, needed128, excess128, passes, ideal_passes, "
		       "affine, max_way, stride_hi, stride_lo, spare",
		       3 + PROBE_COUNTERS, 250},
	[T_SITE] = {"probe_site",
		    "code_object_id, site, file, line, \"column\", function, access, space, size, "
		    "unit, align, owner, kinds, frames",
		    14, 50},
	[T_UNCOVERED] =
		{"probe_uncovered",
		 "code_object_id, number, file, line, \"column\", function, what, reason, text", 9,
		 50},
	[T_ALLOCATION] = {"probe_allocation",
			  "id, address, size, source, site, first_dispatch, last_dispatch", 7, 50},
	[T_STACK] = {"probe_stack", "id, frames", 2, 1},
	[T_LAUNCH] = {"probe_launch", "dispatch_id, stack_id", 2, 250},
	[T_SOURCE] = {"probe_source", "file, line, text", 3, 50},
	[T_SOURCE_FILE] = {"probe_sourcefile", "file, hash, modified, newer", 4, 1},
	[T_SAMPLER] = {"probe_sampler", "agent, method, unit, interval, provider", 5, 1},
	[T_SAMPLE] = {"probe_sample", "code_object_id, offset, samples, lanes, waves, dual", 6, 50},
	[T_SAMPLE_STATE] = {"probe_state", "code_object_id, offset, issued, code, samples", 5, 50},
	[T_SAMPLE_DISPATCH] = {"probe_sampled", "dispatch_id, samples", 2, 50},
	[T_SAMPLE_PART] = {"probe_profile", "first_dispatch, last_dispatch, bytes", 3, 1},
	[T_SAMPLE_RAW] = {"probe_rawsample", "agent, count, bytes", 3, 1},
};

/* The first column numbers the rows. */
static const bool numbered[TABLES] = {
	[T_EVENT] = true, [T_KERNEL_DISPATCH] = true, [T_REGION] = true,
	[T_COPY] = true,  [T_DISPATCH] = true,	      [T_LAUNCH] = true,
};

_Static_assert(PROBE_C_AFFINE == 11 && PROBE_C_MAX_WAY == 12 && PROBE_C_STRIDE_LO == 14,
	       "the columns of T_COUNTER follow enum probe_counter");

struct probe_facts {
	struct probe_store *store;
	struct probe_rows *rows[TABLES];
	struct probe_json json;
	struct probe_string_ids strings;
	struct probe_dispatch_sums sums;
	uint64_t regions, copies;
	uint32_t pid;
	bool unknown_kernel;
};

struct probe_facts *probe_facts_create(struct probe_store *store, uint32_t pid)
{
	struct probe_facts *facts = calloc(1, sizeof(*facts));

	if (!facts)
		return NULL;
	facts->store = store;
	facts->pid = pid;
	probe_string_ids_init(&facts->strings, STRING_FIRST);
	return facts;
}

void probe_facts_prepare(struct probe_facts *facts)
{
	for (int i = 0; i < TABLES; i++) {
		facts->rows[i] = probe_store_rows(facts->store, tables[i].name, tables[i].columns,
						  tables[i].count, tables[i].batch);
		if (numbered[i])
			probe_rows_number(facts->rows[i], tables[i].name, tables[i].columns);
	}
}

void probe_facts_destroy(struct probe_facts *facts)
{
	if (!facts)
		return;
	probe_json_deinit(&facts->json);
	probe_string_ids_deinit(&facts->strings);
	probe_dispatch_sums_deinit(&facts->sums);
	free(facts);
}

#define INT(value)  probe_cell_int((uint64_t)(value))
#define TEXT(value) probe_cell_text(value)
#define NONE	    ((struct probe_cell){.type = PROBE_CELL_NULL})
#define ADD(table, ...)                                                                            \
	add(facts, table, (const struct probe_cell[]){__VA_ARGS__},                                \
	    sizeof((const struct probe_cell[]){__VA_ARGS__}) / sizeof(struct probe_cell))

static void add(struct probe_facts *facts, enum table table, const struct probe_cell *cells,
		size_t count)
{
	assert(count == tables[table].count);
	(void)count;
	probe_rows_add(facts->rows[table], cells);
}

static void json_number(struct probe_json *json, const char *key, uint64_t value)
{
	probe_json_key(json, key, strlen(key));
	probe_json_uint(json, value);
}

static void json_text(struct probe_json *json, const char *key, const char *value)
{
	probe_json_key(json, key, strlen(key));
	probe_json_string(json, value, strlen(value));
}

void probe_facts_node(struct probe_facts *facts)
{
	struct utsname name = {0};
	char machine[64] = "unknown";
	uint64_t identifier; /* the column is a number */
	FILE *in = fopen("/etc/machine-id", "re");

	if (in) {
		if (!fgets(machine, sizeof(machine), in))
			strcpy(machine, "unknown");
		machine[strcspn(machine, "\n")] = 0;
		fclose(in);
	}
	uname(&name);
	identifier = probe_fnv1a(machine, strlen(machine));
	ADD(T_NODE, INT(NODE), INT(identifier), TEXT(machine), TEXT(name.sysname),
	    TEXT(name.nodename), TEXT(name.release), TEXT(name.version), TEXT(name.machine));
}

void probe_facts_process(struct probe_facts *facts, const struct probe_hr_process *process,
			 const char *command, const char *environment, uint64_t end)
{
	ADD(T_PROCESS, INT(facts->pid), INT(NODE), INT(process->ppid), INT(facts->pid),
	    process->start ? INT(process->start) : NONE, end ? INT(end) : NONE,
	    process->start ? INT(process->start) : NONE, end ? INT(end) : NONE, TEXT(command),
	    TEXT(environment));
	ADD(T_STREAM, INT(STREAM_NONE), INT(NODE), INT(facts->pid), TEXT("Default Stream"));
}

void probe_facts_thread(struct probe_facts *facts, uint32_t tid, uint32_t ppid, const char *name)
{
	ADD(T_THREAD, INT(tid), INT(NODE), INT(ppid), INT(facts->pid), INT(tid), TEXT(name));
}

void probe_facts_agent(struct probe_facts *facts, const struct probe_hr_agent *agent,
		       uint32_t type_index, const char *name, const char *product,
		       const char *vendor)
{
	struct probe_json *json = &facts->json;

	probe_json_reset(json);
	probe_json_open(json, '{');
	json_number(json, "compute_units", agent->compute_units);
	json_number(json, "wave_slots", agent->wave_slots);
	json_number(json, "wave_front_size", agent->wave_size);
	json_number(json, "clock_mhz", agent->clock_mhz);
	json_number(json, "timestamp_hz", agent->timestamp_hz);
	json_number(json, "node_id", agent->node);
	probe_json_close(json, '}');
	ADD(T_AGENT, INT(agent->index), INT(NODE), INT(facts->pid),
	    TEXT(agent->type == 1 ? "GPU" : "CPU"), INT(agent->index), INT(agent->index),
	    INT(type_index), INT(agent->uuid), TEXT(name), TEXT(product), TEXT(vendor),
	    TEXT(product), TEXT(product), TEXT(probe_json_text(json)));
}

void probe_facts_queue(struct probe_facts *facts, const struct probe_hr_queue *queue)
{
	struct probe_json *json = &facts->json;
	char name[32];

	snprintf(name, sizeof(name), "Queue %u", queue->id);
	probe_json_reset(json);
	probe_json_open(json, '{');
	json_number(json, "agent_id", queue->agent);
	json_number(json, "size", queue->size);
	json_number(json, "handle", queue->handle);
	probe_json_close(json, '}');
	ADD(T_QUEUE, INT(queue->id), INT(NODE), INT(facts->pid), TEXT(name),
	    TEXT(probe_json_text(json)));
}

void probe_facts_code_object(struct probe_facts *facts, const struct probe_hr_code_object *object,
			     const char *uri)
{
	struct probe_json *json = &facts->json;

	probe_json_reset(json);
	probe_json_open(json, '{');
	json_number(json, "size", object->bytes);
	json_number(json, "storage_type", object->storage);
	json_number(json, "memory_base", object->memory_base);
	json_number(json, "memory_size", object->bytes);
	probe_json_close(json, '}');
	ADD(T_CODE_OBJECT, INT(object->id), INT(NODE), INT(facts->pid),
	    object->id ? INT(object->agent) : NONE, TEXT(uri), INT(object->load_base),
	    INT(object->load_size), INT(object->load_delta),
	    TEXT(object->storage == 1 ? "FILE" : "MEMORY"), TEXT(probe_json_text(json)));
}

void probe_facts_code_bytes(struct probe_facts *facts, uint32_t code_object, const char *hash,
			    const void *bytes, size_t size)
{
	ADD(T_CODE, INT(code_object), TEXT(hash), probe_cell_blob(bytes, size));
}

const char *probe_truncated_name(const char *name, size_t *length)
{
	static const char type[] = "void ", unnamed[] = "(anonymous namespace)";
	const char *at;

	if (!strncmp(name, type, strlen(type)))
		name += strlen(type);
	at = name;
	for (;;) {
		at += strcspn(at, "<(");
		if (strncmp(at, unnamed, strlen(unnamed)))
			break;
		at += strlen(unnamed);
	}
	*length = (size_t)(at - name);
	return name;
}

void probe_facts_kernel(struct probe_facts *facts, const struct probe_hr_kernel *kernel,
			const char *name, const char *demangled)
{
	struct probe_json *json = &facts->json;
	size_t length;
	const char *truncated = probe_truncated_name(demangled, &length);

	probe_json_reset(json);
	probe_json_open(json, '{');
	json_number(json, "kernel_id", kernel->id);
	/* Longer names are in the columns only: the view kernel_symbols reads them there. */
	if (strlen(demangled) <= NAME_TWICE_MAX) {
		json_text(json, "formatted_kernel_name", demangled);
		json_text(json, "demangled_kernel_name", demangled);
	}
	if (length <= NAME_TWICE_MAX) {
		probe_json_key(json, "truncated_kernel_name", strlen("truncated_kernel_name"));
		probe_json_string(json, truncated, length);
	}
	probe_json_key(json, "kernel_address", strlen("kernel_address"));
	probe_json_open(json, '{');
	json_number(json, "handle", kernel->kernel_object);
	probe_json_close(json, '}');
	json_number(json, "wave_front_size", kernel->wave_size);
	json_number(json, "probe_kind", kernel->kind);
	json_number(json, "probe_original", kernel->original);
	probe_json_close(json, '}');
	ADD(T_KERNEL, INT(kernel->id), INT(NODE), INT(facts->pid), INT(kernel->code_object),
	    TEXT(name), TEXT(demangled), INT(kernel->kernel_object), INT(kernel->kernarg_size),
	    INT(kernel->kernarg_align), INT(kernel->group_size), INT(kernel->private_size),
	    INT(kernel->sgprs), INT(kernel->vgprs), INT(kernel->agprs),
	    TEXT(probe_json_text(json)));
}

void probe_facts_unknown_kernel(struct probe_facts *facts)
{
	static const struct probe_hr_code_object object = {.storage = 2};
	static const struct probe_hr_kernel kernel;

	if (facts->unknown_kernel)
		return;
	facts->unknown_kernel = true;
	probe_facts_code_object(facts, &object, "(unknown)");
	probe_facts_kernel(facts, &kernel, "(unknown kernel)", "(unknown kernel)");
}

static void add_dispatch(struct probe_facts *facts, const struct probe_hr_dispatch *dispatch,
			 const struct probe_hr_complete *complete, bool again)
{
	probe_dispatch_sums_add(&facts->sums, dispatch, complete, again);
	ADD(T_DISPATCH, INT(dispatch->id), INT(dispatch->kernel), INT(dispatch->launched),
	    INT(dispatch->kind), INT(dispatch->verdict), INT(dispatch->queue), INT(dispatch->agent),
	    INT(dispatch->grid[0]), INT(dispatch->grid[1]), INT(dispatch->grid[2]),
	    INT(dispatch->group[0]), INT(dispatch->group[1]), INT(dispatch->group[2]),
	    INT(dispatch->lds_aperture), INT(dispatch->scratch_aperture), INT(complete != NULL));
}

void probe_facts_incomplete(struct probe_facts *facts, const struct probe_hr_dispatch *dispatch)
{
	add_dispatch(facts, dispatch, NULL, false);
}

void probe_facts_complete(struct probe_facts *facts, const struct probe_hr_dispatch *dispatch,
			  const struct probe_hr_complete *complete,
			  struct probe_facts_origin origin)
{
	if (!dispatch->kernel)
		probe_facts_unknown_kernel(facts);
	add_dispatch(facts, dispatch, complete, origin.stored);
	/* The view `kernels` omits a dispatch without event, region name or thread. */
	ADD(T_EVENT, INT(dispatch->id), INT(STRING_KERNEL), INT(origin.correlation), INT(0),
	    INT(dispatch->id));
	ADD(T_KERNEL_DISPATCH, INT(dispatch->id), INT(NODE), INT(facts->pid), INT(origin.tid),
	    INT(dispatch->agent), INT(dispatch->kernel), INT(dispatch->id), INT(dispatch->queue),
	    INT(STREAM_NONE), INT(complete->start), INT(complete->end), INT(dispatch->private_size),
	    INT(dispatch->group_size), INT(dispatch->group[0]), INT(dispatch->group[1]),
	    INT(dispatch->group[2]), INT(dispatch->grid[0]), INT(dispatch->grid[1]),
	    INT(dispatch->grid[2]), INT(origin.range ? origin.range : STRING_EMPTY),
	    INT(dispatch->id));
}

void probe_facts_dispatch_sums(struct probe_facts *facts)
{
	const struct probe_dispatch_sum *sum;

	for (size_t at = 0; (sum = probe_dispatch_sums_next(&facts->sums, &at));)
		ADD(T_DISPATCH_SUM, INT(sum->key.kernel), INT(sum->key.launched),
		    INT(sum->key.kind), INT(sum->key.verdict), INT(sum->key.agent),
		    INT(sum->key.grid[0]), INT(sum->key.grid[1]), INT(sum->key.grid[2]),
		    INT(sum->key.group[0]), INT(sum->key.group[1]), INT(sum->key.group[2]),
		    INT(sum->first), INT(sum->dispatches), INT(sum->timed),
		    sum->timed ? INT(sum->ns) : NONE);
}

uint32_t probe_facts_string(struct probe_facts *facts, const char *text, size_t length)
{
	uint32_t id = STRING_EMPTY;
	int added;

	if (length)
		id = probe_string_ids_get(&facts->strings, text, length, &added);
	if (!id)
		return STRING_EMPTY;
	if (length && added)
		ADD(T_STRING, INT(id), probe_cell_text_n(text, length));
	return id;
}

void probe_facts_region(struct probe_facts *facts, const struct probe_facts_region *region)
{
	uint64_t id = ++facts->regions, event = EVENT_FIRST + facts->regions + facts->copies;

	ADD(T_EVENT, INT(event), INT(region->category), INT(region->correlation),
	    INT(region->parent), INT(0));
	ADD(T_REGION, INT(id), INT(NODE), INT(facts->pid), INT(region->tid), INT(region->start),
	    INT(region->end), INT(region->name), INT(event),
	    TEXT(region->extdata ? region->extdata : "{}"));
}

static struct probe_cell agent_cell(uint32_t agent)
{
	return agent == PROBE_AGENT_UNKNOWN ? NONE : INT(agent);
}

void probe_facts_copy(struct probe_facts *facts, const struct probe_hr_copy *copy, uint32_t name)
{
	uint64_t id = ++facts->copies, event = EVENT_FIRST + facts->regions + facts->copies;

	ADD(T_EVENT, INT(event), INT(STRING_COPY), INT(copy->correlation), INT(0), INT(0));
	ADD(T_COPY, INT(id), INT(NODE), INT(facts->pid), INT(copy->tid), INT(copy->start),
	    INT(copy->end), INT(name), agent_cell(copy->to_agent), INT(copy->to),
	    agent_cell(copy->from_agent), INT(copy->from), INT(copy->bytes), INT(STREAM_NONE),
	    INT(STRING_EMPTY), INT(event), TEXT(copy->failed ? "{\"failed\":1}" : "{}"));
}

void probe_facts_counters(struct probe_facts *facts, uint64_t dispatch, uint32_t code_object,
			  const struct probe_counter_row *rows, size_t count)
{
	struct probe_cell cells[3 + PROBE_COUNTERS] = {INT(dispatch), INT(code_object)};

	for (size_t row = 0; row < count; row++) {
		cells[2] = INT(rows[row].site);
		for (int i = 0; i < PROBE_COUNTERS; i++)
			cells[3 + i] = INT(rows[row].value[i]);
		probe_rows_add(facts->rows[T_COUNTER], cells);
		probe_store_count(facts->store, PROBE_STREAM_ID_COUNTERS, 1);
	}
}

static void frames_json(struct probe_json *json, const struct probe_site_info *site)
{
	probe_json_reset(json);
	probe_json_open(json, '[');
	for (unsigned i = 0; i < site->frame_count; i++) {
		probe_json_open(json, '{');
		json_text(json, "file", site->frames[i].file);
		json_text(json, "function", site->frames[i].function);
		json_number(json, "line", site->frames[i].line);
		json_number(json, "column", site->frames[i].column);
		probe_json_close(json, '}');
	}
	probe_json_close(json, ']');
}

void probe_facts_site(struct probe_facts *facts, const struct probe_site_info *site,
		      const char *owner, uint32_t kinds)
{
	frames_json(&facts->json, site);
	ADD(T_SITE, INT(site->code_object), INT(site->id), TEXT(site->file), INT(site->line),
	    INT(site->column), TEXT(site->function), INT(site->access), INT(site->space),
	    INT(site->bytes), INT(site->unit), INT(site->align), TEXT(owner), INT(kinds),
	    TEXT(probe_json_text(&facts->json)));
}

void probe_facts_stack(struct probe_facts *facts, uint64_t id, const char *frames)
{
	ADD(T_STACK, INT(id), TEXT(frames));
}

void probe_facts_launch(struct probe_facts *facts, uint64_t dispatch, uint64_t stack)
{
	ADD(T_LAUNCH, INT(dispatch), INT(stack));
}

void probe_facts_allocation(struct probe_facts *facts,
			    const struct probe_allocation_info *allocation, uint64_t first,
			    uint64_t last)
{
	ADD(T_ALLOCATION, INT(allocation->id), INT(allocation->address), INT(allocation->bytes),
	    INT(allocation->source), TEXT(allocation->site), INT(first),
	    last == UINT64_MAX ? NONE : INT(last));
}

void probe_facts_source(struct probe_facts *facts, const char *file, uint32_t line,
			const char *text, size_t len)
{
	ADD(T_SOURCE, TEXT(file), INT(line), probe_cell_text_n(text, len));
}

void probe_facts_source_file(struct probe_facts *facts, const char *file, const char *hash,
			     uint64_t modified, bool newer)
{
	ADD(T_SOURCE_FILE, TEXT(file), TEXT(hash), INT(modified), INT(newer));
}

void probe_facts_uncovered(struct probe_facts *facts, uint32_t code_object, uint32_t number,
			   const struct probe_facts_uncovered *row)
{
	ADD(T_UNCOVERED, INT(code_object), INT(number), TEXT(row->file), INT(row->line),
	    INT(row->column), TEXT(row->function), TEXT(row->what), INT(row->reason),
	    TEXT(row->text));
}

void probe_facts_sampler(struct probe_facts *facts, const struct probe_hr_sampler *sampler,
			 const char *provider)
{
	ADD(T_SAMPLER, INT(sampler->agent), INT(sampler->method), INT(sampler->unit),
	    INT(sampler->interval), TEXT(provider));
}

void probe_facts_sample(struct probe_facts *facts, uint32_t code_object, uint64_t offset,
			const struct probe_facts_sample_row *row)
{
	ADD(T_SAMPLE, INT(code_object), INT(offset), INT(row->samples), INT(row->lanes),
	    INT(row->waves), INT(row->dual));
	probe_store_count(facts->store, PROBE_STREAM_ID_SAMPLES, row->samples);
}

void probe_facts_sample_state(struct probe_facts *facts, uint32_t code_object, uint64_t offset,
			      bool issued, unsigned code, uint64_t samples)
{
	ADD(T_SAMPLE_STATE, INT(code_object), INT(offset), INT(issued), INT(code), INT(samples));
}

void probe_facts_sample_dispatch(struct probe_facts *facts, uint64_t dispatch, uint64_t samples)
{
	ADD(T_SAMPLE_DISPATCH, INT(dispatch), INT(samples));
}

void probe_facts_sample_part(struct probe_facts *facts, uint64_t first, uint64_t last,
			     const void *bytes, size_t size)
{
	ADD(T_SAMPLE_PART, INT(first), INT(last), probe_cell_blob(bytes, size));
}

void probe_facts_sample_raw(struct probe_facts *facts, uint32_t agent, uint32_t count,
			    const void *bytes, size_t size)
{
	ADD(T_SAMPLE_RAW, INT(agent), INT(count), probe_cell_blob(bytes, size));
}
