/* SPDX-License-Identifier: MIT */
/*
 * Decodes instruction words to struct sim_inst: operands become addresses, modifiers become fields,
 * and the execute entry of the operation selects the handler. Field layouts: "AMD Instinct MI200"
 * ISA manual, chapter "Microcode Formats"; operand numbers: chapter "Scalar operands".
 */
#include "simgpu/exec/decode/decoder.h"

#include "simgpu/exec/decode/instruction_timing.h"
#include "simgpu/exec/decode/vector_decoder.h"
#include "simgpu/exec/fault.h"
#include "simgpu/exec/scalar/special_operands.h"
#include "simgpu/exec/vector_level.h"

#include <string.h>

#include "simgpu/isa/instruction_text.h"

/* Operands of the scalar encodings. */
static void operand_scalar(struct decoder *d, const struct sim_operand *o)
{
	uint32_t w = d->word[0];

	switch (o->field) {
	case F_SDST:
		d->ip->dsize = o->dwords;
		decode_scalar_destination(d, w >> 16);
		if (d->enc == ENC_SOPK) /* also read: s_cmpk, s_addk, s_setreg */
			decode_source_scalar(d, 0, w >> 16 & 0x7f);
		break;
	case F_SRC0:
		decode_source(d, 0, w & 0xff, o);
		break;
	case F_SRC1:
		if (o->dwords)
			decode_source(d, 1, w >> 8 & 0xff, o);
		else
			d->ip->imm = w >> 8 & 0xff;
		break;
	default:
		break;
	}
}

static void decode_smem(struct decoder *d)
{
	static const struct sim_operand dword = {F_SOFFSET, 1, T_W};
	const uint32_t *w = d->word;

	decode_source_scalar(d, 0, 2 * (w[0] & 0x3f));
	decode_scalar_destination(d, w[0] >> 6);
	for (unsigned int i = 0; i < d->row->count; i++)
		if (d->row->operand[i].field == F_SDATA)
			d->ip->dsize = d->row->operand[i].dwords;
	d->ip->glc = w[0] >> 16 & 1;
	if (w[0] >> 17 & 1) {
		d->ip->imm = (int32_t)(w[1] << 11) >> 11;
		if (w[0] >> 14 & 1)
			decode_source(d, 1, w[1] >> 25, &dword);
	} else if (w[0] >> 14 & 1) {
		decode_source(d, 1, w[1] >> 25, &dword);
	} else {
		decode_source(d, 1, w[1] & 0x7f, &dword);
	}
}

/* Two numbers each, because an instruction may make two accesses. */
static uint16_t memo_number(void)
{
	static atomic_uint next;

	return (uint16_t)(2 * atomic_fetch_add_explicit(&next, 1, memory_order_relaxed));
}

static void decode_ds(struct decoder *d)
{
	const uint32_t *w = d->word;
	uint16_t acc = w[0] >> 25 & 1 ? 256 : 0;

	d->ip->imm = w[0] & 0xffff;
	d->ip->bits = w[0] >> 16 & 1;
	d->ip->vsrc[0] = w[1] & 0xff;
	d->ip->vsrc[1] = (uint16_t)((w[1] >> 8 & 0xff) + acc);
	d->ip->vsrc[2] = (uint16_t)((w[1] >> 16 & 0xff) + acc);
	d->ip->dst = (uint16_t)((w[1] >> 24) + acc);
}

/*
 * The bit by which an atomic returns the old value, and a load or store goes to the L2: GLC on
 * gfx90a. gfx942 has SC0 for atomics; SC1 is set for what others than the workgroup shall see.
 */
static uint8_t returns_or_bypasses(const struct decoder *d, unsigned int low, unsigned int sc1)
{
	bool old = sim_instruction_set() == SIM_GFX90A || d->row->flags & I_ATOMIC;

	return decode_field(d->word, old ? low : sc1, 1);
}

static void decode_flat(struct decoder *d)
{
	const uint32_t *w = d->word;
	uint16_t acc = w[1] >> 23 & 1 ? 256 : 0;
	uint32_t saddr = w[1] >> 16 & 0x7f;

	/* Signed 13 bits; a flat address uses the low 12 bits, unsigned. */
	d->ip->imm = d->enc == ENC_FLAT ? (int64_t)(w[0] & 0xfff) : (int32_t)(w[0] << 19) >> 19;
	d->ip->glc = returns_or_bypasses(d, 16, 25);
	if (sim_instruction_set() == SIM_GFX90A)
		d->ip->bits = w[0] >> 13 & 1 ? SIM_BUF_LDS : 0;
	else if (d->enc == ENC_SCRATCH)
		d->ip->bits = w[0] >> 13 & 1 ? SIM_SCRATCH_VECTOR : 0;
	d->ip->vsrc[0] = w[1] & 0xff;
	d->ip->vsrc[1] = (uint16_t)((w[1] >> 8 & 0xff) + acc);
	d->ip->dst = (uint16_t)((w[1] >> 24) + acc);
	if (d->enc != ENC_FLAT && saddr != SADDR_OFF) {
		d->ip->saddr = 1;
		decode_source_scalar(d, 0, saddr);
	} else if (d->enc == ENC_SCRATCH && sim_instruction_set() == SIM_GFX90A) {
		d->ip->bits |= SIM_SCRATCH_VECTOR;
	}
}

