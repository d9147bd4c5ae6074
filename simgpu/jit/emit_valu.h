/* SPDX-License-Identifier: MIT */
/* Vector integer instructions, carries, selects and compares. */
#ifndef PROBE_SIMGPU_JIT_EMIT_VALU_H
#define PROBE_SIMGPU_JIT_EMIT_VALU_H

#include "simgpu/jit/emit.h"

/* Translate the instruction; false if it has no translation: the handler is to be called. */
bool jit_valu(struct jit *j, const struct sim_inst *ip);
bool jit_compare(struct jit *j, const struct sim_inst *ip);

#endif
