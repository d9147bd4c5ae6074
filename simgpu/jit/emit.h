/* SPDX-License-Identifier: MIT */
/*
 * A block of gfx90a code that is being translated to LLVM IR.
 *
 * Scalar registers are 32- or 64-bit values. They are read from the wave on first use and written
 * back before other code may read them.
 *
 * Vector instructions are collected in a loop over slices of `width` lanes, in which vector
 * registers are values too; the results are merged under EXEC at the end of the loop. Lanes
 * therefore never see each other inside a loop. An instruction that works across lanes, reads a
 * mask that the loop makes, or changes EXEC closes the loop first.
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
	LLVMBuilderRef s; /* scalar code; while a loop is open, the code before it */
	LLVMBuilderRef v; /* inside the open loop */

	/* Scalar registers by pairs; dirty: bit per half that has not been written to the wave. */
	struct {
		value half[2], whole;
		uint8_t dirty;
	} pair[PAIRS];
	value scc;
	bool scc_dirty;
	bool exec_changed; /* by the current instruction */

	/* The open loop. */
	bool open;
	LLVMBasicBlockRef body;
	value lane, lane64, enabled; /* first lane of the slice; the slice's part of EXEC */
	value row[SIM_VGPRS];
	bool row_dirty[SIM_VGPRS];
	uint16_t touched[SIM_VGPRS]; /* rows to invalidate */
	unsigned int touched_count;
	value mask[PAIRS]; /* made in this loop, not yet a scalar */
	struct {
		value whole, part;
	} part[8]; /* slices of recently used scalar masks */
	unsigned int parts;

	/* Counters of the current path. */
	unsigned int insts, cls[C_COUNT], exec_insts;
	const struct sim_inst *last;
	value lanes; /* NULL: none before the current EXEC */
	uint8_t fp;
};

static inline value jit_call1(struct jit *j, LLVMBuilderRef b, const char *name, LLVMTypeRef type,
			      value *args, unsigned int count)
{
	unsigned int id = LLVMLookupIntrinsicID(name, __builtin_strlen(name));
	value fn = LLVMGetIntrinsicDeclaration(j->module, id, &type, 1);
	LLVMTypeRef ft = LLVMIntrinsicGetType(j->context, id, &type, 1);

	return LLVMBuildCall2(b, ft, fn, args, count, "");
}

#endif
