/* SPDX-License-Identifier: MIT */
/*
 * Groups in loops whose executions go to cells (pass_cell.h): the wave holds the last one's
 * EXEC, its class and where it was counted, and counts the next ones that have the same in a scalar
 * register, until another comes or the wave ends. If all lanes have one place in their lines, and
 * all accesses are aligned, the class does not matter: they cost the same in any.
 *
 * Groups in loops apart from each other share a state: six scalar registers.
 */
#ifndef PROBE_LLVM_PLUGIN_PASS_HOLD_H
#define PROBE_LLVM_PLUGIN_PASS_HOLD_H

#include "pass_asm.h"
#include "pass_plan.h"
#include "pass_shim.h"

enum { HOLD_STATES = 3, HOLD_USERS = 16 };

struct pass_hold {
	unsigned states;
	unsigned first; /* scalar register of the first state, the lowest one */
	struct hold_state {
		LLVMBasicBlockRef user[HOLD_USERS];
		unsigned users;
	} state[HOLD_STATES];
};

/* Choose groups; below `lowest`, scalar registers are free. The function is as the plan has it. */
void pass_hold_choose(struct pass_hold *hold, struct pass_plan *plan, unsigned lowest,
		      const struct probe_shim_flow *flow);
void pass_hold_drop(struct pass_hold *hold, struct pass_plan *plan);
/* At the beginning, behind `after`. */
void pass_hold_begin(const struct pass_hold *hold, LLVMBuilderRef builder, LLVMValueRef after);
/*
 * Code of a group that has a state. Go to .Lprobe_end if the execution is counted; `places` is the
 * address moved up by `up`, `wraps` what must not be near a wrap, or NULL.
 */
void pass_hold_look(const struct pass_hold *hold, struct pass_asm *code,
		    const struct pass_plan *plan, int group, LLVMValueRef places,
		    LLVMValueRef wraps);
/* Hold what was counted: .Lprobe_found: at s[8:9] + s13; .Lprobe_binned: at s[8:9] + v0 of lane 0.
 */
void pass_hold_found(const struct pass_hold *hold, struct pass_asm *code,
		     const struct pass_plan *plan, int group, LLVMValueRef places, unsigned up,
		     unsigned ctx);
/* At the wave's end. */
void pass_hold_end(const struct pass_hold *hold, struct pass_asm *code, unsigned ctx);
/* When all is put: the compiler leaves the registers alone. */
void pass_hold_settle(const struct pass_hold *hold, LLVMValueRef clone);

#endif
