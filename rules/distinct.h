/* SPDX-License-Identifier: MIT */
/*
 * Finds equal numbers among a few, such as the cache lines of a wave's access, which are mostly
 * distinct. Two loops without data-dependent branches.
 */
#ifndef PROBE_RULES_DISTINCT_H
#define PROBE_RULES_DISTINCT_H

#include <stdbool.h>
#include <stdint.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { DISTINCT_MAX = 128, DISTINCT_BITS = 12 };

/* Working memory, one per thread; needs no initialisation. */
struct distinct {
	uint8_t slot[1 << DISTINCT_BITS]; /* by hash: the lowest index with that hash */
};

/*
 * Compares numbers whose slot is used by another number with each other. Returns how many of
 * `others` are duplicates.
 */
static inline unsigned distinct_duplicates(const uint64_t *number, const uint8_t *others,
					   unsigned count, uint8_t *first)
{
	unsigned again = 0;

	for (unsigned i = 0; i < count; i++) {
		unsigned k = 0;

		while (number[others[k]] != number[others[i]])
			k++;
		first[others[i]] = others[k];
		again += k != i;
	}
	return again;
}

/*
 * first[i]: the lowest index with the same number as index i. Returns how many distinct numbers
 * there are. At most DISTINCT_MAX numbers.
 */
static inline unsigned distinct_find(struct distinct *distinct, const uint64_t *number,
				     unsigned count, uint8_t *first)
{
	uint8_t others[DISTINCT_MAX + 1];
	uint32_t hash[DISTINCT_MAX];
	unsigned other = 0, found = 0;

	for (unsigned i = 0; i < count; i++)
		hash[i] = (uint32_t)number[i] * 0x9e3779b1u >> (32 - DISTINCT_BITS);
	for (unsigned i = count; i--;)
		distinct->slot[hash[i]] = (uint8_t)i;
	for (unsigned i = 0; i < count; i++) {
		unsigned at = distinct->slot[hash[i]];

		first[i] = (uint8_t)at;
		found += at == i;
		others[other] = (uint8_t)i;
		other += number[at] != number[i];
	}
	return other ? found + other - distinct_duplicates(number, others, other, first) : found;
}

/* How many distinct numbers have the lanes of a mask? */
static inline unsigned distinct_of_lanes(struct distinct *distinct, const uint64_t number[64],
					 uint64_t lanes)
{
	uint64_t list[64];
	uint8_t first[64];
	unsigned count = 0;

	for (; lanes; lanes &= lanes - 1)
		list[count++] = number[__builtin_ctzll(lanes)];
	return distinct_find(distinct, list, count, first);
}

/* ---- All different? -------------------------------------------------------------------------- */

#ifdef __x86_64__
/* Compares 64 16-bit hashes pairwise: all rotations of 16 of them against 16. */
__attribute__((target("avx2"))) static inline bool distinct_parts(const uint16_t part[64])
{
	const __m256i turn = _mm256_setr_epi8(2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1,
					      2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1);
	__m256i all[4], same = _mm256_setzero_si256();

	for (unsigned j = 0; j < 4; j++) {
		__m256i at = all[j] = _mm256_loadu_si256((const __m256i *)(const void *)part + j);
		__m256i across = _mm256_permute2x128_si256(at, at, 1);

		for (unsigned k = 0; k < 8; k++) {
			same = _mm256_or_si256(same, _mm256_cmpeq_epi16(all[j], across));
			for (unsigned i = 0; i < j; i++) {
				same = _mm256_or_si256(same, _mm256_cmpeq_epi16(all[i], at));
				same = _mm256_or_si256(same, _mm256_cmpeq_epi16(all[i], across));
			}
			at = _mm256_shuffle_epi8(at, turn);
			across = _mm256_shuffle_epi8(across, turn);
			if (k < 7)
				same = _mm256_or_si256(same, _mm256_cmpeq_epi16(all[j], at));
		}
	}
	return _mm256_testz_si256(same, same);
}

__attribute__((target("avx2"))) static inline void distinct_cut(const uint64_t number[64],
								uint16_t part[64])
{
	for (unsigned i = 0; i < 64; i++)
		part[i] = (uint16_t)((uint32_t)number[i] * 0x9e3779b1u >> 16);
}

__attribute__((target("avx2"))) static inline bool distinct_all_avx2(const uint64_t number[64])
{
	uint16_t part[64];

	distinct_cut(number, part);
	return distinct_parts(part);
}

/*
 * The same with vectors of 32 parts: the differences of all rotations, of which 0 is the smallest.
 */
__attribute__((target("avx512f,avx512bw"))) static inline bool
distinct_all_avx512(const uint64_t number[64])
{
	__m512i a, b, least = _mm512_set1_epi16(-1), turn, least2;
	uint16_t part[64];

	for (unsigned i = 0; i < 64; i++)
		part[i] = (uint16_t)((uint32_t)number[i] * 0x9e3779b1u >> 16);
	a = _mm512_loadu_si512(part);
	b = _mm512_loadu_si512(part + 32);
	for (unsigned i = 0; i < 32; i++)
		part[i] = (uint16_t)i;
	turn = _mm512_loadu_si512(part);
	least2 = _mm512_min_epu16(least, _mm512_xor_si512(a, b));
	for (unsigned i = 1; i < 32; i++) {
		__m512i other;

		turn = _mm512_add_epi16(turn, _mm512_set1_epi16(1));
		other = _mm512_permutexvar_epi16(turn, b);
		least = _mm512_min_epu16(least, _mm512_xor_si512(a, other));
		if (i > 16)
			continue;
		least2 = _mm512_min_epu16(least2, _mm512_xor_si512(b, other));
		other = _mm512_permutexvar_epi16(turn, a);
		least = _mm512_min_epu16(least, _mm512_xor_si512(a, other));
	}
	least = _mm512_min_epu16(least, least2);
	return _mm512_test_epi16_mask(least, least) == UINT32_MAX;
}
#endif

/* True: 64 numbers are distinct. False: not known. */
static inline bool distinct_all(const uint64_t number[64])
{
#ifdef __x86_64__
	/* Adjacent numbers are the most likely to be equal. */
	if (number[0] == number[1] || number[62] == number[63])
		return false;
	if (__builtin_cpu_supports("avx512bw"))
		return distinct_all_avx512(number);
	return __builtin_cpu_supports("avx2") && distinct_all_avx2(number);
#else
	(void)number;
	return false;
#endif
}

#endif
