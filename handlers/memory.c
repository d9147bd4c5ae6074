/* SPDX-License-Identifier: MIT */
/*
 * Handler `memory`: what each memory access of a kernel costs, and why. Takes counters made on the
 * device as they are, and computes the same 16 words per execution from traced addresses, so that
 * both kinds of probe give the same numbers (wire.h section 3). One row per kernel and site in
 * table probe_memory_site.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <probe/handler.h>

#include "advice.h"
#include "coalesce.h"
#include "layouts.h"
#include "lds_model.h"

/* The last affine execution of a site: only the place inside a line or bank row matters. */
struct last {
	uint64_t exec;
	int64_t stride;
	uint32_t base; /* modulo PERIOD */
	bool valid;
	uint64_t repeats; /* executions like it, not yet added */
	struct lines lines;
	struct lds_cost lds;
	uint32_t needed64, needed128, excess64, excess128;
};

/* Multiple of every line size and of every row of banks (64 banks of 4 bytes). */
#define PERIOD 256u

/* Sites whose addresses are kept: 66 KiB each. */
#define TRIALS_MAX 256u

struct site {
	uint64_t counters[PROBE_COUNTERS];
	struct last last;
	const struct lds_phases *phases;
	bool known, invalid, global, lds; /* global and lds: a flat access */
	bool share;			  /* no atomic operation */
	uint16_t unit, units;
	struct trial *trial; /* executions that cost too much, to try layouts on; or NULL */
	uint32_t natural;    /* alignment of a unit that LDS expects, less 1 */
};

struct kernel {
	uint32_t code_object, id;
	uint32_t site_count;
	uint32_t row, items; /* workgroup size in x, and in all; 0 = varies */
	uint32_t wave;
	char arch[32];
	const struct lds_model *model;
	struct site *sites;
};

struct memory {
	const struct probe_host *host;
	struct kernel **kernels;
	size_t count, room;
	struct kernel *current;
	uint64_t invalid; /* records of sites that do not exist */
	unsigned trials;  /* sites that have one */
	struct lines_scratch lines;
	struct lds_scratch lds;
	uint64_t addr[64];
	uint32_t addr32[64];
};

/* ---- Kernels and sites ---------------------------------------------------------------------- */

static uint32_t group_items(const struct probe_dispatch_info *dispatch)
{
	return dispatch->group[0] * dispatch->group[1] * dispatch->group[2];
}

static struct kernel *add_kernel(struct memory *memory, const struct probe_dispatch_info *dispatch)
{
	const struct probe_host *host = memory->host;
	struct kernel *kernel;

	if (memory->count == memory->room) {
		size_t room = memory->room ? 2 * memory->room : 16;
		struct kernel **kernels = realloc(memory->kernels, room * sizeof(*kernels));

		if (!kernels)
			return NULL;
		memory->kernels = kernels;
		memory->room = room;
	}
	kernel = calloc(1, sizeof(*kernel));
	if (!kernel)
		return NULL;
	kernel->site_count = host->site_count(host->ctx, dispatch->code_object);
	kernel->sites = calloc(kernel->site_count + 1ul, sizeof(*kernel->sites));
	if (!kernel->sites) {
		free(kernel);
		return NULL;
	}
	kernel->code_object = dispatch->code_object;
	kernel->id = dispatch->kernel_id;
	kernel->row = dispatch->group[0];
	kernel->items = group_items(dispatch);
	kernel->wave = dispatch->wave_size == 32 ? 32 : 64;
	strncpy(kernel->arch, dispatch->arch, sizeof(kernel->arch) - 1);
	kernel->model = lds_model_find(kernel->arch);
	memory->kernels[memory->count++] = kernel;
	return kernel;
}

static struct kernel *find_kernel(struct memory *memory, const struct probe_dispatch_info *dispatch)
{
	struct kernel *kernel = memory->current;

