/* SPDX-License-Identifier: MIT */
#include "simgpu/isa/operand_text.h"

#include <stdarg.h>
#include <stdio.h>

/* Operand numbers ("Scalar operands" in the ISA manual). */
enum {
	SGPRS = 102,
	SGPRS_NAMED = 106, /* groups that begin below 102 may reach the special registers */
	TTMP_FIRST = 108,
	TTMP_LAST = 123,
	INLINE_INT = 128,
	INLINE_INT_LAST = 208,
	INLINE_FLOAT = 240,
	INLINE_FLOAT_LAST = 248,
	LITERAL = 255,
	VGPR_FIRST = 256,
};

void text_put(struct inst_text *t, const char *format, ...)
{
	va_list args;
	int n;

	if (!t->to)
		return;
	va_start(args, format);
	n = vsnprintf(t->to, t->left, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= t->left)
		n = t->left ? (int)t->left - 1 : 0;
	t->to += n;
	t->left -= (size_t)n;
}

void text_next(struct inst_text *t)
{
	text_put(t, t->any ? ", " : " ");
	t->any = true;
}

uint32_t text_field(const struct inst_text *t, unsigned int at, unsigned int bits)
{
	return t->w[at / 32] >> at % 32 & (uint32_t)((1ull << bits) - 1);
}

void text_flag(struct inst_text *t, unsigned int bit, const char *name)
{
	if (text_field(t, bit, 1))
		text_put(t, " %s", name);
}

static void range(struct inst_text *t, const char *file, uint32_t first, unsigned int dwords)
{
	if (dwords < 2)
		text_put(t, "%s%u", file, first);
	else
		text_put(t, "%s[%u:%u]", file, first, first + dwords - 1);
}

void text_vector(struct inst_text *t, uint32_t first, unsigned int dwords, bool acc)
{
	if (first + (dwords ? dwords : 1) > 256)
		t->bad = true;
	range(t, acc ? "a" : "v", first, dwords);
}

/*
 * Groups of scalar registers start at even numbers, those of three and more at multiples of four.
 */
static unsigned int align(uint32_t number, unsigned int dwords)
{
	return number & ~(dwords > 2 ? 3u : dwords > 1 ? 1u : 0u);
}

struct special {
	uint8_t code;
	uint8_t wide; /* exists as a 64-bit operand */
	const char *name[2];
};

static const struct special specials[] = {
	{102, 1, {"flat_scratch_lo", "flat_scratch"}},
	{103, 0, {"flat_scratch_hi", NULL}},
	{104, 1, {"xnack_mask_lo", "xnack_mask"}},
	{105, 0, {"xnack_mask_hi", NULL}},
	{106, 1, {"vcc_lo", "vcc"}},
	{107, 0, {"vcc_hi", NULL}},
	{124, 0, {"m0", NULL}},
	{125, 1, {"null", "null"}},
	{126, 1, {"exec_lo", "exec"}},
	{127, 0, {"exec_hi", NULL}},
	{235, 1, {"src_shared_base", "src_shared_base"}},
	{236, 1, {"src_shared_limit", "src_shared_limit"}},
	{237, 1, {"src_private_base", "src_private_base"}},
	{238, 1, {"src_private_limit", "src_private_limit"}},
	{239, 1, {"src_pops_exiting_wave_id", "src_pops_exiting_wave_id"}},
	{251, 1, {"src_vccz", "src_vccz"}},
	{252, 1, {"src_execz", "src_execz"}},
	{253, 1, {"src_scc", "src_scc"}},
	{254, 0, {"src_lds_direct", NULL}},
};

static void special(struct inst_text *t, uint32_t code, unsigned int dwords)
{
	for (unsigned int i = 0; i < sizeof(specials) / sizeof(specials[0]); i++) {
		const struct special *s = &specials[i];

		if (s->code != code || dwords > 4 || (dwords > 1 && !s->wide))
			continue;
		text_put(t, "%s", s->name[dwords > 1]);
		t->reserved |= code == 125 || dwords > 2;
		return;
	}
	t->bad = true;
}

