/* SPDX-License-Identifier: MIT */
/*
 * Atomics of scalar memory: one operation per wave, at a plain address or through a buffer
 * descriptor (without effect beyond its end). Compiled per vector level only because the operations
 * are shared with the vector atomics.
 */
#include "simgpu/exec/fault.h"
#include "simgpu/exec/memory/atomic_ops.h"
#include "simgpu/exec/memory/range_cache.h"

typedef u64 atomic_fn(void *p, u64 x, u64 y);

/* False if it is beyond the end of the buffer. */
static bool address(const struct sim_wave *w, const struct sim_inst *ip, bool buffer,
		    unsigned int bytes, u64 *addr)
{
	const u32 *base = inst_src(w, ip, 0);
	u64 offset = (u64)ip->imm;

	if (ip->size[1])
		offset += *inst_src(w, ip, 1);
	*addr = (u64)(buffer ? base[1] & 0xffff : base[1]) << 32 | base[0];
	*addr += offset;
	*addr &= ~3ull;
	if (!buffer)
		return true;
	return (offset & ~3ull) + bytes <=
	       (u64)base[2] * (base[1] >> 16 & 0x3fff ? base[1] >> 16 & 0x3fff : 1);
}

static inline const struct sim_inst *atomic(struct sim_wave *w, const struct sim_inst *ip,
					    atomic_fn *fn, unsigned int bytes, bool buffer)
{
	u32 *data = (u32 *)((char *)w + ip->sdst);
	bool two = ip->dsize * 4u == 2 * bytes;
	u64 addr, x = 0, y = 0, old;

	if (!address(w, ip, buffer, bytes, &addr))
		return ip + 2;
	if (!wave_may(w, addr, addr + bytes, SIM_MEM_READ | SIM_MEM_WRITE))
		return sim_fault(w, ip, SIM_FAULT_WRITE, addr, bytes, -1);
	if (addr % bytes)
		return sim_fault(w, ip, SIM_FAULT_MISALIGNED, addr, bytes, -1);
	memcpy(&x, data, bytes);
	if (two)
		memcpy(&y, data + bytes / 4, bytes);
	old = fn((void *)(sim_mem_aliased(addr, addr + 1) ? sim_mem_host(addr) : addr), x, y);
	if (ip->glc)
		memcpy(data, &old, bytes);
	sim_trace_scalar(w, addr, bytes);
	return ip + 2;
}

#define ATOMIC(name, fn, bytes)                                                                    \
	static const struct sim_inst *s_##name(struct sim_wave *w, const struct sim_inst *ip)      \
	{                                                                                          \
		return atomic(w, ip, fn, bytes, false);                                            \
	}                                                                                          \
	static const struct sim_inst *s_buffer_##name(struct sim_wave *w,                          \
						      const struct sim_inst *ip)                   \
	{                                                                                          \
		return atomic(w, ip, fn, bytes, true);                                             \
	}
#define ATOMICS(name)                                                                              \
	ATOMIC(atomic_##name, at_##name##_32, 4)                                                   \
	ATOMIC(atomic_##name##_x2, at_##name##_64, 8)
ATOMICS(swap)
ATOMICS(cmpswap)
ATOMICS(add)
ATOMICS(sub)
ATOMICS(smin)
ATOMICS(umin)
ATOMICS(smax)
ATOMICS(umax)
ATOMICS(and)
ATOMICS(or)
ATOMICS(xor)
ATOMICS(inc)
ATOMICS(dec)

#define E1(name)                                                                                   \
	{                                                                                          \
		.op = OP_##name, .kind = X_DIRECT, .handler = name                                 \
	}
#define E(name)                                                                                    \
	E1(s_atomic_##name), E1(s_atomic_##name##_x2), E1(s_buffer_atomic_##name),                 \
		E1(s_buffer_atomic_##name##_x2)
const struct sim_exec LEVEL(sim_exec_smem_atomic)[] = {
	E(swap), E(cmpswap), E(add), E(sub), E(smin), E(umin), E(smax),
	E(umax), E(and),     E(or),  E(xor), E(inc),  E(dec),  {0},
};
