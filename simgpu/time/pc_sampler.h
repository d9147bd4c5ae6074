/* SPDX-License-Identifier: MIT */
/*
 * PC samples of a compute unit, taken in simulated time: TIME.md says by which rules. A unit asks
 * for it when it has done all that happens up to a tick; what is taken depends on simulated time
 * alone. Taking a stochastic sample changes nothing; a host trap delays the trapped wave.
 */
#ifndef PROBE_SIMGPU_TIME_PC_SAMPLER_H
#define PROBE_SIMGPU_TIME_PC_SAMPLER_H

#include "simgpu/sampling/sampling_sessions.h"
#include "simgpu/time/cost_model.h"

/* A sample as taken; cycles since the dispatch began. */
struct time_sample {
	uint64_t at;
	uint8_t record[SIM_SAMPLE_BYTES];
};

struct time_sampler {
	struct sim_sampling how;
	uint64_t number;    /* of the current tick, counted since the clock began */
	uint64_t begin;	    /* of the dispatch, in cycles of the device's clock */
	uint64_t pending;   /* host trap: until when a wave is in the trap handler */
	uint32_t gpu, most; /* most: waves the unit holds at once of this dispatch */
	struct time_sample *sample;
	uint32_t count, room;
	uint64_t missed; /* no memory for them */
};

/* Begin a dispatch on a unit: cu->tick and cu->sampler. False: no memory. */
bool time_sampler_begin(struct time_cu *cu, const struct sim_sampling *how, uint32_t most);

/*
 * Take the samples of all ticks before `next`, the unit's next slot in which something happens;
 * returns what is next now.
 */
uint64_t time_sampler_run(struct time_cu *cu, uint64_t next);

/* Meeting, or end of the dispatch: hand over what the units took, in the order of time. */
void time_samplers_deliver(struct sim_time *time);

#endif
