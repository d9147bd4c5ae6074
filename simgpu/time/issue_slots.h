/* SPDX-License-Identifier: MIT */
/*
 * When the waves of a unit continue. Each SIMD has an issue slot every fourth cycle; a wave is
 * processed in the slot in which it continues, the oldest first, and then asks for the next one.
 */
#ifndef PROBE_SIMGPU_TIME_ISSUE_SLOTS_H
#define PROBE_SIMGPU_TIME_ISSUE_SLOTS_H

#include "simgpu/time/cost_model.h"

/* The wave continues at `when`. */
void time_wave_wait(struct time_cu *cu, struct time_wave *w, uint64_t when);
/* The wave sleeps until another function calls time_wave_wait() for it. */
void time_wave_sleep(struct time_cu *cu, const struct time_wave *w);
/* Sets the origin of `due`; to be called before the first slot of an epoch. */
void time_slots_rebase(struct time_cu *cu, uint64_t base);
/* Removes an ended wave from its SIMD. */
void time_wave_remove(struct time_cu *cu, const struct time_wave *w);
/*
 * The wave that continues at the unit's `next`, which now is its time; the oldest one if there are
 * several. The wave sleeps from here on. Sets `next` and the horizon. NULL if none continues then
 * after all; `next` is corrected.
 */
struct time_wave *time_wave_take(struct time_cu *cu);

#endif