	if (kernel && kernel->id == dispatch->kernel_id &&
	    kernel->code_object == dispatch->code_object)
		return kernel;
	kernel = NULL;
	for (size_t i = 0; i < memory->count && !kernel; i++)
		if (memory->kernels[i]->id == dispatch->kernel_id &&
		    memory->kernels[i]->code_object == dispatch->code_object)
			kernel = memory->kernels[i];
	if (!kernel)
		kernel = add_kernel(memory, dispatch);
	if (kernel)
		memory->current = kernel;
	return kernel;
}

static void learn(const struct memory *memory, const struct kernel *kernel, uint32_t id,
		  struct site *site)
{
	const struct probe_host *host = memory->host;
	const struct probe_site_info *info = host->site(host->ctx, kernel->code_object, id);

	site->known = true;
	site->invalid = !info || !info->unit || info->bytes < info->unit ||
			info->bytes % info->unit || info->unit > 16;
	if (site->invalid)
		return;
	site->unit = info->unit;
	site->units = info->bytes / info->unit;
	site->natural = info->unit == 12 ? 15 : info->unit - 1;
	site->share = info->access != PROBE_ACCESS_ATOMIC;
	site->lds = info->space == PROBE_SPACE_LDS || info->space == PROBE_SPACE_FLAT;
	site->global = info->space != PROBE_SPACE_LDS;
	site->phases =
		lds_model_phases(kernel->model, info->unit, info->access == PROBE_ACCESS_STORE);
}

/* ---- From addresses to counters -------------------------------------------------------------- */

static void add_lines(struct last *sum, const struct lines *lines, uint32_t bytes)
{
	uint32_t needed64 = (bytes + 63) / 64, needed128 = (bytes + 127) / 128;

	sum->lines.quads += lines->quads;
	sum->lines.used64 += lines->used64;
	sum->lines.used128 += lines->used128;
	sum->needed64 += needed64;
	sum->needed128 += needed128;
	sum->excess64 += lines->used64 > needed64 ? lines->used64 - needed64 : 0;
	sum->excess128 += lines->used128 > needed128 ? lines->used128 - needed128 : 0;
}

static void add_lds(struct last *sum, const struct lds_cost *cost)
{
	sum->lds.passes += cost->passes;
	sum->lds.ideal += cost->ideal;
	sum->lds.way = cost->way > sum->lds.way ? cost->way : sum->lds.way;
}

/* Add what one execution cost, `times` times. */
static void add_sums(uint64_t *counters, const struct last *sum, uint64_t times)
{
	counters[PROBE_C_QUADS] += times * sum->lines.quads;
	counters[PROBE_C_LINES64] += times * sum->lines.used64;
	counters[PROBE_C_NEEDED64] += times * sum->needed64;
	counters[PROBE_C_EXCESS64] += times * sum->excess64;
	counters[PROBE_C_LINES128] += times * sum->lines.used128;
	counters[PROBE_C_NEEDED128] += times * sum->needed128;
	counters[PROBE_C_EXCESS128] += times * sum->excess128;
	counters[PROBE_C_PASSES] += times * sum->lds.passes;
	counters[PROBE_C_IDEAL_PASSES] += times * sum->lds.ideal;
	if (sum->lds.way > counters[PROBE_C_MAX_WAY])
		counters[PROBE_C_MAX_WAY] = sum->lds.way;
}

/* Lanes of a flat access by aperture: the high half of an address says which. */
static void split(const struct memory *memory, const struct probe_dispatch_info *dispatch,
		  uint64_t exec, uint64_t *global, uint64_t *lds)
{
	*global = *lds = 0;
	for (uint64_t rest = exec; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);
		uint32_t high = (uint32_t)(memory->addr[lane] >> 32);

		if (high == dispatch->lds_aperture && high)
			*lds |= 1ull << lane;
		else if (high != dispatch->scratch_aperture || !high)
			*global |= 1ull << lane;
	}
}

/* Addresses by lane. */
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

