/* SPDX-License-Identifier: MIT */
/* Operand access and bit helpers of scalar instructions. */
#ifndef PROBE_SIMGPU_EXEC_SCALAR_SCALAR_OPERANDS_H
#define PROBE_SIMGPU_EXEC_SCALAR_SCALAR_OPERANDS_H

#include <string.h>

#include "simgpu/exec/decode/code_cache.h"
#include "simgpu/exec/translate.h"

typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;
typedef int64_t i64;

static inline u32 get_u32(const struct sim_wave *w, const struct sim_inst *ip, unsigned int n)
{
	return *inst_src(w, ip, n);
}

static inline i32 get_i32(const struct sim_wave *w, const struct sim_inst *ip, unsigned int n)
{
	return (i32)get_u32(w, ip, n);
}

static inline u64 get_u64(const struct sim_wave *w, const struct sim_inst *ip, unsigned int n)
{
	u64 value;

	/* A shift count next to a 64-bit operand is one dword. */
	if (ip->size[n] == 1)
		return get_u32(w, ip, n);
	memcpy(&value, inst_src(w, ip, n), sizeof(value));
	return value;
}

static inline i64 get_i64(const struct sim_wave *w, const struct sim_inst *ip, unsigned int n)
{
	return (i64)get_u64(w, ip, n);
}

static inline void put_u32(struct sim_wave *w, const struct sim_inst *ip, u32 value)
{
	memcpy((char *)w + ip->sdst, &value, sizeof(value));
}

static inline void put_i32(struct sim_wave *w, const struct sim_inst *ip, i32 value)
{
	put_u32(w, ip, (u32)value);
}

static inline void put_u64(struct sim_wave *w, const struct sim_inst *ip, u64 value)
{
	memcpy((char *)w + ip->sdst, &value, sizeof(value));
}

static inline void put_i64(struct sim_wave *w, const struct sim_inst *ip, i64 value)
{
	put_u64(w, ip, (u64)value);
}

/* The destination's value before the instruction. */
static inline u32 old_u32(const struct sim_wave *w, const struct sim_inst *ip)
{
	u32 value;

	memcpy(&value, (const char *)w + ip->sdst, sizeof(value));
	return value;
}

static inline u64 old_u64(const struct sim_wave *w, const struct sim_inst *ip)
{
	u64 value;

	memcpy(&value, (const char *)w + ip->sdst, sizeof(value));
	return value;
}

/* A bit field of `width` bits at `at`; a field beyond the operand is truncated. */
static inline u64 bfe_u64(u64 x, u32 at, u32 width, u32 bits)
{
	x >>= at;
	if (width >= bits)
		return x;
	return x & ((1ull << width) - 1);
}

static inline u64 bfe_i64(u64 x, u32 at, u32 width, u32 bits)
{
	u64 shifted = (u64)((i64)(x << (64 - bits)) >> (64 - bits));

	shifted = (u64)((i64)shifted >> at);
	if (width == 0)
		return 0;
	if (width >= bits)
		return shifted;
	return (u64)((i64)(shifted << (64 - width)) >> (64 - width));
}

static inline u64 brev64(u64 x)
{
	x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
	x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
	x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
	return __builtin_bswap64(x);
}

/* Sets all bits of a quad if any is set. */
static inline u64 wqm(u64 x)
{
	x |= x >> 1;
	x = (x | x >> 2) & 0x1111111111111111;
	return x * 15;
}

static inline u64 quadmask(u64 x)
{
	u64 r = 0;

	for (unsigned int quad = 0; quad < 16; quad++)
		r |= (u64)((x >> 4 * quad & 15) != 0) << quad;
	return r;
}

static inline u64 bitreplicate(u32 x)
{
	u64 r = 0;

	for (unsigned int bit = 0; bit < 32; bit++)
		r |= (u64)(x >> bit & 1) * 3 << 2 * bit;
	return r;
}

/* Jumps to a byte address: an index inside the page, else a look-up. */
static inline const struct sim_inst *scalar_jump(struct sim_wave *w, uint64_t pc)
{
	uint64_t at = pc - w->code->base;

	if (at < 4 * SIM_PAGE_DWORDS && !(at & 3))
		return sim_entered(w, &w->code->inst[at / 4]);
	return sim_fetch(w, pc);
}

#endif
