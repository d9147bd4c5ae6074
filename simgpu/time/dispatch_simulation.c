/* SPDX-License-Identifier: MIT */
/*
 * Simulates a dispatch in simulated time. The units run in parallel within an epoch; at its end the
 * L2 is updated with what they touched.
 *
 * Within an epoch a unit stops if it needs a workgroup, or if it holds a wave whose next
 * instruction must be ordered in time with the other units. The earliest such unit continues when
 * every other unit is at a later time. This order depends only on simulated time, so the result is
 * the same for any number of host threads.
 */
#include "simgpu/time/dispatch_simulation.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "simgpu/base/backoff.h"
#include "simgpu/base/device_clock.h"
#include "simgpu/base/parallel_for.h"
#include "simgpu/base/sim_log.h"
#include "simgpu/base/sim_options.h"
#include "simgpu/base/hardware_queue.h"
#include "simgpu/time/compute_unit.h"
#include "simgpu/time/l2_cache.h"
#include "simgpu/time/unit_workgroups.h"
#include "simgpu/time/wave_progress.h"
#include "simgpu/time/pc_sampler.h"
#include "simgpu/time/value_waits.h"

enum {
	EPOCH = 1024,	  /* cycles per epoch */
	MEASURED = 8192,  /* cycles over which the load of channels is measured, at least */
	ALONE_NS = 15000, /* before that the owner runs all units alone, because waking a thread
			   * takes as long */
	IDLE_INSTS = 32,  /* instructions per s_sleep up to which the waves are considered to be
			   * only waiting */
};

void sim_time_destroy(struct sim_time *time)
{
	if (!time)
		return;
	time_caches_destroy(time);
	free(time);
}

static struct sim_time *time_create(void)
{
	struct sim_time *time = calloc(1, sizeof(*time));

	if (!time)
		return NULL;
	if (time_caches_create(time))
		return time;
	sim_time_destroy(time);
	return NULL;
}

/* 1/256 cycles that 64 bytes take of a unit's share of the device's rate. */
static uint32_t share(uint32_t rate, uint32_t units)
{
	uint32_t bytes = rate / units;

	if (bytes > sim_time_cost.cu_most)
		bytes = sim_time_cost.cu_most;
	return (uint32_t)(64ull * 256 * 1024 / bytes);
}

static bool allowed(const struct sim_queue *queue, uint32_t cu)
{
	return !queue->masked || (queue->cu_mask[cu / 32] >> (cu % 32) & 1);
}

/*
 * Chooses the units in use: at most as many as there are workgroups, or parts of the scratch
 * memory.
 */
static bool take_units(struct sim_dispatch *dispatch, struct sim_time *time)
{
	uint64_t most = dispatch->launch.total;
	uint32_t part;

	if (dispatch->launch.scratch.wave_bytes && most > dispatch->schedule.scratch_slots)
		most = dispatch->schedule.scratch_slots;
	time->count = 0;
	for (uint32_t cu = 0; cu < sim_device()->cus && time->count < most; cu++) {
		if (!allowed(dispatch->queue, cu))
			continue;
		time->cu[cu] = time_cu_acquire(dispatch, time, cu);
		if (!time->cu[cu])
			return false;
		time->cus[time->count++] = cu;
	}
	part = time->count ? dispatch->schedule.scratch_slots / time->count : 0;
	if (part > SIM_CU_WAVES)
		part = SIM_CU_WAVES;
	for (uint32_t i = 0; i < time->count; i++) {
		struct time_cu *cu = time->cu[time->cus[i]];

		cu->scratch_first = i * part;
		cu->scratch_count = part;
		cu->has_space = true;
	}
	return time->count;
}

