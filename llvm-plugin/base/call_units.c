/* SPDX-License-Identifier: MIT */
/* The kernels of a module and the device functions they call, callees first. */
#include "llvm-plugin/base/call_units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/base/ir_helpers.h"

static size_t hash_value(LLVMValueRef value, size_t slots)
{
	return (size_t)(((uintptr_t)value >> 4) * 0x9e3779b97f4a7c15ull >> 20) & (slots - 1);
}

static size_t *find_slot(const struct call_units *units, LLVMValueRef function)
{
	size_t at = hash_value(function, units->slots);

	while (units->slot[at] && units->unit[units->slot[at] - 1].original != function)
		at = (at + 1) & (units->slots - 1);
	return &units->slot[at];
}

struct call_unit *call_units_find(const struct call_units *units, LLVMValueRef function)
{
	size_t *slot = units->slots && function ? find_slot(units, function) : NULL;

	return slot && *slot ? &units->unit[*slot - 1] : NULL;
}

static void grow(struct call_units *units)
{
	if (units->count < units->capacity)
		return;
	units->capacity = units->capacity ? 2 * units->capacity : 64;
	units->unit = pass_alloc(units->unit, units->capacity * sizeof(*units->unit));
	units->slots = 4 * units->capacity;
	units->slot = pass_alloc(units->slot, units->slots * sizeof(*units->slot));
	for (size_t i = 0; i < units->slots; i++)
		units->slot[i] = 0;
	for (size_t i = 0; i < units->count; i++)
		*find_slot(units, units->unit[i].original) = i + 1;
}

LLVMValueRef pass_direct_callee(LLVMValueRef inst)
{
	LLVMValueRef callee;

	if (!LLVMIsACallInst(inst))
		return NULL;
	callee = LLVMIsAFunction(LLVMGetCalledValue(inst));
	return callee && !LLVMIsDeclaration(callee) &&
			       LLVMGlobalGetValueType(callee) == LLVMGetCalledFunctionType(inst)
		       ? callee
		       : NULL;
}

bool pass_address_taken(LLVMValueRef function)
{
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != function)
			return true;
		/* The function may also be an argument of the call. */
		for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
			if (LLVMGetOperand(user, i) == function)
				return true;
	}
	return false;
}

/* An explicit stack: call chains of generated code are deep. */
struct visit {
	LLVMValueRef function;
	bool entered;
};

struct visits {
	struct visit *visit;
	size_t count, capacity;
	/* Functions whose callees are already on the stack. */
	struct call_units seen;
};

static void push(struct visits *stack, LLVMValueRef function)
{
	if (stack->count == stack->capacity) {
		stack->capacity = stack->capacity ? 2 * stack->capacity : 64;
		stack->visit = pass_alloc(stack->visit, stack->capacity * sizeof(*stack->visit));
	}
	stack->visit[stack->count++] = (struct visit){.function = function};
}

static void add_unit(struct call_units *units, LLVMValueRef function)
{
	grow(units);
	*find_slot(units, function) = units->count + 1;
	units->unit[units->count++] = (struct call_unit){
		.original = function,
		.kernel = LLVMGetFunctionCallConv(function) == PASS_CC_KERNEL,
	};
}

static void push_callees(struct visits *stack, LLVMValueRef function)
{
	for (LLVMValueRef inst = pass_first_inst(function); inst; inst = pass_next_inst(inst)) {
		LLVMValueRef callee = pass_direct_callee(inst);

		if (callee && !call_units_find(&stack->seen, callee))
			push(stack, callee);
	}
}

static void collect_from(struct call_units *units, struct visits *stack, LLVMValueRef kernel)
{
	push(stack, kernel);
	while (stack->count) {
		struct visit *top = &stack->visit[stack->count - 1];
		LLVMValueRef function = top->function;

		if (top->entered || call_units_find(&stack->seen, function)) {
			if (top->entered && !call_units_find(units, function))
				add_unit(units, function);
			stack->count--;
			continue;
		}
		top->entered = true;
		add_unit(&stack->seen, function);
		push_callees(stack, function);
	}
}

bool call_units_collect(struct call_units *units, LLVMModuleRef module)
{
	struct visits stack = {0};

	*units = (struct call_units){0};
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (LLVMGetFunctionCallConv(f) == PASS_CC_KERNEL && !LLVMIsDeclaration(f))
			collect_from(units, &stack, f);
	call_units_deinit(&stack.seen);
	free(stack.visit);
	return units->count > 0;
}

void call_units_deinit(struct call_units *units)
{
	for (size_t i = 0; i < units->count; i++)
		for (unsigned kind = 0; kind < PROBE_KINDS; kind++)
			free(units->unit[i].why[kind]);
	free(units->unit);
	free(units->slot);
}

bool call_units_each_callee(const struct call_units *units, struct call_unit *unit,
			    bool (*visit)(struct call_unit *unit, const struct call_unit *callee))
{
	bool changed = false;

	for (LLVMValueRef inst = pass_first_inst(unit->original); inst;
	     inst = pass_next_inst(inst)) {
		struct call_unit *callee = call_units_find(units, pass_direct_callee(inst));

		if (callee && callee != unit)
			changed |= visit(unit, callee);
	}
	return changed;
}
