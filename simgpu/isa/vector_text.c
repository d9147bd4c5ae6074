/* SPDX-License-Identifier: MIT */
/* Text of the vector encodings: VOP1, VOP2, VOPC with SDWA and DPP, VOP3, VOP3P, matrix. */
#include <string.h>

#include "simgpu/isa/operand_text.h"

enum {
	SDWA_SOURCE = 249,
	DPP_SOURCE = 250,
	SEL_DWORD = 6,
};

enum form {
	FORM_PLAIN, /* VOP1, VOP2, VOPC */
	FORM_SDWA,
	FORM_DPP,
	FORM_WIDE,   /* VOP3 */
	FORM_PACKED, /* VOP3P */
	FORM_MATRIX,
};

struct vector_text {
	struct inst_text *t;
	enum form form;
	uint32_t w1;	   /* the second dword without its meaningless bits */
	uint32_t neg, abs; /* bit per source */
	uint32_t sext;
	uint32_t sources; /* number of sources */
};

static bool begins(const struct inst_text *t, const char *with)
{
	return !strncmp(sim_op_name(t->row->op), with, strlen(with));
}

/* Integer sources of floating-point instructions: LLVM prints their negation as sext(). */
static uint32_t integer_sources(const struct inst_text *t)
{
	switch (t->row->op) {
	case OP_v_ldexp_f16:
	case OP_v_ldexp_f32:
	case OP_v_ldexp_f64:
	case OP_v_trig_preop_f64:
	case OP_v_cvt_pkaccum_u8_f32:
		return 1 << 1;
	case OP_v_cvt_pk_u8_f32:
		return 1 << 1 | 1 << 2;
	default:
		return 0;
	}
}

static bool has_field(const struct inst_text *t, enum sim_field field)
{
	for (unsigned int i = 0; i < t->row->count; i++)
		if (t->row->operand[i].field == field)
			return true;
	return false;
}

static bool is_mix(const struct inst_text *t)
{
	return begins(t, "v_mad_mix") || begins(t, "v_fma_mix");
}

/* Their result is always whole: the SDWA dword only selects a part of the source. */
static bool is_fp8_conversion(const struct inst_text *t)
{
	return begins(t, "v_cvt_f32_fp8") || begins(t, "v_cvt_f32_bf8") ||
	       begins(t, "v_cvt_pk_f32_");
}

static bool is_matrix(const struct inst_text *t)
{
	return t->row->cls == C_MFMA || begins(t, "v_accvgpr_read") || begins(t, "v_accvgpr_write");
}

/* Determines the form and the source modifiers; rejects reserved bits of the second dword. */
static void find_form(struct vector_text *v)
{
	struct inst_text *t = v->t;
	uint32_t source = t->w[0] & 0x1ff;
	const struct sim_text_extra *extra = NULL;

	v->w1 = t->w[1] & ~(uint32_t)(t->bits->quiet >> 32);
	if (t->enc == ENC_VOP3P) {
		v->form = is_matrix(t) ? FORM_MATRIX : FORM_PACKED;
		if (is_mix(t)) {
			v->neg = v->w1 >> 29;
			v->abs = t->w[0] >> 8 & 7;
		}
	} else if (t->enc == ENC_VOP3) {
		v->form = FORM_WIDE;
		v->neg = v->w1 >> 29;
		v->abs = has_field(t, F_SDST) ? 0 : (t->w[0] & ~t->bits->quiet) >> 8 & 7;
	} else if (!t->row->count || t->row->op == OP_v_swap_b32 ||
		   t->row->op == OP_v_accvgpr_mov_b32) {
		v->form = FORM_PLAIN;
	} else if (source == SDWA_SOURCE && !(t->row->flags & I_LITERAL)) {
		v->form = FORM_SDWA;
		extra = &t->bits->sdwa;
		t->bad |= !(t->row->flags & I_SDWA);
	} else if (source == DPP_SOURCE && !(t->row->flags & I_LITERAL)) {
		v->form = FORM_DPP;
		extra = &t->bits->dpp;
		t->bad |= !(t->row->flags & I_DPP);
	} else {
		v->form = FORM_PLAIN;
	}
	if (!extra) {
		v->sext = v->neg & integer_sources(t);
		v->neg &= ~v->sext;
		return;
	}
	t->bad |= (t->w[1] & extra->zero) != 0;
	v->w1 = t->w[1] & ~extra->quiet;
	if (v->form == FORM_SDWA && is_fp8_conversion(t))
		t->bad |= (t->w[1] & 0xff301f00) != SEL_DWORD << 8;
	if (v->form == FORM_SDWA) {
		v->sext = (v->w1 >> 19 & 1) | (v->w1 >> 27 & 1) << 1;
		v->neg = (v->w1 >> 20 & 1) | (v->w1 >> 28 & 1) << 1;
		v->abs = (v->w1 >> 21 & 1) | (v->w1 >> 29 & 1) << 1;
	} else {
		v->neg = (v->w1 >> 20 & 1) | (v->w1 >> 22 & 1) << 1;
		v->abs = (v->w1 >> 21 & 1) | (v->w1 >> 23 & 1) << 1;
		v->sext = v->neg & integer_sources(t);
		v->neg &= ~v->sext;
	}
}

