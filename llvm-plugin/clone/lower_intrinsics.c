/* SPDX-License-Identifier: MIT */
/*
 * Accesses that are neither loads nor stores in IR, converted for probes in the base clone. memcpy,
 * memmove and memset become the loads and stores that the back end would generate. A marker is
 * inserted before a buffer or global-to-LDS intrinsic, and before an access to scratch: a call with
 * the address, which represents the access until markers_remove() removes it.
 */
#include "llvm-plugin/clone/lower_intrinsics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include <probe/wire.h>

#include "llvm-plugin/analysis/ir_edit.h"
#include "llvm-plugin/clone/lower_copies.h"
#include "llvm-plugin/base/compile_options.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/sites/access_sites.h"
#include "llvm-plugin/sites/intrinsic_forms.h"

/* ---- Markers ------------------------------------------------------------------------------- */

struct lower {
	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMTypeRef i32, i64;
	unsigned lanes;
};

static LLVMValueRef constant(const struct lower *lower, uint64_t value)
{
	return LLVMConstInt(lower->i32, value, 0);
}

static void mark(struct lower *lower, LLVMValueRef pointer, uint32_t size,
		 enum probe_access_kind access, enum probe_space space)
{
	LLVMTypeRef params[] = {LLVMTypeOf(pointer), lower->i32, lower->i32, lower->i32};
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(lower->context), params, 4, 0);
	LLVMValueRef args[] = {pointer, constant(lower, size), constant(lower, access),
			       constant(lower, space)};
	char *name =
		pass_format(PASS_MARKER "p%u", LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)));
	LLVMValueRef function = LLVMGetNamedFunction(lower->module, name);

	if (!function)
		function = LLVMAddFunction(lower->module, name, type);
	free(name);
	LLVMBuildCall2(lower->builder, type, function, args, 4, "");
}

void markers_remove(LLVMModuleRef module)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
		size_t size;

		next = LLVMGetNextFunction(f);
		if (strncmp(LLVMGetValueName2(f, &size), PASS_MARKER, strlen(PASS_MARKER)))
			continue;
		for (LLVMUseRef use; (use = LLVMGetFirstUse(f));)
			LLVMInstructionEraseFromParent(LLVMGetUser(use));
		LLVMDeleteFunction(f);
	}
}

/* ---- Buffers ------------------------------------------------------------------------------- */

/*
 * The resource descriptor ("Buffer Resource Descriptor", MI200 ISA manual): base 47:0, stride
 * 61:48, swizzle 63, num_records in dword 2; element size 116:115, index stride 118:117, add-tid
 * 119.
 */
struct descriptor {
	LLVMValueRef base, stride, records;
	LLVMValueRef swizzle, add_tid;		 /* i1 */
	LLVMValueRef element_shift, index_shift; /* log2 of bytes, of records */
};

static LLVMValueRef bit_field(struct lower *lower, LLVMValueRef word, unsigned shift,
			      unsigned count)
{
	LLVMValueRef moved = LLVMBuildLShr(lower->builder, word, constant(lower, shift), "");

	return LLVMBuildAnd(lower->builder, moved, constant(lower, (1ull << count) - 1), "");
}

static LLVMValueRef is_set(struct lower *lower, LLVMValueRef word, unsigned shift)
{
	return LLVMBuildICmp(lower->builder, LLVMIntNE, bit_field(lower, word, shift, 1),
			     constant(lower, 0), "");
}

static void read_descriptor(struct lower *lower, LLVMValueRef rsrc, struct descriptor *ret)
{
	LLVMTypeRef i128 = LLVMIntTypeInContext(lower->context, 128);
	LLVMValueRef word[4], high;

	if (LLVMGetTypeKind(LLVMTypeOf(rsrc)) == LLVMPointerTypeKind)
		rsrc = LLVMBuildPtrToInt(lower->builder, rsrc, i128, "");
	rsrc = LLVMBuildBitCast(lower->builder, rsrc, LLVMVectorType(lower->i32, 4), "");
	for (unsigned i = 0; i < 4; i++)
		word[i] = LLVMBuildExtractElement(lower->builder, rsrc, constant(lower, i), "");
	high = LLVMBuildZExt(lower->builder, bit_field(lower, word[1], 0, 16), lower->i64, "");
	high = LLVMBuildShl(lower->builder, high, LLVMConstInt(lower->i64, 32, 0), "");
	ret->base = LLVMBuildOr(lower->builder, high,
				LLVMBuildZExt(lower->builder, word[0], lower->i64, ""), "");
	ret->stride = bit_field(lower, word[1], 16, 14);
	ret->swizzle = is_set(lower, word[1], 31);
	ret->records = word[2];
	ret->add_tid = is_set(lower, word[3], 23);
	ret->element_shift = LLVMBuildAdd(lower->builder, bit_field(lower, word[3], 19, 2),
					  constant(lower, 1), "");
	ret->index_shift = LLVMBuildAdd(lower->builder, bit_field(lower, word[3], 21, 2),
					constant(lower, 3), "");
}

