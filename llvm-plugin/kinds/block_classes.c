/* SPDX-License-Identifier: MIT */
/* Classes of blocks that execute together, and how each class is counted (count_kind.h). */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "llvm-plugin/analysis/analysis.h"
#include "llvm-plugin/kinds/count_kind.h"
#include "llvm-plugin/plan/branch_predicates.h"
#include "llvm-plugin/base/ir_helpers.h"

struct count_index {
	LLVMBasicBlockRef block;
	int number;
};

struct walk {
	struct count_plan *plan;
	const struct analysis *flow;
	int *stack;	   /* blocks whose successors are being visited */
	unsigned *next;	   /* successor to visit, by block */
	unsigned char *on; /* per block: on the stack, or reached */
};

static int by_block(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct count_index *)a)->block;
	uintptr_t y = (uintptr_t)((const struct count_index *)b)->block;

	return (x > y) - (x < y);
}

static int number_of(const struct count_plan *plan, LLVMBasicBlockRef block)
{
	const struct count_index key = {.block = block};
	const struct count_index *found =
		block ? bsearch(&key, plan->index, (size_t)plan->blocks, sizeof(key), by_block)
		      : NULL;

	return found ? found->number : COUNT_NONE;
}

static void list(struct count_plan *plan, LLVMValueRef function)
{
	size_t count = LLVMCountBasicBlocks(function);

	plan->block = pass_alloc(NULL, count * sizeof(*plan->block));
	plan->index = pass_alloc(NULL, count * sizeof(*plan->index));
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block)) {
		int i = plan->blocks++;

		plan->block[i] = (struct count_block){
			.block = block, .leader = i, .from = COUNT_NONE, .home = COUNT_NONE};
		plan->index[i] = (struct count_index){.block = block, .number = i};
	}
	qsort(plan->index, count, sizeof(*plan->index), by_block);
}

static LLVMValueRef end_of(const struct count_plan *plan, int i)
{
	return LLVMGetBasicBlockTerminator(plan->block[i].block);
}

static int idom(const struct walk *walk, int i)
{
	return number_of(walk->plan, analysis_idom(walk->flow, walk->plan->block[i].block));
}

static bool dominates(const struct walk *walk, int a, int b)
{
	while (b != COUNT_NONE && b != a)
		b = idom(walk, b);
	return b == a;
}

static void push(struct walk *walk, int *depth, int i)
{
	walk->stack[(*depth)++] = i;
	walk->on[i] = 1;
	walk->next[i] = 0;
}

/*
 * Mark reachable blocks. False: the control flow is irreducible; the back end turns such a cycle
 * into a loop with additional blocks.
 */
static bool walk_all(struct walk *walk)
{
	int depth = 0;

	push(walk, &depth, 0);
	while (depth) {
		int i = walk->stack[depth - 1], to;
		LLVMValueRef end = end_of(walk->plan, i);

		walk->plan->block[i].reachable = true;
		if (walk->next[i] == LLVMGetNumSuccessors(end)) {
			walk->on[i] = 0;
			depth--;
			continue;
		}
		to = number_of(walk->plan, LLVMGetSuccessor(end, walk->next[i]++));
		if (walk->on[to]) {
			if (!dominates(walk, to, i))
				return false;
		} else if (!walk->plan->block[to].reachable) {
			push(walk, &depth, to);
		}
	}
	return true;
}

/* The first block that executes whenever this one does, as often and with the same lanes. */
static int leader_of(const struct walk *walk, int i)
{
	const struct count_block *block = &walk->plan->block[i];
	int leader = i;

	for (int up = idom(walk, i); up != COUNT_NONE; up = idom(walk, up))
		if (walk->plan->block[up].depth == block->depth &&
		    analysis_postdominates(walk->flow, block->block, walk->plan->block[up].block) &&
		    analysis_same_loop(walk->flow, end_of(walk->plan, up), block->block))
			leader = up;
	return leader;
}

/* ---- Divergence ----------------------------------------------------------------------------- */

