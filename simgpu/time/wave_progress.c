/* SPDX-License-Identifier: MIT */
/*
 * The functional execution of a wave, and its lifetime on the unit. A wave runs ahead in pieces:
 * when its trace is used up, it runs until something stops it or the piece is long enough. At a
 * barrier the waves of a workgroup run on together, while their registers are in the host's cache.
 */
#include "simgpu/time/wave_progress.h"

#include "simgpu/base/sim_options.h"
#include "simgpu/mem/freed_memory.h"
#include "simgpu/time/idle_polls.h"
#include "simgpu/time/unit_workgroups.h"
#include "simgpu/time/pc_sampler.h"
#include "simgpu/time/issue_slots.h"
#include "simgpu/time/wave_waits.h"

enum {
	CYCLES_UNTRACED = 4000 /* of a quantum that recorded no trace */
};

/* The wave sleeps until another function calls time_wave_wait() for it. */
static void park(struct time_cu *cu, struct time_wave *w, enum time_state state)
{
	w->state = (uint8_t)state;
	time_wave_sleep(cu, w);
}

/* Runs the wave on, and adds to its trace. */
static void run_on(struct time_cu *cu, struct time_wave *w)
{
	struct time_group *group = w->group;
	struct sim_wave *wave = &group->slot->wave[w->index];
	uint64_t before = group->slot->counters.insts, ran;

	wave->trace = w->trace;
	w->stop = sim_wave_run(wave, w->left);
	w->runs = w->trace->runs;
	ran = group->slot->counters.insts - before;
	w->left = ran < w->left ? w->left - (uint32_t)ran : 0;
	cu->steps++;
	switch (w->stop) {
	case SIM_STOP_END:
		if (!--group->running)
			time_group_leave_slot(cu, group);
		return;
	case SIM_STOP_TRAP:
		if (sim_wave_trap_returns(wave))
			return;
		break;
	case SIM_STOP_GWS:
		if (sim_workgroup_sync_grid(cu->dispatch, group->slot, w->index))
			return;
		break;
	case SIM_STOP_FAULT:
		break;
	default:
		return;
	}
	sim_memory_leave(cu->memory_epoch);
	cu->dispatch->wave_failed(cu->dispatch, wave, w->stop);
	cu->memory_epoch = sim_memory_enter();
	w->stop = SIM_STOP_FAULT;
}

void time_wave_refill(struct time_cu *cu, struct time_wave *w, bool pass)
{
	time_wave_drop_trace(w);
	w->trace->pass = pass;
	w->trace->cycles = cu->dispatch->timing.start_cycle + cu->now;
	w->trace->first_exec = w->trace->exec = w->group->slot->wave[w->index].exec;
	w->left = cu->quantum;
	run_on(cu, w);
}

/* True if all waves of a group that have not ended are at a barrier, and can run on. */
static bool can_run_ahead(const struct time_group *group)
{
	for (uint32_t i = 0; i < group->waves; i++) {
		const struct time_wave *w = group->wave[i];

		if (!w || w->stop == SIM_STOP_END)
			continue;
		if (w->stop != SIM_STOP_BARRIER || !w->left || !w->runs ||
		    w->runs == SIM_TRACE_RUNS)
			return false;
	}
	return group->slot;
}

void time_group_run_ahead(struct time_cu *cu, struct time_group *group)
{
	while (can_run_ahead(group)) {
		for (uint32_t i = 0; i < group->waves; i++) {
			struct time_wave *w = group->wave[i];

			if (!w || w->stop == SIM_STOP_END)
				continue;
			w->trace->run[w->runs - 1].barrier = true;
			run_on(cu, w);
		}
	}
}

/* All waves are at a barrier in simulated time: runs them on if their traces are used up. */
static void refill_group(struct time_cu *cu, struct time_group *group)
{
	for (uint32_t i = 0; i < group->waves; i++)
		if (group->wave[i] && group->wave[i]->run < group->wave[i]->runs)
			return;
	for (uint32_t i = 0; i < group->waves; i++)
		if (group->wave[i])
			time_wave_refill(cu, group->wave[i], false);
	time_group_run_ahead(cu, group);
}

