/* SPDX-License-Identifier: MIT */
/*
 * Copies dwords between the rows of a register and memory, for 64 active lanes with an offset each
 * (signed, in bytes). Neighbouring lanes mostly access one dword together, or adjacent dwords, so
 * groups of a host vector are tested for both.
 */
#ifndef PROBE_SIMGPU_EXEC_MEMORY_LANE_GROUPS_H
#define PROBE_SIMGPU_EXEC_MEMORY_LANE_GROUPS_H

#include "simgpu/exec/vector/lane_rows.h"

#if defined(__AVX512F__)
enum { GROUP = 16 };

/* bytes: from one lane's first dword to the next one's, if lanes are adjacent. */
static inline void read_group(const u8 *base, u32 *d, const u32 *offset, unsigned int bytes)
{
	const __m512i iota =
		_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	__m512i at = _mm512_loadu_si512(offset);
	__m512i diff = _mm512_sub_epi32(at, _mm512_set1_epi32((int)offset[0]));
	const u8 *from = base + (i32)offset[0];
	int one;

	if (!_mm512_test_epi32_mask(diff, diff)) {
		memcpy(&one, from, 4);
		_mm512_storeu_si512(d, _mm512_set1_epi32(one));
	} else if (bytes == 4 && !_mm512_cmpneq_epi32_mask(diff, _mm512_slli_epi32(iota, 2))) {
		memcpy(d, from, 64);
	} else {
		_mm512_storeu_si512(d, _mm512_i32gather_epi32(at, base, 1));
	}
}

static inline bool group_adjacent(const u32 *offset)
{
	const __m512i iota =
		_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	__m512i diff =
		_mm512_sub_epi32(_mm512_loadu_si512(offset), _mm512_set1_epi32((int)offset[0]));

	return !_mm512_cmpneq_epi32_mask(diff, _mm512_slli_epi32(iota, 2));
}
#elif defined(__AVX2__)
enum { GROUP = 8 };

static inline bool is_zero(__m256i v)
{
	return _mm256_testz_si256(v, v);
}

static inline __m256i group_differences(const u32 *offset)
{
	return _mm256_sub_epi32(_mm256_loadu_si256((const __m256i *)offset),
				_mm256_set1_epi32((int)offset[0]));
}

static inline bool are_adjacent(__m256i diff)
{
	return is_zero(_mm256_xor_si256(diff, _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28)));
}

static inline bool group_adjacent(const u32 *offset)
{
	return are_adjacent(group_differences(offset));
}

static inline void read_group(const u8 *base, u32 *d, const u32 *offset, unsigned int bytes)
{
	__m256i diff = group_differences(offset);
	const u8 *from = base + (i32)offset[0];
	int one;

	if (is_zero(diff)) {
		memcpy(&one, from, 4);
		_mm256_storeu_si256((__m256i *)d, _mm256_set1_epi32(one));
	} else if (bytes == 4 && are_adjacent(diff)) {
		memcpy(d, from, 32);
	} else {
		for (unsigned int l = 0; l < GROUP; l++)
			memcpy(&d[l], base + (i32)offset[l], 4);
	}
}
#else
enum { GROUP = 4 };

static inline bool group_adjacent(const u32 *offset)
{
	return offset[1] - offset[0] == 4 && offset[2] - offset[0] == 8 &&
	       offset[3] - offset[0] == 12;
}

static inline void read_group(const u8 *base, u32 *d, const u32 *offset, unsigned int bytes)
{
	(void)bytes;
	for (unsigned int l = 0; l < GROUP; l++)
		memcpy(&d[l], base + (i32)offset[l], 4);
}
#endif

/* n dwords per lane. */
static inline void read_lanes(const u8 *base, u32 *d, const u32 *offset, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int l = 0; l < 64; l += GROUP)
			read_group(base + 4 * i, d + 64 * i + l, offset + l, 4 * n);
}

/* If several lanes write a dword, the last one wins. */
static inline void write_lanes(u8 *base, const u32 *s, const u32 *offset, unsigned int n)
{
	for (unsigned int l = 0; l < 64; l += GROUP) {
		if (n == 1 && group_adjacent(offset + l)) {
			memcpy(base + (i32)offset[l], s + l, 4 * GROUP);
			continue;
		}
		for (unsigned int k = l; k < l + GROUP; k++)
			for (unsigned int i = 0; i < n; i++)
				memcpy(base + (i32)offset[k] + 4 * i, &s[64 * i + k], 4);
	}
}

#endif
