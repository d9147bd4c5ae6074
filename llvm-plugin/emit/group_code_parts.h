/* SPDX-License-Identifier: MIT */
/* What group_code.c needs besides groups: predicates, and what a wave does when it begins and ends.
 */
#ifndef PROBE_LLVM_PLUGIN_EMIT_GROUP_CODE_PARTS_H
#define PROBE_LLVM_PLUGIN_EMIT_GROUP_CODE_PARTS_H

#include <llvm-c/Core.h>

#include "llvm-plugin/emit/group_code.h"
#include "llvm-plugin/emit/inline_asm.h"

struct asm_block;
struct branch_predicate;
struct group_code;

LLVMValueRef group_code_finish(struct group_code *in, struct asm_block *code);
/* The operand that has the wave's context. */
unsigned group_code_context(struct group_code *in, struct asm_block *code);
/* Where a regular wave branches: not all of it goes to the guarded block? That is a miss. */
void group_code_predicate(struct group_code *in, const struct branch_predicate *predicate);
/* What is counted in registers, at the wave's only end. */
void group_code_end(struct group_code *in);

#endif
