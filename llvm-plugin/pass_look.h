/* SPDX-License-Identifier: MIT */
/* Looking at guesses (pass_prove.h), and at what digits are made with, where a site runs. */
#ifndef PROBE_LLVM_PLUGIN_PASS_LOOK_H
#define PROBE_LLVM_PLUGIN_PASS_LOOK_H

#include "pass_asm.h"
#include "pass_plan.h"

/* What must be the same in all active lanes if the guess is right; where the builder stands. */
LLVMValueRef pass_look_rest(LLVMBuilderRef builder, const struct pass_guess *guess);
/* Go to .Lprobe_long if it is not. Takes s[4:5], v[0:1] and vcc. */
void pass_look_put(struct pass_asm *code, LLVMValueRef rest);

/* A number as cells have it (wire.h), moved up by `shift`. Right in the first active lane. */
LLVMValueRef pass_look_number(LLVMBuilderRef builder, const struct plan_number *number,
			      unsigned shift);
/* Of MOD: bit 31 is set in the first active lane if it is more than a cell can have. */
LLVMValueRef pass_look_far(LLVMBuilderRef builder, const struct plan_number *number);
/* Go to .Lprobe_long if an active lane's value is below the first one's. Takes s4 and vcc. */
void pass_look_put_rising(struct pass_asm *code, LLVMValueRef value);

#endif
