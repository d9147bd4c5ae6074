/* SPDX-License-Identifier: MIT */
/* Decodes the vector encodings: operands, SDWA, DPP, and the modifiers of VOP3 and VOP3P. */
#include "simgpu/exec/decode/vector_decoder.h"

#include <string.h>

#include "simgpu/isa/inline_constants.h"

/* The mask operand of a carry or select is a scalar pair, never a row. */
static void mask_source(struct decoder *d, uint32_t code)
{
	if (code < 128) {
		decode_source_scalar(d, 2, code);
	} else if (code <= 208) {
		const struct sim_constant_rows *rows =
			sim_constant_rows(sim_constant(code, 2, T_W, 0, false));

		d->bad |= !rows;
		d->ip->off[2] = (uintptr_t)(rows ? &rows->value : NULL);
	} else {
		d->bad = true;
	}
	d->ip->scalar &= (uint8_t)~4u;
}

static bool has_mask_source(enum sim_op op)
{
	return op == OP_v_cndmask_b32 || op == OP_v_addc_co_u32 || op == OP_v_subb_co_u32 ||
	       op == OP_v_subbrev_co_u32;
}

/* Operands of VOP1, VOP2, VOPC, VOP3 and VOP3P. */
static void operand_vector(struct decoder *d, const struct sim_operand *o)
{
	bool vop3 = d->enc == ENC_VOP3 || d->enc == ENC_VOP3P;
	const uint32_t *w = d->word;

	switch (o->field) {
	case F_VDST:
		d->ip->dsize = o->dwords;
		if (d->scalar_dst)
			decode_scalar_destination(d, vop3 ? w[0] & 0x7f : w[0] >> 17 & 0x7f);
		else
			d->ip->dst = vop3 ? w[0] & 0xff : w[0] >> 17 & 0xff;
		break;
	case F_SDST:
		decode_scalar_destination(d, w[0] >> 8);
		break;
	case F_VCC:
		decode_scalar_destination(d, SIM_VCC);
		if (has_mask_source(d->row->op))
			mask_source(d, SIM_VCC);
		break;
	case F_SRC0:
		/* Also a destination, so it is a vector register whatever bit 8 says. */
		decode_source(d, 0, d->row->op == OP_v_swap_b32 ? SRC_VGPR | d->src0 : d->src0, o);
		break;
	case F_SRC1:
		if (vop3)
			decode_source(d, 1, decode_field(w, 41, 9), o);
		else if (d->ip->m.sdwa && w[1] >> 31)
			decode_source(d, 1, decode_field(w, 9, 8), o);
		else
			decode_source(d, 1, SRC_VGPR + decode_field(w, 9, 8), o);
		break;
	case F_SRC2:
		if (has_mask_source(d->row->op))
			mask_source(d, decode_field(w, 50, 9));
		else
			decode_source(d, 2, decode_field(w, 50, 9), o);
		break;
	default:
		break;
	}
}

static void decode_sdwa(struct decoder *d)
{
	struct sim_mods *m = &d->ip->m;
	uint32_t w = d->word[1];

	m->sdwa = true;
	d->src0 = (w & 0xff) + (w >> 23 & 1 ? 0 : SRC_VGPR);
	m->src_sel[0] = w >> 16 & 7;
	m->src_sel[1] = w >> 24 & 7;
	m->sext = (uint8_t)((w >> 19 & 1) | (w >> 27 & 1) << 1);
	m->neg = (uint8_t)((w >> 20 & 1) | (w >> 28 & 1) << 1);
	m->abs = (uint8_t)((w >> 21 & 1) | (w >> 29 & 1) << 1);
	m->dst_sel = 6;
	if (d->enc == ENC_VOPC) {
		if (w >> 15 & 1)
			decode_scalar_destination(d, w >> 8);
	} else {
		m->dst_sel = w >> 8 & 7;
		m->dst_unused = w >> 11 & 3;
		m->clamp = w >> 13 & 1;
		m->omod = w >> 14 & 3;
	}
	d->ip->modded = true;
}

