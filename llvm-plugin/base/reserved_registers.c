/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/base/reserved_registers.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/base/ir_helpers.h"

#define RESERVED_ASSERT(use, first, count)                                                         \
	_Static_assert(first + count == RESERVED_LAST + 1 && first % 2 == 0, #use);
RESERVED_USES(RESERVED_ASSERT)

static unsigned count_of(enum reserved_use use)
{
#define RESERVED_ROW(use, first, count) [RESERVED_##use] = count,
	static const unsigned counts[] = {RESERVED_USES(RESERVED_ROW)};

	return counts[use];
}

unsigned reserved_left(const struct reserved_registers *registers)
{
	return count_of(registers->use) - registers->assigned;
}

unsigned reserved_assign(struct reserved_registers *registers, unsigned count)
{
	if (count > reserved_left(registers))
		return 0;
	registers->assigned += count;
	return reserved_lowest(registers);
}

/*
 * The attribute's number includes registers that the back end needs itself: two for vcc, and four
 * more for flat_scratch and xnack if the function uses these. With six included, a function that
 * needs two only could use four of the reserved registers.
 */
void reserved_apply(LLVMValueRef function, unsigned first)
{
	char limit[12];

	snprintf(limit, sizeof(limit), "%u", first + 2);
	LLVMAddTargetDependentFunctionAttr(function, "amdgpu-num-sgpr", limit);
}

void reserved_apply_all(LLVMValueRef function, enum reserved_use use)
{
	reserved_apply(function, RESERVED_LAST + 1 - count_of(use));
}

/* The last register of "s7" or "s[4:7]"; 0 = the text does not start with a register. */
static unsigned last_register(const char *text)
{
	unsigned first, last;

	if (sscanf(text, "s[%u:%u]", &first, &last) == 2 || sscanf(text, "s%u", &last) == 1 ||
	    sscanf(text, "s[%u]", &last) == 1)
		return last;
	return 0;
}

/* The highest scalar register in assembly and its constraints, such as "={v1},~{s[4:7]}". */
static unsigned highest_in(const char *text)
{
	unsigned highest = 0;

	for (const char *at = text; *at; at++) {
		unsigned last;

		if (*at != 's' || (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_')))
			continue;
		last = last_register(at);
		highest = last > highest ? last : highest;
	}
	return highest;
}

unsigned reserved_named(LLVMValueRef function, enum reserved_use use)
{
	unsigned highest = 0;

	for (LLVMValueRef inst = pass_first_inst(function); inst; inst = pass_next_inst(inst)) {
		unsigned last;
		char *text;

		if (!LLVMIsACallInst(inst) || !LLVMIsAInlineAsm(LLVMGetCalledValue(inst)))
			continue;
		text = LLVMPrintValueToString(LLVMGetCalledValue(inst));
		last = highest_in(text);
		highest = last > highest ? last : highest;
		LLVMDisposeMessage(text);
	}
	return highest > RESERVED_LAST - count_of(use) ? highest : 0;
}
