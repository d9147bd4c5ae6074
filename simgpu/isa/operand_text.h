/* SPDX-License-Identifier: MIT */
/* Shared by the files that write instruction text: registers, constants, flags. */
#ifndef PROBE_SIMGPU_ISA_OPERAND_TEXT_H
#define PROBE_SIMGPU_ISA_OPERAND_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simgpu/isa/opcodes.h"

/* How constants of an operand are printed; SHOW_32 is also used for operands that have none. */
enum sim_show {
	SHOW_32,
	SHOW_64,
	SHOW_F16,
	SHOW_I16,
	SHOW_V16, /* F16 of the low half, whatever the high half */
	SHOW_REG, /* it has none: LLVM marks constants as invalid */
};

/* Bits of the SDWA or DPP dword that must be zero, and bits without meaning. */
struct sim_text_extra {
	uint32_t zero;
	uint32_t quiet;
};

/*
 * The facts about a row that printing needs (opcode_syntax.inc, in the order of the opcode tables).
 */
struct sim_text_row {
	uint64_t fixed; /* bits that must have ... */
	uint64_t value; /* ... these values */
	uint64_t quiet; /* bits without meaning */
	struct sim_text_extra sdwa, dpp;
	uint8_t suffix; /* the mnemonic ends in _e32 or _e64 */
	uint8_t show[SIM_OPERANDS];
};

/* The state while an instruction's text is written. */
struct inst_text {
	const uint32_t *w;
	const struct sim_opcode *row;
	const struct sim_text_row *bits;
	enum sim_encoding enc;
	unsigned int words;
	uint32_t literal;
	char *to;
	size_t left;
	bool any;      /* an operand was written */
	bool bad;      /* not an instruction */
	bool reserved; /* LLVM prints it, but the GPU lacks it */
};

__attribute__((format(printf, 2, 3))) void text_put(struct inst_text *t, const char *format, ...);

/* " " before the first operand, ", " before the others. */
void text_next(struct inst_text *t);

uint32_t text_field(const struct inst_text *t, unsigned int at, unsigned int bits);

/* " name" if the bit is set. */
void text_flag(struct inst_text *t, unsigned int bit, const char *name);

/* Operands; they mark the instruction bad if there is no such register. */
void text_vector(struct inst_text *t, uint32_t first, unsigned int dwords, bool acc);
void text_scalar(struct inst_text *t, uint32_t code, unsigned int dwords);
void text_source(struct inst_text *t, uint32_t code, unsigned int dwords, enum sim_show show);
/* What LLVM prints in place of an invalid operand. */
void text_invalid(struct inst_text *t, const char *text);
void text_constant(struct inst_text *t, uint32_t value, enum sim_show show);
void text_literal(struct inst_text *t, enum sim_show show);

/* Whole operand lists by encoding: scalar_text.c, vector_text.c, memory_text.c. */
void text_scalar_operands(struct inst_text *t);
void text_vector_operands(struct inst_text *t);
void text_memory_operands(struct inst_text *t);

#endif
