/* SPDX-License-Identifier: MIT */
/* Translates a block of code to one function. */
#ifndef PROBE_SIMGPU_JIT_EMIT_BLOCK_H
#define PROBE_SIMGPU_JIT_EMIT_BLOCK_H

#include "simgpu/jit/emit.h"

/* Builds the function; *ret receives its longest path and its floating-point requirements. */
int jit_block(struct jit *j, struct sim_block *ret);

#endif
