/* SPDX-License-Identifier: MIT */
/*
 * Scalar registers that clones reserve: the compiler does not allocate them, so that a wave can
 * keep values in them from its start to its end. Only these files assign such registers and write
 * the attribute "amdgpu-num-sgpr", which reserves them.
 *
 * A function that is called by the usual convention preserves them (s30 and above are
 * callee-saved). Functions that change them on behalf of their caller, as those with a cursor do,
 * must reserve them as well.
 */
#ifndef PROBE_LLVM_PLUGIN_BASE_RESERVED_REGISTERS_H
#define PROBE_LLVM_PLUGIN_BASE_RESERVED_REGISTERS_H

#include <stdbool.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

/*
 * X(use, first register, number of registers). All ranges end at the highest register with which a
 * gfx90a can hold eight waves per SIMD. With fewer registers more waves would not fit, so that
 * their number is a matter of what the program's own code needs.
 */
#define RESERVED_USES(X)                                                                           \
	X(GROUPS, 74, 20) /* memory: executions of groups (group_plan.h) */                        \
	X(BLOCKS, 54, 40) /* count: executions and lanes of blocks (count_kind.h) */               \
	X(CURSOR, 78, 16) /* trace, time: position in the ring (ring_cursor.h) */                  \
	X(CLOCKS, 68, 26) /* time: clocks of up to four spans (stored_waves.h) */

enum { RESERVED_LAST = 93 };

#define RESERVED_ENUM(use, first, count)                                                           \
	RESERVED_##use##_FIRST = first, RESERVED_##use##_COUNT = count,
enum { RESERVED_USES(RESERVED_ENUM) };
#undef RESERVED_ENUM

#define RESERVED_ENUM(use, first, count) RESERVED_##use,
enum reserved_use { RESERVED_USES(RESERVED_ENUM) };
#undef RESERVED_ENUM

/* Registers of one use in one function, which are assigned from the highest down. */
struct reserved_registers {
	enum reserved_use use;
	unsigned assigned; /* number of registers, all of which follow those that are free */
};

/* The lowest assigned register; RESERVED_LAST + 1 if there is none. */
static inline unsigned reserved_lowest(const struct reserved_registers *registers)
{
	return RESERVED_LAST + 1 - registers->assigned;
}

unsigned reserved_left(const struct reserved_registers *registers);
/* Assign `count` adjacent registers and return the first of them; 0 = too few are left. */
unsigned reserved_assign(struct reserved_registers *registers, unsigned count);
/* Reserve the registers from `first` to RESERVED_LAST in a function. */
void reserved_apply(LLVMValueRef function, unsigned first);
/* The same for all registers of a use. */
void reserved_apply_all(LLVMValueRef function, enum reserved_use use);

/*
 * The highest register of a use that the function's own inline assembly names; 0 = none. Assembly
 * may name any register, and would overwrite a wave's values.
 */
unsigned reserved_named(LLVMValueRef function, enum reserved_use use);

#endif
