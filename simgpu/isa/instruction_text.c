/* SPDX-License-Identifier: MIT */
#include "simgpu/isa/instruction_text.h"

#include "simgpu/isa/operand_text.h"

#include "simgpu/isa/gfx942_syntax.inc"
#include "simgpu/isa/opcode_syntax.inc"

/* LLVM 15 also takes the gfx6 opcode of buffer_wbinvl1 (see gen/opcode_tables.py). */
#define GFX6_MASK    0xfdfc0000u
#define GFX6_WBINVL1 0xe1c40000u
#define GFX9_WBINVL1 0xe0f80000u

static const struct sim_text_row *const text_rows[ENC_COUNT] = {
	[ENC_SOP2] = text_sop2,	  [ENC_SOPK] = text_sopk,     [ENC_SOP1] = text_sop1,
	[ENC_SOPC] = text_sopc,	  [ENC_SOPP] = text_sopp,     [ENC_SMEM] = text_smem,
	[ENC_VOP2] = text_vop2,	  [ENC_VOP1] = text_vop1,     [ENC_VOPC] = text_vopc,
	[ENC_VOP3] = text_vop3,	  [ENC_VOP3P] = text_vop3p,   [ENC_DS] = text_ds,
	[ENC_FLAT] = text_flat,	  [ENC_GLOBAL] = text_global, [ENC_SCRATCH] = text_scratch,
	[ENC_MUBUF] = text_mubuf, [ENC_MTBUF] = text_mtbuf,   [ENC_MIMG] = text_mimg,
};

/* Of the rows that gfx942 has in its own way. */
static const struct sim_text_row *const gfx942_text_rows[ENC_COUNT] = {
	[ENC_VOP2] = gfx942_text_vop2,	     [ENC_VOP1] = gfx942_text_vop1,
	[ENC_VOP3] = gfx942_text_vop3,	     [ENC_VOP3P] = gfx942_text_vop3p,
	[ENC_DS] = gfx942_text_ds,	     [ENC_FLAT] = gfx942_text_flat,
	[ENC_SCRATCH] = gfx942_text_scratch, [ENC_GLOBAL] = gfx942_text_global,
	[ENC_MUBUF] = gfx942_text_mubuf,     [ENC_MIMG] = gfx942_text_mimg,
};

static const struct sim_text_row *text_row(const struct inst_text *t)
{
	const struct sim_opcode_table *table = &sim_opcode_tables[t->enc];

	if (t->row >= table->row && t->row < table->row + table->rows)
		return &text_rows[t->enc][t->row - table->row];
	return &gfx942_text_rows[t->enc][t->row - table->gfx942];
}

static bool bits_fit(const struct inst_text *t)
{
	uint64_t word = t->w[0];

	/* The second dword of the short encodings is a literal, SDWA or DPP. */
	if (t->enc >= ENC_VOP3 || t->enc == ENC_SMEM)
		word |= (uint64_t)t->w[1] << 32;
	return (word & t->bits->fixed) == t->bits->value;
}

static void write_all(struct inst_text *t)
{
	if (t->enc >= ENC_VOP2 && t->enc <= ENC_VOP3P) {
		text_vector_operands(t);
		return;
	}
	text_put(t, "%s", sim_op_name(t->row->op));
	if (t->enc >= ENC_DS || t->enc == ENC_SMEM)
		text_memory_operands(t);
	else
		text_scalar_operands(t);
}

/* Walk over one instruction; returns its dwords or 0. */
static unsigned int walk(struct inst_text *t, const uint32_t *word, unsigned int avail)
{
	uint32_t copy[2] = {avail ? word[0] : 0, avail > 1 ? word[1] : 0};

	if ((copy[0] & GFX6_MASK) == GFX6_WBINVL1) {
		copy[0] = (copy[0] & ~GFX6_MASK) | GFX9_WBINVL1;
		t->reserved = true;
	}
	t->row = avail ? sim_opcode_find(copy, &t->enc) : NULL;
	if (!t->row)
		return 0;
	t->words = sim_opcode_words(t->row, t->enc, copy, avail);
	if (t->words > avail)
		return 0;
	if (t->words == 1)
		copy[1] = 0;
	t->w = copy;
	t->literal = copy[1];
	t->bits = text_row(t);
	if (!bits_fit(t))
		return 0;
	write_all(t);
	return t->bad ? 0 : t->words;
}

unsigned int sim_inst_text(const uint32_t *word, unsigned int avail, char *text, size_t size)
{
	struct inst_text t = {.to = text, .left = size};

	if (text && size)
		*text = '\0';
	return walk(&t, word, avail);
}

bool sim_inst_valid(const uint32_t *word, unsigned int avail)
{
	struct inst_text t = {.to = NULL};

	return walk(&t, word, avail) && !t.reserved;
}
