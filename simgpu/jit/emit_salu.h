/* SPDX-License-Identifier: MIT */
/* Scalar instructions. */
#ifndef PROBE_SIMGPU_JIT_EMIT_SALU_H
#define PROBE_SIMGPU_JIT_EMIT_SALU_H

#include "simgpu/jit/emit.h"

/* Translate the instruction; false if it has no translation: the handler is to be called. */
bool jit_salu(struct jit *j, const struct sim_inst *ip);

#endif
