/* SPDX-License-Identifier: MIT */
/*
 * Handler `memory`: what each memory access of a kernel costs, and why. It uses the counters of the
 * device unchanged, and computes the same 16 words per execution from recorded addresses. Both
 * kinds of probes therefore give the same numbers (wire_device.h section 3). One row per kernel,
 * launch shape and site in table probe_memory_site.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <probe/handler.h>

#include "handlers/memory/memory_tables.h"
#include "rules/distinct.h"

/* A multiple of the cache line sizes and of the width of all banks (64 banks of 4 bytes). */
#define PERIOD 256u

/* Maximum number of sites whose addresses are kept: 66 KiB each. */
#define RECORDED_MAX 256u

/* Executions without conflicts whose addresses are kept, per access to LDS. */
#define GOOD_MAX 32u

/* ---- Kernels and sites ---------------------------------------------------------------------- */

static uint32_t group_items(const struct probe_dispatch_info *dispatch)
{
	return dispatch->group[0] * dispatch->group[1] * dispatch->group[2];
}

/* A host of an earlier version does not say. */
static uint32_t lds_bytes(const struct probe_dispatch_info *dispatch)
{
	return dispatch->size >= offsetof(struct probe_dispatch_info, lds_bytes) +
					 sizeof(dispatch->lds_bytes)
		       ? dispatch->lds_bytes
		       : 0;
}

static struct sites_kernel *find_kernel(struct memory *memory,
					const struct probe_dispatch_info *dispatch)
{
	struct sites_kernel *kernel = sites_kernel(&memory->sites, dispatch);
	struct memory_kernel *own = kernel ? kernel->extra : NULL;

	if (own && !own->model) {
		own->model = probe_lds_model_find(kernel->arch);
		own->row = dispatch->group[0];
		own->items = group_items(dispatch);
		memcpy(own->group, dispatch->group, sizeof(own->group));
		memcpy(own->grid, dispatch->grid, sizeof(own->grid));
	}
	for (int i = 0; own && i < 3; i++) {
		own->group[i] = own->group[i] == dispatch->group[i] ? own->group[i] : 0;
		own->grid[i] = own->grid[i] == dispatch->grid[i] ? own->grid[i] : 0;
	}
	if (own && lds_bytes(dispatch) > own->lds_bytes)
		own->lds_bytes = lds_bytes(dispatch);
	if (own && own->row != dispatch->group[0])
		own->row = 0;
	if (own && own->items != group_items(dispatch))
		own->items = 0;
	return kernel;
}

static void learn(const struct sites_kernel *kernel, struct memory_site *site)
{
	const struct memory_kernel *own = kernel->extra;
	unsigned unit = site->facts.unit;

	site->units = site->facts.bytes / site->facts.unit;
	site->natural = unit == 12 ? 15 : unit - 1;
	/* Scratch is probed only on request, and counts as global. */
	site->facts.global |= !site->facts.lds;
	site->rule = probe_lds_rule(own->model, kernel->wave, unit,
				    (enum probe_access_kind)site->facts.access);
}

static struct memory_site *find_site(struct memory *memory, const struct sites_kernel *kernel,
				     uint32_t id)
{
	struct memory_site *site = sites_get(&memory->sites, kernel, id);

	if (site && !site->rule.phases)
		learn(kernel, site);
	return site;
}

/* ---- From addresses to counters -------------------------------------------------------------- */

/* Adds the cost of one execution, `times` times. */
static void add_cost(struct memory_site *site, const struct probe_access_cost *cost, uint64_t times)
{
	site->costly += cost->lds.passes > cost->lds.ideal ? times : 0;
	probe_access_cost_count(cost, times, site->counters);
}

/* Divides the lanes of a flat access by what they access. */
static void split(const struct memory *memory, const struct site_facts *facts,
		  const struct probe_dispatch_info *dispatch, uint64_t exec, uint64_t *global,
		  uint64_t *lds)
{
	*global = *lds = 0;
	for (uint64_t rest = exec; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);
		enum site_place place = site_place(facts, dispatch, memory->addr[lane]);

		*lds |= place == SITE_LDS ? 1ull << lane : 0;
		*global |= place == SITE_GLOBAL ? 1ull << lane : 0;
	}
}

/* Lanes that update a word which a lane before them updates, too. */
static unsigned waiting_lanes(const uint64_t addr[64], uint64_t exec)
{
	struct distinct distinct;

	return (unsigned)__builtin_popcountll(exec) - distinct_of_lanes(&distinct, addr, exec);
}

