/* SPDX-License-Identifier: MIT */
/*
 * Finds spans without nested stamps that a wave leaves only by their end. Such a span is one
 * record, and its begin stays in a register until then (time_probe.h).
 *
 * The search walks the control flow. If every lane executes begin and end alternately, without a
 * stamp in between, the same holds for its wave: the code in between has a single entry and a
 * single exit, so that the back end does not duplicate it. If the compiler or the user has several
 * ends, there are several exits, and diverged lanes may reach them separately.
 */
#include "llvm-plugin/kinds/time_spans.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/analysis/analysis.h"
#include "llvm-plugin/kinds/region_marks.h"
#include "llvm-plugin/base/call_units.h"
#include "llvm-plugin/base/ir_helpers.h"

/* Effect of an instruction on a walk. */
enum step { STEP_ON, STEP_STOP, STEP_FAIL };

/* Walks from the begin to ends; from other code to the begin; from the begin to itself. */
enum way { INSIDE, OUTSIDE, BACK };

struct walk {
	const struct call_units *units;
	LLVMValueRef begin;
	struct pass_mark mark; /* the begin's */
	enum way way;
	bool blocks;
	unsigned ends;
	const struct analysis *flow; /* not NULL: lanes must not diverge inside */
	LLVMBasicBlockRef *todo;     /* and done: those below `at` */
	size_t at, count, capacity;
	LLVMBasicBlockRef *slot; /* hash of `todo` */
	size_t slots;
};

bool time_span_same(const struct pass_mark *a, const struct pass_mark *b)
{
	return a->size == b->size && !memcmp(a->name, b->name, a->size);
}

static size_t find_slot(const struct walk *walk, LLVMBasicBlockRef block)
{
	size_t at = ((uintptr_t)block >> 4) * 0x9e3779b97f4a7c15ull >> 20 & (walk->slots - 1);

	while (walk->slot[at] && walk->slot[at] != block)
		at = (at + 1) & (walk->slots - 1);
	return at;
}

static void rehash(struct walk *walk)
{
	walk->slots = walk->slots ? 2 * walk->slots : 64;
	walk->slot = pass_alloc(walk->slot, walk->slots * sizeof(*walk->slot));
	memset(walk->slot, 0, walk->slots * sizeof(*walk->slot));
	for (size_t i = 0; i < walk->count; i++)
		walk->slot[find_slot(walk, walk->todo[i])] = walk->todo[i];
}

static void visit(struct walk *walk, LLVMBasicBlockRef block)
{
	size_t slot;

	if (2 * walk->count >= walk->slots)
		rehash(walk);
	slot = find_slot(walk, block);
	if (walk->slot[slot])
		return;
	if (walk->count == walk->capacity) {
		walk->capacity = walk->capacity ? 2 * walk->capacity : 64;
		walk->todo = pass_alloc(walk->todo, walk->capacity * sizeof(*walk->todo));
	}
	walk->slot[slot] = walk->todo[walk->count++] = block;
}

/* Outside, an end would be reached without its begin. */
static enum step step_outside(const struct walk *walk, LLVMValueRef inst)
{
	struct pass_mark mark;

	if (inst == walk->begin)
		return STEP_STOP;
	return mark_read(inst, &mark) && mark.kind == PASS_MARK_END &&
			       time_span_same(&mark, &walk->mark)
		       ? STEP_FAIL
		       : STEP_ON;
}

static enum step step_inside(struct walk *walk, LLVMValueRef inst)
{
	struct call_unit *callee = call_units_find(walk->units, pass_direct_callee(inst));
	struct pass_mark mark;

	if (mark_read(inst, &mark)) {
		if (mark.kind == PASS_MARK_END && time_span_same(&mark, &walk->mark)) {
			walk->ends++;
			return STEP_STOP;
		}
		return mark.kind == PASS_MARK_BEGIN || mark.kind == PASS_MARK_END ? STEP_FAIL
										  : STEP_ON;
	}
	return callee || LLVMIsAReturnInst(inst) || pass_ends_wave(inst) ? STEP_FAIL : STEP_ON;
}

static enum step step_of(struct walk *walk, LLVMValueRef inst)
{
	if (walk->way == BACK)
		return inst == walk->begin ? STEP_FAIL : STEP_ON;
	return walk->way == INSIDE ? step_inside(walk, inst) : step_outside(walk, inst);
}

