/* SPDX-License-Identifier: MIT */
/* One SDMA command at a time, apart from the ring it comes from. */
#ifndef PROBE_SIMGPU_SDMA_H
#define PROBE_SIMGPU_SDMA_H

#include <stdint.h>

#include "wave.h"

enum sim_sdma_result {
	SIM_SDMA_DONE,
	SIM_SDMA_WAIT, /* a poll that does not hold yet: execute again */
	SIM_SDMA_FAULT,
};

enum { SIM_SDMA_MAX_BYTES = 64 };

/* Bytes of the command that begins with this dword; 0 if it is not one we know. */
uint32_t sim_sdma_length(uint32_t header);

/* words: the whole command. *fault is set (kind, addr, size) with SIM_SDMA_FAULT only. */
enum sim_sdma_result sim_sdma_execute(const uint32_t *words, struct sim_fault *fault);

#endif