static LLVMValueRef lane_id(struct lower *lower)
{
	LLVMValueRef args[] = {constant(lower, UINT32_MAX), constant(lower, 0)};

	args[1] = pass_call_intrinsic(lower->builder, "llvm.amdgcn.mbcnt.lo", NULL, args, 2);
	return pass_call_intrinsic(lower->builder, "llvm.amdgcn.mbcnt.hi", NULL, args, 2);
}

/*
 * Offset in a swizzled buffer: elements of `index stride` records are interleaved ("Swizzled Buffer
 * Addressing").
 */
static LLVMValueRef swizzled(struct lower *lower, const struct descriptor *d, LLVMValueRef index,
			     LLVMValueRef offset)
{
	LLVMBuilderRef b = lower->builder;
	LLVMValueRef one = constant(lower, 1);
	LLVMValueRef index_high = LLVMBuildLShr(b, index, d->index_shift, "");
	LLVMValueRef index_low =
		LLVMBuildSub(b, index, LLVMBuildShl(b, index_high, d->index_shift, ""), "");
	LLVMValueRef element = LLVMBuildShl(b, one, d->element_shift, "");
	LLVMValueRef offset_low = LLVMBuildAnd(b, offset, LLVMBuildSub(b, element, one, ""), "");
	LLVMValueRef offset_high = LLVMBuildSub(b, offset, offset_low, "");
	LLVMValueRef sum =
		LLVMBuildAdd(b, LLVMBuildMul(b, index_high, d->stride, ""), offset_high, "");

	sum = LLVMBuildShl(b, sum, d->index_shift, "");
	sum = LLVMBuildAdd(b, sum, LLVMBuildShl(b, index_low, d->element_shift, ""), "");
	return LLVMBuildAdd(b, sum, offset_low, "");
}

static LLVMValueRef extend(struct lower *lower, LLVMValueRef value)
{
	return LLVMBuildZExt(lower->builder, value, lower->i64, "");
}

/* Is the lane's access in bounds? The bound is in records if there is a stride, else in bytes. */
static LLVMValueRef in_range(struct lower *lower, const struct descriptor *d, LLVMValueRef index,
			     LLVMValueRef offset, uint32_t size)
{
	LLVMBuilderRef b = lower->builder;
	LLVMValueRef end =
		LLVMBuildAdd(b, extend(lower, offset), LLVMConstInt(lower->i64, size, 0), "");
	LLVMValueRef by_bytes = LLVMBuildICmp(b, LLVMIntULE, end, extend(lower, d->records), "");
	LLVMValueRef by_index = LLVMBuildICmp(b, LLVMIntULT, index, d->records, "");
	LLVMValueRef raw = LLVMBuildICmp(b, LLVMIntEQ, d->stride, constant(lower, 0), "");

	return LLVMBuildSelect(b, raw, by_bytes, by_index, "");
}

struct buffer_operands {
	LLVMValueRef rsrc, index, offset, scalar;
};

/* The scalar offset is neither checked nor swizzled. */
static LLVMValueRef buffer_address(struct lower *lower, const struct buffer_operands *in,
				   uint32_t size, LLVMValueRef *ret_inside)
{
	LLVMBuilderRef b = lower->builder;
	LLVMValueRef zero = constant(lower, 0), index, at;
	struct descriptor d;

	read_descriptor(lower, in->rsrc, &d);
	index = LLVMBuildSelect(b, d.add_tid, lane_id(lower), zero, "");
	index = LLVMBuildAdd(b, index, in->index ? in->index : zero, "");
	at = LLVMBuildMul(b, extend(lower, d.stride), extend(lower, index), "");
	at = LLVMBuildAdd(b, at, extend(lower, in->offset), "");
	at = LLVMBuildSelect(b, d.swizzle, extend(lower, swizzled(lower, &d, index, in->offset)),
			     at, "");
	at = LLVMBuildAdd(b, at, LLVMBuildAdd(b, d.base, extend(lower, in->scalar), ""), "");
	*ret_inside = in_range(lower, &d, index, in->offset, size);
	return LLVMBuildIntToPtr(b, at,
				 LLVMPointerTypeInContext(lower->context, PROBE_SPACE_GLOBAL), "");
}

static uint32_t size_of(struct lower *lower, LLVMTypeRef type)
{
	return (uint32_t)LLVMStoreSizeOfType(LLVMGetModuleDataLayout(lower->module), type);
}

