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

bool sim_wave_place(const struct sim_wave *w, struct sim_place_access *ret)
{
	const struct sim_inst *ip = &w->code->inst[(w->pc - w->code->base) / 4];
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

const void *sim_place_host(uint64_t addr, uint32_t bytes)
{
	struct sim_range range;

	if (sim_mem_find(addr, &range) || !(range.flags & SIM_MEM_READ))
		return NULL;
	return (const void *)(sim_mem_aliased(addr, addr + bytes) ? sim_mem_host(addr) : addr);
}
