/* SPDX-License-Identifier: MIT */
/* Waves of a compute unit: what they run, and when their instructions issue. */
#ifndef PROBE_SIMGPU_TIME_WAVE_ISSUE_H
#define PROBE_SIMGPU_TIME_WAVE_ISSUE_H

#include "simgpu/time/cost_model.h"

/* Run the wave for another quantum. pass: do not hold it at its next instruction. */
void time_wave_refill(struct time_cu *cu, struct time_wave *w, bool pass);
/* The wave may continue at `when`. */
void time_wave_wait(struct time_cu *cu, struct time_wave *w, uint64_t when);
/* Count the cycles that a ready wave waited, up to now. */
void time_wave_held(struct time_cu *cu, struct time_wave *w, uint64_t now);
/* Process one issue slot of a SIMD. */
void time_simd_slot(struct time_cu *cu, uint32_t number, uint64_t now);
/* The last wave has arrived at the barrier of the grid, at `now`. */
void time_cu_grid_release(struct time_cu *cu, uint64_t now);

#endif
