/* SPDX-License-Identifier: MIT */
/*
 * Runs a compute unit from event to event: the slots in which its waves continue, workgroups that
 * start, and samples.
 */
#include "simgpu/time/compute_unit.h"

#include "simgpu/mem/freed_memory.h"
#include "simgpu/time/unit_workgroups.h"
#include "simgpu/time/issue_slots.h"
#include "simgpu/time/wave_issue.h"
#include "simgpu/time/wave_progress.h"
#include "simgpu/time/pc_sampler.h"
#include "simgpu/time/value_waits.h"

enum { HOST_LINE = 64 };

/* True if the unit could start another workgroup but has none. */
static bool starves(struct time_cu *cu)
{
	if (!cu->has_space || cu->slots_busy)
		return false;
	time_groups_start(cu);
	if (cu->slots_busy)
		return false;
	cu->has_space = !cu->backlog.count && cu->time->unassigned && time_cu_fits(cu);
	return cu->has_space;
}

/* Processes events up to `until`; false if none is left before it. */
static bool run_events(struct time_cu *cu, uint64_t until)
{
	enum { ROUNDS = 1024 }; /* until the caller looks whether the dispatch was stopped */

	for (uint32_t rounds = 0; rounds < ROUNDS; rounds++) {
		const uint64_t next = cu->next;
		struct time_wave *w;

		if (cu->wake <= next && cu->wake < until) {
			if (cu->tick < cu->wake)
				time_sampler_run(cu, cu->wake);
			time_cu_wake(cu);
			return true;
		}
		if (cu->tick < next)
			time_sampler_run(cu, next);
		if (next >= until)
			return false;
		cu->now = next;
		w = time_wave_take(cu);
		if (w)
			time_wave_issue(cu, w);
		if (cu->has_space | cu->held | cu->stored)
			return true;
	}
	return true;
}

static enum time_cu_state run(struct time_cu *cu, uint64_t until)
{
	do {
		if (starves(cu))
			return CU_STARVED;
		if (cu->held || cu->stored)
			return CU_HELD;
	} while (run_events(cu, until) && !sim_dispatch_stopped(cu->dispatch));
	return CU_REACHED;
}

void time_cu_prefetch(const struct time_cu *cu)
{
	const char *at = (const char *)cu, *end = (const char *)cu->waves;

	for (; at < end; at += HOST_LINE)
		__builtin_prefetch(at, 1);
}

void time_cu_run(struct time_cu *cu)
{
	const uint64_t until = cu->time->until;

	if (cu->based != until) {
		time_slots_rebase(cu, cu->time->from & -(uint64_t)SIM_SLOT);
		cu->based = until;
	}
	cu->memory_epoch = sim_memory_enter();
	cu->state = run(cu, until);
	sim_memory_leave(cu->memory_epoch);
}

static struct time_wave *held_wave(struct time_cu *cu)
{
	for (uint32_t s = 0; s < SIM_SIMDS; s++)
		for (uint32_t i = 0; i < cu->simd[s].count; i++)
			if (cu->simd[s].wave[i]->state == TIME_HELD)
				return cu->simd[s].wave[i];
	return NULL;
}

/* Units that had reached the end of the epoch, and have a wave again. */
static void run_woken(struct sim_time *time)
{
	for (uint32_t i = 0; i < time->count && time->places.woken; i++) {
		struct time_cu *cu = time->cu[time->cus[i]];

		if (!cu->woken)
			continue;
		cu->woken = false;
		time->places.woken--;
		cu->state = CU_RUNS;
		time_cu_run(cu);
	}
}

bool time_cu_turn(struct time_cu *cu)
{
	struct time_wave *w = held_wave(cu);

	cu->stored = false;
	time_values_look(cu->time, cu->now);
	if (w) {
		w->state = TIME_RUNS;
		cu->held--;
		time_value_tries_begin(w);
	}
	if (w && !time_value_waits(cu, w)) {
		cu->memory_epoch = sim_memory_enter();
		time_wave_refill(cu, w, true);
		sim_memory_leave(cu->memory_epoch);
		/* The wave continues in the same slot in which it was held. */
		time_wave_wait(cu, w, cu->now);
		time_value_tried(cu, w);
	}
	run_woken(cu->time);
	return !sim_dispatch_stopped(cu->dispatch);
}
