/* SPDX-License-Identifier: MIT */
/*
 * Proved addresses are recorded for one lane only, whatever lanes are active. Strides are
 * compile-time constants, or depend on arguments of the kernel, which the reader of the records
 * knows.
 */
#include "llvm-plugin/kinds/trace_affine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/analysis/analysis.h"
#include "llvm-plugin/emit/inline_asm.h"
#include "llvm-plugin/base/ir_helpers.h"

/*
 * Ids are less than 1024. If the values of all lanes are less than 2^31 and differ by less than
 * that, extending them to 64 bits preserves strides.
 */
#define STRIDE_MAX  INT32_MAX
#define STRIDE_WRAP (1 << 19)

static int64_t size_of(int64_t number)
{
	return number < 0 ? (int64_t)(0 - (uint64_t)number) : number;
}

/* The largest argument for which a stride is within STRIDE_WRAP; negative if there is none. */
static int64_t argument_max(const struct affine_stride *stride)
{
	int64_t constant = size_of(stride->constant), factor = size_of(stride->factor);

	return constant < 0 || constant > STRIDE_WRAP || factor <= 0
		       ? -1
		       : (STRIDE_WRAP - constant) / factor;
}

/*
 * Is the stride one that the reader can derive? Workgroup sizes are not allowed: in a partial
 * workgroup at the grid's end the program may see a smaller size.
 */
static bool is_derivable(const struct affine_stride *stride)
{
	return !(stride->bits & PROBE_STRIDE_LAUNCH) &&
	       stride->offset + 8ull <= PROBE_ARGUMENTS_MAX && argument_max(stride) > 0;
}

/*
 * Does a remainder or quotient of an id differ between the lanes of a wave without growing from
 * lane to lane? Only x is known to do the latter; of other ids nothing is assumed.
 */
static bool divides_wave(const struct affine_field *field)
{
	const uint32_t lanes = 64;

	return !field->axis && !field->with && field->shift < 6 &&
	       (field->shift || (field->mask & (lanes - 1)) != lanes - 1);
}

void trace_affine_prove(const struct analysis *in, LLVMValueRef inst, LLVMValueRef pointer,
			struct trace_affine *ret)
{
	struct trace_affine proof = {.proved = true};
	struct affine_address pattern;
	LLVMValueRef blocker;
	int64_t most;

	if (!pointer || !analysis_affine(in, inst, pointer, &pattern, &blocker))
		return;
	for (unsigned i = 0; i < pattern.fields; i++)
		ret->divided = ret->divided || divides_wave(&pattern.field[i]);
	if (pattern.fields || pattern.aligned_count)
		return;
	most = pattern.wrap_count ? STRIDE_WRAP : STRIDE_MAX;
	for (int i = 0; i < 3; i++) {
		const struct affine_stride *stride = &pattern.stride[i];

		if (stride->factor ? !is_derivable(stride) : size_of(stride->constant) > most)
			return;
		proof.stride[i] = *stride;
		proof.by_argument = proof.by_argument || stride->factor;
	}
	for (unsigned i = 0; i < pattern.wrap_count; i++)
		proof.wraps[i] = pattern.wraps[i];
	proof.wrap_count = pattern.wrap_count;
	*ret = proof;
}

/* Builds the test whether an argument is too large for the proof, or negative. */
static LLVMValueRef is_too_large(struct ring_context *ring, const struct affine_stride *stride)
{
	uint32_t bits = stride->bits & ~PROBE_STRIDE_UNSIGNED;
	LLVMTypeRef type = LLVMIntTypeInContext(ring->context, bits);
	LLVMTypeRef i8 = LLVMInt8TypeInContext(ring->context);
	LLVMValueRef offset =
		LLVMConstInt(LLVMInt64TypeInContext(ring->context), stride->offset, 0);
	LLVMValueRef at, value;

	at = pass_call_intrinsic(ring->builder, "llvm.amdgcn.kernarg.segment.ptr", NULL, NULL, 0);
	at = LLVMBuildGEP2(ring->builder, i8, at, &offset, 1, "");
	value = LLVMBuildLoad2(ring->builder, type, at, "");
	LLVMSetAlignment(value, bits / 8);
	return LLVMBuildICmp(ring->builder, LLVMIntUGT, value,
			     LLVMConstInt(type, (uint64_t)argument_max(stride), 0), "");
}

/* For each argument the stride with the lowest limit, the first one if several have it. */
struct limits {
	const struct affine_stride **lowest;
	size_t count;
};

static bool same_argument(const struct affine_stride *a, const struct affine_stride *b)
{
	return a->offset == b->offset &&
	       (a->bits & ~PROBE_STRIDE_UNSIGNED) == (b->bits & ~PROBE_STRIDE_UNSIGNED);
}

static void add_limit(struct limits *limits, const struct affine_stride *stride)
{
	for (size_t i = 0; i < limits->count; i++)
		if (same_argument(limits->lowest[i], stride)) {
			if (argument_max(stride) < argument_max(limits->lowest[i]))
				limits->lowest[i] = stride;
			return;
		}
	limits->lowest = pass_alloc(limits->lowest, (limits->count + 1) * sizeof(*limits->lowest));
	limits->lowest[limits->count++] = stride;
}

static bool is_lowest(const struct limits *limits, const struct affine_stride *stride)
{
	for (size_t i = 0; i < limits->count; i++)
		if (limits->lowest[i] == stride)
			return true;
	return false;
}

