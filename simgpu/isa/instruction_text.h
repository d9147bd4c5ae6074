/* SPDX-License-Identifier: MIT */
/*
 * The text of an instruction, spelled as by LLVM 15's disassembler. The same code decides whether a
 * word is an instruction at all: words that LLVM rejects have no text and do not execute.
 */
#ifndef PROBE_SIMGPU_ISA_INSTRUCTION_TEXT_H
#define PROBE_SIMGPU_ISA_INSTRUCTION_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Writes the text of the instruction in word[0..avail) (text may be NULL to check only whether it
 * is one). Returns its number of dwords, or 0 if there is no such instruction.
 */
unsigned int sim_inst_text(const uint32_t *word, unsigned int avail, char *text, size_t size);

/*
 * True if the word may execute. False for words that LLVM rejects, and for the few words that it
 * prints although gfx90a lacks them: immediates where only registers are allowed, the register
 * "null" of later GPUs, undefined DPP controls.
 */
bool sim_inst_valid(const uint32_t *word, unsigned int avail);

#endif