/* Data first, unless it is a load; then descriptor, index (structs only), offset, scalar offset. */
static void mark_buffer(struct lower *lower, LLVMValueRef inst, const struct intrinsic_form *row)
{
	bool structured = row->form == PASS_FORM_STRUCT || row->form == PASS_FORM_STRUCT_SWAP;
	bool swap = row->form == PASS_FORM_RAW_SWAP || row->form == PASS_FORM_STRUCT_SWAP;
	bool load = row->access == PROBE_ACCESS_LOAD;
	unsigned at = load ? 0 : swap ? 2 : 1;
	uint32_t size = size_of(lower, LLVMTypeOf(load ? inst : LLVMGetOperand(inst, 0)));
	struct buffer_operands in = {
		.rsrc = LLVMGetOperand(inst, at),
		.index = structured ? LLVMGetOperand(inst, at + 1) : NULL,
		.offset = LLVMGetOperand(inst, at + 1 + structured),
		.scalar = LLVMGetOperand(inst, at + 2 + structured),
	};
	LLVMValueRef inside, pointer = buffer_address(lower, &in, size, &inside);

	LLVMPositionBuilderBefore(lower->builder, ir_branch_if(inside, inst));
	mark(lower, pointer, size, row->access, PROBE_SPACE_BUFFER);
}

/* Lane l writes l elements after the LDS address: LDS_offset + M0 + ThreadID * 4 (ISA manual). */
static LLVMValueRef lds_target(struct lower *lower, LLVMValueRef pointer, LLVMValueRef fixed,
			       uint32_t size)
{
	LLVMBuilderRef b = lower->builder;
	LLVMValueRef offset =
		LLVMBuildMul(b, lane_id(lower), constant(lower, size < 4 ? 4 : size), "");

	offset = LLVMBuildAdd(b, offset, fixed, "");
	return LLVMBuildGEP2(b, LLVMInt8TypeInContext(lower->context), pointer, &offset, 1, "");
}

/* (descriptor, LDS, size, [index,] offset, scalar offset, fixed offset, cache policy). */
static void mark_buffer_to_lds(struct lower *lower, LLVMValueRef inst, bool structured)
{
	uint32_t size = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(inst, 2));
	LLVMValueRef fixed = LLVMGetOperand(inst, 5 + structured);
	struct buffer_operands in = {
		.rsrc = LLVMGetOperand(inst, 0),
		.index = structured ? LLVMGetOperand(inst, 3) : NULL,
		.offset = LLVMBuildAdd(lower->builder, LLVMGetOperand(inst, 3 + structured), fixed,
				       ""),
		.scalar = LLVMGetOperand(inst, 4 + structured),
	};
	LLVMValueRef inside, lds = lds_target(lower, LLVMGetOperand(inst, 1), fixed, size);
	LLVMValueRef pointer = buffer_address(lower, &in, size, &inside);

	/* Lanes outside of the buffer write zeros. */
	mark(lower, lds, size < 4 ? 4 : size, PROBE_ACCESS_STORE, PROBE_SPACE_LDS);
	LLVMPositionBuilderBefore(lower->builder, ir_branch_if(inside, inst));
	mark(lower, pointer, size, PROBE_ACCESS_LOAD, PROBE_SPACE_BUFFER);
}

/* (address, LDS, size, fixed offset, cache policy). */
static void mark_global_to_lds(struct lower *lower, LLVMValueRef inst)
{
	LLVMTypeRef i8 = LLVMInt8TypeInContext(lower->context);
	uint32_t size = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(inst, 2));
	LLVMValueRef fixed = LLVMGetOperand(inst, 3);
	LLVMValueRef pointer =
		LLVMBuildGEP2(lower->builder, i8, LLVMGetOperand(inst, 0), &fixed, 1, "");
	LLVMValueRef lds = lds_target(lower, LLVMGetOperand(inst, 1), fixed, size);

	mark(lower, pointer, size, PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL);
	mark(lower, lds, size < 4 ? 4 : size, PROBE_ACCESS_STORE, PROBE_SPACE_LDS);
}

/* ---- Scratch ------------------------------------------------------------------------------- */

/*
 * Offset in the wave's scratch of byte `at` of a lane's scratch. Dwords are interleaved: the i-th
 * dwords of all lanes are adjacent (AMDGPU ABI, "Private Segment Buffer": swizzled, element size 4,
 * index stride 64 or 32, add tid). A wave's scratch is aligned to 1024 bytes, so that cache lines
 * can be counted without its address.
 */
