/* SPDX-License-Identifier: MIT */
/*
 * The waves of a SIMD that are ready and wait for one unit. They are not considered until the unit
 * can accept an instruction; then the oldest gets it. At any time all of them wait for the same
 * thing, so it is counted once: a wave's own cycles are the difference between the counts when it
 * left and when it joined.
 */
#ifndef PROBE_SIMGPU_TIME_UNIT_QUEUE_H
#define PROBE_SIMGPU_TIME_UNIT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

/* The classes of the arbiter (enum sim_unit), with matrix instructions separate. */
enum {
	QUEUE_MATRIX = 5,
	QUEUE_COUNT,
	QUEUE_NONE = QUEUE_COUNT,
};

/* Cycles waited because another wave's instruction was issued, and because the unit was busy. */
struct time_waited {
	uint64_t arbiter, unit;
};

struct time_queue {
	uint32_t waves; /* bit per position in the SIMD's list */
	bool unit;	/* since `since` they wait for the unit, before it for the arbiter */
	uint64_t since; /* may be a future slot */
	uint64_t again; /* when the unit may be free */
	struct time_waited waited; /* counted up to `since` */
};

static inline bool queue_waits_for_unit(const struct time_queue *queue, uint64_t now)
{
	return queue->unit && queue->since <= now;
}

static inline struct time_waited queue_waited(const struct time_queue *queue, uint64_t now)
{
	struct time_waited waited = queue->waited;

	/* Wraps around if `since` is in the future. */
	*(queue_waits_for_unit(queue, now) ? &waited.unit : &waited.arbiter) += now - queue->since;
	return waited;
}

static inline void queue_set(struct time_queue *queue, uint64_t now, bool unit)
{
	queue->waited = queue_waited(queue, now);
	queue->since = now;
	queue->unit = unit;
}

#endif
