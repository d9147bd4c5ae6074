/* SPDX-License-Identifier: MIT */
/*
 * PC sampling as the kernel driver offers it: ROCr 6.2 and later allocate a double buffer on the
 * device, and a trap handler that ROCr supplies fills it. The machine does not execute that handler
 * but stores what it would store.
 *
 * A full half makes the machine wait until ROCr has fetched the other one: in real time only, so
 * that the samples are the same in every run. If ROCr does not fetch for ten seconds, the machine
 * does as hardware does: samples are dropped and ROCr counts them.
 */
#ifndef PROBE_SIMGPU_SAMPLING_TRAP_BUFFERS_H
#define PROBE_SIMGPU_SAMPLING_TRAP_BUFFERS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <hsa/hsa.h>

#include "simgpu/sampling/sampling_sessions.h"

/* Bit of trap_buffers.write that selects the half; the bits below count its samples. */
#define SIM_TRAP_HALF ((uint64_t)1 << 63)

/* The layout that ROCr's trap handler (trap_handler.s) and its host code share. */
struct sim_trap_buffers {
	_Atomic uint64_t write;
	uint32_t size; /* samples per half */
	uint32_t reserved;
	struct {
		_Atomic uint32_t written;
		uint32_t watermark; /* when so many are written, `done` is set to 0 */
		hsa_signal_t done;
	} half[2];
	uint64_t reserved2[2];
	uint8_t sample[][SIM_SAMPLE_BYTES]; /* the first half, then the second */
};
_Static_assert(sizeof(struct sim_trap_buffers) == 0x40, "the layout of ROCr's trap handler");
_Static_assert(offsetof(struct sim_trap_buffers, half[1]) == 0x20, "likewise");

/*
 * The trap handler's memory: the addresses of the host trap's buffers and of the stochastic ones.
 * 0: none.
 */
void sim_trap_set_memory(uint32_t gpu, uint64_t address);

/*
 * The driver's sessions: one per GPU. They return 0 or the kernel driver's -errno. The interval is
 * in us for the host trap, and in cycles for stochastic sampling. After sim_trap_stop() nothing is
 * stored any more.
 */
int sim_trap_create(uint32_t gpu, enum sim_sampling_method method, uint64_t interval,
		    uint32_t *trace);
int sim_trap_start(uint32_t gpu, uint32_t trace);
int sim_trap_stop(uint32_t gpu, uint32_t trace);
int sim_trap_destroy(uint32_t gpu, uint32_t trace);
/* The interval of the GPU's session of that method; 0: it has none. */
uint64_t sim_trap_interval(uint32_t gpu, enum sim_sampling_method method);

/* Like sim_sampling_get() and sim_sampling_deliver(). */
struct sim_sampling sim_trap_sampling(uint32_t gpu);
void sim_trap_deliver(uint32_t gpu, uint64_t session, const uint8_t *records, size_t count);

#endif
