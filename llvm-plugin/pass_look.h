/* SPDX-License-Identifier: MIT */
/* Looking at guesses (pass_prove.h) where a site runs. */
#ifndef PROBE_LLVM_PLUGIN_PASS_LOOK_H
#define PROBE_LLVM_PLUGIN_PASS_LOOK_H

#include "pass_asm.h"
#include "pass_prove.h"

/* What must be the same in all active lanes if the guess is right; where the builder stands. */
LLVMValueRef pass_look_rest(LLVMBuilderRef builder, const struct pass_guess *guess);
/* Go to .Lprobe_long if it is not. Takes s[4:5], v[0:1] and vcc. */
void pass_look_put(struct pass_asm *code, LLVMValueRef rest);

#endif
