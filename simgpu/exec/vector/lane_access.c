/* SPDX-License-Identifier: MIT */
/* Operations between lanes and between vector and scalar registers. */
#include "simgpu/exec/vector/vector_source.h"

static inline u32 bits_below(u32 mask, unsigned int lane)
{
	return lane >= 32 ? mask : mask & ((1u << lane) - 1);
}

/* Masked bit count: number of mask bits of lanes below this one, plus y. */
BODY2(v_mbcnt_lo_u32_b32, u32, u32, u32, (u32)__builtin_popcount(bits_below(x, l)) + y)
BODY2(v_mbcnt_hi_u32_b32, u32, u32, u32,
      (l < 32 ? 0 : (u32)__builtin_popcount(bits_below(x, l - 32))) + y)

static u32 lane_value(const struct sim_wave *w, const struct sim_inst *ip, unsigned int lane)
{
	return inst_src(w, ip, 0)[ip->scalar & 1 ? 0 : lane];
}

static void put_scalar(struct sim_wave *w, const struct sim_inst *ip, u32 value)
{
	memcpy((char *)w + ip->sdst, &value, sizeof(value));
}

/* The first active lane; lane 0 if there is none. */
static const struct sim_inst *v_readfirstlane_b32(struct sim_wave *w, const struct sim_inst *ip)
{
	unsigned int lane = w->exec ? (unsigned int)__builtin_ctzll(w->exec) : 0;

	put_scalar(w, ip, lane_value(w, ip, lane));
	return ip + ip->words;
}

/* Lane numbers ignore EXEC. */
static const struct sim_inst *v_readlane_b32(struct sim_wave *w, const struct sim_inst *ip)
{
	put_scalar(w, ip, lane_value(w, ip, inst_src(w, ip, 1)[0] & 63));
	return ip + ip->words;
}

static const struct sim_inst *v_writelane_b32(struct sim_wave *w, const struct sim_inst *ip)
{
	w->vgpr[ip->dst][inst_src(w, ip, 1)[0] & 63] = inst_src(w, ip, 0)[0];
	return ip + ip->words;
}

static const struct sim_inst *v_swap_b32(struct sim_wave *w, const struct sim_inst *ip)
{
	u32 *src = (u32 *)(uintptr_t)inst_src(w, ip, 0), tmp[64];

	memcpy(tmp, src, sizeof(tmp));
	row_merge(src, w->vgpr[ip->dst], w->exec, 1);
	row_merge(w->vgpr[ip->dst], tmp, w->exec, 1);
	return ip + ip->words;
}

static const struct sim_inst *v_nop(struct sim_wave *w, const struct sim_inst *ip)
{
	(void)w;
	return ip + ip->words;
}

#define E(name)                                                                                    \
	{                                                                                          \
		.op = OP_##name, .kind = X_DIRECT, .handler = name                                 \
	}
const struct sim_exec LEVEL(sim_exec_lane)[] = {
	VALU(v_mbcnt_lo_u32_b32, 0),
	VALU(v_mbcnt_hi_u32_b32, 0),
	E(v_readfirstlane_b32),
	E(v_readlane_b32),
	E(v_writelane_b32),
	E(v_swap_b32),
	E(v_nop),
	{.op = OP_v_clrexcp, .kind = X_DIRECT, .handler = v_nop},
	{0},
};
