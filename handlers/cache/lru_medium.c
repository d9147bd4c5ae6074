/* SPDX-License-Identifier: MIT */
/*
 * Sets of up to 64 ways (struct lru_set64). The lines of one access that are in one set are touched
 * together: all are looked up first, and the set is rearranged once.
 */
#include <string.h>

#include "handlers/cache/lru_sets.h"

/*
 * Lines of an access are sorted by set if there are at most so many sets and at least so many
 * lines.
 */
enum { SORTED_SETS = 8, SORTED_LINES = 8, BLOCK = 64 };

/* Lines of one access that are touched, at most BLOCK. */
struct block {
	uint16_t low[BLOCK]; /* of the tags */
	uint32_t high[BLOCK];
	uint8_t set[BLOCK]; /* if there are few */
	unsigned count;
	uint8_t *hit; /* zeroed */
};

/*
 * Makes place at the end of a set: moves the tags that stay to the front. They are those from
 * `first` on, or those with a bit in `rest`.
 */
typedef void shift_function(struct lru_set64 *set, unsigned ways, unsigned first);
typedef void compact_function(struct lru_set64 *set, unsigned ways, uint64_t rest);
/* Puts tags of the block at place `to` of a set. */
typedef void append_function(struct lru_set64 *set, unsigned to, const struct block *block,
			     uint64_t lines);
/* Which tags of a set have that low part. */
typedef uint64_t equal_function(const struct lru_set64 *set, uint16_t low);
/* True if no low part of the lines is in the set. */
typedef bool none_function(const struct lru_set64 *set, const struct block *block, uint64_t lines);
/* A bit for each of BLOCK bytes that is equal to `byte`. */
typedef uint64_t bytes_function(const uint8_t *bytes, uint8_t byte);

struct functions {
	equal_function *equal;
	none_function *none;
	shift_function *shift;
	compact_function *compact;
	append_function *append;
	bytes_function *bytes;
};

/* The bit of the way that has a tag, among those in `ways`; 0 = none. */
static inline __attribute__((always_inline)) uint64_t find_way(const struct lru_set64 *set,
							       uint64_t ways, uint16_t low,
							       uint32_t high,
							       const struct functions *do_)
{
	for (ways &= do_->equal(set, low); ways; ways &= ways - 1)
		if (set->high[__builtin_ctzll(ways)] == high)
			return ways & -ways;
	return 0;
}

/* Touches one line. */
static inline __attribute__((always_inline)) bool
touch_way(unsigned ways, struct lru_set64 *set, uint64_t tag, const struct functions *do_)
{
	const uint64_t all = UINT64_MAX >> (LRU_MEDIUM - ways);
	uint64_t place = find_way(set, all, (uint16_t)tag, (uint32_t)(tag >> 16), do_);

	if (place > all >> 1)
		return true; /* the most recently used one */
	if (place)
		do_->compact(set, ways, all & ~place);
	else
		do_->shift(set, ways, 1);
	set->low[ways - 1] = (uint16_t)tag;
	set->high[ways - 1] = (uint32_t)(tag >> 16);
	return place;
}

/*
 * Touches the lines of `lines`, which all are in `set`. They are distinct, so that a tag that was
 * there before hits unless lines before it replaced it. Returns the number of hits.
 */
static inline __attribute__((always_inline)) unsigned
touch_ways(unsigned ways, struct lru_set64 *set, const struct block *block, uint64_t lines,
	   const struct functions *do_)
{
	const uint64_t all = UINT64_MAX >> (LRU_MEDIUM - ways);
	unsigned count = (unsigned)__builtin_popcountll(lines), hits = 0;
	uint64_t rest = all;

	for (uint64_t left = do_->none(set, block, lines) ? 0 : lines; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);
		uint64_t place = find_way(set, rest, block->low[i], block->high[i], do_);

		/* Without a place, the least recently used one is replaced. */
		rest &= place ? ~place : rest - 1;
		block->hit[i] = place != 0;
		hits += place != 0;
	}
	for (; count > ways; count--)
		lines &= lines - 1;
	if (hits)
		do_->compact(set, ways, rest);
	else
		do_->shift(set, ways, count);
	do_->append(set, ways - count, block, lines);
	return hits;
}