/* Visit the lanes. */
static void count_lanes(struct memory *memory, const struct kernel *kernel, const struct site *site,
			const struct probe_dispatch_info *dispatch,
			const struct probe_access *access, struct last *sum)
{
	uint64_t global = site->global ? access->exec : 0, lds = site->lds ? access->exec : 0;
	unsigned unit = site->unit;

	expand(memory, access);
	if (global && lds)
		split(memory, dispatch, access->exec, &global, &lds);
	for (unsigned k = 0; k < site->units; k++) {
		if (global) {
			struct lines lines = lines_count(kernel->wave, unit, global, memory->addr,
							 &memory->lines);

			add_lines(sum, &lines, (uint32_t)__builtin_popcountll(global) * unit);
		}
		if (lds) {
			struct lds_cost cost;

			/* As the device does: an odd address counts as the unit around it. */
			for (unsigned lane = 0; lane < 64; lane++)
				memory->addr32[lane] =
					(uint32_t)memory->addr[lane] & ~site->natural;
			cost = lds_count(kernel->model, site->phases, site->share, kernel->wave,
					 unit, lds, memory->addr32, &memory->lds);
			add_lds(sum, &cost);
		}
		for (unsigned lane = 0; lane < 64 && k + 1 < site->units; lane++)
			memory->addr[lane] += unit;
	}
}

/* One run of lanes at a stride, all global or all LDS: closed forms, where there are any. */
static bool count_closed(const struct kernel *kernel, const struct site *site,
			 const struct probe_access *access, struct last *sum)
{
	uint64_t exec = access->exec;
	unsigned first = (unsigned)__builtin_ctzll(exec), lanes = access->lanes;
	unsigned unit = site->unit;
	bool full = lanes == kernel->wave;

	if (site->global && site->lds)
		return false;
	if (exec >> first != (lanes == 64 ? ~0ull : (1ull << lanes) - 1))
		return false;
	for (unsigned k = 0; k < site->units; k++) {
		if (site->global) {
			struct lines lines;

			if (!lines_count_affine(kernel->wave, unit, first, lanes,
						access->base + k * unit, access->stride, &lines))
				return false;
			add_lines(sum, &lines, lanes * unit);
		} else if (site->lds) {
			struct lds_cost cost;

			if (!full ||
			    !lds_count_affine(kernel->model, site->phases, site->share,
					      kernel->wave, unit, (uint32_t)access->base + k * unit,
					      access->stride, &cost))
				return false;
			add_lds(sum, &cost);
		}
	}
	return true;
}

/* Keep some of the addresses that cost too much. */
static void keep(struct memory *memory, struct site *site, const struct probe_access *access,
		 const struct last *sum)
{
	bool lds = sum->lds.passes > sum->lds.ideal;

	if (!lds && !sum->excess64 && !sum->excess128)
		return;
	if (!site->trial && memory->trials < TRIALS_MAX) {
		site->trial = calloc(1, sizeof(*site->trial));
		memory->trials += site->trial != NULL;
	}
	if (!site->trial || site->trial->executions == TRIAL_EXECUTIONS)
		return;
	expand(memory, access);
	trial_add(site->trial, lds, access->wave ? access->wave->wave : 0, access->exec,
		  memory->addr);
}

static void flush(struct site *site)
{
	if (site->last.repeats)
		add_sums(site->counters, &site->last, site->last.repeats);
	site->last.repeats = 0;
}

/* Strides are kept as device counters keep them; 0 = none seen. */
static void add_stride(uint64_t *counters, int64_t stride)
{
	uint64_t high = PROBE_STRIDE_BIAS + (uint64_t)stride;
	uint64_t low = PROBE_STRIDE_BIAS - (uint64_t)stride;

	if (high > counters[PROBE_C_STRIDE_HI])
		counters[PROBE_C_STRIDE_HI] = high;
	if (low > counters[PROBE_C_STRIDE_LO])
		counters[PROBE_C_STRIDE_LO] = low;
}

/*
 * Moved by whole periods, an affine access costs the same, except where lanes choose between
 * apertures.
 */
