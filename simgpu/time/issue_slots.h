/* SPDX-License-Identifier: MIT */
/* When the instructions of a unit's waves issue, and what the waves wait for. */
#ifndef PROBE_SIMGPU_TIME_ISSUE_SLOTS_H
#define PROBE_SIMGPU_TIME_ISSUE_SLOTS_H

#include "simgpu/time/cost_model.h"

/* The wave can continue at `when`; it waits for no unit. */
void time_wave_wait(struct time_cu *cu, struct time_wave *w, uint64_t when);
/* The wave sleeps until another function calls time_wave_wait() for it. */
void time_wave_sleep(struct time_cu *cu, const struct time_wave *w);
/* Sets the origin of slot numbers; to be called before the first slot of an epoch. */
void time_slots_rebase(struct time_cu *cu, uint64_t base);
/* Counts the cycles that a ready wave waited, up to now; after it the wave is in no queue. */
void time_wave_held(struct time_cu *cu, struct time_wave *w, uint64_t now);
/* The reason why a ready wave waits. */
enum sim_wait time_wave_reason(const struct time_cu *cu, const struct time_wave *w, uint64_t now);
/* Removes an ended wave from its SIMD. */
void time_wave_remove(struct time_cu *cu, const struct time_wave *w);
/* Processes one issue slot of a SIMD. */
void time_simd_slot(struct time_cu *cu, uint32_t number, uint64_t now);

#endif
