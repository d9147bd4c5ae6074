/* SPDX-License-Identifier: MIT */
/* What the files behind lru.h share. */
#ifndef PROBE_HANDLERS_CACHE_LRU_SETS_H
#define PROBE_HANDLERS_CACHE_LRU_SETS_H

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "handlers/cache/lru.h"

#define LRU_AVX512 "avx512f,avx512bw,avx512vbmi2,bmi,bmi2,popcnt"

/* Number of ways whose tags are compared at once. */
enum { LRU_AT_ONCE = 16 };

/* A mask with a bit for each of 16 ways. */
#ifdef __SSE2__
static inline unsigned lru_equal_16(const uint16_t *low, uint16_t tag)
{
	const __m128i want = _mm_set1_epi16((short)tag), *at = (const __m128i *)(const void *)low;
	__m128i a = _mm_cmpeq_epi16(_mm_loadu_si128(at), want);
	__m128i b = _mm_cmpeq_epi16(_mm_loadu_si128(at + 1), want);

	return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(a, b));
}

/* The same for 16 bytes. */
static inline unsigned lru_equal_8(const uint8_t *bytes, uint8_t byte)
{
	__m128i all = _mm_loadu_si128((const __m128i *)(const void *)bytes);

	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(all, _mm_set1_epi8((char)byte)));
}
#else
static inline unsigned lru_equal_16(const uint16_t *low, uint16_t tag)
{
	unsigned ret = 0;

	for (unsigned way = 0; way < LRU_AT_ONCE; way++)
		ret |= (unsigned)(low[way] == tag) << way;
	return ret;
}

static inline unsigned lru_equal_8(const uint8_t *bytes, uint8_t byte)
{
	unsigned ret = 0;

	for (unsigned i = 0; i < LRU_AT_ONCE; i++)
		ret |= (unsigned)(bytes[i] == byte) << i;
	return ret;
}
#endif

/* 48 bits are kept; they are never 0 for an address. */
static inline uint64_t lru_tag(const struct lru *lru, uint64_t line)
{
	return (line >> lru->log) + 1;
}

/* lru_touch() for sets of up to 64 ways. */
uint64_t lru_touch_medium(const struct lru *lru, const uint64_t *lines, unsigned count);

#endif