/* memory->addr[l]: the address of lane l. */
static void expand(struct memory *memory, const struct probe_access *access)
{
	uint64_t ranks[64], *addr = memory->addr;
	unsigned n = 0, count;

	if (access->exec == ~0ull && access->lanes == 64 && access->form == PROBE_FORM_NEAR) {
		for (unsigned l = 0; l < 64; l++)
			addr[l] = access->base + (uint64_t)(int64_t)access->offsets[l];
		return;
	}
	count = probe_access_expand(access, ranks);
	for (uint64_t rest = access->exec; rest && n < count; rest &= rest - 1)
		addr[__builtin_ctzll(rest)] = ranks[n++];
}

/* Counts lane by lane. `waiting` grows by the lanes that wait for others; NULL = not counted. */
static void count_lanes(struct memory *memory, const struct sites_kernel *kernel,
			const struct memory_site *site, const struct probe_dispatch_info *dispatch,
			const struct probe_access *access, struct probe_access_cost *cost,
			uint64_t *waiting)
{
	uint64_t global = site->facts.global ? access->exec : 0;
	uint64_t lds = site->facts.lds ? access->exec : 0;
	unsigned unit = site->facts.unit;

	expand(memory, access);
	if (global && lds)
		split(memory, &site->facts, dispatch, access->exec, &global, &lds);
	if (waiting && global && site->facts.access == PROBE_ACCESS_ATOMIC)
		*waiting += waiting_lanes(memory->addr, global);
	for (unsigned k = 0; k < site->units; k++) {
		if (global) {
			struct probe_cache_lines lines = probe_cache_lines_count(
				kernel->wave, unit, global, memory->addr, &memory->lines);

			probe_access_cost_add_lines(cost, &lines,
						    (uint32_t)__builtin_popcountll(global) * unit);
		}
		if (lds) {
			struct probe_lds_cost passes;

			/*
			 * As on the device: a misaligned address counts as the aligned unit that
			 * contains it.
			 */
			for (unsigned lane = 0; lane < 64; lane++)
				memory->addr32[lane] =
					(uint32_t)memory->addr[lane] & ~site->natural;
			passes = probe_lds_count(&site->rule, lds, memory->addr32, &memory->lds);
			probe_access_cost_add_lds(cost, &passes);
		}
		for (unsigned lane = 0; lane < 64 && k + 1 < site->units; lane++)
			memory->addr[lane] += unit;
	}
}

/*
 * Closed form for adjacent lanes at one stride, all global or all LDS. False if it does not apply.
 */
static bool count_closed(const struct sites_kernel *kernel, const struct memory_site *site,
			 const struct probe_access *access, struct probe_access_cost *cost)
{
	uint64_t exec = access->exec;
	unsigned first = (unsigned)__builtin_ctzll(exec), lanes = access->lanes;
	unsigned unit = site->facts.unit;
	bool full = lanes == kernel->wave;

	if (site->facts.global && site->facts.lds)
		return false;
	if (exec >> first != (lanes == 64 ? ~0ull : (1ull << lanes) - 1))
		return false;
	for (unsigned k = 0; k < site->units; k++) {
		if (site->facts.global) {
			const struct probe_affine_lanes run = {
				first, lanes, access->base + k * unit, access->stride};
			struct probe_cache_lines lines;

			if (!probe_cache_lines_count_affine(kernel->wave, unit, &run, &lines))
				return false;
			probe_access_cost_add_lines(cost, &lines, lanes * unit);
		} else if (site->facts.lds) {
			struct probe_lds_cost passes;

			if (!full ||
			    !probe_lds_count_affine(&site->rule, (uint32_t)access->base + k * unit,
						    access->stride, &passes))
				return false;
			probe_access_cost_add_lds(cost, &passes);
		}
	}
	return true;
}

static struct recorded_key key_of(const struct probe_dispatch_info *dispatch,
				  const struct probe_access *access)
{
	const struct probe_wave_info *wave = access->wave;
	uint64_t group = 0;

	if (wave)
		group = wave->group[0] +
			site_groups(dispatch->grid[0], dispatch->group[0]) *
				(wave->group[1] +
				 site_groups(dispatch->grid[1], dispatch->group[1]) *
					 (uint64_t)wave->group[2]);
	return (struct recorded_key){.dispatch = dispatch->id,
				     .wave = group * 64 + (wave ? wave->wave % 64 : 0)};
}

/* Where to keep the addresses of an execution with that cost, and how many; NULL if not kept. */
static struct recorded_addresses **recorded_of(struct memory_site *site,
					       const struct probe_access_cost *cost, unsigned *most)
{
	if (cost->lds.passes > cost->lds.ideal || cost->excess64 || cost->excess128) {
		*most = RECORDED_EXECUTIONS;
		return &site->recorded;
	}
	*most = GOOD_MAX;
	return cost->lds.ideal && !site->facts.global ? &site->good : NULL;
}

