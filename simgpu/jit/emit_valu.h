/* SPDX-License-Identifier: MIT */
/* Vector integer instructions, carries, selects and compares. */
#ifndef PROBE_SIMGPU_JIT_EMIT_VALU_H
#define PROBE_SIMGPU_JIT_EMIT_VALU_H

#include "simgpu/jit/emit.h"

/* Translates the instruction; false if there is no translation, and the handler must be called. */
bool jit_valu(struct jit *j, const struct sim_inst *ip);
bool jit_compare(struct jit *j, const struct sim_inst *ip);

#endif
