/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/kinds/count_operations.h"

#include <stdlib.h>
#include <llvm-c/DebugInfo.h>

#include "llvm-plugin/analysis/analysis.h"
#include "llvm-plugin/base/compile_options.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/kinds/count_kind.h"
#include "llvm-plugin/sites/access_sites.h"
#include "llvm-plugin/sites/operations.h"
#include "llvm-plugin/sites/table_builder.h"

struct found {
	uint32_t row;
	LLVMMetadataRef place; /* NULL: without debug information */
	struct operation operation;
	LLVMValueRef inst;
	uint32_t order; /* of the first instruction of that place in the row */
};

struct list {
	struct found *found;
	uint32_t count, capacity;
};

static void add(struct list *list, struct found found)
{
	if (list->count == list->capacity) {
		list->capacity = 2 * list->capacity + 64;
		list->found = pass_alloc(list->found, list->capacity * sizeof(*list->found));
	}
	found.order = list->count;
	list->found[list->count++] = found;
}

static LLVMMetadataRef place_of(LLVMValueRef inst)
{
	LLVMMetadataRef place = LLVMInstructionGetDebugLoc(inst);

	return place && LLVMDILocationGetLine(place) ? place : NULL;
}

/*
 * Computations that the pass has moved or joined have no place: that of the next operation of the
 * block, which most often uses them, or of the last one before.
 */
static void set_missing_places(struct list *list, uint32_t first)
{
	for (uint32_t i = list->count; i-- > first;)
		if (!list->found[i].place && i + 1 < list->count) {
			list->found[i].place = list->found[i + 1].place;
			list->found[i].inst = list->found[i + 1].inst;
		}
	for (uint32_t i = first + 1; i < list->count; i++)
		if (!list->found[i].place) {
			list->found[i].place = list->found[i - 1].place;
			list->found[i].inst = list->found[i - 1].inst;
		}
}

static void list_block(struct list *list, const struct analysis *flow,
		       const struct count_block *block, uint32_t row,
		       const struct pass_options *options)
{
	struct found found = {.row = row};
	uint32_t first = list->count;

	for (found.inst = LLVMGetFirstInstruction(block->block); found.inst;
	     found.inst = LLVMGetNextInstruction(found.inst)) {
		if (!operation_read(flow, found.inst, &found.operation) ||
		    !pass_in_scope(found.inst, options))
			continue;
		found.place = place_of(found.inst);
		add(list, found);
	}
	set_missing_places(list, first);
}

static int compare(uintptr_t a, uintptr_t b)
{
	return (a > b) - (a < b);
}

static int by_place(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	int order = compare(x->row, y->row);

	if (!order)
		order = compare((uintptr_t)x->place, (uintptr_t)y->place);
	return order ? order : compare(x->order, y->order);
}

/* Not by address, which differs from one compilation to the next. */
static int by_order(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	int order = compare(x->row, y->row);

	if (!order)
		order = compare(x->order, y->order);
	return order ? order : compare(x->operation.kind, y->operation.kind);
}

static bool same_place(const struct found *a, const struct found *b)
{
	return a->row == b->row && a->place == b->place;
}

/* All of a place get the order and instruction of its first one. */
static void unite_places(struct list *list)
{
	qsort(list->found, list->count, sizeof(*list->found), by_place);
	for (uint32_t i = 1; i < list->count; i++)
		if (same_place(&list->found[i - 1], &list->found[i])) {
			list->found[i].order = list->found[i - 1].order;
			list->found[i].inst = list->found[i - 1].inst;
		}
	qsort(list->found, list->count, sizeof(*list->found), by_order);
}

static void emit(struct site_table *table, const struct list *list, LLVMValueRef owner)
{
	for (uint32_t i = 0; i < list->count;) {
		const struct found *first = &list->found[i];
		struct probe_site_operations sum = {
			.row = first->row,
			.operation = (uint8_t)first->operation.kind,
		};
		bool again = i && same_place(first, first - 1);

		for (; i < list->count && same_place(first, &list->found[i]) &&
		       list->found[i].operation.kind == first->operation.kind;
		     i++) {
			const struct operation *o = &list->found[i].operation;

			sum.count += o->count;
			sum.amount += o->amount;
		}
		site_table_add_operations(table, first->place ? first->inst : NULL, owner, again,
					  sum);
	}
}

void count_operations(struct site_table *table, const struct count_plan *plan, LLVMValueRef clone,
		      LLVMValueRef owner, const struct pass_options *options, void *analyses)
{
	struct analysis *flow = analysis_create(clone, false, analyses);
	struct list list = {0};

	for (int i = 0; i < plan->blocks; i++) {
		const struct count_block *block = &plan->block[i];

		if (block->reachable)
			list_block(&list, flow, block,
				   plan->first_site + plan->block[block->leader].row, options);
	}
	if (list.count) {
		unite_places(&list);
		emit(table, &list, owner);
	}
	free(list.found);
	analysis_destroy(flow);
}
