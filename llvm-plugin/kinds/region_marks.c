/* SPDX-License-Identifier: MIT */
/*
 * The calls of include/probe/device.h, and the sites of the `time` kind.
 *
 * A call is an llvm.annotation intrinsic whose text starts with "probe:". The back end drops it,
 * and it keeps its order relative to others. Stamps and messages replace it in clones; it is
 * removed from originals and from clones of other kinds.
 */
#include "llvm-plugin/kinds/region_marks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include <probe/wire.h>

#include "llvm-plugin/base/call_units.h"
#include "llvm-plugin/base/compile_options.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/sites/access_sites.h"
#include "llvm-plugin/sites/table_builder.h"

static const char *const mark_names[PASS_MARKS] = {
	[PASS_MARK_BEGIN] = "begin:", [PASS_MARK_END] = "end:",	  [PASS_MARK_EMIT] = "emit:",
	[PASS_MARK_LANES] = "lanes:", [PASS_MARK_WORD] = "word:",
};

/* Text of a global that holds a string, through the casts around it. */
static const char *string_of(LLVMValueRef value, size_t *ret_size)
{
	LLVMValueRef text;

	while (LLVMIsAConstantExpr(value))
		value = LLVMGetOperand(value, 0);
	text = LLVMIsAGlobalVariable(value) ? LLVMGetInitializer(value) : NULL;
	if (!text || !LLVMIsAConstantDataSequential(text) || !LLVMIsConstantString(text))
		return NULL;
	return LLVMGetAsString(text, ret_size);
}

bool mark_read(LLVMValueRef inst, struct pass_mark *ret)
{
	const char *text;
	size_t size;

	if (strncmp(pass_called_name(inst), "llvm.annotation.", 16))
		return false;
	text = string_of(LLVMGetOperand(inst, 1), &size);
	if (!text || size < 7 || memcmp(text, "probe:", 6))
		return false;
	for (unsigned kind = 0; kind < PASS_MARKS; kind++) {
		size_t length = strlen(mark_names[kind]);

		if (size > 6 + length && !memcmp(text + 6, mark_names[kind], length)) {
			ret->kind = kind;
			ret->name = text + 6 + length;
			ret->size = strnlen(ret->name, size - 6 - length);
			return true;
		}
	}
	return false;
}

bool pass_is_message(LLVMValueRef inst)
{
	struct pass_mark mark;

	return mark_read(inst, &mark) &&
	       (mark.kind == PASS_MARK_EMIT || mark.kind == PASS_MARK_LANES);
}

static bool has_marks(LLVMValueRef function)
{
	struct pass_mark mark;

	for (LLVMValueRef inst = pass_first_inst(function); inst; inst = pass_next_inst(inst))
		if (mark_read(inst, &mark))
			return true;
	return false;
}

bool marks_any(LLVMModuleRef module)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (has_marks(f))
			return true;
	return false;
}

void marks_remove(LLVMModuleRef module)
{
	struct pass_mark mark;

	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMValueRef inst = pass_first_inst(f), next; inst; inst = next) {
			next = pass_next_inst(inst);
			if (!mark_read(inst, &mark))
				continue;
			LLVMReplaceAllUsesWith(inst, LLVMGetOperand(inst, 0));
			LLVMInstructionEraseFromParent(inst);
		}
}

bool mark_has_site(const struct pass_mark *mark, uint32_t kinds)
{
	uint32_t time = kinds & 1u << PROBE_KIND_TIME;

	if (mark->kind == PASS_MARK_WORD)
		return false;
	return time || (kinds & 1u << PROBE_KIND_TRACE &&
			(mark->kind == PASS_MARK_EMIT || mark->kind == PASS_MARK_LANES));
}

bool mark_is_region(const struct pass_mark *mark)
{
	return mark->kind == PASS_MARK_BEGIN || mark->kind == PASS_MARK_END;
}

static void list_marks(const struct call_unit *unit, struct site_table *table, uint32_t kinds)
{
	for (LLVMValueRef inst = pass_first_inst(unit->base); inst; inst = pass_next_inst(inst)) {
		struct pass_mark mark;
		struct access_site site;

		if (!mark_read(inst, &mark) || !mark_has_site(&mark, kinds))
			continue;
		site = (struct access_site){
			.access =
				mark_is_region(&mark) ? PROBE_ACCESS_REGION : PROBE_ACCESS_MESSAGE,
			.align = site_table_string(table, mark.name, mark.size),
		};
		site_table_add_site(table, inst, &site, unit->original,
				    mark_is_region(&mark) ? kinds & 1u << PROBE_KIND_TIME : kinds);
	}
}

LLVMValueRef pass_block_first(LLVMBasicBlockRef block)
{
	struct pass_mark mark;

	for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
	     inst = LLVMGetNextInstruction(inst))
		if (!LLVMIsAPHINode(inst) && !LLVMIsAAllocaInst(inst) &&
		    !LLVMIsADbgInfoIntrinsic(inst) && !LLVMIsATerminatorInst(inst) &&
		    !(mark_read(inst, &mark) && mark.kind == PASS_MARK_WORD))
			return inst;
	return NULL;
}

/*
 * Source location: the first instruction with a line, of the function itself rather than of inlined
 * calls.
 */
static LLVMValueRef block_place(LLVMBasicBlockRef block)
{
	LLVMValueRef first = pass_block_first(block), inlined = NULL;

	for (LLVMValueRef inst = first; inst; inst = LLVMGetNextInstruction(inst)) {
		LLVMMetadataRef location = LLVMInstructionGetDebugLoc(inst);

		if (location && !LLVMDILocationGetInlinedAt(location))
			return inst;
		inlined = location && !inlined ? inst : inlined;
	}
	return inlined ? inlined : first;
}

bool pass_stamps_block(LLVMBasicBlockRef block, const struct pass_options *options)
{
	LLVMValueRef place = block_place(block);

	return place && pass_in_scope(place, options);
}

static void list_blocks(const struct call_unit *unit, struct site_table *table,
			const struct pass_options *options)
{
	struct access_site site = {.access = PROBE_ACCESS_BLOCK};

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(unit->base); block;
	     block = LLVMGetNextBasicBlock(block))
		if (pass_stamps_block(block, options))
			site_table_add_site(table, block_place(block), &site, unit->original,
					    1u << PROBE_KIND_TIME);
}

/*
 * Sites of a unit that are not accesses: the function's if there is a time kind, then those of
 * marks, then of blocks.
 */
void time_list(struct call_unit *unit, struct site_table *table, const struct pass_options *options)
{
	struct access_site site = {.access = PROBE_ACCESS_FUNCTION};
	uint32_t kinds = options->kinds & (1u << PROBE_KIND_TIME | 1u << PROBE_KIND_TRACE);

	unit->first_mark = site_table_sites(table);
	if (kinds & 1u << PROBE_KIND_TIME)
		site_table_add_function(table, unit->base, &site, unit->original,
					1u << PROBE_KIND_TIME);
	list_marks(unit, table, kinds);
	unit->first_block = site_table_sites(table);
	if (kinds & 1u << PROBE_KIND_TIME && options->stamps == PASS_STAMPS_BLOCKS)
		list_blocks(unit, table, options);
}