static bool diverges(const struct walk *walk, int i)
{
	LLVMValueRef end = end_of(walk->plan, i);

	if (LLVMGetNumSuccessors(end) < 2)
		return false;
	return !(LLVMIsABranchInst(end) || LLVMIsASwitchInst(end)) ||
	       analysis_differs(walk->flow, end, 0);
}

/*
 * Between a divergent branch and its reconvergence, a wave may have fewer active lanes than in the
 * home of a block. This does not apply if the home is between them as well: it executes once, so
 * that the branch precedes it.
 */
static void mark_divergent(struct walk *walk, int from)
{
	struct count_plan *plan = walk->plan;
	LLVMBasicBlockRef start = plan->block[from].block;
	int depth = 0;

	memset(walk->on, 0, (size_t)plan->blocks);
	for (int at = from;;) {
		LLVMValueRef end = end_of(plan, at);

		for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
			int to = number_of(plan, LLVMGetSuccessor(end, s));

			if (walk->on[to] ||
			    (to != from &&
			     analysis_postdominates(walk->flow, plan->block[to].block, start)))
				continue;
			walk->on[to] = 1;
			walk->stack[depth++] = to;
		}
		if (!depth)
			break;
		at = walk->stack[--depth];
	}
	for (int i = 0; i < plan->blocks; i++)
		if (walk->on[i] && plan->block[i].home != COUNT_NONE &&
		    !walk->on[plan->block[i].home])
			plan->block[i].uniform = false;
}

static void find_homes(struct walk *walk)
{
	struct count_plan *plan = walk->plan;

	for (int i = 0; i < plan->blocks; i++) {
		int home = i;

		if (!plan->block[i].reachable || !plan->block[i].depth)
			continue;
		while (home != COUNT_NONE && plan->block[home].depth)
			home = idom(walk, home);
		if (home == COUNT_NONE)
			continue;
		plan->block[i].home = plan->block[home].leader;
		plan->block[i].uniform = true;
	}
	for (int i = 0; i < plan->blocks; i++)
		if (plan->block[i].reachable && diverges(walk, i))
			mark_divergent(walk, i);
}

/* ---- How each class is counted -------------------------------------------------------------- */

/* The only predecessor, if it ends in a conditional branch and executes once per wave. */
static int guard_of(const struct count_plan *plan, int i)
{
	int from = COUNT_NONE;
	LLVMValueRef end;

	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(plan->block[i].block)); use;
	     use = LLVMGetNextUse(use)) {
		LLVMValueRef branch = LLVMIsATerminatorInst(LLVMGetUser(use));
		int k = branch ? number_of(plan, LLVMGetInstructionParent(branch)) : COUNT_NONE;

		if (k == COUNT_NONE || !plan->block[k].reachable)
			continue;
		if (from != COUNT_NONE)
			return COUNT_NONE;
		from = k;
	}
	end = from == COUNT_NONE ? NULL : end_of(plan, from);
	if (!end || plan->block[from].depth || !LLVMIsABranchInst(end) || !LLVMIsConditional(end) ||
	    LLVMIsConstant(LLVMGetCondition(end)))
		return COUNT_NONE;
	return from;
}

static void choose_modes(struct count_plan *plan)
{
	for (int i = 0; i < plan->blocks; i++) {
		struct count_block *block = &plan->block[i];

		if (!block->reachable || block->leader != i)
			continue;
		block->mode = COUNT_ONCE;
		if (block->depth) {
			block->mode = block->uniform ? COUNT_UNIFORM : COUNT_LANES;
		} else if (!i) {
			block->mode = COUNT_ALWAYS;
		} else {
			block->from = guard_of(plan, i);
			if (block->from != COUNT_NONE)
				block->mode = COUNT_GUARD;
		}
	}
}

/* Registers for one class; a class without registers is counted in memory. */
static void assign_class(struct count_plan *plan, int i)
{
	struct count_block *block = &plan->block[i], *home = NULL;
	unsigned want = block->mode == COUNT_UNIFORM ? 1 : 2;

	if (block->mode == COUNT_UNIFORM)
		home = &plan->block[block->home];
	if (home && !home->home_sgpr)
		want++;
	if (plan->register_rows < plan->rows_max)
		block->sgpr = reserved_assign(&plan->registers, want);
	if (!block->sgpr) {
		block->mode = COUNT_MEMORY;
		return;
	}
	if (home && !home->home_sgpr)
		home->home_sgpr = block->sgpr + 1;
	plan->register_rows++;
}

