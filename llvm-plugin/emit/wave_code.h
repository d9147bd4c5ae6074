/* SPDX-License-Identifier: MIT */
/* What the code of groups shares with that of a wave's branches, entry and exit (wave_code.c). */
#ifndef PROBE_LLVM_PLUGIN_EMIT_WAVE_CODE_H
#define PROBE_LLVM_PLUGIN_EMIT_WAVE_CODE_H

#include <llvm-c/Core.h>

#include "llvm-plugin/emit/group_code.h"
#include "llvm-plugin/emit/inline_asm.h"

struct asm_block;
struct branch_predicate;
struct group_code;

LLVMValueRef group_code_finish(struct group_code *in, struct asm_block *code);
/* Index of the operand with the wave's context. */
unsigned group_code_context(struct group_code *in, struct asm_block *code);
/* At a branch: count a miss if not all lanes of a regular wave take it to the guarded block. */
void group_code_predicate(struct group_code *in, const struct branch_predicate *predicate);
/* At the wave's only end: add the counts in registers to memory. */
void group_code_end(struct group_code *in);

#endif