void text_scalar(struct inst_text *t, uint32_t code, unsigned int dwords)
{
	unsigned int count = dwords ? dwords : 1;

	if (code < SGPRS) {
		t->bad |= align(code, count) + count > SGPRS_NAMED;
		t->reserved |= align(code, count) + count > SGPRS;
		range(t, "s", align(code, count), dwords);
	} else if (code >= TTMP_FIRST && code <= TTMP_LAST) {
		t->bad |= align(code - TTMP_FIRST, count) + count > 16;
		range(t, "ttmp", align(code - TTMP_FIRST, count), dwords);
	} else {
		special(t, code, dwords);
	}
}

struct float_constant {
	uint16_t f16;
	uint32_t f32;
	const char *name;
};

static const struct float_constant floats[] = {
	{0x3800, 0x3f000000, "0.5"},	    {0xb800, 0xbf000000, "-0.5"},
	{0x3c00, 0x3f800000, "1.0"},	    {0xbc00, 0xbf800000, "-1.0"},
	{0x4000, 0x40000000, "2.0"},	    {0xc000, 0xc0000000, "-2.0"},
	{0x4400, 0x40800000, "4.0"},	    {0xc400, 0xc0800000, "-4.0"},
	{0x3118, 0x3e22f983, "0.15915494"},
};

/* Constants have the same text whether they are literals or inline. */
void text_constant(struct inst_text *t, uint32_t value, enum sim_show show)
{
	bool half = show == SHOW_F16 || show == SHOW_I16 || show == SHOW_V16;
	int32_t number = half ? (int16_t)value : (int32_t)value;

	if (number >= -16 && number <= 64 && (show != SHOW_64 || number >= 0)) {
		text_put(t, "%d", number);
		return;
	}
	for (unsigned int i = 0; i < sizeof(floats) / sizeof(floats[0]); i++)
		if ((show == SHOW_F16 && value == floats[i].f16) ||
		    (show == SHOW_V16 && (value & 0xffff) == floats[i].f16) ||
		    (show == SHOW_32 && value == floats[i].f32)) {
			text_put(t, "%s", floats[i].name);
			return;
		}
	text_put(t, "0x%x", half ? value & 0xffff : value);
}

void text_literal(struct inst_text *t, enum sim_show show)
{
	text_constant(t, t->literal, show);
}

static void inline_float(struct inst_text *t, unsigned int n, enum sim_show show)
{
	if (show == SHOW_I16)
		text_put(t, "0x%x", floats[n].f16);
	else if (show == SHOW_64 && n == INLINE_FLOAT_LAST - INLINE_FLOAT)
		text_put(t, "0.15915494309189532");
	else
		text_put(t, "%s", floats[n].name);
}

static bool is_constant(uint32_t code)
{
	return code <= INLINE_INT_LAST || code == LITERAL ||
	       (code >= INLINE_FLOAT && code <= INLINE_FLOAT_LAST);
}

void text_invalid(struct inst_text *t, const char *text)
{
	text_put(t, "%s", text);
	t->reserved = true;
}

void text_source(struct inst_text *t, uint32_t code, unsigned int dwords, enum sim_show show)
{
	if (code >= VGPR_FIRST)
		text_vector(t, code - VGPR_FIRST, dwords, false);
	else if (code < INLINE_INT)
		text_scalar(t, code, dwords);
	else if (show == SHOW_REG && is_constant(code))
		text_invalid(t, "/*invalid immediate*/");
	else if (code <= INLINE_INT_LAST)
		text_put(t, "%d", code <= 192 ? (int)code - 128 : 192 - (int)code);
	else if (code >= INLINE_FLOAT && code <= INLINE_FLOAT_LAST)
		inline_float(t, code - INLINE_FLOAT, show);
	else if (code == LITERAL)
		text_literal(t, show);
	else
		special(t, code, dwords);
}
