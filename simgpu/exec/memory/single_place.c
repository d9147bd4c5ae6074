/* SPDX-License-Identifier: MIT */
#include "simgpu/exec/memory/single_place.h"

#include <string.h>

#include "simgpu/exec/inst.h"

/* Bytes of the access, or 0 if it is of another kind. */
static uint32_t kind_of(const struct sim_inst *ip, bool *swaps)
{
	*swaps = true;
	switch (ip->row->op) {
	case OP_global_atomic_cmpswap:
	case OP_flat_atomic_cmpswap:
		return ip->glc ? 4 : 0;
	case OP_global_atomic_cmpswap_x2:
	case OP_flat_atomic_cmpswap_x2:
		return ip->glc ? 8 : 0;
	case OP_global_load_dword:
	case OP_flat_load_dword:
		*swaps = false;
		return 4;
	case OP_global_load_dwordx2:
	case OP_flat_load_dwordx2:
		*swaps = false;
		return 8;
	default:
		return 0;
	}
}

static uint64_t lane_value(const uint32_t *row, unsigned lane, uint32_t bytes)
{
	return bytes == 4 ? row[lane] : row[lane] | (uint64_t)row[SIM_LANES + lane] << 32;
}

static uint64_t lane_address(const struct sim_wave *w, const struct sim_inst *ip, unsigned lane)
{
	const uint32_t *row = w->vgpr[ip->vsrc[0]];
	uint64_t scalar;

	if (!ip->saddr)
		return (uint64_t)ip->imm + lane_value(row, lane, 8);
	memcpy(&scalar, inst_src(w, ip, 0), sizeof(scalar));
	return (uint64_t)ip->imm + scalar + row[lane];
}

static const struct sim_inst *next_inst(const struct sim_wave *w)
{
	return &w->code->inst[(w->pc - w->code->base) / 4];
}

bool sim_wave_place(const struct sim_wave *w, struct sim_place_access *ret)
{
	const struct sim_inst *ip = next_inst(w);
	struct sim_place_access place = {0};
	uint64_t left = w->exec;
	const uint32_t *wanted;
	unsigned lane;

	place.bytes = ip->row && left ? kind_of(ip, &place.swaps) : 0;
	if (!place.bytes)
		return false;
	lane = (unsigned)__builtin_ctzll(left);
	/* The new value, then the one to compare with. */
	wanted = w->vgpr[ip->vsrc[1]] + (place.swaps ? 16 * place.bytes : 0);
	place.addr = lane_address(w, ip, lane);
	place.wanted = place.swaps ? lane_value(wanted, lane, place.bytes) : 0;
	/* Flat addresses of LDS and scratch memory are in no range. */
	if (place.addr % place.bytes)
		return false;
	while (left &= left - 1) {
		lane = (unsigned)__builtin_ctzll(left);
		if (lane_address(w, ip, lane) != place.addr ||
		    (place.swaps && lane_value(wanted, lane, place.bytes) != place.wanted))
			return false;
	}
	*ret = place;
	return true;
}

/* ---- What becomes of a value ---------------------------------------------------------------- */

struct sim_loaded sim_wave_loads(const struct sim_wave *w)
{
	const struct sim_inst *ip = next_inst(w);
	bool swaps;

	return (struct sim_loaded){.row = ip->dst, .bytes = kind_of(ip, &swaps), .lanes = w->exec};
}

/* Bytes that an integer compare of whole registers compares, or 0 for other instructions. */
static uint32_t compared_bytes(const struct sim_inst *ip)
{
	enum { INTEGERS_32 = 0xc0, INTEGERS_64 = 0xe0, END = 0x100 };
	uint32_t code = ip->row->code;

	if ((ip->enc != ENC_VOPC && ip->enc != ENC_VOP3) || ip->modded || ip->specials)
		return 0;
	return code < INTEGERS_32 || code >= END ? 0 : code < INTEGERS_64 ? 4 : 8;
}

static bool is_row(const struct sim_wave *w, const struct sim_inst *ip, unsigned source,
		   uint32_t row)
{
	return inst_src(w, ip, source) == w->vgpr[row];
}

/* The value of a row, if it is the same in all lanes that loaded. */
static bool same_in_lanes(const uint32_t *row, const struct sim_loaded *loaded, uint64_t *ret)
{
	uint64_t lanes = loaded->lanes, value;

	if (!lanes)
		return false;
	value = lane_value(row, (unsigned)__builtin_ctzll(lanes), loaded->bytes);
	while (lanes &= lanes - 1)
		if (lane_value(row, (unsigned)__builtin_ctzll(lanes), loaded->bytes) != value)
			return false;
	*ret = value;
	return true;
}

bool sim_wave_loaded(const struct sim_wave *w, const struct sim_loaded *loaded, uint64_t *ret)
{
	return same_in_lanes(w->vgpr[loaded->row], loaded, ret);
}

/* A source that is the same in all lanes. */
static bool same_source(const struct sim_wave *w, const struct sim_inst *ip, unsigned source,
			const struct sim_loaded *loaded, uint64_t *ret)
{
	const uint32_t *from = inst_src(w, ip, source);

	if (!(ip->scalar >> source & 1))
		return same_in_lanes(from, loaded, ret);
	*ret = loaded->bytes == 4 ? from[0] : from[0] | (uint64_t)from[1] << 32;
	return true;
}

enum sim_value_use sim_wave_uses(const struct sim_wave *w, const struct sim_loaded *loaded,
				 uint64_t *with)
{
	const struct sim_inst *ip = next_inst(w);
	bool first, second;

	if (ip->row && ip->cls < C_FIRST_VECTOR)
		return SIM_VALUE_UNUSED;
	/* Lanes that did not load have other values. */
	if (!ip->row || w->gpr_idx || compared_bytes(ip) != loaded->bytes ||
	    w->exec & ~loaded->lanes)
		return SIM_VALUE_USED;
	first = is_row(w, ip, 0, loaded->row);
	second = is_row(w, ip, 1, loaded->row);
	if (first == second || !same_source(w, ip, first, loaded, with))
		return SIM_VALUE_USED;
	return SIM_VALUE_COMPARED;
}

const void *sim_place_host(uint64_t addr, uint32_t bytes)
{
	struct sim_range range;

	if (sim_mem_find(addr, &range) || !(range.flags & SIM_MEM_READ))
		return NULL;
	return (const void *)(sim_mem_aliased(addr, addr + bytes) ? sim_mem_host(addr) : addr);
}