/*
 * Several ONCE classes share a register if registers are scarce: their counts are at most 64 lanes.
 */
static void assign_once(struct count_plan *plan)
{
	unsigned left = reserved_left(&plan->registers), classes_once = 0, shift = 32, sgpr = 0;

	for (int i = 0; i < plan->blocks; i++)
		classes_once += plan->block[i].mode == COUNT_ONCE;
	plan->once_bits = classes_once <= left ? 32 : classes_once <= 2 * left ? 16 : 8;
	for (int i = 0; i < plan->blocks; i++) {
		struct count_block *block = &plan->block[i];

		if (block->mode != COUNT_ONCE)
			continue;
		if (plan->register_rows < plan->rows_max && shift == 32)
			sgpr = reserved_assign(&plan->registers, 1);
		if (plan->register_rows == plan->rows_max || !sgpr) {
			block->mode = COUNT_MEMORY;
			continue;
		}
		shift %= 32;
		block->sgpr = sgpr;
		block->shift = shift;
		shift += plan->once_bits;
		plan->register_rows++;
	}
}

static int count_of(const struct count_plan *plan, enum count_mode mode)
{
	int count = 0;

	for (int i = 0; i < plan->blocks; i++)
		count += plan->block[i].mode == mode;
	return count;
}

/*
 * Will some lanes of most waves not execute a guarded block? If the condition depends on data, or
 * selects a single lane.
 */
static bool expects_deficit(const struct walk *walk, const struct count_block *block)
{
	LLVMValueRef branch = end_of(walk->plan, block->from);
	LLVMValueRef compare = LLVMIsAICmpInst(LLVMGetCondition(branch));

	return plan_divides(walk->flow, branch) ||
	       (compare && LLVMGetICmpPredicate(compare) <= LLVMIntNE &&
		analysis_differs(walk->flow, branch, 0));
}

static bool expects_deficits(const struct walk *walk)
{
	for (int i = 0; i < walk->plan->blocks; i++)
		if (walk->plan->block[i].mode == COUNT_GUARD &&
		    expects_deficit(walk, &walk->plan->block[i]))
			return true;
	return false;
}

static void assign_all(struct walk *walk)
{
	struct count_plan *plan = walk->plan;
	int guards = count_of(plan, COUNT_GUARD), once = count_of(plan, COUNT_ONCE);
	int loops = count_of(plan, COUNT_UNIFORM) + count_of(plan, COUNT_LANES);
	unsigned deepest = 0;

	/*
	 * A single deficit is added to memory when it occurs: no register to initialise and to
	 * test.
	 */
	if (guards < 2 && !once && !loops)
		return;
	reserved_assign(&plan->registers, RESERVED_LAST + 1 - COUNT_SGPR_TEMP);
	/* Deficits are cheaper only if they are few and nothing else is added to memory. */
	plan->always_flush = once || loops || guards > COUNT_DEFICITS_MAX || expects_deficits(walk);
	for (int i = 0; i < plan->blocks; i++) {
		struct count_block *block = &plan->block[i];

		if (block->mode == COUNT_GUARD && plan->always_flush)
			block->mode = COUNT_ONCE;
		deepest = block->depth > deepest ? block->depth : deepest;
	}
	for (unsigned depth = deepest + 1; depth--;)
		for (int i = 0; i < plan->blocks; i++) {
			enum count_mode mode = plan->block[i].mode;

			if (plan->block[i].depth == depth &&
			    (mode == COUNT_UNIFORM || mode == COUNT_LANES || mode == COUNT_GUARD))
				assign_class(plan, i);
		}
	assign_once(plan);
	if (!plan->register_rows)
		plan->registers.assigned = 0;
}

static void number_row(struct count_plan *plan, int i)
{
	struct count_block *block = &plan->block[i];

	if (block->numbered)
		return;
	block->numbered = true;
	if (block->mode == COUNT_GUARD)
		number_row(plan, plan->block[block->from].leader);
	if (block->sgpr)
		plan->row_leader[plan->rows - plan->first_register_row] = i;
	block->row = plan->rows++;
}

