/* SPDX-License-Identifier: MIT */
/* The functional execution of waves, ahead of their issue in simulated time. */
#ifndef PROBE_SIMGPU_TIME_WAVE_PROGRESS_H
#define PROBE_SIMGPU_TIME_WAVE_PROGRESS_H

#include "simgpu/exec/inst.h"
#include "simgpu/time/cost_model.h"

/* Runs the wave for another quantum. pass: do not hold it at its next instruction. */
void time_wave_refill(struct time_cu *cu, struct time_wave *w, bool pass);
/* Runs all waves of a group on, from barrier to barrier, as long as their traces have space. */
void time_group_run_ahead(struct time_cu *cu, struct time_group *group);

/* Empties the wave's trace. */
static inline void time_wave_drop_trace(struct time_wave *w)
{
	sim_trace_reset(w->trace);
	w->run = w->runs = w->word = 0;
	w->page = TIME_NO_PAGE;
}

/* Moves to the next run of the wave's trace, which must have one. */
static inline void time_wave_take_run(struct time_wave *w)
{
	const struct sim_trace_run *run = &w->trace->run[w->run++];

	if (run->page != w->page) {
		w->page = run->page;
		w->code = w->trace->page[run->page];
	}
	w->at = w->code->timing + run->first;
	w->end = w->code->timing + run->end;
	w->jumps = run->jumps;
	w->barrier = run->barrier;
}

/* Moves to the wave's next run of instructions; false if it has none now, or has ended. */
bool time_wave_next_run(struct time_cu *cu, struct time_wave *w, uint64_t now);
/* The last wave has arrived at the barrier of the grid, at `now`. */
void time_cu_grid_release(struct time_cu *cu, uint64_t now);

#endif