static void prepare(struct sim_dispatch *dispatch, struct sim_time *time)
{
	const struct sim_queue *queue = dispatch->queue;
	uint32_t every = dispatch->launch.waves > 2 ? sim_time_cost.group_every_large
						    : sim_time_cost.group_every;

	time->want = (struct sim_place_request){
		.gpu = queue->node - SIM_NODE_GPU,
		.waves = dispatch->launch.waves,
		.lds_bytes = dispatch->launch.lds_bytes,
		.vgprs = dispatch->launch.kernel.vgprs + dispatch->launch.kernel.agprs,
		.cu_mask = queue->masked ? queue->cu_mask : NULL,
		.queue = queue->id,
	};
	time->next_group = 0;
	time->unassigned = dispatch->launch.total;
	time->l2_read = share(sim_time_cost.l2_read, time->count);
	time->l2_write = share(sim_time_cost.l2_write, time->count);
	time->hbm = time->hbm_alone = share(sim_time_cost.hbm_rate, time->count);
	if (time->mall.sets)
		time->mall_rate = share(sim_time_cost.mall_rate, time->count);
	time->group_every = every * time->count / 4;
	for (uint32_t i = 0; i < time->count; i++)
		time->cu[time->cus[i]]->next_start = every * i / 4;
	for (uint32_t i = 0; i < TIME_CHANNELS; i++)
		time->contention[i] = time->memory_contention[i] = CONTENTION_NONE;
}

/*
 * ---- Assigning workgroups ---------------------------------------------------------------------
 */

static bool before(const struct time_cu *a, const struct time_cu *b)
{
	return a->now < b->now || (a->now == b->now && a->number < b->number);
}

/* Units that wait for a workgroup, the longest-waiting first. */
static uint32_t starved(const struct sim_time *time, struct time_cu **ret)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < time->count; i++) {
		struct time_cu *cu = time->cu[time->cus[i]];
		uint32_t at = count;

		if (cu->state != CU_STARVED)
			continue;
		count++;
		for (; at && before(cu, ret[at - 1]); at--)
			ret[at] = ret[at - 1];
		ret[at] = cu;
	}
	return count;
}

/*
 * Each of k units gets `batch` of the next workgroups, every k-th, as if they had been assigned one
 * by one. At first that is what fills the units; later it is one, so that the workgroups that run
 * at a time are neighbours, and find in the L2 what they share [HW seis].
 */
static void assign(struct sim_time *time, uint64_t batch)
{
	struct time_cu *unit[SIM_CUS_MOST];
	uint32_t count = starved(time, unit);
	uint64_t assigned;

	if (!count)
		return;
	if (batch > time->unassigned / count)
		batch = time->unassigned / count;
	batch += !batch;
	assigned = batch * count < time->unassigned ? batch * count : time->unassigned;
	for (uint32_t i = 0; i < count; i++) {
		unit[i]->backlog = (struct time_backlog){
			.first = time->next_group + i,
			.stride = count,
			.count = assigned > i ? (assigned - i - 1) / count + 1 : 0,
		};
		unit[i]->state = CU_RUNS;
	}
	time->next_group += assigned;
	time->unassigned -= assigned;
}

/* Number of workgroups that fit on one unit. */
static uint64_t fill_of(const struct sim_time *time)
{
	struct sim_place_request want = time->want;

	want.cu_mask = NULL;
	return sim_place_capacity(&want) / sim_device()->cus;
}

/* Samples are taken if a session is open; without memory for them there are none. */
static void begin_samplers(struct sim_dispatch *dispatch, struct sim_time *time)
{
	struct sim_sampling how = sim_sampling_get(time->want.gpu);
	uint64_t groups = (time->unassigned + time->count - 1) / time->count, fill = fill_of(time);

	time->sampled = how.session && !dispatch->timing.upload;
	if (fill && groups > fill)
		groups = fill;
	for (uint32_t i = 0; i < time->count && time->sampled; i++)
		time->sampled = time_sampler_begin(time->cu[time->cus[i]], &how,
						   (uint32_t)groups * dispatch->launch.waves);
	for (uint32_t i = 0; i < time->count && !time->sampled; i++)
		time->cu[time->cus[i]]->tick = TIME_NEVER;
}

/* ---- Epochs ---------------------------------------------------------------- */

struct round {
	struct time_cu *unit[SIM_CUS_MOST];
	uint32_t count;
};

static void run_one(void *ctx, uint32_t i)
{
	struct round *round = ctx;

	if (i + 1 < round->count)
		time_cu_prefetch(round->unit[i + 1]);
	time_cu_run(round->unit[i]);
}

