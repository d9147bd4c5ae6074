/* SPDX-License-Identifier: MIT */
/* Options of the simulated GPU, read once from PROBE_SIM_* environment variables. */
#ifndef PROBE_SIMGPU_BASE_SIM_OPTIONS_H
#define PROBE_SIMGPU_BASE_SIM_OPTIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* How waves are simulated that only wait (time/value_waits.h). */
enum sim_polls {
	SIM_POLLS_ALL,	    /* round by round */
	SIM_POLLS_LEFT_OUT, /* their rounds are left out */
	SIM_POLLS_IN_TRIAL, /* the same, and a round is executed in trial for every change */
};

struct sim_options {
	uint64_t threads; /* host threads that run workgroups; not 0 after reading */
	uint64_t gpus;
	uint64_t large_bar; /* CPU-to-GPU link: the host can write device memory directly */
	uint64_t vram_mib;
	uint64_t quantum; /* instructions a wave executes before the next wave of its workgroup
			   * runs */
	uint64_t spin_us; /* microseconds for which an idle queue polls its own doorbell before it
			   * sleeps */
	uint64_t fill;	  /* initial value of registers that the launch does not define */
	uint64_t model;	  /* 1: simulated time; 0: the host's clock */
	uint64_t polls;	  /* enum sim_polls */
	uint64_t pc;	  /* 1: keep counters per instruction */
	/* 1: the driver offers PC sampling, for ROCr 6.2 and later; else this library's functions
	 */
	uint64_t driver_sampling;
	uint64_t log;	   /* 1 calls and queues, 2 packets as well */
	const char *stats; /* file for one JSON line per dispatch, or NULL */
	const char *trace; /* file for the instructions of one wave, or NULL */
	const char *trace_wave;
	const char *fidelity; /* file for the fidelity report, or NULL */
	const char *pcs;      /* file for the counters of every instruction, or NULL */
};

/* NULL until they are read. */
extern const struct sim_options *_Atomic sim_options_read;
const struct sim_options *sim_options_read_once(void);

/* Values are valid until the process ends. The first call reads the environment; thread-safe. */
static inline const struct sim_options *sim_options(void)
{
	const struct sim_options *options =
		atomic_load_explicit(&sim_options_read, memory_order_acquire);

	return options ? options : sim_options_read_once();
}

/* Number of nodes: the CPU, then the GPUs. */
static inline uint32_t sim_nodes(void)
{
	return 1 + (uint32_t)sim_options()->gpus;
}

static inline bool sim_is_gpu(uint32_t node)
{
	return node && node < sim_nodes();
}

#endif
