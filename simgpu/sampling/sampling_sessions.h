/* SPDX-License-Identifier: MIT */
/*
 * PC sampling of the simulated GPU: connects the sessions that tools open (sampling_sessions.c,
 * which exports ROCr's hsa_ven_amd_pcs_* functions), or that ROCr opens in the driver
 * (trap_buffers.c), with the cost model, where samples are taken (pc_sampler.c).
 */
#ifndef PROBE_SIMGPU_SAMPLING_SAMPLING_SESSIONS_H
#define PROBE_SIMGPU_SAMPLING_SAMPLING_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SIM_SAMPLE_BYTES = 64,
	SIM_SAMPLE_TIME = 0x30, /* offset of the time: ticks of the device's clock */
};

enum sim_sampling_method {
	SIM_SAMPLING_HOST_TRAP,
	SIM_SAMPLING_STOCHASTIC,
};

struct sim_sampling {
	uint64_t session; /* serial number; 0: the GPU is not sampled */
	uint64_t period;  /* shader cycles */
	uint32_t method;  /* enum sim_sampling_method */
};

/* How dispatches that begin now on a GPU are sampled. gpu: index from 0. Thread-safe. */
struct sim_sampling sim_sampling_get(uint32_t gpu);

/*
 * Delivers samples of one queue in the order of time; records have AMD's format: `count` times 64
 * bytes. Waits for the client if it is far behind. Samples of a session that no longer exists are
 * dropped silently. lost: number of samples missing in addition.
 */
void sim_sampling_deliver(uint32_t gpu, uint64_t session, const uint8_t *records, size_t count,
			  size_t lost);

#endif
