/* SPDX-License-Identifier: MIT */
/*
 * The text of an instruction, spelled as LLVM 15's disassembler spells it. The same walk decides
 * whether a word is an instruction at all: what LLVM refuses has no text and does not execute.
 */
#ifndef PROBE_SIMGPU_ISA_INSTRUCTION_TEXT_H
#define PROBE_SIMGPU_ISA_INSTRUCTION_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Write the text of the instruction in word[0..avail) (text may be NULL to ask only whether it
 * is one). Returns its dwords, 0 if there is no such instruction.
 */
unsigned int sim_inst_text(const uint32_t *word, unsigned int avail, char *text, size_t size);

/*
 * Whether the word may execute: not so what LLVM refuses, nor the few words that it prints
 * although gfx90a has no such thing (immediates where only registers can be, the register
 * "null" of later GPUs, undefined DPP controls).
 */
bool sim_inst_valid(const uint32_t *word, unsigned int avail);

#endif