/* Each set once, with all its lines, if there are few sets and many lines. */
static inline __attribute__((always_inline)) unsigned touch_block(const struct lru *lru,
								  const uint64_t *lines,
								  struct block *block,
								  const struct functions *do_)
{
	const uint64_t mask = lru->sets - 1, every = UINT64_MAX >> (BLOCK - block->count);
	const unsigned log = lru->log;
	unsigned hits = 0;

	if (lru->sets > SORTED_SETS || block->count < SORTED_LINES) {
		for (unsigned i = 0; i < block->count; i++) {
			block->hit[i] = touch_way(lru->ways, &lru->medium[lines[i] & mask],
						  lru_tag(lru, lines[i]), do_);
			hits += block->hit[i];
		}
		return hits;
	}
	for (unsigned i = 0; i < block->count; i++) {
		uint64_t tag = (lines[i] >> log) + 1;

		block->low[i] = (uint16_t)tag;
		block->high[i] = (uint32_t)(tag >> 16);
		block->set[i] = (uint8_t)(lines[i] & mask);
		block->hit[i] = 0;
	}
	for (unsigned i = 0; i < lru->sets; i++) {
		uint64_t some = do_->bytes(block->set, (uint8_t)i) & every;

		if (some)
			hits += touch_ways(lru->ways, &lru->medium[i], block, some, do_);
	}
	return hits;
}

/* ---- The same for any processor -------------------------------------------------------------- */

static inline uint64_t equal_any(const struct lru_set64 *set, uint16_t low)
{
	uint64_t ways = 0;

	for (unsigned way = 0; way < LRU_MEDIUM; way += LRU_AT_ONCE)
		ways |= (uint64_t)lru_equal_16(set->low + way, low) << way;
	return ways;
}

static inline bool none_any(const struct lru_set64 *set, const struct block *block, uint64_t lines)
{
	(void)set, (void)block, (void)lines;
	return false;
}

static inline uint64_t equal_bytes(const uint8_t *bytes, uint8_t byte)
{
	uint64_t ret = 0;

	for (unsigned i = 0; i < BLOCK; i++)
		ret |= (uint64_t)(bytes[i] == byte) << i;
	return ret;
}

static inline void shift_any(struct lru_set64 *set, unsigned ways, unsigned first)
{
	memmove(set->low, set->low + first, (ways - first) * sizeof(*set->low));
	memmove(set->high, set->high + first, (ways - first) * sizeof(*set->high));
}

static inline void compact_any(struct lru_set64 *set, unsigned ways, uint64_t rest)
{
	unsigned to = 0;

	for (unsigned way = 0; way < ways; way++) {
		set->low[to] = set->low[way];
		set->high[to] = set->high[way];
		to += rest >> way & 1;
	}
}

static inline void append_any(struct lru_set64 *set, unsigned to, const struct block *block,
			      uint64_t lines)
{
	for (; lines; lines &= lines - 1, to++) {
		set->low[to] = block->low[__builtin_ctzll(lines)];
		set->high[to] = block->high[__builtin_ctzll(lines)];
	}
}

static unsigned touch_any(const struct lru lru, const uint64_t *lines, unsigned count, uint8_t *hit)
{
	static const struct functions any = {equal_any,	  none_any,   shift_any,
					     compact_any, append_any, equal_bytes};
	struct block block;

	block.count = count;
	block.hit = hit;

	return touch_block(&lru, lines, &block, &any);
}

/* ---- The same for AVX-512 -------------------------------------------------------------------- */

#ifdef __x86_64__
#define AVX512_INLINE static inline __attribute__((target(LRU_AVX512), always_inline))

AVX512_INLINE uint64_t equal_avx512(const struct lru_set64 *set, uint16_t low)
{
	__m512i want = _mm512_set1_epi16((short)low);
	uint64_t lower = _mm512_cmpeq_epi16_mask(_mm512_load_si512(set->low), want);
	uint64_t upper = _mm512_cmpeq_epi16_mask(_mm512_load_si512(set->low + 32), want);

	return upper << 32 | lower;
}