/* All live waves have arrived, so they continue now. */
static void release_barrier(struct time_cu *cu, struct time_group *group, uint64_t now)
{
	if (!group->waiting || group->waiting < group->live)
		return;
	refill_group(cu, group);
	for (uint32_t i = 0; i < group->waves; i++) {
		struct time_wave *w = group->wave[i];

		if (!w || w->state != TIME_AT_BARRIER)
			continue;
		time_count_wait(cu, w, w->last, WAIT_BARRIER, now - w->ready);
		w->state = TIME_RUNS;
		time_wave_wait(cu, w, later(now, w->trapped));
	}
	group->waiting = 0;
}

static void end_wave(struct time_cu *cu, struct time_wave *w, uint64_t now)
{
	struct time_group *group = w->group;

	group->done = later(group->done, later(now, w->last_vm));
	cu->end = later(cu->end, group->done);
	cu->busy_until = later(cu->busy_until, group->done);
	cu->counters.wave_cycles += later(now, w->last_vm) - w->start;
	w->state = TIME_ENDED;
	group->wave[w->index] = NULL;
	group->live--;
	if (!--cu->live)
		cu->counters.cu_busy_cycles += cu->busy_until - cu->busy_from;
	time_wave_remove(cu, w);
	if (!group->live)
		time_group_done(cu, group);
	else
		release_barrier(cu, group, now);
}

static void arrive(struct time_cu *cu, struct time_wave *w, uint64_t now)
{
	park(cu, w, TIME_AT_BARRIER);
	w->group->waiting++;
	release_barrier(cu, w->group, now);
}

/* The trace is used up: handles the stop of the wave. True if it has a new trace, or continues. */
static bool after_trace(struct time_cu *cu, struct time_wave *w, uint64_t now)
{
	struct sim_wave *wave = w->group->slot ? &w->group->slot->wave[w->index] : NULL;
	bool empty = !w->runs;
	uint64_t next;

	switch (w->stop) {
	case SIM_STOP_END:
		end_wave(cu, w, now);
		return false;
	case SIM_STOP_BARRIER:
		arrive(cu, w, now);
		return false;
	case SIM_STOP_HOLD:
		next = time_poll_next(cu, w, now);
		if (next > now) {
			time_wave_wait(cu, w, next);
			return true;
		}
		if (sim_wave_timing(wave)->kind == TIMING_CLOCK) {
			time_wave_refill(cu, w, true);
			return true;
		}
		park(cu, w, TIME_HELD);
		cu->held++;
		return false;
	case SIM_STOP_GWS:
		if (w->group->slot->state[w->index] == WAVE_GWS) {
			park(cu, w, TIME_AT_GRID);
			return false;
		}
		break;
	case SIM_STOP_SENDMSG:
		sim_wave_message(wave);
		break;
	case SIM_STOP_SLEEP:
		cu->sleeps++;
		break;
	case SIM_STOP_FAULT:
		park(cu, w, TIME_RUNS);
		return false;
	default:
		break;
	}
	time_wave_refill(cu, w, false);
	if (empty && !w->runs && (w->stop == SIM_STOP_QUANTUM || w->stop == SIM_STOP_SLEEP))
		time_wave_wait(cu, w, now + CYCLES_UNTRACED);
	return true;
}

bool time_wave_next_run(struct time_cu *cu, struct time_wave *w, uint64_t now)
{
	if (w->barrier) {
		w->barrier = false;
		arrive(cu, w, now);
		return false;
	}
	while (w->run == w->runs) {
		if (!after_trace(cu, w, now) || w->ready > now)
			return false;
		if (sim_dispatch_stopped(cu->dispatch)) {
			park(cu, w, TIME_RUNS);
			return false;
		}
	}
	time_wave_take_run(w);
	return true;
}

void time_cu_grid_release(struct time_cu *cu, uint64_t now)
{
	if (cu->tick < now)
		time_sampler_run(cu, now);
	for (uint32_t i = 0; i < SIM_CU_WAVES; i++) {
		struct time_wave *w = &cu->waves[i];

		if (!w->group || w->state == TIME_ENDED || !w->group->slot ||
		    w->group->slot->state[w->index] != WAVE_GWS)
			continue;
		w->group->slot->state[w->index] = WAVE_READY;
		if (w->state != TIME_AT_GRID)
			continue;
		time_count_wait(cu, w, w->last, WAIT_OTHER, later(now, cu->now) - w->ready);
		w->state = TIME_RUNS;
		time_wave_wait(cu, w, later(later(now, cu->now), w->trapped));
	}
}