/* Number the rows: parents first, and rows with registers consecutively. */
static void number_rows(struct count_plan *plan)
{
	for (int pass = 0; pass < 4; pass++) {
		if (pass == 2)
			plan->first_register_row = plan->rows;
		for (int i = 0; i < plan->blocks; i++) {
			const struct count_block *block = &plan->block[i];
			int due = (block->sgpr ? 2 : 0) + (block->mode == COUNT_GUARD);

			if (block->mode != COUNT_MEMBER && due == pass)
				number_row(plan, i);
		}
	}
}

/* Instructions that optimisations do not move to another block. */
static bool is_pinned(LLVMValueRef inst)
{
	return LLVMIsALoadInst(inst) || LLVMIsAStoreInst(inst) || LLVMIsAAtomicRMWInst(inst) ||
	       LLVMIsAAtomicCmpXchgInst(inst);
}

enum place { PLACE_FIXED, PLACE_OWN, PLACE_ANY, PLACES };

/* The first instruction of that sort in a block that has a source line. */
static LLVMValueRef place_in(LLVMBasicBlockRef block, enum place place)
{
	for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
	     inst = LLVMGetNextInstruction(inst)) {
		LLVMMetadataRef location = LLVMInstructionGetDebugLoc(inst);

		if (!location || !LLVMDILocationGetLine(location) || LLVMIsAPHINode(inst) ||
		    (place < PLACE_ANY && LLVMDILocationGetInlinedAt(location)) ||
		    (place == PLACE_FIXED && !is_pinned(inst)))
			continue;
		return inst;
	}
	return NULL;
}

/*
 * Find the source location of a block. A memory access is best, because arithmetic may have been
 * moved from a line that executes more often. Lines of the function itself are preferred to those
 * of inlined calls.
 */
static void find_places(struct count_plan *plan)
{
	for (int place = 0; place < PLACES; place++)
		for (int i = 0; i < plan->blocks; i++) {
			struct count_block *leader = &plan->block[plan->block[i].leader];

			if (!leader->inst)
				leader->inst = place_in(plan->block[i].block, place);
		}
	for (int i = 0; i < plan->blocks; i++)
		if (!plan->block[i].inst)
			plan->block[i].inst = end_of(plan, i);
}

static void plan_blocks(struct walk *walk)
{
	struct count_plan *plan = walk->plan;
	bool natural = walk_all(walk);

	for (int i = 0; i < plan->blocks; i++)
		plan->block[i].depth = analysis_loop_depth(walk->flow, plan->block[i].block);
	for (int i = 0; natural && i < plan->blocks; i++)
		if (plan->block[i].reachable)
			plan->block[i].leader = leader_of(walk, i);
	if (plan->rows_max && natural) {
		find_homes(walk);
		choose_modes(plan);
		assign_all(walk);
		return;
	}
	for (int i = 0; i < plan->blocks; i++)
		if (plan->block[i].leader == i)
			plan->block[i].mode = COUNT_MEMORY;
}

void count_plan_init(struct count_plan *plan, LLVMValueRef function, unsigned lanes, void *analyses)
{
	struct analysis *flow = analysis_create(function, false, analyses);
	struct walk walk = {.plan = plan, .flow = flow};

	*plan = (struct count_plan){.rows_max = lanes, .registers = {.use = RESERVED_BLOCKS}};
	list(plan, function);
	walk.stack = pass_alloc(NULL, (size_t)plan->blocks * sizeof(*walk.stack));
	walk.next = pass_alloc(NULL, (size_t)plan->blocks * sizeof(*walk.next));
	walk.on = pass_alloc(NULL, (size_t)plan->blocks);
	memset(walk.on, 0, (size_t)plan->blocks);
	plan_blocks(&walk);
	find_places(plan);
	number_rows(plan);
	free(walk.stack);
	free(walk.next);
	free(walk.on);
	analysis_destroy(flow);
}

void count_plan_deinit(struct count_plan *plan)
{
	free(plan->block);
	free(plan->index);
}
