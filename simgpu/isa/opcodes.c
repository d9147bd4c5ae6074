/* SPDX-License-Identifier: MIT */
/* The generated opcode tables and the look-up by instruction word. */
#include "simgpu/isa/opcodes.h"

#include <pthread.h>
#include <stdbool.h>

#include "simgpu/isa/scalar_opcodes.inc"
#include "simgpu/isa/vop_opcodes.inc"
#include "simgpu/isa/vop3_opcodes.inc"
#include "simgpu/isa/memory_opcodes.inc"
#include "simgpu/isa/gfx942_opcodes.inc"

#define ROWS(rows) rows, sizeof(rows) / sizeof(rows[0])
#define TABLE(name, rows)                                                                          \
	{                                                                                          \
		name, ROWS(rows), NULL, 0                                                          \
	}
#define BOTH(name, rows, gfx942)                                                                   \
	{                                                                                          \
		name, ROWS(rows), ROWS(gfx942)                                                     \
	}
const struct sim_opcode_table sim_opcode_tables[ENC_COUNT] = {
	[ENC_SOP2] = TABLE("sop2", table_sop2),
	[ENC_SOPK] = TABLE("sopk", table_sopk),
	[ENC_SOP1] = TABLE("sop1", table_sop1),
	[ENC_SOPC] = TABLE("sopc", table_sopc),
	[ENC_SOPP] = TABLE("sopp", table_sopp),
	[ENC_SMEM] = TABLE("smem", table_smem),
	[ENC_VOP2] = BOTH("vop2", table_vop2, gfx942_vop2),
	[ENC_VOP1] = BOTH("vop1", table_vop1, gfx942_vop1),
	[ENC_VOPC] = TABLE("vopc", table_vopc),
	[ENC_VOP3] = BOTH("vop3", table_vop3, gfx942_vop3),
	[ENC_VOP3P] = BOTH("vop3p", table_vop3p, gfx942_vop3p),
	[ENC_DS] = BOTH("ds", table_ds, gfx942_ds),
	[ENC_FLAT] = BOTH("flat", table_flat, gfx942_flat),
	[ENC_SCRATCH] = BOTH("scratch", table_scratch, gfx942_scratch),
	[ENC_GLOBAL] = BOTH("global", table_global, gfx942_global),
	[ENC_MUBUF] = BOTH("mubuf", table_mubuf, gfx942_mubuf),
	[ENC_MTBUF] = TABLE("mtbuf", table_mtbuf),
	[ENC_MIMG] = BOTH("mimg", table_mimg, gfx942_mimg),
};

/*
 * Fixed bits of each encoding and the position of its opcode field ("Microcode Formats" chapter).
 * The first match wins, so an encoding nested in another's space precedes it.
 */
static const struct {
	uint32_t mask;
	uint32_t match;
	uint8_t enc;
	uint8_t shift;
	uint8_t bits;
} layouts[] = {
	{0xff800000, 0xbf800000, ENC_SOPP, 16, 7},   {0xff800000, 0xbf000000, ENC_SOPC, 16, 7},
	{0xff800000, 0xbe800000, ENC_SOP1, 8, 8},    {0xf0000000, 0xb0000000, ENC_SOPK, 23, 5},
	{0xc0000000, 0x80000000, ENC_SOP2, 23, 7},   {0xfe000000, 0x7e000000, ENC_VOP1, 9, 8},
	{0xfe000000, 0x7c000000, ENC_VOPC, 17, 8},   {0x80000000, 0x00000000, ENC_VOP2, 25, 6},
	{0xfc000000, 0xc0000000, ENC_SMEM, 18, 8},   {0xff800000, 0xd3800000, ENC_VOP3P, 16, 7},
	{0xfc000000, 0xd0000000, ENC_VOP3, 16, 10},  {0xfc000000, 0xd8000000, ENC_DS, 17, 8},
	{0xfc00c000, 0xdc000000, ENC_FLAT, 18, 7},   {0xfc00c000, 0xdc004000, ENC_SCRATCH, 18, 7},
	{0xfc00c000, 0xdc008000, ENC_GLOBAL, 18, 7}, {0xfc000000, 0xe0000000, ENC_MUBUF, 18, 7},
	{0xfc000000, 0xe8000000, ENC_MTBUF, 15, 4},  {0xfc000000, 0xf0000000, ENC_MIMG, 18, 7},
};

