/* SPDX-License-Identifier: MIT */
/* Instructions that end in a fault. */
#ifndef PROBE_SIMGPU_EXEC_FAULT_H
#define PROBE_SIMGPU_EXEC_FAULT_H

#include "simgpu/exec/inst.h"

/* Stops the wave with a fault at the instruction itself; always returns NULL. */
const struct sim_inst *sim_fault(struct sim_wave *w, const struct sim_inst *ip,
				 enum sim_fault_kind kind, uint64_t addr, uint32_t size, int lane);

/* Handlers for words that are no instruction, have no handler, or cannot be fetched. */
sim_handler sim_exec_unknown, sim_exec_unimplemented, sim_exec_nofetch;

#endif
