/* SPDX-License-Identifier: MIT */
/*
 * Waves that only poll. A loop that reads the clock or a place in memory, changes nothing and is in
 * the same state as a round before is not simulated round by round for as long as it lasts:
 *
 *   clock:  the rounds are executed in trial with later clock values. The wave continues in the
 *           last round that stays in the loop, at the cycle given by the period of its rounds.
 *   memory: after FIRST_ROUNDS rounds the wave polls less often: each 64th part of the time it has
 *           already waited, at most every LONGEST_PAUSE cycles.
 *
 * PROBE_SIM_POLLS=0 turns both off. They are off while PC samples are taken or counters per
 * instruction are kept.
 */
#ifndef PROBE_SIMGPU_TIME_IDLE_POLLS_H
#define PROBE_SIMGPU_TIME_IDLE_POLLS_H

#include "simgpu/time/cost_model.h"

/*
 * The wave is about to read the clock, or to execute an access that waits for other units. Returns
 * the cycle at which it does so: `now`, or later.
 */
uint64_t time_poll_next(struct time_cu *cu, struct time_wave *w, uint64_t now);

/*
 * Executes a round of the wave's loop that reads memory, with a copy of the wave. True if that is
 * back at the beginning.
 */
bool time_poll_stays(const struct time_cu *cu, const struct sim_wave *wave,
		     struct time_trial *trial);
/* The same; and if another round follows it leads to the same registers. */
bool time_poll_returns(const struct time_cu *cu, const struct sim_wave *wave,
		       struct time_trial *trial);

/*
 * What a round that stays in the loop does with the value it reads, if it only compares it, once,
 * with another integer: with every value that has the same order to that one, the round is the
 * same. False for other rounds.
 */
bool time_poll_compares(const struct time_cu *cu, const struct sim_wave *wave,
			struct time_trial *trial, struct time_compare *ret);

/* True if rounds and tries of this unit may be left out. */
bool time_polls_allowed(const struct time_cu *cu);

#endif