/* Keeps the addresses of some executions: those that cost too much and, for LDS, some others. */
static void keep(struct memory *memory, struct memory_site *site,
		 const struct probe_dispatch_info *dispatch, const struct probe_access *access,
		 const struct probe_access_cost *cost)
{
	struct recorded_execution execution;
	struct recorded_addresses **recorded;
	unsigned most;

	recorded = recorded_of(site, cost, &most);
	if (!recorded)
		return;
	if (!*recorded && memory->recorded_count < RECORDED_MAX) {
		*recorded = calloc(1, sizeof(**recorded));
		memory->recorded_count += *recorded != NULL;
	}
	if (!*recorded)
		return;
	if ((*recorded)->executions == most &&
	    dispatch->id > (*recorded)->key[(*recorded)->last].dispatch)
		return;
	execution.key = key_of(dispatch, access);
	if (!recorded_wants(*recorded, most, execution.key))
		return;
	expand(memory, access);
	execution.lds = cost->lds.passes > cost->lds.ideal || !site->facts.global;
	execution.wave = access->wave ? access->wave->wave : 0;
	execution.exec = access->exec;
	execution.addr = memory->addr;
	recorded_add(*recorded, most, &execution);
}

static void flush(struct memory_site *site)
{
	if (site->last.repeats)
		add_cost(site, &site->last.cost, site->last.repeats);
	site->last.repeats = 0;
}

/* Encodes strides as the device counters do; 0 = none seen. */
static void add_stride(uint64_t *counters, int64_t stride)
{
	uint64_t high = PROBE_STRIDE_BIAS + (uint64_t)stride;
	uint64_t low = PROBE_STRIDE_BIAS - (uint64_t)stride;

	if (high > counters[PROBE_C_STRIDE_HI])
		counters[PROBE_C_STRIDE_HI] = high;
	if (low > counters[PROBE_C_STRIDE_LO])
		counters[PROBE_C_STRIDE_LO] = low;
}

/* Of lanes with one stride: all wait for the first, or none does. */
static void add_waiting(struct memory_site *site, const struct probe_access *access,
			const struct probe_access_cost *cost)
{
	if (!access->stride && cost->lines.used64 && site->facts.access == PROBE_ACCESS_ATOMIC)
		site->waiting += access->lanes - 1u;
}

/*
 * An affine access costs the same if moved by whole periods, except for flat accesses, whose lanes
 * may differ in aperture.
 */
static void count_affine(struct memory *memory, const struct sites_kernel *kernel,
			 struct memory_site *site, const struct probe_dispatch_info *dispatch,
			 const struct probe_access *access)
{
	struct memory_last *last = &site->last;
	uint32_t base = (uint32_t)access->base & (PERIOD - 1);

	site->counters[PROBE_C_AFFINE]++;
	if (access->lanes > 1)
		add_stride(site->counters, access->stride);
	if (last->valid && last->exec == access->exec && last->stride == access->stride &&
	    last->base == base) {
		last->repeats++;
		add_waiting(site, access, &last->cost);
		keep(memory, site, dispatch, access, &last->cost);
		return;
	}
	flush(site);
	*last = (struct memory_last){.exec = access->exec, .stride = access->stride, .base = base};
	if (!count_closed(kernel, site, access, &last->cost)) {
		last->cost = (struct probe_access_cost){0};
		count_lanes(memory, kernel, site, dispatch, access, &last->cost, NULL);
	}
	add_waiting(site, access, &last->cost);
	keep(memory, site, dispatch, access, &last->cost);
	last->repeats = 1;
	last->valid = !(site->facts.global && site->facts.lds);
}

static uint64_t first_address(const struct probe_access *access)
{
	return access->form == PROBE_FORM_AFFINE ? access->base
	       : access->form == PROBE_FORM_NEAR
		       ? access->base + (uint64_t)(int64_t)access->offsets[0]
		       : access->addresses[0];
}

static void count_access(struct memory *memory, const struct sites_kernel *kernel,
			 struct memory_site *site, const struct probe_dispatch_info *dispatch,
			 const struct probe_access *access)
{
	site->counters[PROBE_C_EXECUTIONS]++;
	site->counters[PROBE_C_LANES] += access->lanes;
	site->traced = true;
	if (!site->facts.global)
		array_range_add(&site->range, access, site->facts.bytes);
	else
		buffer_use_add(&site->use, memory->sites.host, dispatch, first_address(access));
	if (access->form == PROBE_FORM_AFFINE) {
		if (site->facts.global)
			buffer_use_lanes(&site->use, access->exec, access->base, kernel->wave);
		count_affine(memory, kernel, site, dispatch, access);
	} else {
		struct probe_access_cost cost = {0};

		count_lanes(memory, kernel, site, dispatch, access, &cost, &site->waiting);
		keep(memory, site, dispatch, access, &cost);
		add_cost(site, &cost, 1);
	}
}

