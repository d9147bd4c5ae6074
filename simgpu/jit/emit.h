/* SPDX-License-Identifier: MIT */
/*
 * A block of gfx90a code on its way to LLVM IR.
 *
 * Scalar registers are 32- or 64-bit values, read from the wave when first needed and written back
 * when something else may look. Vector instructions gather in a loop over slices of `width` lanes,
 * in which vector registers are values too; what the loop wrote goes back under EXEC at its end. So
 * lanes never see each other inside a loop, and everything that crosses lanes, reads a mask that
 * the loop made, or changes EXEC closes it first.
 */
#ifndef PROBE_SIMGPU_JIT_EMIT_H
#define PROBE_SIMGPU_JIT_EMIT_H

#include <llvm-c/Core.h>

#include "simgpu/exec/translate.h"

enum {
	PAIRS = SIM_SGPRS / 2,
	VCC_PAIR = SIM_VCC / 2,
	EXEC_PAIR = SIM_EXEC / 2,
};

typedef LLVMValueRef value;

struct jit {
	const struct sim_jit_job *job;
	unsigned int width; /* lanes per slice */
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMTypeRef i1, i8, i32, i64, ptr, slice; /* slice: an integer with a bit per lane */
	LLVMTypeRef v1, v32, v64, vf32, vf64, handler;
	value function, wave, tally;
	LLVMBuilderRef s; /* scalar code; while a loop is open, what comes before it */
	LLVMBuilderRef v; /* inside the open loop */

	/* Scalar registers by pairs; dirty: bit per half that the wave does not have yet. */
	struct {
		value half[2], whole;
		uint8_t dirty;
	} pair[PAIRS];
	value scc;
	bool scc_dirty;
	bool exec_changed; /* by the instruction at hand */

	/* The open loop. */
	bool open;
	LLVMBasicBlockRef body;
	value lane, lane64, enabled; /* first lane of the slice; its part of EXEC */
	value row[SIM_VGPRS];
	bool row_dirty[SIM_VGPRS];
	uint16_t touched[SIM_VGPRS]; /* rows to forget */
	unsigned int touched_count;
	value mask[PAIRS]; /* made in this loop, not yet a scalar */
	struct {
		value whole, part;
	} part[8]; /* slices of scalar masks, the last few */
	unsigned int parts;

	/* Counters of this path so far. */
	unsigned int insts, cls[C_COUNT], exec_insts;
	const struct sim_inst *last;
	value lanes; /* NULL: none before the current EXEC */
	uint8_t fp;
};

/* ---- Scalar state (emit_state.c) */
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
/* Write everything back that the wave does not have; closes the loop. */
void jit_flush(struct jit *j);
/* Something unknown wrote scalar registers. */
void jit_forget(struct jit *j);

/* ---- Vector state */
void jit_loop_open(struct jit *j);
void jit_loop_close(struct jit *j);
value jit_get_row(struct jit *j, unsigned int row);
void jit_put_row(struct jit *j, unsigned int row, value v);
/* Bits of the slice of a mask register, or of a 64-bit scalar. */
value jit_mask_of(struct jit *j, unsigned int code);
value jit_mask_slice(struct jit *j, value whole);
/* Lanes not in EXEC become 0, as in all mask results. */
void jit_put_mask(struct jit *j, unsigned int code, value bits);
value jit_splat(struct jit *j, value scalar);

/* ---- Instructions; false: no translation, call the handler */
bool jit_salu(struct jit *j, const struct sim_inst *ip);
bool jit_valu(struct jit *j, const struct sim_inst *ip);
bool jit_valu_float(struct jit *j, const struct sim_inst *ip);
bool jit_compare(struct jit *j, const struct sim_inst *ip);

/* Source n, dword `part`, as a row; as 64-bit lanes. */
value jit_source(struct jit *j, const struct sim_inst *ip, unsigned int n, unsigned int part);
value jit_source64(struct jit *j, const struct sim_inst *ip, unsigned int n);
value jit_source_float(struct jit *j, const struct sim_inst *ip, unsigned int n);
value jit_source_double(struct jit *j, const struct sim_inst *ip, unsigned int n);
void jit_put_wide(struct jit *j, unsigned int row, value v);
/* Before the rows of an instruction are read (see emit_valu.c). */
void jit_scalars_first(struct jit *j, const struct sim_inst *ip);

/* ---- Blocks (emit_block.c): builds the function; its longest path and FP needs in *ret */
int jit_block(struct jit *j, struct sim_block *ret);

static inline value jit_call1(struct jit *j, LLVMBuilderRef b, const char *name, LLVMTypeRef type,
			      value *args, unsigned int count)
{
	unsigned int id = LLVMLookupIntrinsicID(name, __builtin_strlen(name));
	value fn = LLVMGetIntrinsicDeclaration(j->module, id, &type, 1);
	LLVMTypeRef ft = LLVMIntrinsicGetType(j->context, id, &type, 1);

	return LLVMBuildCall2(b, ft, fn, args, count, "");
}

#endif
