/* SPDX-License-Identifier: MIT */
/* Operands of vector instructions. */
#ifndef PROBE_SIMGPU_JIT_EMIT_OPERANDS_H
#define PROBE_SIMGPU_JIT_EMIT_OPERANDS_H

#include "simgpu/jit/emit.h"

/* Source n, dword `part`, as a row; as 64-bit lanes. */
value jit_source(struct jit *j, const struct sim_inst *ip, unsigned int n, unsigned int part);
value jit_source64(struct jit *j, const struct sim_inst *ip, unsigned int n);
/* Float sources; the bits are those before abs and neg. */
value jit_source_float_bits(struct jit *j, const struct sim_inst *ip, unsigned int n,
			    unsigned int part);
value jit_source_float(struct jit *j, const struct sim_inst *ip, unsigned int n);
value jit_source_double(struct jit *j, const struct sim_inst *ip, unsigned int n);
void jit_put_wide(struct jit *j, unsigned int row, value v);
/* To be called before the rows of an instruction are read. */
void jit_scalars_first(struct jit *j, const struct sim_inst *ip);

#endif
