/* SPDX-License-Identifier: MIT */
#include "wire/ring_states.h"

/* Bits of gfx9's HW_ID in the order of use: SIMD, shader engine, CU, wave slot, shader array. */
static const uint8_t order[] = {4, 5, 13, 14, 15, 8, 9, 10, 11, 0, 1, 2, 3, 12};

uint32_t probe_ring_slot_bits(uint32_t rings)
{
	uint32_t bits = 0;

	for (uint32_t i = 0; i < sizeof(order) && rings >> (i + 1); i++)
		bits |= 1u << order[i];
	return bits;
}

uint32_t probe_ring_slot(uint32_t bits, uint32_t ring)
{
	uint32_t slot = 0;

	for (uint32_t bit = 0; bit < 16; bit++) {
		if (!(bits >> bit & 1))
			continue;
		slot |= (ring & 1) << bit;
		ring >>= 1;
	}
	return slot;
}

bool probe_ring_state_make(const struct probe_ctx *ctx, uint64_t at, uint32_t ring, uint32_t kind,
			   struct probe_ring_state *ret)
{
	uint64_t data = ctx->ring_data + (uint64_t)ring * ctx->ring_size;

	*ret = (struct probe_ring_state){
		.host = ctx->ring_heads + ring * sizeof(struct probe_ring),
		.ctx = at,
	};
	if (kind != PROBE_KIND_TRACE)
		return true;
	ret->head_offset = -data;
	ret->cursor.address_low = (uint32_t)data;
	ret->cursor.free_bytes = (ctx->ring_size / 2) | 1;
	return data >> 32 == ctx->wave.data_high &&
	       (data + ctx->ring_size) >> 32 == ctx->wave.data_high;
}