/* Operand number of source n in the nine-bit space. */
static uint32_t source_code(const struct vector_text *v, unsigned int n)
{
	const struct inst_text *t = v->t;

	if (t->enc == ENC_VOP3 || t->enc == ENC_VOP3P)
		return text_field(t, 32 + 9 * n, 9);
	if (v->form == FORM_SDWA && n == 0)
		return (v->w1 & 0xff) | (v->w1 >> 23 & 1 ? 0 : 256);
	if (v->form == FORM_SDWA)
		return text_field(t, 9, 8) | (v->w1 >> 31 ? 0 : 256);
	if (v->form == FORM_DPP && n == 0)
		return (v->w1 & 0xff) | 256;
	return n ? text_field(t, 9, 8) | 256 : t->w[0] & 0x1ff;
}

static bool has_literal(const struct vector_text *v)
{
	return v->form == FORM_PLAIN;
}

/* LLVM accepts scalars here, which the GPU lacks; for 32 registers it prints one or two. */
static void matrix_scalar(struct vector_text *v, uint32_t code, unsigned int dwords)
{
	bool general = code < 102 || (code >= 108 && code <= 123);

	if (general)
		text_scalar(v->t, code, dwords == 32 ? 1 : dwords);
	else
		text_scalar(v->t, code, dwords > 2 ? 2 : dwords);
	v->t->reserved |= v->t->row->cls == C_MFMA;
}

static bool is_scalar(uint32_t code)
{
	return code < 128 || (code >= 235 && code <= 239) || (code >= 251 && code <= 254);
}

static void plain_source(struct vector_text *v, unsigned int n, unsigned int dwords,
			 enum sim_show show)
{
	struct inst_text *t = v->t;
	uint32_t code = source_code(v, n);

	if (code == 255 && !has_literal(v))
		t->bad = true;
	if (t->row->op == OP_v_accvgpr_read_b32)
		text_vector(t, code & 0xff, dwords, true);
	else if (v->form == FORM_MATRIX && is_scalar(code))
		matrix_scalar(v, code, dwords);
	else if (v->form == FORM_MATRIX && t->row->cls == C_MFMA && code >= 256)
		text_vector(t, code - 256, dwords,
			    n < 2 ? text_field(t, 59 + n, 1)
				  : text_field(t, 15, 1) && !begins(t, "v_smfmac"));
	else if (t->row->op == OP_v_accvgpr_mov_b32 || t->row->op == OP_v_swap_b32)
		text_vector(t, code & 0xff, dwords, t->row->op == OP_v_accvgpr_mov_b32);
	else
		text_source(t, code, dwords, show);
}

static void source(struct vector_text *v, unsigned int n, unsigned int dwords, enum sim_show show)
{
	struct inst_text *t = v->t;
	uint32_t code = source_code(v, n);
	bool neg = v->neg >> n & 1, abs = v->abs >> n & 1, sext = v->sext >> n & 1;
	/* -1 is not the negation of 1. */
	bool word = neg && !abs && code >= 128 && code < 256 && (code <= 208 || code >= 240) &&
		    code <= 248;

	text_put(t, "%s%s%s", sext ? "sext(" : "", word ? "neg(" : neg ? "-" : "", abs ? "|" : "");
	plain_source(v, n, dwords, show);
	text_put(t, "%s%s%s", abs ? "|" : "", word ? ")" : "", sext ? ")" : "");
}

static bool scalar_result(const struct inst_text *t)
{
	return begins(t, "v_cmp") || begins(t, "v_readlane") || begins(t, "v_readfirstlane");
}

