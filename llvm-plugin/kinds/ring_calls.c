/* SPDX-License-Identifier: MIT */
/* Calls of the device library that put records into rings (ring_kind.h). */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "llvm-plugin/emit/devlib_link.h"
#include "llvm-plugin/kinds/ring_kind.h"
#include "llvm-plugin/base/call_units.h"
#include "llvm-plugin/base/ir_helpers.h"

LLVMValueRef ring_i32(const struct ring_context *in, uint32_t value)
{
	return LLVMConstInt(LLVMInt32TypeInContext(in->context), value, 0);
}

/*
 * Portable code calls copies, except for stamps: a call's s_waitcnt would add to the measured time.
 * Unoptimised code calls them for accesses: branches would divide an expression's block, within
 * which the back end fuses multiplications and additions, so that results would differ.
 */
static bool is_copied(const struct ring_context *in, enum devlib_function which)
{
	bool stamp = which == DEVLIB_TIME_BEGIN || which == DEVLIB_TIME_END;

	if (!in->is_portable)
		return in->is_optnone && which == DEVLIB_TRACE_SITE;
	return in->is_optnone || !stamp;
}

LLVMValueRef ring_call(struct ring_context *in, enum devlib_function which, LLVMValueRef *args,
		       unsigned count)
{
	if (is_copied(in, which)) {
		uint32_t shape = DEVLIB_SHAPE_OPTNONE | (in->is_optnone ? 0 : DEVLIB_SHAPE_CURSOR);

		LLVMValueRef function = devlib_share(in->devlib, which, shape,
						     in->unit->clone[in->kind], in->analyses);
		return LLVMBuildCall2(in->builder, LLVMGlobalGetValueType(function), function, args,
				      count, "");
	}
	return devlib_call(&in->calls, which, args, count);
}

void ring_before(struct ring_context *in, LLVMValueRef inst)
{
	LLVMPositionBuilderBefore(in->builder, inst);
	LLVMSetCurrentDebugLocation2(in->builder, LLVMInstructionGetDebugLoc(inst));
}