static void decode_buffer(struct decoder *d)
{
	static const struct sim_operand dword = {F_SOFFSET, 1, T_W};
	const uint32_t *w = d->word;
	uint16_t acc = w[1] >> 23 & 1 ? 256 : 0;

	d->ip->imm = w[0] & 0xfff;
	d->ip->glc = returns_or_bypasses(d, 14, d->enc == ENC_MTBUF ? 53 : 15);
	d->ip->bits =
		(uint8_t)((w[0] >> 12 & 3) | (d->enc == ENC_MUBUF ? (w[0] >> 16 & 1) << 2 : 0));
	d->ip->vsrc[0] = w[1] & 0xff;
	d->ip->vsrc[1] = (uint16_t)((w[1] >> 8 & 0xff) + acc);
	d->ip->dst = d->ip->vsrc[1];
	decode_source_scalar(d, 0, 4 * (w[1] >> 16 & 0x1f));
	decode_source(d, 1, w[1] >> 24, &dword);
}

static void decode_operands(struct decoder *d)
{
	switch (d->enc) {
	case ENC_SOPK:
	case ENC_SOPP:
		d->ip->imm = (int16_t)d->word[0];
		__attribute__((fallthrough));
	case ENC_SOP1:
	case ENC_SOP2:
	case ENC_SOPC:
		for (unsigned int i = 0; i < d->row->count; i++)
			operand_scalar(d, &d->row->operand[i]);
		break;
	case ENC_SMEM:
		decode_smem(d);
		break;
	case ENC_DS:
		decode_ds(d);
		break;
	case ENC_FLAT:
	case ENC_SCRATCH:
	case ENC_GLOBAL:
		decode_flat(d);
		break;
	case ENC_MUBUF:
	case ENC_MTBUF:
		decode_buffer(d);
		break;
	case ENC_MIMG: /* the handlers read the words */
		d->ip->glc = d->word[0] >> 13 & 1;
		break;
	default:
		decode_vop(d);
		break;
	}
}

/* The type to which omod and clamp apply, from the mnemonic. */
static enum sim_out result_type(const struct decoder *d)
{
	const char *name = sim_op_name(d->row->op);
	const char *type = strncmp(name, "v_cvt_", 6) ? strrchr(name, '_') + 1 : name + 6;
	bool packed = !strncmp(name, "v_pk_", 5);

	if (!strncmp(name, "v_cvt_pk_f32_", 13))
		return SIM_OUT_PK_F32;
	if (!strncmp(name, "v_frexp_exp", 11) || d->scalar_dst)
		return SIM_OUT_INT;
	if (d->row->op == OP_v_fma_mixlo_f16 || d->row->op == OP_v_fma_mixhi_f16)
		return SIM_OUT_F16;
	if (d->row->op == OP_v_cvt_pkrtz_f16_f32)
		return SIM_OUT_PK_F16;
	if (d->row->op == OP_v_cvt_off_f32_i4)
		return SIM_OUT_F32;
	if (d->row->op == OP_v_dot2_f32_f16) /* its result type is not the type at the end of its
					      * name */
		return SIM_OUT_F32;
	if (!strncmp(type, "f16", 3))
		return packed ? SIM_OUT_PK_F16 : SIM_OUT_F16;
	if (!strncmp(type, "f32", 3))
		return packed ? SIM_OUT_PK_F32 : SIM_OUT_F32;
	if (!strncmp(type, "f64", 3))
		return SIM_OUT_F64;
	return SIM_OUT_INT;
}

static enum sim_out type_by_suffix(const char *suffix)
{
	static const char *const names[] = {[SIM_OUT_F16] = "_f16", "_f32", "_f64"};

	for (unsigned int i = SIM_OUT_F16; i <= SIM_OUT_F64; i++)
		if (suffix && !strcmp(suffix, names[i]))
			return i;
	return SIM_OUT_INT;
}