static bool run_units(struct sim_dispatch *dispatch, struct sim_time *time)
{
	struct round round = {.count = 0};

	for (uint32_t i = 0; i < time->count; i++) {
		struct time_cu *cu = time->cu[time->cus[i]];

		if (cu->state == CU_RUNS)
			round.unit[round.count++] = cu;
	}
	if (round.count > 1 && sim_clock_ns() - dispatch->timing.host_start_ns > ALONE_NS)
		sim_parallel_for(run_one, &round, round.count);
	else
		for (uint32_t i = 0; i < round.count; i++)
			run_one(&round, i);
	return round.count;
}

/* The unit with the earliest wave that waits for the other units. */
static struct time_cu *next_held(const struct sim_time *time)
{
	struct time_cu *first = NULL;

	for (uint32_t i = 0; i < time->count; i++) {
		struct time_cu *cu = time->cu[time->cus[i]];

		if (cu->state == CU_HELD && (!first || before(cu, first)))
			first = cu;
	}
	return first;
}

static void release_grid(struct sim_time *time, uint64_t now)
{
	for (uint32_t i = 0; i < time->count; i++) {
		struct time_cu *cu = time->cu[time->cus[i]];

		time_cu_grid_release(cu, now);
		if (cu->state == CU_REACHED)
			cu->state = CU_RUNS;
	}
}

/*
 * Executes the instruction of the earliest held wave and lets its unit continue, until a unit needs
 * something else; false if no wave is held.
 */
static bool serve_held(struct sim_dispatch *dispatch, struct sim_time *time)
{
	uint32_t round = dispatch->grid_sync.round;
	struct time_cu *cu;

	/* Most of these units are then held again, and no other one has anything to do. */
	do {
		cu = next_held(time);
		if (!cu || sim_dispatch_stopped(dispatch))
			return false;
		time_cu_turn(cu);
		cu->state = CU_RUNS;
		if (dispatch->grid_sync.round != round)
			release_grid(time, cu->now);
		else if (!cu->held)
			time_cu_run(cu);
		else
			cu->state = CU_HELD;
	} while (cu->state == CU_HELD || cu->state == CU_REACHED);
	return true;
}

static void run_epoch(struct sim_dispatch *dispatch, struct sim_time *time)
{
	for (uint32_t i = 0; i < time->count; i++) {
		struct time_cu *cu = time->cu[time->cus[i]];

		cu->slots_busy = false;
		if (cu->state == CU_REACHED)
			cu->state = CU_RUNS;
	}
	time_values_epoch(time);
	do
		assign(time, 1);
	while (run_units(dispatch, time) || serve_held(dispatch, time));
}

/* The cycle of the next event; returns whether any unit has work left. */
static bool find_next(const struct sim_time *time, uint64_t *ret)
{
	bool left = time->unassigned;

	*ret = TIME_NEVER;
	for (uint32_t i = 0; i < time->count; i++) {
		const struct time_cu *cu = time->cu[time->cus[i]];

		left |= cu->live || cu->backlog.count;
		*ret = cu->wake < *ret ? cu->wake : *ret;
		*ret = cu->next < *ret ? cu->next : *ret;
	}
	return left;
}

/*
 * True if the waves only waited since the window began: counts instructions, without those of
 * waiting loops.
 */
static bool only_waited(struct sim_time *time, uint64_t *last_insts, uint64_t *last_sleeps)
{
	uint64_t insts = 0, sleeps = 0;
	bool waited;

	for (uint32_t i = 0; i < time->count; i++) {
		const struct time_cu *cu = time->cu[time->cus[i]];

		insts += cu->counters.insts + cu->steps;
		sleeps += cu->sleeps;
	}
	waited = insts - *last_insts <= (sleeps - *last_sleeps) * IDLE_INSTS;
	*last_insts = insts;
	*last_sleeps = sleeps;
	return waited;
}

/*
 * A kernel that waits for the host, or for another queue, waits in real time. Work of the host
 * takes no simulated time, and the host is not as slow as this simulation. So little simulated time
 * should pass meanwhile.
 */
