/* SPDX-License-Identifier: MIT */
/* When the instructions of a unit's waves issue, and what the waves wait for. */
#ifndef PROBE_SIMGPU_TIME_ISSUE_SLOTS_H
#define PROBE_SIMGPU_TIME_ISSUE_SLOTS_H

#include "simgpu/time/cost_model.h"

/* The wave may continue at `when`; it waits for no unit. */
void time_wave_wait(struct time_cu *cu, struct time_wave *w, uint64_t when);
/* Another function calls time_wave_wait(). */
void time_wave_sleep(struct time_cu *cu, const struct time_wave *w);
/* Count slots from here on; before the first slot of an epoch. */
void time_slots_rebase(struct time_cu *cu, uint64_t base);
/* Count the cycles that a ready wave waited, up to now; it is then in no queue. */
void time_wave_held(struct time_cu *cu, struct time_wave *w, uint64_t now);
/* Why a ready wave waits. */
enum sim_wait time_wave_reason(const struct time_cu *cu, const struct time_wave *w, uint64_t now);
/* Take an ended wave off its SIMD. */
void time_wave_remove(struct time_cu *cu, const struct time_wave *w);
/* Process one issue slot of a SIMD. */
void time_simd_slot(struct time_cu *cu, uint32_t number, uint64_t now);

#endif
