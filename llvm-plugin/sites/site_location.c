/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/sites/site_location.h"

#include <stddef.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "llvm-plugin/analysis/ir_edit.h"
#include "llvm-plugin/sites/intrinsic_forms.h"

/* Instructions that are searched for a line, at most. */
enum { OPERANDS = 32, NEIGHBOURS = 1000 };

LLVMMetadataRef site_location_known(LLVMValueRef inst)
{
	LLVMMetadataRef own = LLVMInstructionGetDebugLoc(inst), call = own;

	while (call && !LLVMDILocationGetLine(call))
		call = LLVMDILocationGetInlinedAt(call);
	return call ? call : own;
}

/* The location of an instruction if it has a line and is in this function, not inlined into it. */
static LLVMMetadataRef location_in(LLVMValueRef inst, LLVMMetadataRef subprogram)
{
	LLVMMetadataRef location = LLVMInstructionGetDebugLoc(inst);

	return location && LLVMDILocationGetLine(location) &&
			       !LLVMDILocationGetInlinedAt(location) &&
			       ir_scope_subprogram(LLVMDILocationGetScope(location)) == subprogram
		       ? location
		       : NULL;
}

static bool is_arithmetic(LLVMValueRef inst)
{
	return LLVMIsAGetElementPtrInst(inst) || LLVMIsACastInst(inst) ||
	       LLVMIsABinaryOperator(inst);
}

/* What several instructions use may be from the line of another one. */
static bool has_one_use(LLVMValueRef value)
{
	LLVMUseRef first = LLVMGetFirstUse(value);

	return first && !LLVMGetNextUse(first);
}

/*
 * The nearest instruction with a line among those that compute the value for its one user, breadth
 * first.
 */
static LLVMMetadataRef location_of_value(LLVMValueRef value, LLVMMetadataRef subprogram)
{
	LLVMValueRef found[OPERANDS] = {value};
	unsigned count = 1;

	for (unsigned i = 0; i < count; i++) {
		LLVMMetadataRef location;

		if (!LLVMIsAInstruction(found[i]) || !has_one_use(found[i]))
			continue;
		location = location_in(found[i], subprogram);
		if (location)
			return location;
		if (!is_arithmetic(found[i]))
			continue;
		for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(found[i]); k++)
			if (count < OPERANDS)
				found[count++] = LLVMGetOperand(found[i], k);
	}
	return NULL;
}

/* The same for the pointers alone, without index arithmetic, which other lines may share. */
static LLVMMetadataRef location_of_pointer(LLVMValueRef pointer, LLVMMetadataRef subprogram)
{
	LLVMMetadataRef location = NULL;

	while (!location && (LLVMIsAGetElementPtrInst(pointer) || LLVMIsACastInst(pointer)) &&
	       has_one_use(pointer)) {
		location = location_in(pointer, subprogram);
		pointer = LLVMGetOperand(pointer, 0);
	}
	return location;
}

/* The address of an access; NULL: not an access. */
static LLVMValueRef address_of(LLVMValueRef inst)
{
	if (LLVMIsAStoreInst(inst))
		return LLVMGetOperand(inst, 1);
	return LLVMIsALoadInst(inst) || LLVMIsAAtomicRMWInst(inst) ||
			       LLVMIsAAtomicCmpXchgInst(inst) || pass_is_marker(inst)
		       ? LLVMGetOperand(inst, 0)
		       : NULL;
}

static LLVMValueRef base_of(LLVMValueRef pointer)
{
	while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsABitCastInst(pointer) ||
	       LLVMIsAAddrSpaceCastInst(pointer) ||
	       (LLVMIsAConstantExpr(pointer) && (LLVMGetConstOpcode(pointer) == LLVMGetElementPtr ||
						 LLVMGetConstOpcode(pointer) == LLVMBitCast ||
						 LLVMGetConstOpcode(pointer) == LLVMAddrSpaceCast)))
		pointer = LLVMGetOperand(pointer, 0);
	return pointer;
}

/*
 * The location of the nearest access of this kind to the same array in the block: those of an
 * unrolled loop are next to each other.
 */
static LLVMMetadataRef location_of_neighbour(LLVMValueRef inst, LLVMMetadataRef subprogram)
{
	LLVMValueRef base = base_of(address_of(inst)), side[2] = {inst, inst};

	for (unsigned i = 0; i < 2 * NEIGHBOURS && (side[0] || side[1]); i++) {
		LLVMValueRef *next = &side[i & 1], pointer;
		LLVMMetadataRef location;

		if (*next)
			*next = i & 1 ? LLVMGetPreviousInstruction(*next)
				      : LLVMGetNextInstruction(*next);
		if (!*next || LLVMGetInstructionOpcode(*next) != LLVMGetInstructionOpcode(inst))
			continue;
		pointer = address_of(*next);
		location =
			pointer && base_of(pointer) == base ? location_in(*next, subprogram) : NULL;
		if (location)
			return location;
	}
	return NULL;
}

LLVMMetadataRef site_location(LLVMValueRef inst, bool *likely)
{
	LLVMMetadataRef own = LLVMInstructionGetDebugLoc(inst), found = site_location_known(inst);
	LLVMMetadataRef subprogram =
		own ? ir_scope_subprogram(LLVMDILocationGetScope(own))
		    : LLVMGetSubprogram(LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst)));
	LLVMValueRef pointer = address_of(inst);

	if (pointer && subprogram && !(found && LLVMDILocationGetLine(found))) {
		LLVMMetadataRef other = location_of_pointer(pointer, subprogram);

		if (!other)
			other = location_of_neighbour(inst, subprogram);
		if (!other)
			other = location_of_value(pointer, subprogram);
		if (!other && LLVMIsAStoreInst(inst))
			other = location_of_value(LLVMGetOperand(inst, 0), subprogram);
		found = other ? other : found;
	}
	*likely = found != own;
	return found;
}