static void result(struct vector_text *v, unsigned int dwords)
{
	struct inst_text *t = v->t;
	bool wide = t->enc == ENC_VOP3 || t->enc == ENC_VOP3P;
	uint32_t code = wide ? t->w[0] & 0xff : text_field(t, 17, 8);

	t->bad |= wide && scalar_result(t) && code == 255;
	if (scalar_result(t))
		text_source(t, code, dwords, SHOW_REG);
	else if (v->form == FORM_MATRIX)
		text_vector(t, code, dwords,
			    begins(t, "v_accvgpr_write") ||
				    (t->row->cls == C_MFMA && text_field(t, 15, 1)));
	else
		text_vector(t, code, dwords, begins(t, "v_accvgpr_mov"));
}

static void operand(struct vector_text *v, unsigned int i)
{
	struct inst_text *t = v->t;
	const struct sim_operand *o = &t->row->operand[i];

	text_next(t);
	switch (o->field) {
	case F_VDST:
		result(v, o->dwords);
		break;
	case F_SDST:
		text_scalar(t, text_field(t, 8, 7), o->dwords);
		break;
	case F_SRC0:
	case F_SRC1:
	case F_SRC2:
		source(v, o->field - F_SRC0, o->dwords, t->bits->show[i]);
		v->sources++;
		break;
	case F_VCC:
		if (v->form == FORM_SDWA && t->enc == ENC_VOPC && v->w1 >> 15 & 1)
			text_scalar(t, v->w1 >> 8 & 0x7f, 2);
		else
			text_put(t, "vcc");
		break;
	case F_TEXT:
		text_put(t, "0x%x", t->literal);
		break;
	default:
		t->bad = true;
		break;
	}
}

static void omod(struct inst_text *t, uint32_t value)
{
	static const char *const names[] = {"", " mul:2", " mul:4", " div:2"};

	text_put(t, "%s", names[value & 3]);
}

/* "_sdwa" selections: name:BYTE_0 and so on; 7 is reserved. */
static void selection(struct inst_text *t, const char *what, uint32_t value)
{
	static const char *const names[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
					    "WORD_0", "WORD_1", "DWORD",  ""};

	t->bad |= value > SEL_DWORD;
	text_put(t, " %s:%s", what, names[value]);
}

static void sdwa(struct vector_text *v)
{
	static const char *const unused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", ""};
	struct inst_text *t = v->t;
	uint32_t w = v->w1;

	if (t->enc != ENC_VOPC) {
		text_put(t, "%s", w >> 13 & 1 ? " clamp" : "");
		omod(t, w >> 14);
	}
	if (t->enc != ENC_VOPC && !is_fp8_conversion(t)) {
		selection(t, "dst_sel", w >> 8 & 7);
		text_put(t, " dst_unused:%s", unused[w >> 11 & 3]);
		t->bad |= (w >> 11 & 3) == 3;
	}
	selection(t, "src0_sel", w >> 16 & 7);
	if (v->sources > 1)
		selection(t, "src1_sel", w >> 24 & 7);
}

static bool is_double(const struct inst_text *t)
{
	for (unsigned int i = 0; i < t->row->count; i++)
		if (t->row->operand[i].field == F_SRC0)
			return t->row->operand[i].dwords > 1;
	return false;
}

