/* SPDX-License-Identifier: MIT */
/*
 * LDS atomics. All waves of a workgroup run on one host thread at a time, and no other thread
 * accesses its LDS, so plain operations suffice. Lanes are processed in order.
 */
#define ATOMIC_PLAIN
#include "simgpu/exec/fault.h"
#include "simgpu/exec/memory/atomic_ops.h"
#include "simgpu/exec/memory/lds_access.h"

typedef u64 atomic_fn(void *p, u64 x, u64 y);

static inline u64 data_of(const u32 *s, u64 l, unsigned int bytes)
{
	return bytes == 4 ? s[l] : s[l] | (u64)s[64 + l] << 32;
}

static inline bool prepare(struct sim_wave *w, const struct sim_inst *ip, u32 *offset, u32 extra,
			   unsigned int bytes)
{
	if (!lds_prepare(w, ip, offset,
			 (struct lds_access){.extra = extra, .bytes = bytes, .kind = LDS_ATOMIC}))
		return false;
	EACH_LANE(l, w->exec)
	{
		if (!(offset[l] % bytes))
			continue;
		sim_fault(w, ip, SIM_FAULT_MISALIGNED, offset[l], bytes, (int)l);
		return false;
	}
	return true;
}

static inline void put_old(u32 *d, u64 l, u64 old, unsigned int bytes)
{
	d[l] = (u32)old;
	if (bytes == 8)
		d[64 + l] = (u32)(old >> 32);
}

/* swapped: data0 is the value to compare with and data1 the new value (DS_CMPST). */
static inline __attribute__((always_inline)) const struct sim_inst *
atomic(struct sim_wave *w, const struct sim_inst *ip, atomic_fn *fn, unsigned int bytes,
       bool swapped, bool returns)
{
	const u32 *s0 = w->vgpr[ip->vsrc[swapped ? 2 : 1]],
		  *s1 = w->vgpr[ip->vsrc[swapped ? 1 : 2]];
	_Alignas(64) u32 offset[64];
	u32 *d = w->vgpr[ip->dst];

	if (!w->exec)
		return ip + 2;
	if (!prepare(w, ip, offset, (u32)ip->imm, bytes))
		return NULL;
	EACH_LANE(l, w->exec)
	{
		u64 old =
			fn(w->group->lds + offset[l], data_of(s0, l, bytes), data_of(s1, l, bytes));

		if (returns)
			put_old(d, l, old, bytes);
	}
	return ip + 2;
}

/* Two exchanges; offsets in elements, times 64 for st64. */
static inline const struct sim_inst *exchange2(struct sim_wave *w, const struct sim_inst *ip,
					       unsigned int bytes, unsigned int scale)
{
	u32 first = (u32)(ip->imm & 255) * bytes * scale,
	    second = (u32)(ip->imm >> 8) * bytes * scale;
	const u32 *s0 = w->vgpr[ip->vsrc[1]], *s1 = w->vgpr[ip->vsrc[2]];
	_Alignas(64) u32 offset[2][64];
	u32 *d = w->vgpr[ip->dst];

	if (!w->exec)
		return ip + 2;
	if (!prepare(w, ip, offset[0], first, bytes) || !prepare(w, ip, offset[1], second, bytes))
		return NULL;
	EACH_LANE(l, w->exec)
	{
		u64 x = data_of(s0, l, bytes), y = data_of(s1, l, bytes), a, b;
		u8 *lds = w->group->lds;

		a = bytes == 4 ? at_swap_32(lds + offset[0][l], x, 0)
			       : at_swap_64(lds + offset[0][l], x, 0);
		b = bytes == 4 ? at_swap_32(lds + offset[1][l], y, 0)
			       : at_swap_64(lds + offset[1][l], y, 0);
		put_old(d, l, a, bytes);
		put_old(d + 16 * bytes, l, b, bytes);
	}
	return ip + 2;
}

#define HANDLER(name, call)                                                                        \
	static const struct sim_inst *name(struct sim_wave *w, const struct sim_inst *ip)          \
	{                                                                                          \
		return call;                                                                       \
	}
HANDLER(ds_wrxchg2_rtn_b32, exchange2(w, ip, 4, 1))
HANDLER(ds_wrxchg2_rtn_b64, exchange2(w, ip, 8, 1))
HANDLER(ds_wrxchg2st64_rtn_b32, exchange2(w, ip, 4, 64))
HANDLER(ds_wrxchg2st64_rtn_b64, exchange2(w, ip, 8, 64))
HANDLER(ds_wrxchg_rtn_b32, atomic(w, ip, at_swap_32, 4, false, true))
HANDLER(ds_wrxchg_rtn_b64, atomic(w, ip, at_swap_64, 8, false, true))
HANDLER(ds_wrap_rtn_b32, atomic(w, ip, at_wrap_32, 4, false, true))
HANDLER(ds_condxchg32_rtn_b64, atomic(w, ip, at_condxchg_64, 8, false, true))

