/* SPDX-License-Identifier: MIT */
/*
 * Runs a compute unit from slot to slot: the issue slots of its SIMDs, and the events for which it
 * stops.
 */
#include "simgpu/time/compute_unit.h"

#include "simgpu/time/unit_workgroups.h"
#include "simgpu/time/issue_slots.h"
#include "simgpu/time/wave_progress.h"
#include "simgpu/time/pc_sampler.h"
#include "simgpu/time/value_waits.h"

/* True if the unit could start another workgroup but has none. */
static bool starves(struct time_cu *cu)
{
	struct sim_place place;

	if (!cu->has_space || cu->slots_busy)
		return false;
	time_groups_start(cu);
	if (cu->slots_busy)
		return false;
	cu->has_space = !cu->backlog.count && cu->time->unassigned &&
			time_cu_fits(cu, cu->time->next_group, &place);
	return cu->has_space;
}

/*
 * Processes the slots of all SIMDs in one group of four cycles; false if another event must be
 * handled first.
 */
static bool run_slots(struct time_cu *cu, uint64_t first)
{
	for (uint32_t i = 0; i < SIM_SIMDS; i++) {
		if (cu->simd[i].next != first + i)
			continue;
		cu->now = first + i;
		time_simd_slot(cu, i, cu->now);
		if (cu->has_space | cu->held | cu->stored)
			return false;
	}
	return true;
}

static uint64_t first_slot(const struct time_cu *cu)
{
	uint64_t a = cu->simd[0].next < cu->simd[1].next ? cu->simd[0].next : cu->simd[1].next;
	uint64_t b = cu->simd[2].next < cu->simd[3].next ? cu->simd[2].next : cu->simd[3].next;

	return a < b ? a : b;
}

void time_cu_run(struct time_cu *cu)
{
	const uint64_t until = cu->time->until;

	if (cu->based != until) {
		time_slots_rebase(cu, cu->time->from & -(uint64_t)SIM_SLOT);
		cu->based = until;
	}
	for (uint32_t rounds = 0;; rounds++) {
		uint64_t next;
		bool woken;

		if (starves(cu)) {
			cu->state = CU_STARVED;
			return;
		}
		if (cu->held || cu->stored) {
			cu->state = CU_HELD;
			return;
		}
		do {
			next = first_slot(cu);
			woken = cu->wake <= next && cu->wake < until;
			if (woken) {
				if (cu->tick < cu->wake)
					time_sampler_run(cu, cu->wake);
				time_cu_wake(cu);
				break;
			}
			if (cu->tick < next)
				next = time_sampler_run(cu, next);
		} while (next < until && ++rounds & 1023 &&
			 run_slots(cu, next & -(uint64_t)SIM_SLOT));
		if ((next >= until && !woken) || sim_dispatch_stopped(cu->dispatch)) {
			cu->state = CU_REACHED;
			return;
		}
	}
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
	}
	if (w && !time_value_waits(cu, w)) {
		time_wave_refill(cu, w, true);
		/*
		 * The wave issues in the same slot in which it was held, if its unit is still free
		 * there.
		 */
		time_wave_wait(cu, w, cu->now);
		time_value_tried(cu, w);
	}
	run_woken(cu->time);
	return !sim_dispatch_stopped(cu->dispatch);
}
