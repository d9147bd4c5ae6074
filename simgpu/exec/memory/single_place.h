/* SPDX-License-Identifier: MIT */
/* What a stopped wave will do to memory with its next instruction, if that is one place. */
#ifndef PROBE_SIMGPU_EXEC_MEMORY_SINGLE_PLACE_H
#define PROBE_SIMGPU_EXEC_MEMORY_SINGLE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "simgpu/exec/wave.h"

struct sim_place_access {
	uint64_t addr;	 /* of the device */
	uint32_t bytes;	 /* 4 or 8, and the address is a multiple of it */
	bool swaps;	 /* a compare-and-swap; else a load */
	uint64_t wanted; /* the value to which it compares memory */
};

/*
 * True if the next instruction is a compare-and-swap of global memory that returns the old value,
 * or a load, and all active lanes do the same.
 */
bool sim_wave_place(const struct sim_wave *w, struct sim_place_access *ret);

/* What a load puts into a vector register of some lanes. */
struct sim_loaded {
	uint32_t row, bytes;
	uint64_t lanes;
};

/* Of the load before which the wave is stopped. */
struct sim_loaded sim_wave_loads(const struct sim_wave *w);

/* After the load: its value; false if it is not the same in all its lanes. */
bool sim_wave_loaded(const struct sim_wave *w, const struct sim_loaded *loaded, uint64_t *ret);

enum sim_value_use {
	SIM_VALUE_UNUSED,
	SIM_VALUE_COMPARED, /* only its order to another integer matters */
	SIM_VALUE_USED,
};

/*
 * What the wave's next instruction does with the value. *with: what it compares it with, in all
 * lanes.
 */
enum sim_value_use sim_wave_uses(const struct sim_wave *w, const struct sim_loaded *loaded,
				 uint64_t *with);

/*
 * The host's address of a place, NULL if it is not mapped. Valid as long as sim_mem_generation() is
 * the same and the thread is between sim_memory_enter() and sim_memory_leave().
 */
const void *sim_place_host(uint64_t addr, uint32_t bytes);

#endif