/* ---- The plugin ------------------------------------------------------------------------------ */

static void add_counters(struct memory *memory, const struct sites_kernel *kernel,
			 const struct probe_counter_row *row)
{
	struct memory_site *site = find_site(memory, kernel, row->site);
	uint64_t measured = row->value[PROBE_C_MEASURED], *sums;

	if (site && measured && !site->sample)
		site->sample = calloc(PROBE_COUNTERS, sizeof(*site->sample));
	sums = site && measured ? site->sample : site ? site->counters : NULL;
	if (!sums)
		return;
	for (unsigned i = 0; i < PROBE_C_ADDED; i++)
		sums[i] += row->value[i];
	for (unsigned i = PROBE_C_ADDED; i < PROBE_C_MEASURED; i++)
		if (row->value[i] > site->counters[i])
			site->counters[i] = row->value[i];
	if (measured)
		sums[PROBE_C_MEASURED] += measured - 1;
}

static int memory_batch(void *state, const struct probe_batch *batch)
{
	struct memory *memory = state;
	const struct probe_dispatch_info *dispatch = batch->dispatch;
	const struct sites_kernel *kernel = find_kernel(memory, dispatch);
	struct memory_site *site;

	if (!kernel)
		return -ENOMEM;
	if (batch->stream == PROBE_STREAM_COUNTERS) {
		for (size_t i = 0; i < batch->count; i++)
			add_counters(memory, kernel, &batch->counters[i]);
		return 0;
	}
	if (batch->stream != PROBE_STREAM_ACCESS)
		return 0;
	for (size_t i = 0; i < batch->count; i++) {
		const struct probe_access *access = &batch->access[i];

		site = access->exec && access->lanes <= 64 ? find_site(memory, kernel, access->site)
							   : NULL;
		if (site)
			count_access(memory, kernel, site, dispatch, access);
	}
	return 0;
}

static int memory_dispatch_end(void *state, const struct probe_dispatch_info *dispatch)
{
	const struct sites_kernel *kernel = find_kernel(state, dispatch);
	uint64_t workgroups = 1;

	if (!kernel)
		return -ENOMEM;
	for (int i = 0; i < 3; i++)
		workgroups *= site_groups(dispatch->grid[i], dispatch->group[i]);
	((struct memory_kernel *)kernel->extra)->workgroups += workgroups;
	return 0;
}

static int memory_open(const struct probe_host *host, void **state)
{
	struct memory *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return -ENOMEM;
	memory->sites = (struct sites){
		.host = host,
		.site_size = sizeof(struct memory_site),
		.extra_size = sizeof(struct memory_kernel),
		.by_shape = true,
	};
	*state = memory;
	return 0;
}

static void free_site(struct memory_site *site)
{
	free(site->sample);
	free(site->recorded);
	free(site->good);
}

static void each_site(const struct memory *memory, void (*visit)(struct memory_site *site))
{
	for (size_t i = 0; i < memory->sites.count; i++) {
		const struct sites_kernel *kernel = memory->sites.kernels[i];

		for (uint32_t id = sites_next(kernel, 0); id < kernel->site_count;
		     id = sites_next(kernel, id + 1))
			visit(memory_site_of(kernel, id));
	}
}

static int memory_close(void *state)
{
	struct memory *memory = state;
	int err;

	each_site(memory, flush);
	err = memory_rows_write(memory);
	sites_report(&memory->sites, "memory");
	each_site(memory, free_site);
	for (size_t i = 0; i < memory->sites.count; i++) {
		struct memory_kernel *kernel = memory->sites.kernels[i]->extra;

		near_accesses_deinit(&kernel->near);
	}
	sites_deinit(&memory->sites);
	free(memory);
	return err;
}

PROBE_HANDLER struct probe_handler probe_handler = {
	.size = sizeof(struct probe_handler),
	.abi = PROBE_HANDLER_ABI,
	.name = "memory",
	.summary = "cache lines and LDS bank conflicts per source line, with cause and fix",
	.streams = PROBE_STREAM_COUNTERS | PROBE_STREAM_ACCESS,
	.open = memory_open,
	.batch = memory_batch,
	.dispatch_end = memory_dispatch_end,
	.close = memory_close,
};
