/* SPDX-License-Identifier: MIT */
/*
 * Loads and stores of FLAT, GLOBAL and SCRATCH. One body per width and conversion; contiguous
 * lanes are copied as a block.
 */
#include "simgpu/exec/memory/lane_groups.h"
#include "simgpu/exec/memory/vector_access.h"

/* Where a loaded value goes in the register. */
enum placement {
	PLAIN,
	LOW,  /* d16: bits 15:0, the rest is preserved */
	HIGH, /* d16_hi: bits 31:16 */
};

static inline u32 place_value(u32 old, u32 value, enum placement how)
{
	if (how == LOW)
		return (old & 0xffff0000) | (value & 0xffff);
	if (how == HIGH)
		return (old & 0xffff) | value << 16;
	return value;
}

#if defined(__AVX512F__)
/* Loads a dword for each of 16 lanes: mostly contiguous, as in a row of a tile; else gathered. */
static inline void load_group(u32 *d, const u64 *addr, unsigned int at)
{
	const __m512i step = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
	__m512i low = _mm512_loadu_si512(addr), high = _mm512_loadu_si512(addr + 8);
	__m512i row = _mm512_add_epi64(_mm512_set1_epi64((i64)addr[0]), _mm512_slli_epi64(step, 2));
	__mmask8 differ = _mm512_cmpneq_epi64_mask(low, row);

	row = _mm512_add_epi64(row, _mm512_set1_epi64(32));
	differ |= _mm512_cmpneq_epi64_mask(high, row);
	if (!differ) {
		memcpy(d, (const u8 *)addr[0] + at, 64);
		return;
	}
	_mm256_storeu_si256((void *)d, _mm512_i64gather_epi32(low, (const void *)(u64)at, 1));
	_mm256_storeu_si256((void *)(d + 8),
			    _mm512_i64gather_epi32(high, (const void *)(u64)at, 1));
}

static inline void load_all(u32 *d, const u64 *addr, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int l = 0; l < 64; l += 16)
			load_group(d + 64 * i + l, addr + l, 4 * i);
}
#else
static inline void load_all(u32 *d, const u64 *addr, unsigned int n)
{
	for (unsigned int l = 0; l < 64; l++)
		for (unsigned int i = 0; i < n; i++)
			memcpy(&d[64 * i + l], (const u8 *)addr[l] + 4 * i, 4);
}
#endif

/* 64 lanes of n dwords each, contiguous in memory. */
static inline void load_block(u32 *d, const u32 *from, unsigned int n)
{
	if (n == 1) {
		memcpy(d, from, 256);
		return;
	}
#if defined(__AVX512F__)
	const __m512i step =
		_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	__m512i at = _mm512_mullo_epi32(step, _mm512_set1_epi32((int)n));

	for (unsigned int i = 0; i < n; i++)
		for (unsigned int l = 0; l < 64; l += 16)
			_mm512_storeu_si512(d + 64 * i + l,
					    _mm512_i32gather_epi32(at, from + n * l + i, 4));
#else
	for (unsigned int l = 0; l < 64; l++)
		for (unsigned int i = 0; i < n; i++)
			memcpy(&d[64 * i + l], &from[n * l + i], 4);
#endif
}

static inline void store_block(u32 *to, const u32 *s, unsigned int n)
{
	if (n == 1) {
		memcpy(to, s, 256);
		return;
	}
	for (unsigned int l = 0; l < 64; l++)
		for (unsigned int i = 0; i < n; i++)
			memcpy(&to[n * l + i], &s[64 * i + l], 4);
}

/* n dwords per lane. */
static inline const struct sim_inst *load_dwords(struct sim_wave *w, const struct sim_inst *ip,
						 unsigned int n)
{
	u32 *d = w->vgpr[ip->dst];
	const u32 *distances;
	struct access acc;
	u8 *first;
	u64 quick;

	distances = LEVEL(mem_pattern)(w, ip, 4 * n, SIM_MEM_READ, &first);
	if (distances) {
		read_lanes(first, d, distances, n);
		return ip + 2;
	}
	quick = n == 3 ? 0 : LEVEL(mem_contiguous)(w, ip, 4 * n, SIM_MEM_READ);
	if (quick) {
		load_block(d, (const u32 *)quick, n);
		return ip + 2;
	}
	if (!w->exec)
		return ip + 2;
	if (!LEVEL(mem_prepare)(w, ip, &acc, 4 * n, SIM_MEM_READ))
		return NULL;
	if (acc.kind == MEM_GLOBAL && acc.contiguous) {
		load_block(d, (const u32 *)acc.addr[0], n);
		return ip + 2;
	}
	if (acc.kind == MEM_GLOBAL && acc.exec == ~0ull) {
		load_all(d, acc.addr, n);
		return ip + 2;
	}
	EACH_LANE(l, acc.exec)
	{
		u32 value[4];

		if (acc.kind == MEM_GLOBAL)
			memcpy(value, (const void *)acc.addr[l], 4 * n);
		else
			mem_get(w, &acc, (unsigned int)l, value, 4 * n);
		for (unsigned int i = 0; i < n; i++)
			d[64 * i + l] = value[i];
	}
	return ip + 2;
}