static void decode_dpp(struct decoder *d)
{
	struct sim_mods *m = &d->ip->m;
	uint32_t w = d->word[1];

	m->dpp = true;
	d->src0 = (w & 0xff) + SRC_VGPR;
	m->dpp_ctrl = w >> 8 & 0x1ff;
	m->bound_ctrl = w >> 19 & 1;
	m->neg = (uint8_t)((w >> 20 & 1) | (w >> 22 & 1) << 1);
	m->abs = (uint8_t)((w >> 21 & 1) | (w >> 23 & 1) << 1);
	m->bank_mask = w >> 24 & 15;
	m->row_mask = (uint8_t)(w >> 28);
	d->ip->modded = true;
}

static void decode_vop3(struct decoder *d)
{
	struct sim_mods *m = &d->ip->m;
	const uint32_t *w = d->word;
	bool vop3b = false;

	for (unsigned int i = 0; i < d->row->count; i++)
		vop3b |= d->row->operand[i].field == F_SDST;
	m->clamp = w[0] >> 15 & 1;
	m->omod = decode_field(w, 59, 2);
	m->neg = decode_field(w, 61, 3);
	if (!vop3b) {
		m->abs = w[0] >> 8 & 7;
		m->opsel = w[0] >> 11 & 15;
	}
	d->ip->modded = m->clamp || m->omod || m->neg || m->abs || m->opsel;
}

static void decode_vop3p(struct decoder *d)
{
	struct sim_mods *m = &d->ip->m;
	const uint32_t *w = d->word;
	uint8_t sources = 0;

	m->clamp = w[0] >> 15 & 1;
	m->neg = decode_field(w, 61, 3);
	m->abs = w[0] >> 8 & 7; /* neg_hi, or abs of the mix instructions */
	m->opsel = w[0] >> 11 & 7;
	m->opsel_hi = (uint8_t)(decode_field(w, 59, 2) | (w[0] >> 14 & 1) << 2);
	for (unsigned int i = 0; i < d->row->count; i++)
		if (d->row->operand[i].field >= F_SRC0 && d->row->operand[i].field <= F_SRC2 &&
		    d->row->operand[i].type != T_W)
			sources |= (uint8_t)(1u << (d->row->operand[i].field - F_SRC0));
	d->ip->modded =
		m->clamp || m->neg || m->abs || m->opsel || (m->opsel_hi & sources) != sources;
}

/* Matrix and accumulation instructions: bits 59, 60 and 15 say "accumulation register". */
static void decode_mai(struct decoder *d)
{
	const uint32_t *w = d->word;
	struct sim_inst *ip = d->ip;
	bool acc_cd = w[0] >> 15 & 1;

	memset(&ip->m, 0, sizeof(ip->m));
	ip->modded = false;
	ip->imm = (w[0] >> 8 & 7) | (w[0] >> 11 & 15) << 8 | decode_field(w, 61, 3) << 16;
	if (d->row->op == OP_v_accvgpr_write_b32) {
		ip->dst += 256;
		return;
	}
	for (unsigned int n = 0; n < 2; n++)
		if ((decode_field(w, 59 + n, 1) && decode_field(w, 32 + 9 * n, 9) >= SRC_VGPR) ||
		    (n == 0 && d->row->op == OP_v_accvgpr_read_b32))
			ip->off[n] += 256 * 4u * SIM_LANES;
	if (d->row->op == OP_v_accvgpr_read_b32 || !acc_cd)
		return;
	ip->dst += 256;
	/* Not the indices of a sparse matrix. */
	if (decode_field(w, 50, 9) >= SRC_VGPR && ip->size[2] == ip->dsize)
		ip->off[2] += 256 * 4u * SIM_LANES;
}

/*
 * v_pk_mov_b32: op_sel selects which register of source 0 and of source 1 is moved (op_sel_hi is
 * ignored), so it becomes part of the addresses.
 */
