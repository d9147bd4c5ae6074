/* SPDX-License-Identifier: MIT */
/*
 * PC samples of a compute unit, taken in simulated time; TIME.md has the rules. A unit calls
 * time_sampler_run() when it has processed everything up to a tick; the samples depend on simulated
 * time alone. A stochastic sample changes nothing; a host trap delays the trapped wave.
 */
#ifndef PROBE_SIMGPU_TIME_PC_SAMPLER_H
#define PROBE_SIMGPU_TIME_PC_SAMPLER_H

#include "simgpu/sampling/sampling_sessions.h"
#include "simgpu/time/cost_model.h"

/* A sample; times are cycles since the dispatch began. */
struct time_sample {
	uint64_t at;
	uint8_t record[SIM_SAMPLE_BYTES];
};

struct time_sampler {
	struct sim_sampling how;
	uint64_t number;    /* of the current tick, counted since the clock began */
	uint64_t begin;	    /* begin of the dispatch, in cycles of the device's clock */
	uint64_t pending;   /* host trap: cycle until which a wave is in the trap handler */
	uint32_t gpu, most; /* most: waves of this dispatch that the unit can hold at once */
	struct time_sample *sample;
	uint32_t count, room;
	uint64_t missed; /* samples lost because there was no memory */
};

/* Begins a dispatch on a unit: sets cu->tick and cu->sampler. False without memory. */
bool time_sampler_begin(struct time_cu *cu, const struct sim_sampling *how, uint32_t most);

/*
 * Takes the samples of all ticks before `next`, the unit's next slot in which something happens.
 * Returns the next such slot, which a trap may have delayed.
 */
uint64_t time_sampler_run(struct time_cu *cu, uint64_t next);

/*
 * At the end of an epoch or of the dispatch: delivers the samples of all units, in the order of
 * time.
 */
void time_samplers_deliver(struct sim_time *time);

#endif
