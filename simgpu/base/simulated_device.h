/* SPDX-License-Identifier: MIT */
/*
 * The GPU that is simulated: one description, from which the topology, the instruction set and the
 * clock follow. PROBE_SIM_DEVICE chooses it. Numbers as the kernel driver reports them for the real
 * parts, so that ROCr and HIP size their structures alike.
 */
#ifndef PROBE_SIMGPU_BASE_SIMULATED_DEVICE_H
#define PROBE_SIMGPU_BASE_SIMULATED_DEVICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "simgpu/base/device_parameters.h"

struct sim_device_cache {
	uint32_t level, kib, line;
};

struct sim_device {
	const char *target;	    /* as compilers call it */
	const char *code_name;	    /* as the driver calls it */
	const char *marketing_name; /* as the user does */
	uint32_t target_version;    /* decimal: major, minor, stepping of two digits each */
	uint32_t device_id, revision;
	uint32_t xccs;		 /* dies that one partition joins */
	uint32_t engines;	 /* of all dies */
	uint32_t cus_per_engine; /* places; units of an engine may be switched off */
	uint32_t cus;
	uint32_t core_mhz;
	uint64_t vram_mib;
	uint32_t sdma_engines, cp_queues;
	struct sim_device_cache caches[SIM_DEVICE_CACHES]; /* ended by level 0 */
	bool stochastic_sampling;
	bool flat_scratch_register; /* set up by the hardware: kernels get no scratch offset */
};

/* NULL until it is chosen; then it never changes. */
extern const struct sim_device *_Atomic sim_device_chosen;
const struct sim_device *sim_device_choose(void);

/* Loops over compute units ask for it, so the usual case is one load. Any thread. */
static inline const struct sim_device *sim_device(void)
{
	const struct sim_device *device =
		atomic_load_explicit(&sim_device_chosen, memory_order_acquire);

	return device ? device : sim_device_choose();
}

/* One of the name; NULL if there is none. */
const struct sim_device *sim_device_find(const char *target);

/* Cycles of the core's clock in a tick of the time stamps' clock. */
static inline uint64_t sim_tick_cycles(void)
{
	return sim_device()->core_mhz / (SIM_GPU_CLOCK_HZ / 1000000);
}

#endif