/*
 * Which sources are floats: those whose type is at the end of the mnemonic, with a few exceptions.
 */
static void source_types(struct decoder *d)
{
	const char *name = sim_op_name(d->row->op);
	enum sim_out type = type_by_suffix(strrchr(name, '_'));
	unsigned int n = 3;

	if (!strncmp(name, "v_ldexp", 7) || !strncmp(name, "v_trig", 6) ||
	    !strncmp(name, "v_cvt_pk_u8", 11) || !strncmp(name, "v_cvt_pkaccum", 13))
		n = 1; /* the other sources are integers */
	else if (strstr(name, "_class_") || !strncmp(name, "v_dot2", 6))
		n = 0; /* MODE does not apply */
	if (!strncmp(name, "v_pk_", 5) && type)
		type = type == SIM_OUT_F16 ? SIM_OUT_PK_F16 : SIM_OUT_PK_F32;
	memset(d->ip->in, (int)type, n);
}

static void choose_handler(struct decoder *d, const struct sim_exec *exec)
{
	const struct sim_level *level = sim_level_get();
	struct sim_inst *ip = d->ip;

	ip->fp = exec->flags & (FP_F32 | FP_F64 | FP_IEEE);
	ip->xflags = exec->flags;
	ip->keep_high = d->row->op == OP_v_fma_mixhi_f16;
	if (ip->enc >= ENC_VOP2 && ip->enc <= ENC_VOP3P)
		ip->out = (uint8_t)result_type(d);
	if (ip->fp)
		source_types(d);
	if (exec->flags & X_FMACC)
		decode_source_vector(d, 2, ip->dst);
	if (exec->flags & X_FMACC)
		ip->size[2] = ip->dsize;
	if (exec->kind == X_DIRECT) {
		bool lds =
			ip->row->flags & I_LOAD && ip->bits & SIM_BUF_LDS &&
			(ip->enc == ENC_MUBUF || ip->enc == ENC_GLOBAL || ip->enc == ENC_SCRATCH);

		ip->exec = lds ? level->load_lds : exec->handler;
		return;
	}
	ip->body = exec->body;
	if (ip->m.clamp && exec->clamped) {
		ip->body = exec->clamped;
		ip->m.clamp = 0;
		ip->modded |= false;
	}
	ip->modded |= !!(exec->flags & (X_KEEPHI | X_MIX | X_KEEPBYTES));
	if (exec->kind == X_VOPC)
		ip->exec = level->vopc;
	else if (exec->kind == X_MASK)
		ip->exec = level->mask;
	else if (ip->modded)
		ip->exec = level->valu_mods;
	else
		ip->exec = ip->scalar ? level->valu_any : level->valu;
}

/* What bodies read for a source that the instruction lacks. */
static const uint32_t no_source[2 * SIM_LANES];

/* An entry that is no instruction until its decoding succeeds. */
static void start_empty(struct sim_inst *ret, sim_handler *exec)
{
	memset(ret, 0, sizeof(*ret));
	for (unsigned int n = 0; n < 3; n++)
		ret->off[n] = (uintptr_t)no_source;
	ret->words = 1;
	ret->exec = exec;
}

void sim_decode(const uint32_t *word, unsigned int avail, struct sim_inst *ret)
{
	const struct sim_exec *exec;
	struct decoder d = {.word = word, .ip = ret};

	start_empty(ret, avail ? sim_exec_unknown : sim_exec_nofetch);
	d.row = avail ? sim_opcode_find(word, &d.enc) : NULL;
	if (!d.row)
		return;
	ret->words = (uint8_t)sim_opcode_words(d.row, d.enc, word, avail);
	if (ret->words > avail) {
		ret->exec = sim_exec_nofetch;
		return;
	}
	ret->row = d.row;
	ret->cls = d.row->cls;
	ret->enc = (uint8_t)d.enc;
	d.literal = ret->words == 2 ? word[1] : 0;
	ret->literal = d.literal;
	decode_operands(&d);
	exec = sim_exec_find(d.row->op);
	/* Clears a rejected instruction, so that the translator does not use it. */
	if (d.bad || !sim_inst_valid(word, avail)) {
		start_empty(ret, sim_exec_unknown);
		return;
	}
	if (!exec || exec->kind == X_NONE)
		ret->exec = sim_exec_unimplemented;
	else
		choose_handler(&d, exec);
	if (ret->cls == C_LDS || ret->cls == C_VMEM || ret->cls == C_FLAT)
		ret->memo = memo_number();
	ret->trace = sim_trace_marks(ret);
	if (ret->specials) {
		ret->inner = ret->exec;
		ret->exec = sim_exec_special;
	}
}