static void count_affine(struct memory *memory, const struct kernel *kernel, struct site *site,
			 const struct probe_dispatch_info *dispatch,
			 const struct probe_access *access)
{
	struct last *last = &site->last;
	uint32_t base = (uint32_t)access->base & (PERIOD - 1);

	site->counters[PROBE_C_AFFINE]++;
	if (access->lanes > 1)
		add_stride(site->counters, access->stride);
	if (last->valid && last->exec == access->exec && last->stride == access->stride &&
	    last->base == base) {
		last->repeats++;
		return;
	}
	flush(site);
	*last = (struct last){.exec = access->exec, .stride = access->stride, .base = base};
	if (!count_closed(kernel, site, access, last)) {
		*last = (struct last){.exec = access->exec, .stride = access->stride, .base = base};
		count_lanes(memory, kernel, site, dispatch, access, last);
	}
	keep(memory, site, access, last);
	last->repeats = 1;
	last->valid = !(site->global && site->lds);
}

static void count_access(struct memory *memory, const struct kernel *kernel, struct site *site,
			 const struct probe_dispatch_info *dispatch,
			 const struct probe_access *access)
{
	site->counters[PROBE_C_EXECUTIONS]++;
	site->counters[PROBE_C_LANES] += access->lanes;
	if (access->form == PROBE_FORM_AFFINE) {
		count_affine(memory, kernel, site, dispatch, access);
	} else {
		struct last sum = {0};

		count_lanes(memory, kernel, site, dispatch, access, &sum);
		keep(memory, site, access, &sum);
		add_sums(site->counters, &sum, 1);
	}
}

/* ---- The plugin ------------------------------------------------------------------------------ */

static struct site *find_site(struct memory *memory, const struct kernel *kernel, uint32_t id)
{
	struct site *site;

	if (id >= kernel->site_count) {
		memory->invalid++;
		return NULL;
	}
	site = &kernel->sites[id];
	if (!site->known)
		learn(memory, kernel, id, site);
	memory->invalid += site->invalid;
	return site->invalid ? NULL : site;
}

static void take_counters(struct memory *memory, const struct kernel *kernel,
			  const struct probe_counter_row *row)
{
	struct site *site = find_site(memory, kernel, row->site);

	if (!site)
		return;
	for (unsigned i = 0; i < PROBE_C_ADDED; i++)
		site->counters[i] += row->value[i];
	for (unsigned i = PROBE_C_ADDED; i < PROBE_COUNTERS; i++)
		if (row->value[i] > site->counters[i])
			site->counters[i] = row->value[i];
}

