/* SPDX-License-Identifier: MIT */
/* Text of the memory encodings: SMEM, DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF, MIMG. */
#include <string.h>

#include "simgpu/isa/operand_text.h"

enum {
	NO_SADDR = 0x7f,
	BUFFER_OFFEN = 1 << 12,
	BUFFER_IDXEN = 1 << 13,
	FLAT_LDS = 1 << 13,
	MUBUF_LDS = 1 << 16,
	GLC_FLAT = 1 << 16,
	SCOPE_SC0 = 1 << 14,
	SCOPE_SC1 = 1 << 15,
};

static int32_t sign_extend(uint32_t value, unsigned int bits)
{
	return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

/* Operand number of a field that allows constants but not literals. */
static void offset_source(struct inst_text *t, uint32_t code)
{
	if (code == 255)
		t->bad = true;
	else
		text_source(t, code, 1, SHOW_32);
}

static void smem_offset(struct inst_text *t)
{
	int32_t value = sign_extend(t->w[1] & 0x1fffff, 21);
	bool imm = t->w[0] >> 17 & 1, soffset = t->w[0] >> 14 & 1;
	const char *sign = value < 0 ? "-" : "";

	if (value < 0)
		value = -value;
	if (soffset || !imm)
		text_scalar(t, soffset ? t->w[1] >> 25 : t->w[1] & 0x7f, 1);
	if (imm && soffset)
		text_put(t, " offset:%s0x%x", sign, (uint32_t)value);
	else if (imm)
		text_put(t, "%s0x%x", sign, (uint32_t)value);
}

static void smem(struct inst_text *t)
{
	for (unsigned int i = 0; i < t->row->count; i++) {
		const struct sim_operand *o = &t->row->operand[i];

		text_next(t);
		switch (o->field) {
		case F_SDATA:
			if (o->dwords)
				text_scalar(t, text_field(t, 6, 7), o->dwords);
			else
				text_constant(t, text_field(t, 6, 7), SHOW_32);
			break;
		case F_SBASE:
			text_scalar(t, 2 * (t->w[0] & 0x3f), o->dwords);
			break;
		default:
			smem_offset(t);
			break;
		}
	}
	if (!(t->bits->quiet >> 16 & 1))
		text_flag(t, 16, "glc");
}

/* Bits of a swizzled lane number: constant, copied, or inverted. */
static void swizzle_mask(struct inst_text *t, uint32_t and_mask, uint32_t or_mask,
			 uint32_t xor_mask)
{
	uint32_t zeros = or_mask ^ xor_mask, ones = (and_mask | or_mask) ^ xor_mask;

	text_put(t, "BITMASK_PERM,\"");
	for (unsigned int bit = 16; bit; bit >>= 1)
		text_put(t, "%c",
			 zeros & bit ? (ones & bit ? '1' : 'i') : (ones & bit ? 'p' : '0'));
	text_put(t, "\"");
}

static bool power_of_two(uint32_t value)
{
	return value && !(value & (value - 1));
}

static void swizzle(struct inst_text *t, uint32_t offset)
{
	uint32_t and_mask = offset & 31, or_mask = offset >> 5 & 31, xor_mask = offset >> 10 & 31;
	uint32_t group = 32 - and_mask;

	if (!offset)
		return;
	text_put(t, " offset:");
	if ((offset & 0xff00) != 0x8000 && offset & 0x8000) {
		text_put(t, "%u", offset);
		return;
	}
	text_put(t, "swizzle(");
	if (offset & 0x8000)
		text_put(t, "QUAD_PERM,%u,%u,%u,%u", offset & 3, offset >> 2 & 3, offset >> 4 & 3,
			 offset >> 6 & 3);
	else if (group == 1 && !or_mask && power_of_two(xor_mask))
		text_put(t, "SWAP,%u", xor_mask);
	else if (group == 1 && !or_mask && xor_mask && power_of_two(xor_mask + 1))
		text_put(t, "REVERSE,%u", xor_mask + 1);
	else if (group > 1 && power_of_two(group) && or_mask < group && !xor_mask)
		text_put(t, "BROADCAST,%u,%u", group, or_mask);
	else
		swizzle_mask(t, and_mask, or_mask, xor_mask);
	text_put(t, ")");
}

static bool two_offsets(const char *name)
{
	return strstr(name, "read2") || strstr(name, "write2") || strstr(name, "xchg2");
}

static void ds(struct inst_text *t)
{
	const char *name = sim_op_name(t->row->op);
	uint32_t offset = t->w[0] & 0xffff;
	bool acc = t->w[0] >> 25 & 1;

	for (unsigned int i = 0; i < t->row->count; i++) {
		const struct sim_operand *o = &t->row->operand[i];
		uint32_t at = o->field == F_ADDR    ? 32
			      : o->field == F_DATA0 ? 40
			      : o->field == F_DATA1 ? 48
						    : 56;

		text_next(t);
		text_vector(t, text_field(t, at, 8), o->dwords,
			    acc && (at != 32 || t->row->cls == C_GWS));
	}
	if (two_offsets(name)) {
		if (offset & 0xff)
			text_put(t, " offset0:%u", offset & 0xff);
		if (offset >> 8)
			text_put(t, " offset1:%u", offset >> 8);
	} else if (t->row->op == OP_ds_swizzle_b32) {
		swizzle(t, offset);
	} else if (offset) {
		text_put(t, " offset:%u", offset);
	}
	text_flag(t, 16, "gds");
}

/* Cache controls: gfx942 has other names for the bits. */
static void cache_flags(struct inst_text *t, unsigned int glc, unsigned int slc, unsigned int scc)
{
	bool gfx942 = sim_instruction_set() == SIM_GFX942;

	text_flag(t, glc, gfx942 ? "sc0" : "glc");
	text_flag(t, slc, gfx942 ? "nt" : "slc");
	text_flag(t, scc, gfx942 ? "sc1" : "scc");
}

/* How far gfx942's buffer_inv and buffer_wbl2 reach. */
static void cache_scope(struct inst_text *t)
{
	text_put(t, "%s%s", t->w[0] & SCOPE_SC0 ? " sc0" : "", t->w[0] & SCOPE_SC1 ? " sc1" : "");
}

/* gfx90a: either address; gfx942: a bit says whether there is a vector address. */
static bool scratch_has_vector_address(const struct inst_text *t)
{
	return sim_instruction_set() == SIM_GFX942 ? t->w[0] >> 13 & 1
						   : text_field(t, 48, 7) == NO_SADDR;
}

static void flat_address(struct inst_text *t)
{
	uint32_t saddr = text_field(t, 48, 7), addr = text_field(t, 32, 8);

	text_next(t);
	if (t->enc == ENC_SCRATCH && !scratch_has_vector_address(t))
		text_put(t, "off");
	else
		text_vector(t, addr,
			    t->enc == ENC_FLAT || (t->enc == ENC_GLOBAL && saddr == NO_SADDR) ? 2
											      : 1,
			    false);
}

static void flat_scalar(struct inst_text *t)
{
	uint32_t saddr = text_field(t, 48, 7);

	text_next(t);
	if (saddr == NO_SADDR)
		text_put(t, "off");
	else
		text_scalar(t, saddr, t->enc == ENC_SCRATCH ? 1 : 2);
}

static void flat(struct inst_text *t)
{
	bool atomic = t->row->flags & I_ATOMIC;
	bool lds = sim_instruction_set() == SIM_GFX90A && t->w[0] & FLAT_LDS;
	bool acc = text_field(t, 55, 1);
	int32_t offset = sign_extend(t->w[0] & 0x1fff, 13);

	for (unsigned int i = 0; i < t->row->count; i++) {
		const struct sim_operand *o = &t->row->operand[i];

		if (o->field == F_VDST && (lds || (atomic && !(t->w[0] & GLC_FLAT))))
			continue;
		if (o->field == F_ADDR) {
			flat_address(t);
		} else if (o->field == F_VDST || o->field == F_DATA0) {
			text_next(t);
			text_vector(t, text_field(t, o->field == F_VDST ? 56 : 40, 8), o->dwords,
				    acc);
		} else {
			flat_scalar(t);
		}
	}
	t->bad |= lds && acc;
	if (t->enc == ENC_FLAT)
		offset = t->w[0] & 0x1fff;
	if (offset)
		text_put(t, " offset:%d", offset);
	cache_flags(t, 16, 17, 25);
	if (lds && t->enc != ENC_FLAT)
		text_put(t, " lds");
}

static void buffer_format(struct inst_text *t)
{
	static const char *const data[] = {
		"INVALID",     "8",	   "16",	  "8_8",	 "32",	    "16_16",
		"10_11_11",    "11_11_10", "10_10_10_2",  "2_10_10_10",	 "8_8_8_8", "32_32",
		"16_16_16_16", "32_32_32", "32_32_32_32", "RESERVED_15",
	};
	static const char *const number[] = {"UNORM", "SNORM", "USCALED",    "SSCALED",
					     "UINT",  "SINT",  "RESERVED_6", "FLOAT"};
	uint32_t dfmt = text_field(t, 19, 4), nfmt = text_field(t, 23, 3);

	if (dfmt == 1 && nfmt == 0)
		return;
	text_put(t, " format:[");
	if (dfmt != 1)
		text_put(t, "BUF_DATA_FORMAT_%s%s", data[dfmt], nfmt ? "," : "");
	if (nfmt)
		text_put(t, "BUF_NUM_FORMAT_%s", number[nfmt]);
	text_put(t, "]");
}

static void buffer(struct inst_text *t)
{
	bool typed = t->enc == ENC_MTBUF, lds = !typed && t->w[0] & MUBUF_LDS;
	bool offen = t->w[0] & BUFFER_OFFEN, idxen = t->w[0] & BUFFER_IDXEN;
	uint32_t offset = t->w[0] & 0xfff;

	for (unsigned int i = 0; i < t->row->count; i++) {
		const struct sim_operand *o = &t->row->operand[i];

		if (o->field == F_VDATA && lds)
			continue;
		text_next(t);
		switch (o->field) {
		case F_VDATA:
			text_vector(t, text_field(t, 40, 8), o->dwords, text_field(t, 55, 1));
			break;
		case F_SRSRC:
			text_scalar(t, 4 * text_field(t, 48, 5), 4);
			break;
		case F_SOFFSET:
			offset_source(t, text_field(t, 56, 8));
			break;
		default:
			if (offen || idxen)
				text_vector(t, text_field(t, 32, 8), 1 + (offen && idxen), false);
			else
				text_put(t, "off");
			break;
		}
	}
	if (!t->row->count) {
		if (!(t->bits->quiet & (SCOPE_SC0 | SCOPE_SC1)))
			cache_scope(t);
		return;
	}
	if (typed)
		buffer_format(t);
	text_flag(t, 13, "idxen");
	text_flag(t, 12, "offen");
	if (offset)
		text_put(t, " offset:%u", offset);
	if (t->row->op == OP_buffer_store_lds_dword)
		text_put(t, " lds");
	cache_flags(t, 14, typed ? 54 : 17, typed ? 53 : 15);
	if (!typed && t->row->op != OP_buffer_store_lds_dword)
		text_flag(t, 16, "lds");
}

/*
 * Number of data registers of an image instruction: one per channel, half of that with d16; atomics
 * double it if the mask requests it.
 */
static unsigned int image_dwords(const struct inst_text *t, unsigned int usual)
{
	unsigned int count = (unsigned int)__builtin_popcount(text_field(t, 8, 4));

	if (strstr(sim_op_name(t->row->op), "atomic"))
		return count == 2 * usual ? count : usual;
	if (text_field(t, 63, 1))
		count = (count + 1) / 2;
	return count ? count : 1;
}

static void image(struct inst_text *t)
{
	for (unsigned int i = 0; i < t->row->count; i++) {
		const struct sim_operand *o = &t->row->operand[i];

		text_next(t);
		switch (o->field) {
		case F_VDATA:
			text_vector(t, text_field(t, 40, 8), image_dwords(t, o->dwords),
				    text_field(t, 16, 1));
			break;
		case F_SRSRC:
			text_scalar(t, 4 * text_field(t, 48, 5), 8);
			break;
		case F_SSAMP:
			text_scalar(t, 4 * text_field(t, 53, 5), 4);
			break;
		default:
			text_vector(t, text_field(t, 32, 8), o->dwords, false);
			break;
		}
	}
	if (text_field(t, 8, 4))
		text_put(t, " dmask:0x%x", text_field(t, 8, 4));
	text_flag(t, 12, "unorm");
	text_flag(t, 13, "glc");
	text_flag(t, 25, "slc");
	text_flag(t, 7, "scc");
	text_flag(t, 15, "a16");
	text_flag(t, 17, "lwe");
	text_flag(t, 14, "da");
	text_flag(t, 63, "d16");
}

void text_memory_operands(struct inst_text *t)
{
	switch (t->enc) {
	case ENC_SMEM:
		smem(t);
		break;
	case ENC_DS:
		ds(t);
		break;
	case ENC_MUBUF:
	case ENC_MTBUF:
		buffer(t);
		break;
	case ENC_MIMG:
		image(t);
		break;
	default:
		flat(t);
		break;
	}
}
