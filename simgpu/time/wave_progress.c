/* SPDX-License-Identifier: MIT */
/*
 * The functional execution of a wave, and its lifetime on the unit. A wave runs ahead in pieces:
 * when its trace is used up, it runs until something stops it or the piece is long enough.
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

/* Runs the wave for another quantum. pass: do not hold it at its next instruction. */
void time_wave_refill(struct time_cu *cu, struct time_wave *w, bool pass)
{
	struct sim_wave *wave = &w->group->slot->wave[w->index];
	unsigned epoch;

	sim_trace_reset(w->trace);
	w->trace->pass = pass;
	w->trace->cycles = cu->dispatch->timing.start_cycle + cu->now;
	w->trace->first_exec = w->trace->exec = wave->exec;
	wave->trace = w->trace;
	w->run = w->word = 0;
	epoch = sim_memory_enter();
	w->stop = sim_wave_run(wave, cu->quantum);
	sim_memory_leave(epoch);
	cu->steps++;
	switch (w->stop) {
	case SIM_STOP_END:
		if (!--w->group->running)
			time_group_leave_slot(cu, w->group);
		return;
	case SIM_STOP_TRAP:
		if (sim_wave_trap_returns(wave))
			return;
		break;
	case SIM_STOP_GWS:
		if (sim_workgroup_sync_grid(cu->dispatch, w->group->slot, w->index))
			return;
		break;
	case SIM_STOP_FAULT:
		break;
	default:
		return;
	}
	cu->dispatch->wave_failed(cu->dispatch, wave, w->stop);
	w->stop = SIM_STOP_FAULT;
}

/* All live waves have arrived, so they continue now. */
static void release_barrier(struct time_cu *cu, struct time_group *group, uint64_t now)
{
	if (!group->waiting || group->waiting < group->live)
		return;
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

/* The trace is used up: handles the stop of the wave. True if it has a new trace, or continues. */
static bool after_trace(struct time_cu *cu, struct time_wave *w, uint64_t now)
{
	struct sim_wave *wave = w->group->slot ? &w->group->slot->wave[w->index] : NULL;
	bool empty = !w->trace->runs;
	uint64_t next;

	switch (w->stop) {
	case SIM_STOP_END:
		end_wave(cu, w, now);
		return false;
	case SIM_STOP_BARRIER:
		park(cu, w, TIME_AT_BARRIER);
		w->group->waiting++;
		w->stop = SIM_STOP_QUANTUM;
		release_barrier(cu, w->group, now);
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
	if (empty && !w->trace->runs && (w->stop == SIM_STOP_QUANTUM || w->stop == SIM_STOP_SLEEP))
		time_wave_wait(cu, w, now + CYCLES_UNTRACED);
	return true;
}

bool time_wave_next_run(struct time_cu *cu, struct time_wave *w, uint64_t now)
{
	while (w->run == w->trace->runs) {
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