static int memory_batch(void *state, const struct probe_batch *batch)
{
	struct memory *memory = state;
	const struct probe_dispatch_info *dispatch = batch->dispatch;
	struct kernel *kernel = find_kernel(memory, dispatch);
	struct site *site;

	if (!kernel)
		return -ENOMEM;
	if (kernel->row != dispatch->group[0])
		kernel->row = 0;
	if (kernel->items != group_items(dispatch))
		kernel->items = 0;
	if (batch->stream == PROBE_STREAM_COUNTERS) {
		for (size_t i = 0; i < batch->count; i++)
			take_counters(memory, kernel, &batch->counters[i]);
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

static int memory_open(const struct probe_host *host, void **state)
{
	struct memory *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return -ENOMEM;
	memory->host = host;
	*state = memory;
	return 0;
}

static const struct probe_column columns[] = {
	{"code_object", PROBE_TYPE_INTEGER},
	{"kernel", PROBE_TYPE_INTEGER},
	{"site", PROBE_TYPE_INTEGER},
	{"executions", PROBE_TYPE_INTEGER},
	{"lanes", PROBE_TYPE_INTEGER},
	{"quads", PROBE_TYPE_INTEGER},
	{"lines64", PROBE_TYPE_INTEGER},
	{"needed64", PROBE_TYPE_INTEGER},
	{"excess64", PROBE_TYPE_INTEGER},
	{"lines128", PROBE_TYPE_INTEGER},
	{"needed128", PROBE_TYPE_INTEGER},
	{"excess128", PROBE_TYPE_INTEGER},
	{"passes", PROBE_TYPE_INTEGER},
	{"ideal_passes", PROBE_TYPE_INTEGER},
	{"conflicts", PROBE_TYPE_INTEGER},
	{"max_way", PROBE_TYPE_INTEGER},
	{"affine", PROBE_TYPE_INTEGER},
	{"stride_lo", PROBE_TYPE_INTEGER},
	{"stride_hi", PROBE_TYPE_INTEGER},
	{"cause", PROBE_TYPE_TEXT},
	{"fix", PROBE_TYPE_TEXT},
	/* What the fix leaves per execution, counted; NULL if that could not be: before and after
	 * are 0 then, or an estimate. */
	{"verified", PROBE_TYPE_TEXT},
	{"before", PROBE_TYPE_REAL},
	{"after", PROBE_TYPE_REAL},
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static int write_row(struct memory *memory, int table, const struct kernel *kernel, uint32_t id)
{
	const struct probe_host *host = memory->host;
	const struct probe_site_info *info = host->site(host->ctx, kernel->code_object, id);
	const uint64_t *c = kernel->sites[id].counters;
	struct advice_site site = {
		.arch = kernel->arch,
		.counters = c,
		.access = (enum probe_access_kind)info->access,
		.bytes = info->bytes,
		.unit = info->unit,
		.wave = kernel->wave,
		.row = kernel->row,
		.items = kernel->items,
		.trial = kernel->sites[id].trial,
	};
	union probe_value values[COLUMNS] = {
		{.integer = kernel->code_object},
		{.integer = kernel->id},
		{.integer = id},
	};
	struct advice advice;
	size_t n = 3;

	advice_give(&site, &memory->lds, &advice);
	for (unsigned i = PROBE_C_EXECUTIONS; i <= PROBE_C_IDEAL_PASSES; i++)
		values[n++].integer = (int64_t)c[i];
	values[n++].integer = (int64_t)(c[PROBE_C_PASSES] - c[PROBE_C_IDEAL_PASSES]);
	values[n++].integer = (int64_t)c[PROBE_C_MAX_WAY];
	values[n++].integer = (int64_t)c[PROBE_C_AFFINE];
	/* Both 0 as well where no stride was seen. */
	values[n++].integer =
		c[PROBE_C_STRIDE_LO] ? (int64_t)(PROBE_STRIDE_BIAS - c[PROBE_C_STRIDE_LO]) : 0;
	values[n++].integer =
		c[PROBE_C_STRIDE_HI] ? (int64_t)(c[PROBE_C_STRIDE_HI] - PROBE_STRIDE_BIAS) : 0;
	values[n++].text = advice.cause;
	values[n++].text = advice.fix;
	values[n++].text = advice.verified ? advice.what : NULL;
	values[n++].real = advice.before;
	values[n++].real = advice.after;
	return host->row(host->ctx, table, values, n);
}

static int write_rows(struct memory *memory)
{
	const struct probe_host *host = memory->host;
	int table = host->table(host->ctx, "site", columns, COLUMNS);
	int err = table < 0 ? table : 0;

	for (size_t k = 0; k < memory->count && !err; k++) {
		struct kernel *kernel = memory->kernels[k];

		for (uint32_t id = 0; id < kernel->site_count && !err; id++) {
			flush(&kernel->sites[id]);
			if (kernel->sites[id].counters[PROBE_C_EXECUTIONS])
				err = write_row(memory, table, kernel, id);
		}
	}
	return err;
}

static int memory_close(void *state)
{
	struct memory *memory = state;
	const struct probe_host *host = memory->host;
	int err = write_rows(memory);

	if (memory->invalid)
		host->log(host->ctx, PROBE_LOG_WARNING,
			  "memory: %llu records of sites that do not exist were left out",
			  (unsigned long long)memory->invalid);
	for (size_t i = 0; i < memory->count; i++) {
		for (uint32_t id = 0; id < memory->kernels[i]->site_count; id++)
			free(memory->kernels[i]->sites[id].trial);
		free(memory->kernels[i]->sites);
		free(memory->kernels[i]);
	}
	free(memory->kernels);
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
	.close = memory_close,
};
