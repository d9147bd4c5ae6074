/* SPDX-License-Identifier: MIT */
#include "simgpu/exec/decode/operand_decoder.h"

#include "simgpu/isa/inline_constants.h"

/* Byte offset of scalar register `code` in struct sim_wave. */
static uintptr_t sreg_offset(uint32_t code)
{
	switch (code) {
	case SIM_VCC:
	case SIM_VCC + 1:
		return offsetof(struct sim_wave, vcc) + 4 * (code - SIM_VCC);
	case SIM_EXEC:
	case SIM_EXEC + 1:
		return offsetof(struct sim_wave, exec) + 4 * (code - SIM_EXEC);
	default:
		return offsetof(struct sim_wave, sgpr) + 4 * code;
	}
}

void decode_source_vector(struct decoder *d, unsigned int n, unsigned int row)
{
	d->ip->off[n] = offsetof(struct sim_wave, vgpr) + row * 4u * SIM_LANES;
	d->ip->rel |= (uint8_t)(1u << n);
}

void decode_source_scalar(struct decoder *d, unsigned int n, uint32_t code)
{
	d->ip->off[n] = sreg_offset(code);
	d->ip->rel |= (uint8_t)(1u << n);
	d->ip->scalar |= (uint8_t)(1u << n);
}

static void source_special(struct decoder *d, unsigned int n, uint32_t code)
{
	d->ip->off[n] = offsetof(struct sim_wave, special) + 8 * n;
	d->ip->rel |= (uint8_t)(1u << n);
	d->ip->scalar |= (uint8_t)(1u << n);
	d->ip->specials |= (uint8_t)(1u << n);
	d->ip->special[n] = (uint8_t)code;
}

static void source_constant(struct decoder *d, unsigned int n, uint64_t value)
{
	const struct sim_constant_rows *rows = sim_constant_rows(value);

	if (!rows) {
		d->bad = true;
		return;
	}
	/* Vector instructions read rows; scalar ones (and lane masks) read the plain value. */
	if (d->ip->cls >= C_FIRST_VECTOR)
		d->ip->off[n] = (uintptr_t)rows->row;
	else
		d->ip->off[n] = (uintptr_t)&rows->value;
	d->ip->constant |= (uint8_t)(1u << n);
}

/* Decodes any operand number of the nine-bit space into source slot n. */
void decode_source(struct decoder *d, unsigned int n, uint32_t code, const struct sim_operand *o)
{
	d->ip->size[n] = o->dwords;
	d->ip->type[n] = o->type;
	if (code >= SRC_VGPR)
		decode_source_vector(d, n, code - SRC_VGPR);
	else if (code < 128)
		decode_source_scalar(d, n, code);
	else if (code <= 208 || (code >= 240 && code <= 248) || code == SRC_LITERAL)
		source_constant(d, n, sim_constant(code, o->dwords, o->type, d->literal, d->fp64));
	else if ((code >= SRC_SHARED_BASE && code <= SRC_PRIVATE_LIMIT) ||
		 (code >= SRC_VCCZ && code <= SRC_SCC))
		source_special(d, n, code);
	else
		d->bad = true;
}

void decode_scalar_destination(struct decoder *d, uint32_t code)
{
	d->ip->sdst = (uint16_t)sreg_offset(code & 0x7f);
}

uint32_t decode_field(const uint32_t *word, unsigned int at, unsigned int bits)
{
	return word[at / 32] >> at % 32 & ((1u << bits) - 1);
}
