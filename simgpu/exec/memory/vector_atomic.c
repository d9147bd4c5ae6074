/* SPDX-License-Identifier: MIT */
/*
 * Atomics of FLAT, GLOBAL and MUBUF: lanes are processed in order, each atomically with respect to
 * the rest of the process.
 */
#include "simgpu/exec/fault.h"
#include "simgpu/exec/memory/atomic_ops.h"
#include "simgpu/exec/memory/buffer_access.h"
#include "simgpu/exec/memory/vector_access.h"

typedef u64 atomic_fn(void *p, u64 x, u64 y);

static inline u64 data_of(const u32 *s, u64 l, unsigned int bytes)
{
	return bytes == 4 ? s[l] : s[l] | (u64)s[64 + l] << 32;
}

/* Scratch is private: it operates on a copy, which also handles the interleaving. */
static inline u64 on_copy(struct sim_wave *w, const struct access *acc, unsigned int l,
			  atomic_fn *fn, u64 x, u64 y)
{
	_Alignas(8) u8 copy[8];
	u64 old;

	mem_get(w, acc, l, copy, acc->bytes);
	old = fn(copy, x, y);
	mem_put(w, acc, l, copy, acc->bytes);
	return old;
}

static inline bool prepare(struct sim_wave *w, const struct sim_inst *ip, struct access *acc,
			   unsigned int bytes)
{
	const u32 need = SIM_MEM_READ | SIM_MEM_WRITE;
	bool ok = ip->enc == ENC_MUBUF ? LEVEL(buffer_prepare)(w, ip, acc, bytes, need)
				       : LEVEL(mem_prepare)(w, ip, acc, bytes, need);

	if (!ok)
		return false;
	EACH_LANE(l, acc->exec)
	{
		if (!(acc->addr[l] % bytes))
			continue;
		sim_fault(w, ip, SIM_FAULT_MISALIGNED, acc->addr[l], bytes, (int)l);
		return false;
	}
	return true;
}

/* two: the data registers contain the new value, then the value to compare with. */
static inline __attribute__((always_inline)) const struct sim_inst *
atomic(struct sim_wave *w, const struct sim_inst *ip, atomic_fn *fn, unsigned int bytes, bool two)
{
	const u32 *s = w->vgpr[ip->vsrc[1]];
	u32 *d = w->vgpr[ip->dst];
	struct access acc;

	if (!w->exec)
		return ip + 2;
	if (!prepare(w, ip, &acc, bytes))
		return NULL;
	EACH_LANE(l, acc.exec)
	{
		u64 x = data_of(s, l, bytes), y = two ? data_of(s + 16 * bytes, l, bytes) : 0, old;
		enum mem_space space = acc.kind == MEM_MIXED ? acc.space[l] : acc.kind;

		if (space == MEM_SCRATCH)
			old = on_copy(w, &acc, (unsigned int)l, fn, x, y);
		else
			old = fn(mem_byte(w, &acc, (unsigned int)l, 0), x, y);
		if (!ip->glc)
			continue;
		d[l] = (u32)old;
		if (bytes == 8)
			d[64 + l] = (u32)(old >> 32);
	}
	return ip + 2;
}

#define ATOMIC(name, fn, bytes, two)                                                               \
	static const struct sim_inst *name(struct sim_wave *w, const struct sim_inst *ip)          \
	{                                                                                          \
		return atomic(w, ip, fn, bytes, two);                                              \
	}
#define ATOMICS(name, two)                                                                         \
	ATOMIC(name, at_##name##_32, 4, two)                                                       \
	ATOMIC(name##_x2, at_##name##_64, 8, two)
ATOMICS(swap, false)
ATOMICS(cmpswap, true)
ATOMICS(add, false)
ATOMICS(sub, false)
ATOMICS(smin, false)
ATOMICS(umin, false)
ATOMICS(smax, false)
ATOMICS(umax, false)
ATOMICS(and, false)
ATOMICS(or, false)
ATOMICS(xor, false)
ATOMICS(inc, false)
ATOMICS(dec, false)
ATOMIC(add_f32, at_addf_32, 4, false)
ATOMIC(pk_add_f16, at_pkaddh_32, 4, false)
ATOMIC(pk_add_bf16, at_pkaddb_32, 4, false)
ATOMIC(add_f64, at_addf_64, 8, false)
ATOMIC(min_f64, at_minf_64, 8, false)
ATOMIC(max_f64, at_maxf_64, 8, false)

#define E(s, name)                                                                                 \
	{                                                                                          \
		.op = OP_##s##_atomic_##name, .kind = X_DIRECT, .handler = name                    \
	}
#define E2(s, name) E(s, name), E(s, name##_x2)
#define SPACE(s)                                                                                   \
	E2(s, swap), E2(s, cmpswap), E2(s, add), E2(s, sub), E2(s, smin), E2(s, umin),             \
		E2(s, smax), E2(s, umax), E2(s, and), E2(s, or), E2(s, xor), E2(s, inc),           \
		E2(s, dec), E(s, add_f64), E(s, min_f64), E(s, max_f64)
const struct sim_exec LEVEL(sim_exec_atomic)[] = {
	SPACE(flat),	       SPACE(global),	     SPACE(buffer),	     E(flat, add_f32),
	E(global, add_f32),    E(buffer, add_f32),   E(flat, pk_add_f16),    E(global, pk_add_f16),
	E(buffer, pk_add_f16), E(flat, pk_add_bf16), E(global, pk_add_bf16), {0},
};
