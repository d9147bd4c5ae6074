/* SPDX-License-Identifier: MIT */
/*
 * Waves that wait for one place in memory to change: for a lock, a flag, or the head of a list. Of
 * very many that compare and swap, one succeeds per round trip to the L2 and all others fail; of
 * those that read, all read the same. What they do changes nothing, so they are not simulated try
 * by try. They wait, and when the place changes, those continue for which it matters, each with its
 * next try at the pace of its last two:
 *
 *   compares with a value of its own (a lock that is free): the first wave whose value it is
 *   compares with what its last try returned: one wave at a time, the `reader`, which reads the new
 *           value with this try, and succeeds with the next unless the place changes in between
 *   reads:  all waves that leave their loop if they read the new value. For those that only compare
 *           it with another integer, the order of the two tells; others execute a round in trial
 *
 * PROBE_SIM_POLLS=0 turns it off, as it does the other short cuts (idle_polls.h). Except for
 * time_values_waited(), all functions are called while no unit runs.
 */
#ifndef PROBE_SIMGPU_TIME_VALUE_WAITS_H
#define PROBE_SIMGPU_TIME_VALUE_WAITS_H

#include "simgpu/time/cost_model.h"

/* Before the two functions below; most waves never get there. */
void time_value_tries_begin(struct time_wave *w);

/*
 * The held wave is about to execute its instruction. True if it waits instead; then it is ready
 * later, at the latest when waiting further would be a mistake.
 */
bool time_value_waits(struct time_cu *cu, struct time_wave *w);

/* The wave has executed the instruction. */
void time_value_tried(struct time_cu *cu, struct time_wave *w);

/*
 * Looks at the places at which waves wait, and continues waves where something has changed. A unit
 * that had reached the end of the epoch is then `woken`, and has to run again.
 */
void time_values_look(struct sim_time *time, uint64_t now);

/* The same at the beginning of an epoch, and for waves that have waited for too long. */
void time_values_epoch(struct sim_time *time);

/* At the end of an epoch: counts the requests of polls that were left out for the L2's channels. */
void time_values_crowd(struct sim_time *time);

/* True if a wave waits for a change in these lines of 64 bytes. */
static inline bool time_values_waited(const struct sim_time *time, uint64_t line, uint64_t end)
{
	for (uint32_t i = 0; i < TIME_PLACES && time->places.used; i++) {
		const struct time_place *place = &time->places.place[i];

		if (place->count && place->addr / L1_LINE >= line && place->addr / L1_LINE < end)
			return true;
	}
	return false;
}

/* Forgets all places. */
void time_values_reset(struct sim_time *time);

#endif
