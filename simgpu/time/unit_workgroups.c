/* SPDX-License-Identifier: MIT */
/*
 * Workgroups of a compute unit, from start to end, and the units themselves, which are kept for the
 * next dispatch.
 */
#include "simgpu/time/unit_workgroups.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "simgpu/base/sim_options.h"
#include "simgpu/time/l2_cache.h"
#include "simgpu/time/memory_latency.h"
#include "simgpu/time/issue_slots.h"
#include "simgpu/time/pc_sampler.h"
#include "simgpu/time/wave_progress.h"

enum {
	QUANTUM = 1024, /* instructions that a wave runs at a time */
	HUGE_PAGE = 2 << 20,
	HOST_LINE = 64,
	SOME_WORDS = 24, /* of a trace */
};

static void add_isa(struct sim_counters *sum, struct sim_counters *part)
{
	uint64_t *from = (uint64_t *)part, *to = (uint64_t *)sum;

	for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
	*part = (struct sim_counters){0};
}

void time_group_leave_slot(struct time_cu *cu, struct time_group *group)
{
	if (!group->slot)
		return;
	add_isa(&cu->isa, &group->slot->counters);
	sim_workgroup_free(group->slot);
	group->slot = NULL;
}

static uint32_t group_bit(const struct time_cu *cu, const struct time_group *group)
{
	return 1u << (group - cu->groups);
}

static void release_group(struct time_cu *cu, struct time_group *group)
{
	time_group_leave_slot(cu, group);
	cu->place -= group->place.held;
	sim_place_release(&group->claim);
	if (cu->dispatch->launch.scratch.wave_bytes)
		cu->scratch_taken &= ~((uint64_t)1 << (group->scratch_slot - cu->scratch_first));
	cu->has_space = true;
	cu->groups_used &= ~group_bit(cu, group);
}

static void wake_at(struct time_cu *cu, uint64_t when)
{
	cu->wake = when < cu->wake ? when : cu->wake;
}

/*
 * Its last wave has ended. Its wave slots, registers and LDS are free when its stores are complete.
 */
void time_group_done(struct time_cu *cu, struct time_group *group)
{
	if (group->done > cu->now) {
		cu->groups_ending |= group_bit(cu, group);
		wake_at(cu, group->done);
	} else {
		release_group(cu, group);
	}
}

void time_cu_wake(struct time_cu *cu)
{
	uint32_t ending = cu->groups_ending;

	cu->now = later(cu->now, cu->wake);
	cu->wake = TIME_NEVER;
	cu->has_space = true;
	cu->groups_ending = 0;
	for (; ending; ending &= ending - 1)
		time_group_done(cu, &cu->groups[__builtin_ctz(ending)]);
}

/* ---- Allocation of units --------------------------------------------------------------- */

static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
static struct time_cu *free_cus;

/*
 * Cleared memory that is never returned. Units are used in turn, and what all of them hold is more
 * than the host's caches and address translation cover in pages of 4 KiB. So it is taken from huge
 * pages.
 */
static void *take_memory(size_t size)
{
	static char *next, *end;
	void *ret;

	size = (size + 63) & ~(size_t)63;
	if ((size_t)(end - next) < size) {
		next = aligned_alloc(HUGE_PAGE, HUGE_PAGE);
		end = next ? next + HUGE_PAGE : NULL;
		if (!next)
			return NULL;
		madvise(next, HUGE_PAGE, MADV_HUGEPAGE);
	}
	ret = memset(next, 0, size);
	next += size;
	return ret;
}

/* Most kernels do not use all wave slots. */
struct sim_trace *time_slot_trace(struct time_cu *cu, uint32_t slot)
{
	if (cu->traces[slot])
		return cu->traces[slot];
	pthread_mutex_lock(&free_lock);
	cu->traces[slot] = take_memory(sizeof(*cu->traces[slot]));
	pthread_mutex_unlock(&free_lock);
	return cu->traces[slot];
}

