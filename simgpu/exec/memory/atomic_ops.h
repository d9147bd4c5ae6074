/* SPDX-License-Identifier: MIT */
/*
 * Read-modify-write operations on host memory, atomic with respect to other threads of the process.
 * Each returns the old value. ATOMIC_OPS lists them; see "AMD Instinct MI200" ISA manual, chapters
 * "Global Memory Atomics" and "DS atomics".
 */
#ifndef PROBE_SIMGPU_EXEC_MEMORY_ATOMIC_OPS_H
#define PROBE_SIMGPU_EXEC_MEMORY_ATOMIC_OPS_H

#include "simgpu/exec/vector/float_bodies.h"

/*
 * ATOMIC_PLAIN, to be defined before: only one thread at a time uses the memory (LDS), so plain
 * operations suffice; a locked instruction per lane would cost ten times as much.
 */
#ifdef ATOMIC_PLAIN
#define PLAIN_(p, next)                                                                            \
	({                                                                                         \
		__auto_type o_ = *(p);                                                             \
		*(p) = (next);                                                                     \
		o_;                                                                                \
	})
#define OP_SWAP(p, x, order)	 PLAIN_(p, x)
#define OP_ADD(p, x, order)	 PLAIN_(p, o_ + (x))
#define OP_SUB(p, x, order)	 PLAIN_(p, o_ - (x))
#define OP_AND(p, x, order)	 PLAIN_(p, o_ &(x))
#define OP_OR(p, x, order)	 PLAIN_(p, o_ | (x))
#define OP_XOR(p, x, order)	 PLAIN_(p, o_ ^ (x))
#define OP_REPLACE(p, old, next) ((void)(old), *(p) = (next), true)
#else
#define OP_SWAP __atomic_exchange_n
#define OP_ADD	__atomic_fetch_add
#define OP_SUB	__atomic_fetch_sub
#define OP_AND	__atomic_fetch_and
#define OP_OR	__atomic_fetch_or
#define OP_XOR	__atomic_fetch_xor
#define OP_REPLACE(p, old, next)                                                                   \
	__atomic_compare_exchange_n(p, old, next, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)
#endif

/* x: data, y: second data (compare value of cmpswap, or value), o: old memory value. */
#define ATOMIC_NATIVE(name, builtin)                                                               \
	static inline u64 name##_32(void *p, u64 x, u64 y)                                         \
	{                                                                                          \
		(void)y;                                                                           \
		return builtin((u32 *)p, (u32)x, __ATOMIC_SEQ_CST);                                \
	}                                                                                          \
	static inline u64 name##_64(void *p, u64 x, u64 y)                                         \
	{                                                                                          \
		(void)y;                                                                           \
		return builtin((u64 *)p, x, __ATOMIC_SEQ_CST);                                     \
	}
ATOMIC_NATIVE(at_swap, OP_SWAP)
ATOMIC_NATIVE(at_add, OP_ADD)
ATOMIC_NATIVE(at_sub, OP_SUB)
ATOMIC_NATIVE(at_and, OP_AND)
ATOMIC_NATIVE(at_or, OP_OR)
ATOMIC_NATIVE(at_xor, OP_XOR)

#define ATOMIC_LOOP(name, T, ST, expr)                                                             \
	static inline u64 name(void *p, u64 data, u64 data2)                                       \
	{                                                                                          \
		T old = __atomic_load_n((T *)p, __ATOMIC_RELAXED), next;                           \
                                                                                                   \
		do {                                                                               \
			ST x = (ST)data, y = (ST)data2, o = (ST)old;                               \
			(void)x, (void)y, (void)o;                                                 \
			next = (T)(expr);                                                          \
		} while (!OP_REPLACE((T *)p, &old, next));                                         \
		return old;                                                                        \
	}
#define ATOMIC_BOTH(name, expr)                                                                    \
	ATOMIC_LOOP(name##_32, u32, u32, expr)                                                     \
	ATOMIC_LOOP(name##_64, u64, u64, expr)
ATOMIC_LOOP(at_smin_32, u32, i32, o < x ? o : x)
ATOMIC_LOOP(at_smin_64, u64, i64, o < x ? o : x)
ATOMIC_LOOP(at_smax_32, u32, i32, o > x ? o : x)
ATOMIC_LOOP(at_smax_64, u64, i64, o > x ? o : x)
ATOMIC_BOTH(at_umin, o < x ? o : x)
ATOMIC_BOTH(at_umax, o > x ? o : x)
ATOMIC_BOTH(at_inc, o >= x ? 0 : o + 1)
ATOMIC_BOTH(at_dec, o == 0 || o > x ? x : o - 1)
ATOMIC_BOTH(at_cmpswap, o == y ? x : o)
ATOMIC_BOTH(at_rsub, x - o)
ATOMIC_BOTH(at_mskor, (o & ~x) | y)
ATOMIC_LOOP(at_wrap_32, u32, u32, o >= x ? o - x : o + y)

static inline u32 fadd32(u32 a, u32 b)
{
	return float_bits(bits_float(a) + bits_float(b));
}

static inline u64 fadd64(u64 a, u64 b)
{
	return double_bits(bits_double(a) + bits_double(b));
}

static inline u32 pk_add16(u32 a, u32 b)
{
	u32 lo = float_to_half(half_to_float((u16)a) + half_to_float((u16)b));
	u32 hi = float_to_half(half_to_float((u16)(a >> 16)) + half_to_float((u16)(b >> 16)));

	return lo | hi << 16;
}

static inline u32 bf16_add(u32 a, u32 b)
{
	u32 sum = float_bits(bits_float(a << 16) + bits_float(b << 16));

	if ((sum & 0x7fffffff) > 0x7f800000)
		return (sum >> 16 & 0xffff) | 0x40;
	return (sum + 0x7fff + (sum >> 16 & 1)) >> 16;
}

static inline u32 pk_add_b16(u32 a, u32 b)
{
	return bf16_add(a & 0xffff, b & 0xffff) | bf16_add(a >> 16, b >> 16) << 16;
}

/* Each half is stored if the top bit of its data is set (DS_CONDXCHG32_RTN_B64). */
static inline u64 condxchg(u64 old, u64 x)
{
	if (x >> 31 & 1)
		old = (old & ~0xffffffffull) | (x & 0x7fffffff);
	if (x >> 63)
		old = (old & 0xffffffff) | (x & 0x7fffffffull << 32);
	return old;
}
ATOMIC_LOOP(at_addf_32, u32, u32, fadd32(o, x))
ATOMIC_LOOP(at_addf_64, u64, u64, fadd64(o, x))
ATOMIC_LOOP(at_minf_32, u32, u32, min32(o, x))
ATOMIC_LOOP(at_minf_64, u64, u64, min64(o, x))
ATOMIC_LOOP(at_maxf_32, u32, u32, max32(o, x))
ATOMIC_LOOP(at_maxf_64, u64, u64, max64(o, x))
ATOMIC_LOOP(at_pkaddh_32, u32, u32, pk_add16(o, x))
ATOMIC_LOOP(at_pkaddb_32, u32, u32, pk_add_b16(o, x))
ATOMIC_LOOP(at_cmpswapf_32, u32, u32, bits_float(o) == bits_float(y) ? x : o)
ATOMIC_LOOP(at_cmpswapf_64, u64, u64, bits_double(o) == bits_double(y) ? x : o)
ATOMIC_LOOP(at_condxchg_64, u64, u64, condxchg(o, x))

#endif
