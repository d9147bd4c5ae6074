/* SPDX-License-Identifier: MIT */
/* Properties of a disassembled instruction, from its text. */
#ifndef PROBE_CODEOBJ_INSTRUCTION_TEXT_H
#define PROBE_CODEOBJ_INSTRUCTION_TEXT_H

#include <stdbool.h>

bool probe_text_begins(const char *text, const char *prefix);

/* The next instruction is never executed after it. */
bool probe_instruction_terminates(const char *text);

/* "lds", "global", "scalar": the memory it accesses; "wait": an s_waitcnt; else "". */
const char *probe_instruction_memory(const char *text);

#endif