static bool diverges(const struct walk *walk, LLVMValueRef end)
{
	return LLVMGetNumSuccessors(end) > 1 &&
	       (!(LLVMIsABranchInst(end) || LLVMIsASwitchInst(end)) ||
		analysis_differs(walk->flow, end, 0));
}

/* Walk from an instruction, or the next one, to the end of its block, and add the successors. */
static bool walk_block(struct walk *walk, LLVMBasicBlockRef block, LLVMValueRef inst)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

	for (; inst; inst = LLVMGetNextInstruction(inst)) {
		enum step step = step_of(walk, inst);

		if (step != STEP_ON)
			return step == STEP_STOP;
	}
	if (walk->way == INSIDE && (walk->blocks || (walk->flow && diverges(walk, end))))
		return false;
	for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
		visit(walk, LLVMGetSuccessor(end, i));
	return true;
}

/*
 * False if a path from `from` fails. The walk may reach the block of `from` again, from its start.
 */
static bool walk_from(struct walk *walk, LLVMBasicBlockRef block, LLVMValueRef from, enum way way)
{
	bool good;

	walk->way = way;
	walk->at = walk->count = 0;
	if (walk->slots)
		memset(walk->slot, 0, walk->slots * sizeof(*walk->slot));
	good = walk_block(walk, block, from);
	while (good && walk->at < walk->count) {
		block = walk->todo[walk->at++];
		good = walk_block(walk, block, LLVMGetFirstInstruction(block));
	}
	return good;
}

static bool ends_alternate(struct walk *walk, LLVMValueRef function)
{
	struct pass_mark mark;

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
		     inst = LLVMGetNextInstruction(inst)) {
			if (inst == walk->begin || !mark_read(inst, &mark) ||
			    !time_span_same(&mark, &walk->mark))
				continue;
			if (mark.kind == PASS_MARK_BEGIN)
				return false;
			if (mark.kind == PASS_MARK_END &&
			    !walk_from(walk, block, LLVMGetNextInstruction(inst), OUTSIDE))
				return false;
		}
	return true;
}

/* Diverged lanes would reach the ends one after the other. */
static bool ends_together(struct walk *walk, LLVMValueRef function, void *analyses)
{
	struct analysis *flow;
	bool together;

	if (walk->ends < 2)
		return true;
	flow = analysis_create(function, false, analyses);
	walk->flow = flow;
	together = walk_from(walk, LLVMGetInstructionParent(walk->begin),
			     LLVMGetNextInstruction(walk->begin), INSIDE);
	walk->flow = NULL;
	analysis_destroy(flow);
	return together;
}

enum time_span time_span_of(const struct call_units *units, LLVMValueRef function,
			    LLVMValueRef begin, bool blocks, void *analyses)
{
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
	struct walk walk = {.units = units, .begin = begin, .blocks = blocks};
	enum time_span span = PASS_SPAN_STAMPS;

	mark_read(begin, &walk.mark);
	if (walk_from(&walk, LLVMGetInstructionParent(begin), LLVMGetNextInstruction(begin),
		      INSIDE))
		span = ends_together(&walk, function, analyses) ? PASS_SPAN_ONE
								: PASS_SPAN_DIVERGENT;
	if (span && !(walk_from(&walk, entry, LLVMGetFirstInstruction(entry), OUTSIDE) &&
		      ends_alternate(&walk, function)))
		span = PASS_SPAN_STAMPS;
	free(walk.todo);
	free(walk.slot);
	return span;
}

bool time_span_repeats(LLVMValueRef begin)
{
	struct walk walk = {.begin = begin};
	bool once = walk_from(&walk, LLVMGetInstructionParent(begin), LLVMGetNextInstruction(begin),
			      BACK);

	free(walk.todo);
	free(walk.slot);
	return !once;
}

bool time_span_is_leaf(const struct call_units *units, LLVMValueRef function)
{
	struct pass_mark mark;

	for (LLVMValueRef inst = pass_first_inst(function); inst; inst = pass_next_inst(inst))
		if (call_units_find(units, pass_direct_callee(inst)) || pass_ends_wave(inst) ||
		    (mark_read(inst, &mark) &&
		     (mark.kind == PASS_MARK_BEGIN || mark.kind == PASS_MARK_END)))
			return false;
	return true;
}