static inline const struct sim_inst *store_dwords(struct sim_wave *w, const struct sim_inst *ip,
						  unsigned int n)
{
	const u32 *s = w->vgpr[ip->vsrc[1]];
	const u32 *distances;
	struct access acc;
	u8 *first;
	u64 quick;

	distances = LEVEL(mem_pattern)(w, ip, 4 * n, SIM_MEM_WRITE, &first);
	if (distances) {
		write_lanes(first, s, distances, n);
		return ip + 2;
	}
	quick = n == 3 ? 0 : LEVEL(mem_contiguous)(w, ip, 4 * n, SIM_MEM_WRITE);
	if (quick) {
		store_block((u32 *)quick, s, n);
		return ip + 2;
	}
	if (!w->exec)
		return ip + 2;
	if (!LEVEL(mem_prepare)(w, ip, &acc, 4 * n, SIM_MEM_WRITE))
		return NULL;
	if (acc.kind == MEM_GLOBAL && acc.contiguous) {
		store_block((u32 *)acc.addr[0], s, n);
		return ip + 2;
	}
	EACH_LANE(l, acc.exec)
	{
		u32 value[4];

		for (unsigned int i = 0; i < n; i++)
			value[i] = s[64 * i + l];
		if (acc.kind == MEM_GLOBAL)
			memcpy((void *)acc.addr[l], value, 4 * n);
		else
			mem_put(w, &acc, (unsigned int)l, value, 4 * n);
	}
	return ip + 2;
}

static inline const struct sim_inst *load_small(struct sim_wave *w, const struct sim_inst *ip,
						unsigned int bytes, bool sext, enum placement how)
{
	unsigned int spare = 32 - 8 * bytes;
	u32 *d = w->vgpr[ip->dst];
	struct access acc;

	if (!w->exec)
		return ip + 2;
	if (!LEVEL(mem_prepare)(w, ip, &acc, bytes, SIM_MEM_READ))
		return NULL;
	EACH_LANE(l, acc.exec)
	{
		u32 value = 0;

		if (acc.kind == MEM_GLOBAL)
			memcpy(&value, (const void *)acc.addr[l], bytes);
		else
			mem_get(w, &acc, (unsigned int)l, &value, bytes);
		if (sext)
			value = (u32)((i32)(value << spare) >> spare);
		d[l] = place_value(d[l], value, how);
	}
	return ip + 2;
}

static inline const struct sim_inst *store_small(struct sim_wave *w, const struct sim_inst *ip,
						 unsigned int bytes, unsigned int shift)
{
	const u32 *s = w->vgpr[ip->vsrc[1]];
	struct access acc;

	if (!w->exec)
		return ip + 2;
	if (!LEVEL(mem_prepare)(w, ip, &acc, bytes, SIM_MEM_WRITE))
		return NULL;
	EACH_LANE(l, acc.exec)
	{
		u32 value = s[l] >> shift;

		if (acc.kind == MEM_GLOBAL)
			memcpy((void *)acc.addr[l], &value, bytes);
		else
			mem_put(w, &acc, (unsigned int)l, &value, bytes);
	}
	return ip + 2;
}

#define HANDLER(name, call)                                                                        \
	static const struct sim_inst *name(struct sim_wave *w, const struct sim_inst *ip)          \
	{                                                                                          \
		return call;                                                                       \
	}
HANDLER(load_dword, load_dwords(w, ip, 1))
HANDLER(load_dwordx2, load_dwords(w, ip, 2))
HANDLER(load_dwordx3, load_dwords(w, ip, 3))
HANDLER(load_dwordx4, load_dwords(w, ip, 4))
HANDLER(store_dword, store_dwords(w, ip, 1))
HANDLER(store_dwordx2, store_dwords(w, ip, 2))
HANDLER(store_dwordx3, store_dwords(w, ip, 3))
HANDLER(store_dwordx4, store_dwords(w, ip, 4))
HANDLER(load_ubyte, load_small(w, ip, 1, false, PLAIN))
HANDLER(load_sbyte, load_small(w, ip, 1, true, PLAIN))
HANDLER(load_ushort, load_small(w, ip, 2, false, PLAIN))
HANDLER(load_sshort, load_small(w, ip, 2, true, PLAIN))
HANDLER(load_ubyte_d16, load_small(w, ip, 1, false, LOW))
HANDLER(load_ubyte_d16_hi, load_small(w, ip, 1, false, HIGH))
HANDLER(load_sbyte_d16, load_small(w, ip, 1, true, LOW))
HANDLER(load_sbyte_d16_hi, load_small(w, ip, 1, true, HIGH))
HANDLER(load_short_d16, load_small(w, ip, 2, false, LOW))
HANDLER(load_short_d16_hi, load_small(w, ip, 2, false, HIGH))
HANDLER(store_byte, store_small(w, ip, 1, 0))
HANDLER(store_byte_d16_hi, store_small(w, ip, 1, 16))
HANDLER(store_short, store_small(w, ip, 2, 0))
HANDLER(store_short_d16_hi, store_small(w, ip, 2, 16))

#define E(space, name)                                                                             \
	{                                                                                          \
		.op = OP_##space##_##name, .kind = X_DIRECT, .handler = name                       \
	}
#define SPACE(s)                                                                                   \
	E(s, load_dword), E(s, load_dwordx2), E(s, load_dwordx3), E(s, load_dwordx4),              \
		E(s, store_dword), E(s, store_dwordx2), E(s, store_dwordx3), E(s, store_dwordx4),  \
		E(s, load_ubyte), E(s, load_sbyte), E(s, load_ushort), E(s, load_sshort),          \
		E(s, load_ubyte_d16), E(s, load_ubyte_d16_hi), E(s, load_sbyte_d16),               \
		E(s, load_sbyte_d16_hi), E(s, load_short_d16), E(s, load_short_d16_hi),            \
		E(s, store_byte), E(s, store_byte_d16_hi), E(s, store_short),                      \
		E(s, store_short_d16_hi)
const struct sim_exec LEVEL(sim_exec_mem)[] = {
	SPACE(flat),
	SPACE(global),
	SPACE(scratch),
	{0},
};