#define ATOMIC(name, type, fn, bytes, swapped)                                                     \
	HANDLER(ds_##name##_##type, atomic(w, ip, fn, bytes, swapped, false))                      \
	HANDLER(ds_##name##_rtn_##type, atomic(w, ip, fn, bytes, swapped, true))
#define ATOMICS(name, t, op)                                                                       \
	ATOMIC(name, t##32, at_##op##_32, 4, false)                                                \
	ATOMIC(name, t##64, at_##op##_64, 8, false)
ATOMICS(add, u, add)
ATOMICS(sub, u, sub)
ATOMICS(rsub, u, rsub)
ATOMICS(inc, u, inc)
ATOMICS(dec, u, dec)
ATOMICS(min, i, smin)
ATOMICS(max, i, smax)
ATOMICS(min, u, umin)
ATOMICS(max, u, umax)
ATOMICS(and, b, and)
ATOMICS(or, b, or)
ATOMICS(xor, b, xor)
ATOMICS(mskor, b, mskor)
ATOMICS(add, f, addf)
ATOMICS(min, f, minf)
ATOMICS(max, f, maxf)
ATOMIC(cmpst, b32, at_cmpswap_32, 4, true)
ATOMIC(cmpst, b64, at_cmpswap_64, 8, true)
ATOMIC(cmpst, f32, at_cmpswapf_32, 4, true)
ATOMIC(cmpst, f64, at_cmpswapf_64, 8, true)
ATOMIC(pk_add, f16, at_pkaddh_32, 4, false)
ATOMIC(pk_add, bf16, at_pkaddb_32, 4, false)

/*
 * One counter per workgroup at M0[15:0] + offset. All active lanes get its old value; then the
 * number of active lanes is added (append) or subtracted (consume).
 */
static inline const struct sim_inst *count(struct sim_wave *w, const struct sim_inst *ip, bool add)
{
	u32 at = (w->sgpr[SIM_M0] & 0xffff) + (u32)ip->imm, lanes, old, *d = w->vgpr[ip->dst];

	if (ip->bits) /* there is no GDS memory */
		return sim_exec_unimplemented(w, ip);
	if (!w->exec)
		return ip + 2;
	if ((u64)at + 4 > w->group->lds_size)
		return sim_fault(w, ip, SIM_FAULT_LDS, at, 4, __builtin_ctzll(w->exec));
	memcpy(&old, w->group->lds + at, 4);
	EACH_LANE(l, w->exec)
	d[l] = old;
	lanes = (u32)__builtin_popcountll(w->exec);
	old = add ? old + lanes : old - lanes;
	memcpy(w->group->lds + at, &old, 4);
	sim_trace_lds(w, 1, 1, 0, true);
	return ip + 2;
}
HANDLER(ds_append, count(w, ip, true))
HANDLER(ds_consume, count(w, ip, false))

#define E(name)                                                                                    \
	{                                                                                          \
		.op = OP_##name, .kind = X_DIRECT, .handler = name                                 \
	}
#define BOTH(name, type) E(ds_##name##_##type), E(ds_##name##_rtn_##type)
#define ALL(name, t)	 BOTH(name, t##32), BOTH(name, t##64)
const struct sim_exec LEVEL(sim_exec_lds_atomic)[] = {
	ALL(add, u),
	ALL(sub, u),
	ALL(rsub, u),
	ALL(inc, u),
	ALL(dec, u),
	ALL(min, i),
	ALL(max, i),
	ALL(min, u),
	ALL(max, u),
	ALL(and, b),
	ALL(or, b),
	ALL(xor, b),
	ALL(mskor, b),
	ALL(add, f),
	ALL(min, f),
	ALL(max, f),
	ALL(cmpst, b),
	ALL(cmpst, f),
	BOTH(pk_add, f16),
	BOTH(pk_add, bf16),
	E(ds_wrxchg2_rtn_b32),
	E(ds_wrxchg2_rtn_b64),
	E(ds_wrxchg2st64_rtn_b32),
	E(ds_wrxchg2st64_rtn_b64),
	E(ds_wrxchg_rtn_b32),
	E(ds_wrxchg_rtn_b64),
	E(ds_wrap_rtn_b32),
	E(ds_condxchg32_rtn_b64),
	E(ds_append),
	E(ds_consume),
	{0},
};