/* ---- Workgroups ----------------------------------------------------------------------------- */

static bool has_scratch(const struct time_cu *cu)
{
	return !cu->dispatch->launch.scratch.wave_bytes ||
	       (uint32_t)__builtin_popcountll(cu->scratch_taken) != cu->scratch_count;
}

bool time_cu_fits(const struct time_cu *cu)
{
	return has_scratch(cu) && sim_place_fits(&cu->time->want, cu->place);
}

/* The slots of a workgroup, if it fits. */
static bool find_place(const struct time_cu *cu, uint64_t number, struct sim_place *ret)
{
	struct sim_place_request want = cu->time->want;

	want.number = number;
	return has_scratch(cu) && sim_place_fit(&want, cu->number, cu->place, ret);
}

/* The number of the wave slot of a unit that a workgroup's wave has. */
static uint32_t slot_of(const struct sim_place *place, uint32_t wave)
{
	uint32_t hw_id = place->hw_id[wave];

	return (hw_id >> 4 & 3) * SIM_SIMD_WAVES + (hw_id & 15);
}

static void start_wave(struct time_cu *cu, struct time_group *group, uint32_t i)
{
	uint32_t number = slot_of(&group->place, i);
	struct time_wave *w = &cu->waves[number];
	struct time_simd *simd;

	w->simd = (uint8_t)(number / SIM_SIMD_WAVES);
	simd = &cu->simd[w->simd];
	w->trace = cu->traces[number];
	w->at = w->end = w->last = NULL;
	w->code = NULL;
	w->barrier = false;
	w->state = TIME_RUNS;
	w->reason = WAIT_ARBITER;
	w->group = group;
	w->index = i;
	w->vm_count = w->lgkm_count = 0;
	w->last_vm = w->last_lgkm = 0;
	w->trapped = 0;
	w->poll = (struct time_poll){0};
	w->tried = false;
	w->start = cu->now;
	time_sampler_forget(cu, w);
	group->wave[i] = w;
	w->position = (uint8_t)simd->count;
	simd->wave[simd->count++] = w;
	if (!cu->live++)
		cu->busy_from = later(cu->now, cu->busy_until);
	time_wave_refill(cu, w, false);
	time_wave_wait(cu, w, cu->now + sim_time_cost.group_start);
	/* Counted as a wait of the first instruction. */
	w->ready = cu->now;
	w->reason = WAIT_NO_INSTRUCTION;
}

/* What the start of a wave and most traces use. The host's nearer caches do not hold all waves. */
static void prefetch_wave(const struct time_wave *w, const struct sim_trace *trace)
{
	const char *at = (const char *)w;

	for (; at <= (const char *)&w->vm[2]; at += HOST_LINE)
		__builtin_prefetch(at, 1);
	__builtin_prefetch(w->lgkm, 1);
	__builtin_prefetch(trace, 1);
	__builtin_prefetch(trace->run, 1);
	for (at = (const char *)trace->word; at < (const char *)&trace->word[SOME_WORDS];
	     at += HOST_LINE)
		__builtin_prefetch(at, 1);
}

static bool has_traces(struct time_cu *cu, const struct sim_place *place)
{
	for (uint32_t i = 0; i < cu->time->want.waves; i++) {
		uint32_t slot = slot_of(place, i);
		const struct sim_trace *trace = time_slot_trace(cu, slot);

		if (!trace)
			return false;
		prefetch_wave(&cu->waves[slot], trace);
	}
	return true;
}