LLVMValueRef trace_affine_arguments(struct ring_context *ring, LLVMValueRef function,
				    const struct trace_affine *proofs, size_t count)
{
	struct limits limits = {0};
	LLVMValueRef bad = NULL;

	for (size_t i = 0; i < count; i++)
		for (int k = 0; k < 3; k++)
			if (proofs[i].proved && proofs[i].stride[k].factor)
				add_limit(&limits, &proofs[i].stride[k]);
	for (size_t i = 0; i < count; i++)
		for (int k = 0; k < 3; k++) {
			const struct affine_stride *stride = &proofs[i].stride[k];
			LLVMValueRef one;

			if (!is_lowest(&limits, stride))
				continue;
			if (!bad)
				ring_before(ring, pass_entry_point(function));
			one = is_too_large(ring, stride);
			bad = bad ? LLVMBuildOr(ring->builder, bad, one, "") : one;
		}
	free(limits.lowest);
	return bad ? LLVMBuildSExt(ring->builder, bad, LLVMInt32TypeInContext(ring->context), "")
		   : NULL;
}

/*
 * Call the slow path, which reserves space or records EXEC. Jump to `back`, or to the end if it
 * failed.
 */
static void emit_call(struct asm_block *code, const char *back)
{
	asm_line(code, "s_swappc_b64 s[30:31], s[88:89]");
	asm_line(code, "s_cmp_eq_u32 s92, 0");
	asm_line(code, "s_cbranch_scc0 .Lprobe_%s${:uid}", back);
	asm_line(code, "s_branch .Lprobe_end${:uid}");
}

/*
 * Slow paths: EXEC differs from the one last recorded, the ring is full, or one record per base is
 * needed.
 */
static void emit_slow_paths(struct asm_block *code, const struct trace_affine_group *group,
			    unsigned size, const unsigned *operand)
{
	asm_line(code, ".Lprobe_exec${:uid}:");
	asm_line(code, "s_mov_b32 s92, %d", TRACE_CALL_EXEC);
	asm_line(code, "v_mov_b32 v2, 0x%x", group->sites << 24);
	emit_call(code, "recorded");
	asm_line(code, ".Lprobe_full${:uid}:");
	asm_line(code, "v_mov_b32 v0, %u", size);
	asm_line(code, "v_mov_b32 v1, %u", group->sites);
	emit_call(code, "fits");
	if (!group->wraps)
		return;
	asm_line(code, ".Lprobe_each${:uid}:");
	for (unsigned i = 0; i < group->bases; i++) {
		asm_line(code, "v_lshlrev_b64 v[0:1], 0, $%u", operand[i]);
		asm_line(code, "v_mov_b32 v2, 0x%x", group->weight[i] << 24 | (group->id + 1 + i));
		asm_line(code, "s_mov_b32 s92, %d", TRACE_CALL_BASE);
		asm_line(code, "s_swappc_b64 s[30:31], s[88:89]");
	}
}

/* Registers that __probe_dev_trace_call() may use: CURSOR_CALL_CLOBBERS of ring_cursor.h. */
void trace_constrain_call(struct asm_block *code)
{
	for (int i = 4; i < 32; i++)
		asm_constrain(code, "~{s%d}", i);
	for (int i = 0; i < 12; i++)
		asm_constrain(code, "~{v%d}", i);
	asm_constrain(code, "~{vcc}");
	asm_constrain(code, "~{scc}");
	asm_constrain(code, "~{memory}");
}

/*
 * s[80:81] is the EXEC last recorded (ring_cursor.h), and equals EXEC when the record is written.
 */
void trace_affine_write(struct ring_context *ring, const struct trace_affine_group *group)
{
	unsigned size = 8 + 8 * group->bases, operand[PROBE_GROUP_BASES];
	struct asm_block code = {0};

	for (unsigned i = 0; i < group->bases; i++)
		operand[i] = asm_operand(&code, "v", group->address[i]);
	asm_line(&code, "s_cmp_eq_u64 exec, s[80:81]");
	asm_line(&code, "s_cbranch_scc0 .Lprobe_exec${:uid}");
	asm_line(&code, ".Lprobe_recorded${:uid}:");
	if (group->wraps) {
		asm_line(&code, "v_cmp_gt_i32 vcc, 0, $%u", asm_operand(&code, "v", group->wraps));
		asm_line(&code, "s_cbranch_vccnz .Lprobe_each${:uid}");
	}
	asm_line(&code, "s_sub_u32 s86, s86, %u", size);
	asm_line(&code, "s_cbranch_scc1 .Lprobe_full${:uid}");
	asm_line(&code, ".Lprobe_fits${:uid}:");
	asm_line(&code, "s_ff1_i32_b64 s6, exec");
	asm_line(&code, "s_lshl_b64 exec, 1, s6");
	asm_line(&code, "v_mov_b32 v0, 0");
	asm_line(&code, "v_mov_b32 v1, 0x%x",
		 group->id | (unsigned)PROBE_FORM_PROVED << PROBE_FORM_SHIFT);
	asm_line(&code, "global_store_dword v0, v1, s[84:85]");
	for (unsigned i = 0; i < group->bases; i++)
		asm_line(&code, "global_store_dwordx2 v0, $%u, s[84:85] offset:%u", operand[i],
			 8 + 8 * i);
	asm_line(&code, "s_mov_b64 exec, s[80:81]");
	asm_line(&code, "s_add_u32 s84, s84, %u", size);
	asm_line(&code, "s_branch .Lprobe_end${:uid}");
	emit_slow_paths(&code, group, size, operand);
	asm_line(&code, ".Lprobe_end${:uid}:");
	trace_constrain_call(&code);
	asm_build(&code, ring->builder, ring->context);
}