static void wait_for_host(uint64_t *us)
{
	enum { FIRST_US = 10, MOST_US = 1280 };

	*us = *us < FIRST_US ? FIRST_US : *us < MOST_US ? 2 * *us : MOST_US;
	sim_sleep_us(*us);
}

static void run_all(struct sim_dispatch *dispatch, struct sim_time *time)
{
	enum { YIELD_WINDOWS = 16 };
	uint64_t next = 0, insts = 0, sleeps = 0, windows = 0, measured = 0, waited_us = 0;

	for (uint32_t i = 0; i < time->count; i++)
		time->cu[time->cus[i]]->state = CU_STARVED;
	assign(time, fill_of(time));
	do {
		time->from = next == TIME_NEVER ? time->until : next;
		time->until = time->from + EPOCH;
		run_epoch(dispatch, time);
		time_values_crowd(time);
		time_l2_merge(time);
		if (time->sampled)
			time_samplers_deliver(time);
		if (time->until - measured < MEASURED)
			continue;
		measured = time->until;
		time_l2_measure(time);
		if (only_waited(time, &insts, &sleeps))
			wait_for_host(&waited_us);
		else
			waited_us /= 2; /* the kernel may soon wait again */
		/* It may spin for a kernel of another queue, whose thread needs to run. */
		if (!(++windows % YIELD_WINDOWS))
			sched_yield();
	} while (find_next(time, &next) && !sim_dispatch_stopped(dispatch));
}

static void add(void *sum, const void *part, size_t size)
{
	const uint64_t *from = part;
	uint64_t *to = sum;

	for (size_t i = 0; i < size / sizeof(*to); i++)
		to[i] += from[i];
}

/*
 * Every issued instruction was executed, so the counts per class are those of the instruction set.
 */
static void count_classes(struct sim_dispatch *dispatch)
{
	struct sim_time_counters *to = &dispatch->timing.counters;
	const struct sim_counters *c = &dispatch->counters;

	to->insts = c->insts;
	to->insts_valu = c->valu;
	to->insts_salu = c->salu;
	to->insts_smem = c->smem;
	to->insts_vmem = c->vmem + c->flat;
	to->insts_lds = c->lds + c->flat_lds;
	to->insts_branch = c->branch;
	to->insts_internal = c->other;
}

/* The hardware counts these per group of four cycles. */
static void count_quads(struct sim_time_counters *to)
{
	to->wave_cycles /= SIM_SLOT;
	to->valu_busy /= SIM_SLOT;
}

static void finish(struct sim_dispatch *dispatch, struct sim_time *time)
{
	uint64_t halves = time_l2_flush(time);

	if (sim_time_cost.l2_emptied)
		dispatch->timing.counters.tcc_ea_write += halves;
	for (uint32_t i = 0; i < time->count; i++) {
		struct time_cu *cu = time->cu[time->cus[i]];

		time_cu_drop(cu);
		add(&dispatch->counters, &cu->isa, sizeof(cu->isa));
		add(&dispatch->timing.counters, &cu->counters, sizeof(cu->counters));
		if (cu->end > dispatch->timing.cycles)
			dispatch->timing.cycles = cu->end;
		time_cu_release(cu);
	}
	time->count = 0;
	time_values_reset(time);
	dispatch->timing.counters.busy_cycles = dispatch->timing.cycles;
	count_classes(dispatch);
	count_quads(&dispatch->timing.counters);
}

int sim_time_run(struct sim_dispatch *dispatch)
{
	struct sim_dispatch_timing *timing = &dispatch->timing;
	struct sim_time *time = timing->model;
	bool host_clock = !timing->start_cycle;
	int err = 0;

	if (!time)
		time = timing->model = time_create();
	if (!time || !take_units(dispatch, time)) {
		sim_print("no memory for the cost model of a dispatch");
		atomic_store_explicit(&dispatch->stop, true, memory_order_release);
		err = -ENOMEM;
	} else {
		if (host_clock)
			timing->start_cycle = sim_clock_cycles();
		prepare(dispatch, time);
		begin_samplers(dispatch, time);
		run_all(dispatch, time);
	}
	if (time)
		finish(dispatch, time);
	if (host_clock)
		timing->start_cycle = 0;
	return err;
}