static void dpp_control(struct inst_text *t, uint32_t ctrl)
{
	static const struct {
		uint16_t ctrl;
		const char *name;
	} fixed[] = {
		{0x130, "wave_shl:1"},	 {0x134, "wave_rol:1"},	  {0x138, "wave_shr:1"},
		{0x13c, "wave_ror:1"},	 {0x140, "row_mirror"},	  {0x141, "row_half_mirror"},
		{0x142, "row_bcast:15"}, {0x143, "row_bcast:31"},
	};
	static const char *const shifts[] = {"row_shl", "row_shr", "row_ror"};

	if (is_double(t) && (ctrl & 0x1f0) != 0x150) {
		text_invalid(t, "  /* 64 bit dpp only supports row_newbcast */");
		return;
	}
	if (ctrl < 0x100) {
		text_put(t, " quad_perm:[%u,%u,%u,%u]", ctrl & 3, ctrl >> 2 & 3, ctrl >> 4 & 3,
			 ctrl >> 6);
		return;
	}
	if (ctrl < 0x130 && ctrl & 15) {
		text_put(t, " %s:%u", shifts[ctrl >> 4 & 3], ctrl & 15);
		return;
	}
	if ((ctrl & 0x1f0) == 0x150) {
		text_put(t, " row_newbcast:%u", ctrl & 15);
		return;
	}
	for (unsigned int i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (fixed[i].ctrl == ctrl) {
			text_put(t, " %s", fixed[i].name);
			return;
		}
	if ((ctrl & 0x1f0) == 0x160)
		text_invalid(t, " /* row_xmask is not supported on ASICs earlier than GFX10 */");
	else
		text_invalid(t, " /* Invalid dpp_ctrl value */");
}

static void dpp(struct vector_text *v)
{
	struct inst_text *t = v->t;

	dpp_control(t, v->w1 >> 8 & 0x1ff);
	text_put(t, " row_mask:0x%x bank_mask:0x%x%s", v->w1 >> 28, v->w1 >> 24 & 15,
		 v->w1 >> 19 & 1 ? " bound_ctrl:1" : "");
}

/* " name:[0,1,...]" unless all bits have the default value. */
static void bit_list(struct inst_text *t, const char *name, uint32_t bits, unsigned int count,
		     bool usual)
{
	uint32_t mask = (1u << count) - 1;

	if (!count || (bits & mask) == (usual ? mask : 0))
		return;
	text_put(t, " %s:[", name);
	for (unsigned int i = 0; i < count; i++)
		text_put(t, i ? ",%u" : "%u", bits >> i & 1);
	text_put(t, "]");
}

static void wide(struct vector_text *v)
{
	struct inst_text *t = v->t;
	uint32_t low = t->w[0] & ~(uint32_t)t->bits->quiet;
	uint32_t opsel = low >> 11 & 7;
	/* Two bits choose the byte of the result of v_cvt_sr_*. */
	unsigned int sources = begins(t, "v_cvt_sr_") ? 3 : v->sources;

	if (!has_field(t, F_SDST))
		bit_list(t, "op_sel", (opsel & ((1u << sources) - 1)) | (low >> 14 & 1) << sources,
			 sources + 1, false);
	text_put(t, "%s", low >> 15 & 1 ? " clamp" : "");
	omod(t, v->w1 >> 27);
}

static void packed(struct vector_text *v)
{
	struct inst_text *t = v->t;
	bool mix = is_mix(t);

	bit_list(t, "op_sel", t->w[0] >> 11 & 7, v->sources, false);
	bit_list(t, "op_sel_hi", text_field(t, 59, 2) | text_field(t, 14, 1) << 2, v->sources,
		 !mix);
	if (!mix) {
		bit_list(t, "neg_lo", text_field(t, 61, 3), v->sources, false);
		bit_list(t, "neg_hi", text_field(t, 8, 3), v->sources, false);
	}
	text_flag(t, 15, "clamp");
}

static void matrix(struct inst_text *t)
{
	uint32_t blgp = text_field(t, 61, 3);

	if (t->row->cls != C_MFMA)
		return;
	if (text_field(t, 8, 3))
		text_put(t, " cbsz:%u", text_field(t, 8, 3));
	if (text_field(t, 11, 4))
		text_put(t, " abid:%u", text_field(t, 11, 4));
	if (blgp && sim_instruction_set() == SIM_GFX942 && strstr(sim_op_name(t->row->op), "_f64_"))
		text_put(t, " neg:[%u,%u,%u]", blgp & 1, blgp >> 1 & 1, blgp >> 2);
	else if (blgp)
		text_put(t, " blgp:%u", blgp);
}

void text_vector_operands(struct inst_text *t)
{
	static const char *const endings[] = {"_e32", "_sdwa", "_dpp", "_e64", "", ""};
	struct vector_text v = {.t = t};

	find_form(&v);
	text_put(t, "%s%s", sim_op_name(t->row->op),
		 v.form == FORM_SDWA || v.form == FORM_DPP || t->bits->suffix ? endings[v.form]
									      : "");
	for (unsigned int i = 0; i < t->row->count; i++)
		operand(&v, i);
	if (t->row->op == OP_v_nop && t->words == 2 && (t->w[0] & 0x1ff) == DPP_SOURCE)
		dpp(&v);
	else if (v.form == FORM_SDWA)
		sdwa(&v);
	else if (v.form == FORM_DPP)
		dpp(&v);
	else if (v.form == FORM_WIDE)
		wide(&v);
	else if (v.form == FORM_PACKED)
		packed(&v);
	else if (v.form == FORM_MATRIX)
		matrix(t);
}