/* False if it cannot start now, for lack of memory or of free wave slots. */
static bool start_group(struct time_cu *cu, uint64_t number, const struct sim_place *place)
{
	struct time_group *group = &cu->groups[__builtin_ctz(~cu->groups_used)];
	struct sim_place_request want = cu->time->want;
	struct sim_workgroup *slot = NULL;

	if (has_traces(cu, place))
		slot = sim_workgroup_alloc();
	want.number = number;
	group->place = group->claim = *place;
	if (!slot || !sim_place_claim(&want, &group->claim)) {
		if (slot)
			sim_workgroup_free(slot);
		return false;
	}
	group->scratch_slot = 0;
	group->number = number;
	if (cu->dispatch->launch.scratch.wave_bytes) {
		uint32_t free = (uint32_t)__builtin_ctzll(~cu->scratch_taken);

		cu->scratch_taken |= (uint64_t)1 << free;
		group->scratch_slot = cu->scratch_first + free;
	}
	slot->number = number;
	slot->place = group->claim;
	slot->scratch_slot = group->scratch_slot;
	sim_workgroup_start(cu->dispatch, slot);
	group->slot = slot;
	group->waves = group->live = group->running = slot->waves;
	group->waiting = 0;
	group->done = 0;
	cu->place += place->held;
	cu->groups_used |= group_bit(cu, group);
	for (uint32_t i = 0; i < group->waves; i++)
		start_wave(cu, group, i);
	time_group_run_ahead(cu, group);
	return true;
}

/* Starts the workgroups that fit. */
void time_groups_start(struct time_cu *cu)
{
	struct time_backlog *backlog = &cu->backlog;
	struct sim_place place;

	while (backlog->count && find_place(cu, backlog->first, &place)) {
		if (cu->now < cu->next_start) {
			wake_at(cu, cu->next_start);
			break;
		}
		cu->next_start = later(cu->next_start, cu->now) + cu->time->group_every;
		if (!start_group(cu, backlog->first, &place)) {
			cu->slots_busy = true;
			return;
		}
		backlog->first += backlog->stride;
		backlog->count--;
	}
	cu->has_space = false;
}

struct time_cu *time_cu_acquire(struct sim_dispatch *dispatch, struct sim_time *time,
				uint32_t number)
{
	struct time_cu *cu;

	pthread_mutex_lock(&free_lock);
	cu = free_cus;
	if (cu)
		free_cus = cu->next_free;
	else
		cu = take_memory(sizeof(*cu));
	pthread_mutex_unlock(&free_lock);
	if (!cu)
		return NULL;
	if (!cu->touched.index && !time_touched_init(&cu->touched)) {
		time_cu_release(cu);
		return NULL;
	}
	for (uint32_t i = 0; i < SIM_CU_WAVES; i++)
		cu->waves[i].group = NULL;
	cu->touched.count = 0;
	memset(cu->touched.index, 0, cu->touched.size * sizeof(*cu->touched.index));
	/* All fields between these two start at zero. */
	memset(&cu->dispatch, 0,
	       offsetof(struct time_cu, touched) - offsetof(struct time_cu, dispatch));
	for (uint32_t i = 0; i < SIM_SIMDS; i++)
		cu->simd[i] = (struct time_simd){
			.when = {[0 ... SIM_SIMD_WAVES - 1] = TIME_NEVER},
		};
	time_l1_invalidate(cu);
	time_scalar_invalidate(cu);
	time_slots_rebase(cu, 0);
	cu->next = cu->tick = cu->wake = TIME_NEVER;
	cu->dispatch = dispatch;
	cu->time = time;
	cu->number = number;
	/* Workgroups go to the dies in turn. */
	cu->l2_set = number % time->l2.dies * time->l2.sets;
	cu->pcs = sim_options()->pc;
	cu->quantum = sim_options()->quantum < QUANTUM ? (uint32_t)sim_options()->quantum : QUANTUM;
	return cu;
}

void time_cu_drop(struct time_cu *cu)
{
	for (uint32_t used = cu->groups_used; used; used &= used - 1)
		release_group(cu, &cu->groups[__builtin_ctz(used)]);
}

void time_cu_release(struct time_cu *cu)
{
	pthread_mutex_lock(&free_lock);
	cu->next_free = free_cus;
	free_cus = cu;
	pthread_mutex_unlock(&free_lock);
}