static void decode_pk_mov(struct decoder *d)
{
	for (unsigned int n = 0; n < 2; n++) {
		if (!(d->ip->m.opsel >> n & 1) || d->ip->constant >> n & 1)
			continue;
		d->ip->off[n] += d->ip->scalar >> n & 1 ? 4 : 4 * SIM_LANES;
	}
	memset(&d->ip->m, 0, sizeof(d->ip->m));
	d->ip->modded = false;
}

static bool is_mai(const struct sim_opcode *row)
{
	return row->cls == C_MFMA || row->op == OP_v_accvgpr_write_b32 ||
	       row->op == OP_v_accvgpr_read_b32;
}

/* The literal is the K operand of madmk/madak (and fmamk/fmaak). */
static void decode_madk(struct decoder *d)
{
	static const struct sim_operand w = {F_TEXT, 1, T_W};

	switch (d->row->op) {
	case OP_v_fmamk_f32:
	case OP_v_madmk_f32:
	case OP_v_madmk_f16: /* vdst = src0 * K + vsrc1 */
		d->ip->off[2] = d->ip->off[1];
		d->ip->rel |= 4;
		d->ip->rel &= (uint8_t)~2u;
		d->ip->size[2] = 1;
		decode_source(d, 1, SRC_LITERAL, &w);
		break;
	case OP_v_fmaak_f32:
	case OP_v_madak_f32:
	case OP_v_madak_f16: /* vdst = src0 * vsrc1 + K */
		decode_source(d, 2, SRC_LITERAL, &w);
		break;
	default:
		break;
	}
}

/* These operations ignore the highest bit of the source's number. */
static bool source_is_register(enum sim_op op)
{
	return op == OP_v_swap_b32 || op == OP_v_accvgpr_mov_b32 || op == OP_v_accvgpr_read_b32;
}

void decode_vop(struct decoder *d)
{
	const char *name = sim_op_name(d->row->op);

	d->fp64 = strstr(name, "f64") != NULL;
	d->scalar_dst = !strncmp(name, "v_cmp", 5) || d->row->op == OP_v_readlane_b32 ||
			d->row->op == OP_v_readfirstlane_b32;
	if (!strncmp(name, "v_cmpx", 6))
		d->ip->bits = 1;
	if (d->enc == ENC_VOP3)
		decode_vop3(d);
	else if (d->enc == ENC_VOP3P)
		decode_vop3p(d);
	if (d->enc == ENC_VOP3 || d->enc == ENC_VOP3P) {
		d->src0 = d->word[1] & 0x1ff;
		if (source_is_register(d->row->op))
			d->src0 |= SRC_VGPR;
	} else {
		d->src0 = d->word[0] & 0x1ff;
		if (source_is_register(d->row->op))
			d->src0 |= SRC_VGPR;
		if (d->row->count && d->src0 == SRC_SDWA)
			d->ip->m.sdwa = true;
	}
	for (unsigned int i = 0; i < d->row->count; i++)
		if (d->row->operand[i].field == F_VCC)
			operand_vector(d, &d->row->operand[i]);
	if (d->row->count && d->enc <= ENC_VOPC && d->src0 == SRC_SDWA && d->row->flags & I_SDWA)
		decode_sdwa(d);
	else if (d->row->count && d->enc <= ENC_VOPC && d->src0 == SRC_DPP && d->row->flags & I_DPP)
		decode_dpp(d);
	for (unsigned int i = 0; i < d->row->count; i++)
		if (d->row->operand[i].field != F_VCC)
			operand_vector(d, &d->row->operand[i]);
	if (d->enc == ENC_VOP3P && is_mai(d->row))
		decode_mai(d);
	if (d->row->op == OP_v_pk_mov_b32)
		decode_pk_mov(d);
	if (d->row->op == OP_v_accvgpr_mov_b32) {
		d->ip->dst += 256;
		d->ip->off[0] += 256 * 4u * SIM_LANES;
	}
	if (d->row->flags & I_LITERAL)
		decode_madk(d);
}
