/* SPDX-License-Identifier: MIT */
#include "cmds/record/process_objects.h"

#include <stdlib.h>
#include <string.h>

#include "cmds/record/code_sites.h"
#include "common/crc32.h"

#define INDEX_MAX (1u << 22) /* the largest libraries have some 100,000 kernels */

void *run_table_get(const struct run_table *table, uint32_t index)
{
	return index < table->capacity ? table->items[index] : NULL;
}

bool run_table_put(struct run_table *table, uint32_t index, void *item)
{
	if (item && index >= table->capacity && index < INDEX_MAX) {
		uint32_t capacity = table->capacity * 2 > index ? table->capacity * 2 : index + 16;
		void **items = realloc(table->items, capacity * sizeof(*items));

		if (items) {
			for (uint32_t i = table->capacity; i < capacity; i++)
				items[i] = NULL;
			table->items = items;
			table->capacity = capacity;
		}
	}
	if (!item || index >= table->capacity || table->items[index]) {
		free(item);
		return false;
	}
	table->items[index] = item;
	return true;
}

bool run_agent_name(struct run_agent *agent, char *isa)
{
	size_t length = isa ? strcspn(isa, ":") : 0;

	if (!isa)
		return false;
	agent->arch = isa;
	agent->features = isa + length + (isa[length] != 0);
	isa[length] = 0;
	return true;
}

bool process_add_agent(struct process_objects *objects, struct run_agent *agent)
{
	char *arch = agent->arch;

	if (run_table_put(&objects->agents, agent->hr.index, agent))
		return true;
	free(arch);
	return false;
}

bool process_add_kernel(struct process_objects *objects, struct run_kernel *kernel)
{
	char *symbol = kernel->symbol, *demangled = kernel->demangled;

	if (run_table_put(&objects->kernels, kernel->hr.id, kernel))
		return true;
	free(symbol);
	free(demangled);
	return false;
}

static struct run_dispatch **bucket(const struct process_objects *objects, uint64_t id)
{
	return (struct run_dispatch **)&objects->buckets[id % objects->bucket_count];
}

struct run_dispatch *run_dispatch_find(const struct process_objects *objects, uint64_t id)
{
	struct run_dispatch *dispatch = *bucket(objects, id);

	while (dispatch && dispatch->hr.id != id)
		dispatch = dispatch->next;
	return dispatch;
}

/* RDNA runs kernels with 32 and 64 lanes; the agent's wave size is the default. */
static uint32_t wave_size(const struct run_agent *agent, const struct run_kernel *launched)
{
	if (launched && launched->hr.wave_size)
		return launched->hr.wave_size;
	return agent ? agent->hr.wave_size : 0;
}

static bool same_kernel(const struct process_objects *objects, const struct run_kernel *a,
			const struct run_kernel *b)
{
	const struct run_code *x = run_table_get(&objects->codes, a->hr.code_object);
	const struct run_code *y = run_table_get(&objects->codes, b->hr.code_object);

	return x && y && x->sites && y->sites && *x->hash && !strcmp(x->hash, y->hash) &&
	       !strcmp(a->symbol, b->symbol);
}

static const struct run_kernel *known_as(struct process_objects *objects, struct run_kernel *kernel)
{
	struct run_kernel **bucket, *known;

	if (!kernel || kernel->known_as)
		return kernel ? kernel->known_as : NULL;
	bucket = &objects->known[probe_crc32(0, kernel->symbol, strlen(kernel->symbol)) %
				 RUN_KERNEL_BUCKETS];
	known = *bucket;
	while (known && !same_kernel(objects, known, kernel))
		known = known->next_known;
	if (!known) {
		known = kernel;
		kernel->next_known = *bucket;
		*bucket = kernel;
	}
	return kernel->known_as = known;
}

