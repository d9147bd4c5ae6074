/* SPDX-License-Identifier: MIT */
/* Vector floating-point instructions. */
#ifndef PROBE_SIMGPU_JIT_EMIT_FLOAT_H
#define PROBE_SIMGPU_JIT_EMIT_FLOAT_H

#include "simgpu/jit/emit.h"

/* Translates the instruction; false if there is no translation, and the handler must be called. */
bool jit_valu_float(struct jit *j, const struct sim_inst *ip);

#endif
