/* SPDX-License-Identifier: MIT */
/* What pass_group.c needs besides groups: guards, and what a wave does when it begins and ends. */
#ifndef PROBE_LLVM_PLUGIN_PASS_GROUP_PARTS_H
#define PROBE_LLVM_PLUGIN_PASS_GROUP_PARTS_H

#include "pass_asm.h"
#include "pass_group.h"

LLVMValueRef pass_group_finish(struct pass_group_insert *in, struct pass_asm *code);
/* The operand that has the wave's context. */
unsigned pass_group_context(struct pass_group_insert *in, struct pass_asm *code);
/* Where a regular wave branches: not all of it goes to the guarded block? That is a miss. */
void pass_group_guard(struct pass_group_insert *in, const struct plan_guard *guard);
/* What is counted in registers, at the wave's only end. */
void pass_group_end(struct pass_group_insert *in);

#endif
