/* SPDX-License-Identifier: MIT */
/*
 * The instruction sets as data: one row per (encoding, opcode). Those of gfx90a are whole tables
 * (gen/opcode_tables.py), those of gfx942 the rows in which it differs (gen/gfx942_changes.py).
 * A row describes the form of an instruction; decoder.c uses it to convert words to struct
 * sim_inst, and the tables of exec define its effect.
 */
#ifndef PROBE_SIMGPU_ISA_OPCODES_H
#define PROBE_SIMGPU_ISA_OPCODES_H

#include <stddef.h>
#include <stdint.h>

#include "simgpu/isa/opcode_list.h"

enum sim_op {
	SIM_OP_NONE,
#define X(name) OP_##name,
	SIM_OPS(X)
#undef X
		SIM_OP_COUNT,
};

enum sim_encoding {
	ENC_SOP2,
	ENC_SOPK,
	ENC_SOP1,
	ENC_SOPC,
	ENC_SOPP,
	ENC_SMEM,
	ENC_VOP2,
	ENC_VOP1,
	ENC_VOPC,
	ENC_VOP3,
	ENC_VOP3P,
	ENC_DS,
	ENC_FLAT,
	ENC_SCRATCH,
	ENC_GLOBAL,
	ENC_MUBUF,
	ENC_MTBUF,
	ENC_MIMG,
	ENC_COUNT,
};

/* Classes for counters and for the cost model. Vector classes come last. */
enum sim_class {
	C_NONE, /* not an instruction: end of a page, undecodable word */
	C_SALU,
	C_SMEM,
	C_BRANCH,
	C_INTERNAL, /* s_nop, s_waitcnt, s_barrier, ... use no unit */
	C_MESSAGE,
	C_VALU,
	C_F64,
	C_TRANS,
	C_MUL32,
	C_MFMA,
	C_LDS,
	C_GWS,
	C_VMEM, /* global_*, scratch_*, buffer_*, image_* */
	C_FLAT,
	C_COUNT,
	C_FIRST_VECTOR = C_VALU,
};

/*
 * The position of an operand in the instruction words; values of F_TEXT are not register operands.
 */
enum sim_field {
	F_TEXT,
	F_VDST,
	F_SDST,
	F_SRC0,
	F_SRC1,
	F_SRC2,
	F_SIMM16,
	F_SDATA,
	F_SBASE,
	F_OFFSET21,
	F_ADDR,
	F_DATA0,
	F_DATA1,
	F_SADDR,
	F_VADDR,
	F_VDATA,
	F_SRSRC,
	F_SOFFSET,
	F_SSAMP,
	F_VCC,
	F_EXEC,
	F_OFF,
	F_M0,
};

/* The type in which an operand interprets an inline constant. */
enum sim_type {
	T_W, /* as wide as the operand: 32 or 64 bits */
	T_H, /* one 16-bit value */
	T_P, /* two packed 16-bit values */
	T_K, /* two packed 32-bit values */
};

enum sim_opflags {
	I_SDWA = 1,
	I_DPP = 2,
	I_LITERAL = 4, /* always followed by a literal */
	I_ATOMIC = 8,  /* vdst exists only with glc (ds: always) */
	I_LOAD = 16,
	I_STORE = 32,
};

enum {
	SIM_OPERANDS = 5,
};

struct sim_operand {
	uint8_t field;
	uint8_t dwords;
	uint8_t type;
};

struct sim_opcode {
	uint16_t code; /* value of the opcode field */
	uint16_t op;
	uint8_t cls;
	uint8_t flags;
	uint8_t count;
	struct sim_operand operand[SIM_OPERANDS];
};

struct sim_opcode_table {
	const char *name;
	const struct sim_opcode *row;
	unsigned int rows;
	const struct sim_opcode *gfx942; /* in place of rows of the same code, or more */
	unsigned int gfx942_rows;
};

enum {
	SIM_OPCODES = 1024, /* more than any opcode field holds */
};

extern const struct sim_opcode_table sim_opcode_tables[ENC_COUNT];

enum sim_instruction_set {
	SIM_GFX90A,
	SIM_GFX942,
};

/* The instruction set of all code decoded from now on. Chosen once (tests: before each). */
void sim_choose_instruction_set(enum sim_instruction_set set);
enum sim_instruction_set sim_instruction_set(void);

const char *sim_op_name(enum sim_op op);

/* The row of an opcode of the chosen set, or NULL. */
const struct sim_opcode *sim_opcode_row(enum sim_encoding enc, unsigned int code);

/* The row of an instruction, with its encoding in *enc; NULL if the chosen set lacks it. */
const struct sim_opcode *sim_opcode_find(const uint32_t *word, enum sim_encoding *enc);

/* Size in dwords of the instruction at word[0..avail) with this row; may exceed avail. */
unsigned int sim_opcode_words(const struct sim_opcode *row, enum sim_encoding enc,
			      const uint32_t *word, unsigned int avail);

#endif
