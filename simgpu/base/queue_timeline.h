/* SPDX-License-Identifier: MIT */
/*
 * Simulated time of a hardware queue: when its packets begin and end, in ticks of the 100 MHz
 * clock. With the cost model off, the host's clock is used instead.
 *
 * A packet begins when the queue's previous packet has ended and the signals it depends on have
 * completed. If the host may have waited before it sent the packet, whatever it may have waited for
 * must also have ended. The times of one stream, and of streams that depend on each other, are
 * therefore the same in every run; README.md lists the exceptions.
 */
#ifndef PROBE_SIMGPU_BASE_QUEUE_TIMELINE_H
#define PROBE_SIMGPU_BASE_QUEUE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

/* The timeline of one queue; only the queue's own thread accesses it. */
struct sim_timeline {
	uint64_t now;	  /* cycles: everything before has ended */
	uint64_t free_at; /* cycles: when the processor is free again after the last completion
			   * signal */
	uint64_t start;	  /* ticks: begin of the current packet */
	bool dry;	  /* the ring has been empty since the last packet */
	bool idle;	  /* the next kernel costs a first launch */
};

void sim_timeline_init(struct sim_timeline *line);

/* The ring is empty: the host may wait for something before it sends more. */
void sim_timeline_dry(struct sim_timeline *line);

/* A packet has been taken from the ring. */
void sim_timeline_pick(struct sim_timeline *line);

/*
 * The packet depends on something that ended at this tick; 0: unknown, or not done by the device.
 */
void sim_timeline_after(struct sim_timeline *line, uint64_t tick);

/* The packet begins; returns its tick. A kernel includes the cost of its launch. */
uint64_t sim_timeline_launch(struct sim_timeline *line);
uint64_t sim_timeline_begin(struct sim_timeline *line, bool signals);

/* The packet took this many cycles; returns the tick of its end, at least begin + 1. */
uint64_t sim_timeline_end(struct sim_timeline *line, uint64_t cycles);

/*
 * The packet that ended at this tick completes a signal. To be called before the signal's value
 * changes.
 */
void sim_timeline_signal(struct sim_timeline *line, uint64_t tick);

/* Commands of a copy engine, which have no begin or end of their own. */
void sim_timeline_advance(struct sim_timeline *line, uint64_t cycles);
uint64_t sim_timeline_tick(const struct sim_timeline *line);

/* The latest tick of any queue so far. */
uint64_t sim_timeline_last(void);

/* The link that a copy uses; see the table in queue_timeline.c. */
enum sim_path {
	SIM_PATH_LOCAL,
	SIM_PATH_HOST,
	SIM_PATH_PEER,
};

/*
 * Cycles that a copy engine needs for this many bytes. The first copy of a job includes the cost of
 * the start.
 */
uint64_t sim_copy_cycles(enum sim_path path, uint64_t bytes, bool first);

#endif
