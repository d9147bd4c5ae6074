/* SPDX-License-Identifier: MIT */
/* Executes single SDMA commands, independent of the ring they come from. */
#ifndef PROBE_SIMGPU_QUEUE_SDMA_H
#define PROBE_SIMGPU_QUEUE_SDMA_H

#include <stdint.h>

#include "simgpu/base/hardware_queue.h"
#include "simgpu/base/queue_timeline.h"
#include "simgpu/exec/wave.h"

enum sim_sdma_result {
	SIM_SDMA_DONE,
	SIM_SDMA_WAIT, /* a poll whose condition does not hold yet: execute it again */
	SIM_SDMA_FAULT,
};

enum { SIM_SDMA_MAX_BYTES = 64 };

/* Bytes of the command that begins with this dword; 0 if it is unknown. */
uint32_t sim_sdma_length(uint32_t header);

struct sim_sdma_job {
	uint64_t tick; /* the tick at which the command has completed */
	uint32_t gpu;  /* SIM_MEM_GPU() of the engine */
};

/* words: the whole command. *fault (kind, addr, size) is set with SIM_SDMA_FAULT only. */
enum sim_sdma_result sim_sdma_execute(const struct sim_sdma_job *job, const uint32_t *words,
				      struct sim_fault *fault);

/* Number of bytes that a copy or fill moves, and the link it uses; 0 for other commands. */
uint64_t sim_sdma_bytes(const uint32_t *words, enum sim_path *path);

/* Tick at which the device completed the signal that a poll has waited for; 0 if unknown. */
uint64_t sim_sdma_polled(const uint32_t *words);

/* The engine of an SDMA queue, like sim_aql_ready() and sim_aql_process(). */
bool sim_sdma_ready(const struct sim_queue *queue);
void sim_sdma_process(struct sim_queue *queue);

#endif