void run_dispatch_info(struct process_objects *objects, struct run_dispatch *dispatch)
{
	const struct probe_hr_dispatch *hr = &dispatch->hr;
	const struct run_agent *agent = run_table_get(&objects->agents, hr->agent);
	struct run_kernel *kernel = run_table_get(&objects->kernels, hr->kernel);
	const struct run_kernel *launched = run_table_get(&objects->kernels, hr->launched);
	const struct run_kernel *known = NULL;

	dispatch->code_object = launched ? launched->hr.code_object : 0;
	if (kernel && launched && kernel->hr.code_object == launched->hr.code_object)
		known = known_as(objects, kernel);

	dispatch->info = (struct probe_dispatch_info){
		.size = sizeof(dispatch->info),
		.agent = hr->agent,
		.id = hr->id,
		.kernel = kernel && kernel->demangled ? kernel->demangled : "(unknown kernel)",
		.arch = agent ? agent->arch : "",
		.code_object = known ? known->hr.code_object : dispatch->code_object,
		.kernel_id = known ? known->hr.id : hr->kernel,
		.kind = hr->kind,
		.wave_size = wave_size(agent, launched),
		.grid = {hr->grid[0], hr->grid[1], hr->grid[2]},
		.group = {hr->group[0], hr->group[1], hr->group[2]},
		.lds_aperture = hr->lds_aperture,
		.scratch_aperture = hr->scratch_aperture,
		.lds_bytes = hr->group_size,
	};
}

static void put(struct process_objects *objects, struct run_dispatch *dispatch)
{
	struct run_dispatch **at = bucket(objects, dispatch->hr.id);

	dispatch->next = *at;
	*at = dispatch;
}

/* Without memory the chains become longer. */
static void add_buckets(struct process_objects *objects)
{
	struct process_objects more = *objects;

	more.bucket_count = 4 * objects->bucket_count;
	more.buckets = calloc(more.bucket_count, sizeof(*more.buckets));
	if (!more.buckets)
		return;
	for (uint32_t i = 0; i < objects->bucket_count; i++)
		for (struct run_dispatch *at = objects->buckets[i], *next; at; at = next) {
			next = at->next;
			put(&more, at);
		}
	if (objects->buckets != objects->first_buckets)
		free(objects->buckets);
	objects->buckets = more.buckets;
	objects->bucket_count = more.bucket_count;
}

void run_dispatch_add(struct process_objects *objects, struct run_dispatch *dispatch)
{
	if (objects->in_flight >= objects->bucket_count)
		add_buckets(objects);
	put(objects, dispatch);
	objects->in_flight++;
	objects->traces_in_flight += probe_kind_has_rings(dispatch->hr.kind);
}

void run_dispatch_remove(struct process_objects *objects, struct run_dispatch *dispatch)
{
	struct run_dispatch **at = bucket(objects, dispatch->hr.id);

	while (*at && *at != dispatch)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = dispatch->next;
	objects->in_flight--;
	objects->traces_in_flight -= probe_kind_has_rings(dispatch->hr.kind);
	free(dispatch->pending);
	free(dispatch->arguments);
	free(dispatch);
}

uint32_t run_code_site_limit(const struct run_code *code)
{
	return code && code->sites ? code->site_count : PROBE_SITE_MASK + 1;
}

void process_objects_init(struct process_objects *objects, pid_t pid)
{
	*objects = (struct process_objects){.pid = pid, .bucket_count = RUN_BUCKETS};
	objects->buckets = objects->first_buckets;
	objects->complete_end = &objects->complete;
}

void process_objects_deinit(struct process_objects *objects)
{
	for (uint32_t i = 0; i < objects->agents.capacity; i++) {
		struct run_agent *agent = objects->agents.items[i];

		if (agent)
			free(agent->arch);
		free(agent);
	}
	for (uint32_t i = 0; i < objects->codes.capacity; i++)
		run_code_destroy(objects->codes.items[i]);
	for (uint32_t i = 0; i < objects->kernels.capacity; i++) {
		struct run_kernel *kernel = objects->kernels.items[i];

		if (kernel) {
			free(kernel->demangled);
			free(kernel->symbol);
		}
		free(kernel);
	}
	for (uint32_t i = 0; i < objects->bucket_count; i++)
		while (objects->buckets[i])
			run_dispatch_remove(objects, objects->buckets[i]);
	if (objects->buckets != objects->first_buckets)
		free(objects->buckets);
	free(objects->agents.items);
	free(objects->codes.items);
	free(objects->kernels.items);
	free(objects->tids);
	free(objects->command);
	free(objects->environment);
	free(objects->program);
}
