/* SPDX-License-Identifier: MIT */
/* Scalar instructions. */
#ifndef PROBE_SIMGPU_JIT_EMIT_SALU_H
#define PROBE_SIMGPU_JIT_EMIT_SALU_H

#include "simgpu/jit/emit.h"

/* Translates the instruction; false if there is no translation, and the handler must be called. */
bool jit_salu(struct jit *j, const struct sim_inst *ip);

#endif
