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

/*
 * What a wave did since the last event of the unit: it is processed up to a later cycle, but
 * sampled before.
 */
struct time_spans {
	uint32_t count;
	struct time_span span[TIME_SPANS];
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
	struct time_spans spans[SIM_CU_WAVES];
};

/* Begins a dispatch on a unit: sets cu->tick and cu->sampler. False without memory. */
bool time_sampler_begin(struct time_cu *cu, const struct sim_sampling *how, uint32_t most);

/*
 * Takes the samples of all ticks before `next`, the unit's next event, which a trap may delay.
 */
void time_sampler_run(struct time_cu *cu, uint64_t next);

/* The state of w up to `until`, from the end of the last span. */
void time_sampler_span(struct time_cu *cu, const struct time_wave *w, struct time_span span);

/* The unit is at a cycle up to which w was processed. */
static inline void time_sampler_forget(struct time_cu *cu, const struct time_wave *w)
{
	if (__builtin_expect(cu->tick != TIME_NEVER, 0))
		cu->sampler->spans[w - cu->waves].count = 0;
}

/*
 * At the end of an epoch or of the dispatch: delivers the samples of all units, in the order of
 * time.
 */
void time_samplers_deliver(struct sim_time *time);

#endif
