/* SPDX-License-Identifier: MIT */
/* A block of code as one function. */
#ifndef PROBE_SIMGPU_JIT_EMIT_BLOCK_H
#define PROBE_SIMGPU_JIT_EMIT_BLOCK_H

#include "simgpu/jit/emit.h"

/* Builds the function; its longest path and FP needs in *ret. */
int jit_block(struct jit *j, struct sim_block *ret);

#endif