static enum sim_instruction_set chosen;
static const struct sim_opcode *by_code[2][ENC_COUNT][SIM_OPCODES];
static pthread_once_t index_once = PTHREAD_ONCE_INIT;

static void index_build(void)
{
	for (unsigned int e = 0; e < ENC_COUNT; e++) {
		const struct sim_opcode_table *table = &sim_opcode_tables[e];

		for (unsigned int i = 0; i < table->rows; i++)
			by_code[SIM_GFX90A][e][table->row[i].code] =
				by_code[SIM_GFX942][e][table->row[i].code] = &table->row[i];
		for (unsigned int i = 0; i < table->gfx942_rows; i++)
			by_code[SIM_GFX942][e][table->gfx942[i].code] =
				table->gfx942[i].op ? &table->gfx942[i] : NULL;
	}
}

void sim_choose_instruction_set(enum sim_instruction_set set)
{
	chosen = set;
}

enum sim_instruction_set sim_instruction_set(void)
{
	return chosen;
}

const struct sim_opcode *sim_opcode_row(enum sim_encoding enc, unsigned int code)
{
	pthread_once(&index_once, index_build);
	return by_code[chosen][enc][code];
}

const struct sim_opcode *sim_opcode_find(const uint32_t *word, enum sim_encoding *enc)
{
	for (unsigned int i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		if ((word[0] & layouts[i].mask) != layouts[i].match)
			continue;
		*enc = layouts[i].enc;
		return sim_opcode_row(*enc,
				      word[0] >> layouts[i].shift & ((1u << layouts[i].bits) - 1));
	}
	return NULL;
}

/*
 * A source field with the value for "literal", "SDWA" or "DPP" adds a dword. v_nop has no source,
 * but its field may have such a value; the dword then contains only selections without effect.
 */
static unsigned int vop_extra(const struct sim_opcode *row, const uint32_t *word,
			      unsigned int avail)
{
	uint32_t source = word[0] & 0x1ff;

	if (row->op == OP_v_nop && avail > 1)
		return (source == 249 && !(word[1] & ~0x40401f00u)) ||
		       (source == 250 && !(word[1] & ~0xff0fff00u));
	/* Their source is always a register, whatever its number. */
	if (!row->count || row->op == OP_v_swap_b32 || row->op == OP_v_accvgpr_mov_b32)
		return 0;
	if (row->op == OP_v_readfirstlane_b32 && (word[0] >> 17 & 0xff) == 255)
		return 1; /* not executable, but LLVM sees a literal */
	return source == 255 || source == 249 || source == 250;
}

static bool has_source(const struct sim_opcode *row)
{
	for (unsigned int i = 0; i < row->count; i++)
		if (row->operand[i].field == F_SRC0)
			return true;
	return false;
}

unsigned int sim_opcode_words(const struct sim_opcode *row, enum sim_encoding enc,
			      const uint32_t *word, unsigned int avail)
{
	switch (enc) {
	case ENC_SOP2:
	case ENC_SOPC:
		return 1 + ((word[0] & 0xff) == 255 ||
			    ((word[0] >> 8 & 0xff) == 255 && row->op != OP_s_set_gpr_idx_on));
	case ENC_SOP1:
		return 1 + ((word[0] & 0xff) == 255 && has_source(row));
	case ENC_SOPK:
	case ENC_SOPP:
		return 1 + !!(row->flags & I_LITERAL);
	case ENC_VOP1:
	case ENC_VOP2:
	case ENC_VOPC:
		return 1 + (row->flags & I_LITERAL ? 1 : vop_extra(row, word, avail));
	default:
		return 2;
	}
}

static const char *const op_names[SIM_OP_COUNT] = {[SIM_OP_NONE] = "unknown",
#define X(name) [OP_##name] = #name,
						   SIM_OPS(X)
#undef X
};

const char *sim_op_name(enum sim_op op)
{
	return (unsigned int)op < SIM_OP_COUNT ? op_names[op] : op_names[SIM_OP_NONE];
}