static LLVMValueRef swizzle(struct lower *lower, LLVMValueRef at)
{
	LLVMValueRef low = LLVMBuildAnd(lower->builder, at, constant(lower, 3), "");
	LLVMValueRef dword = LLVMBuildLShr(lower->builder, at, constant(lower, 2), "");
	LLVMValueRef row =
		LLVMBuildMul(lower->builder, LLVMBuildZExt(lower->builder, dword, lower->i64, ""),
			     LLVMConstInt(lower->i64, 4ull * lower->lanes, 0), "");

	low = LLVMBuildOr(lower->builder, low,
			  LLVMBuildShl(lower->builder, lane_id(lower), constant(lower, 2), ""), "");
	return LLVMBuildOr(lower->builder, row, LLVMBuildZExt(lower->builder, low, lower->i64, ""),
			   "");
}

/* One marker per dword, or part of one: adjacent bytes of a lane are not adjacent in memory. */
static void mark_scratch(struct lower *lower, LLVMValueRef inst)
{
	LLVMTypeRef type = LLVMPointerTypeInContext(lower->context, PROBE_SPACE_GLOBAL);
	LLVMValueRef offset;
	struct access_site site;
	uint32_t part;

	if (!access_site_scratch(inst, &site))
		return;
	part = site.size % 4 || site.align % 4 ? site.size % 2 || site.align % 2 ? 1 : 2 : 4;
	offset = LLVMBuildPtrToInt(lower->builder, site.pointer, lower->i32, "");
	for (uint32_t i = 0; i < site.size; i += part) {
		LLVMValueRef at = LLVMBuildAdd(lower->builder, offset, constant(lower, i), "");
		LLVMValueRef pointer =
			LLVMBuildIntToPtr(lower->builder, swizzle(lower, at), type, "");

		mark(lower, pointer, part, site.access, PROBE_SPACE_SCRATCH);
	}
}

/* ---- A function ---------------------------------------------------------------------------- */

struct found {
	LLVMValueRef *inst;
	size_t count, capacity;
};

static bool is_lowered(LLVMValueRef inst, const struct pass_options *options, bool copies)
{
	enum pass_form form = pass_form_of(inst);
	struct access_site site;

	if (form >= PASS_FORM_LOWERED)
		return (form == PASS_FORM_COPY) == copies;
	return !copies && options->spaces >> PROBE_SPACE_SCRATCH & 1 &&
	       access_site_scratch(inst, &site);
}

static void find(struct found *found, LLVMValueRef function, const struct pass_options *options,
		 bool copies)
{
	for (LLVMValueRef inst = pass_first_inst(function); inst; inst = pass_next_inst(inst)) {
		if (!is_lowered(inst, options, copies) || !pass_in_scope(inst, options))
			continue;
		if (found->count == found->capacity) {
			found->capacity = found->capacity ? 2 * found->capacity : 16;
			found->inst =
				pass_alloc(found->inst, found->capacity * sizeof(LLVMValueRef));
		}
		found->inst[found->count++] = inst;
	}
}

void lower_copies(LLVMValueRef function, const struct pass_options *options, void *analyses)
{
	struct found found = {0};

	find(&found, function, options, true);
	for (size_t i = 0; i < found.count; i++)
		lower_copy(found.inst[i], analyses);
	free(found.inst);
}

void markers_insert(LLVMValueRef function, const struct pass_options *options, void *analyses)
{
	struct found found = {0};
	struct lower lower = {.module = LLVMGetGlobalParent(function)};

	lower.context = LLVMGetModuleContext(lower.module);
	lower.builder = LLVMCreateBuilderInContext(lower.context);
	lower.i32 = LLVMInt32TypeInContext(lower.context);
	lower.i64 = LLVMInt64TypeInContext(lower.context);
	lower.lanes = options->portable ? options->portable : 64;
	find(&found, function, options, false);
	for (size_t i = 0; i < found.count; i++) {
		LLVMValueRef inst = found.inst[i];
		const struct intrinsic_form *row = intrinsic_form_find(inst);

		LLVMPositionBuilderBefore(lower.builder, inst);
		LLVMSetCurrentDebugLocation2(lower.builder, LLVMInstructionGetDebugLoc(inst));
		if (!row)
			mark_scratch(&lower, inst);
		else if (row->form == PASS_FORM_GLOBAL_LDS)
			mark_global_to_lds(&lower, inst);
		else if (row->form == PASS_FORM_RAW_LDS || row->form == PASS_FORM_STRUCT_LDS)
			mark_buffer_to_lds(&lower, inst, row->form == PASS_FORM_STRUCT_LDS);
		else
			mark_buffer(&lower, inst, row);
	}
	if (found.count)
		ir_invalidate(function, analyses);
	LLVMDisposeBuilder(lower.builder);
	free(found.inst);
}