/* A part of a tag exclusive-ored with an equal one is 0, the smallest number. */
AVX512_INLINE bool none_avx512(const struct lru_set64 *set, const struct block *block,
			       uint64_t lines)
{
	__m512i lower = _mm512_load_si512(set->low), upper = _mm512_load_si512(set->low + 32);
	__m512i least = _mm512_set1_epi16(-1), least2 = least;

	for (; lines; lines &= lines - 1) {
		__m512i low = _mm512_set1_epi16((short)block->low[__builtin_ctzll(lines)]);

		least = _mm512_min_epu16(least, _mm512_xor_si512(lower, low));
		least2 = _mm512_min_epu16(least2, _mm512_xor_si512(upper, low));
	}
	least = _mm512_min_epu16(least, least2);
	return _mm512_test_epi16_mask(least, least) == UINT32_MAX;
}

AVX512_INLINE uint64_t equal_bytes_avx512(const uint8_t *bytes, uint8_t byte)
{
	return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(bytes), _mm512_set1_epi8((char)byte));
}

/* Moves those of 64 numbers that have a bit in `which` to `to`. */
AVX512_INLINE uint16_t *pack_16(uint16_t *to, const __m512i *from, uint64_t which)
{
	for (unsigned i = 0; i < 2; i++, which >>= 32) {
		__mmask32 some = (__mmask32)which;

		_mm512_storeu_si512(to, _mm512_maskz_compress_epi16(some, from[i]));
		to += __builtin_popcount(some);
	}
	return to;
}

AVX512_INLINE uint32_t *pack_32(uint32_t *to, const __m512i *from, uint64_t which)
{
	for (unsigned i = 0; i < 4; i++, which >>= 16) {
		__mmask16 some = (__mmask16)which;

		_mm512_storeu_si512(to, _mm512_maskz_compress_epi32(some, from[i]));
		to += __builtin_popcount(some);
	}
	return to;
}

AVX512_INLINE void compact_avx512(struct lru_set64 *set, unsigned ways, uint64_t rest)
{
	__m512i low[2], high[4];

	(void)ways;
	for (unsigned i = 0; i < 2; i++)
		low[i] = _mm512_load_si512(set->low + 32 * i);
	for (unsigned i = 0; i < 4; i++)
		high[i] = _mm512_load_si512(set->high + 16 * i);
	pack_16(set->low, low, rest);
	pack_32(set->high, high, rest);
}

AVX512_INLINE void shift_avx512(struct lru_set64 *set, unsigned ways, unsigned first)
{
	for (unsigned i = 0; first + i < ways; i += 32)
		_mm512_store_si512(set->low + i, _mm512_loadu_si512(set->low + first + i));
	for (unsigned i = 0; first + i < ways; i += 16)
		_mm512_store_si512(set->high + i, _mm512_loadu_si512(set->high + first + i));
}

AVX512_INLINE void append_avx512(struct lru_set64 *set, unsigned to, const struct block *block,
				 uint64_t lines)
{
	__m512i low[2], high[4];

	for (unsigned i = 0; i < 2; i++)
		low[i] = _mm512_loadu_si512(block->low + 32 * i);
	for (unsigned i = 0; i < 4; i++)
		high[i] = _mm512_loadu_si512(block->high + 16 * i);
	pack_16(set->low + to, low, lines);
	pack_32(set->high + to, high, lines);
}

__attribute__((target(LRU_AVX512))) static unsigned
touch_avx512(const struct lru lru, const uint64_t *lines, unsigned count, uint8_t *hit)
{
	static const struct functions wide = {equal_avx512,   none_avx512,   shift_avx512,
					      compact_avx512, append_avx512, equal_bytes_avx512};
	struct block block;

	block.count = count;
	block.hit = hit;
	return touch_block(&lru, lines, &block, &wide);
}
#endif

unsigned lru_touch_medium(const struct lru *lru, const uint64_t *lines, unsigned count,
			  uint8_t *hit)
{
	unsigned hits = 0;

	for (unsigned i = 0; i < count; i += BLOCK) {
		unsigned some = count - i < BLOCK ? count - i : BLOCK;

#ifdef __x86_64__
		if (lru->wide) {
			hits += touch_avx512(*lru, lines + i, some, hit + i);
			continue;
		}
#endif
		hits += touch_any(*lru, lines + i, some, hit + i);
	}
	return hits;
}
