/* SPDX-License-Identifier: MIT */
/* Scalar registers, and the rows and masks of the open loop. */
#ifndef PROBE_SIMGPU_JIT_EMIT_STATE_H
#define PROBE_SIMGPU_JIT_EMIT_STATE_H

#include "simgpu/jit/emit.h"

/* ---- Scalar state */
value jit_i32(struct jit *j, uint32_t n);
value jit_i64(struct jit *j, uint64_t n);
value jit_wave_address(struct jit *j, LLVMBuilderRef b, uint64_t offset);
value jit_get32(struct jit *j, unsigned int code);
value jit_get64(struct jit *j, unsigned int code);
void jit_put32(struct jit *j, unsigned int code, value v);
void jit_put64(struct jit *j, unsigned int code, value v);
value jit_get_scc(struct jit *j);
void jit_put_scc(struct jit *j, value v);
/* Register number of a byte offset in the wave. */
unsigned int jit_code(uintptr_t offset);
/* Writes back everything that the wave does not have; closes the loop. */
void jit_flush(struct jit *j);
/* For calls that may have written any scalar register. */
void jit_invalidate(struct jit *j);

/* ---- Vector state */
void jit_loop_open(struct jit *j);
void jit_loop_close(struct jit *j);
value jit_get_row(struct jit *j, unsigned int row);
void jit_put_row(struct jit *j, unsigned int row, value v);
/* Bits of the slice of a mask register, or of a 64-bit scalar. */
value jit_mask_of(struct jit *j, unsigned int code);
value jit_mask_slice(struct jit *j, value whole);
/* Lanes outside of EXEC become 0, as in all mask results. */
void jit_put_mask(struct jit *j, unsigned int code, value bits);
value jit_splat(struct jit *j, value scalar);

#endif
