/* SPDX-License-Identifier: MIT */
/*
 * Simulated time of a hardware queue: when its packets begin and end, in ticks of the 100 MHz
 * clock. With the cost model off the host's clock is read instead.
 *
 * A packet begins when the queue's previous one has ended, the signals it depends on have been
 * completed, and, where the host may have waited before it sent the packet, whatever it may have
 * waited for has ended. So the time of one stream, and of streams that depend on one another, is
 * the same in every run; README.md lists the exceptions.
 */
#ifndef PROBE_SIMGPU_BASE_QUEUE_TIMELINE_H
#define PROBE_SIMGPU_BASE_QUEUE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

/* The timeline of one queue; accessed by the queue's own thread only. */
struct sim_timeline {
	uint64_t now;	 /* cycles: everything before is done */
	uint64_t settle; /* cycles: the processor is free again after the last completion signal */
	uint64_t start;	 /* ticks: begin of the current packet */
	bool dry;	 /* the ring was empty since the last packet */
	bool idle;	 /* the next kernel pays for a first launch */
};

void sim_timeline_init(struct sim_timeline *line);

/* The ring is empty: the host may wait for something before it sends more. */
void sim_timeline_dry(struct sim_timeline *line);

/* A packet is taken from the ring. */
void sim_timeline_pick(struct sim_timeline *line);

/* It depends on something that ended at this tick; 0: unknown, or not done by the device. */
void sim_timeline_after(struct sim_timeline *line, uint64_t tick);

/* Begin of a packet; returns its tick. A kernel includes the cost of its launch. */
uint64_t sim_timeline_launch(struct sim_timeline *line);
uint64_t sim_timeline_begin(struct sim_timeline *line, bool signals);

/* The packet took this many cycles; returns the tick of its end, at least begin + 1. */
uint64_t sim_timeline_end(struct sim_timeline *line, uint64_t cycles);

/* The packet that ended at this tick completes a signal. Call before the signal's value changes. */
void sim_timeline_signal(struct sim_timeline *line, uint64_t tick);

/* Commands of a copy engine, which have no begin or end of their own. */
void sim_timeline_advance(struct sim_timeline *line, uint64_t cycles);
uint64_t sim_timeline_tick(const struct sim_timeline *line);

/* The last tick of any queue so far. */
uint64_t sim_timeline_last(void);

/* The link that a copy uses; see the table in queue_timeline.c. */
enum sim_path {
	SIM_PATH_LOCAL,
	SIM_PATH_HOST,
	SIM_PATH_PEER,
};

/*
 * Cycles a copy engine needs for so many bytes. The first copy of a job includes the cost of the
 * start.
 */
uint64_t sim_copy_cycles(enum sim_path path, uint64_t bytes, bool first);

#endif
