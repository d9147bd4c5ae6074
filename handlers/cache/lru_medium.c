/* SPDX-License-Identifier: MIT */
/*
 * Sets of up to 64 ways (struct lru_set64). The lines of one access that are in one set are touched
 * together: all are looked up first, and the set is rearranged once. Lines that were last touched
 * one after the other, and are touched in that order again, are found by one compare.
 */
#include <string.h>

#include "handlers/cache/lru_sets.h"

/*
 * Lines of an access are sorted by set if there are at most so many sets and at least so many
 * lines.
 */
enum { SORTED_SETS = 8, SORTED_LINES = 8, BLOCK = LRU_LINES_MAX };

/* Tags of lines in two parts, as in a set. */
struct tags {
	uint16_t low[BLOCK], unused_low[32]; /* vectors are read across the end */
	uint32_t high[BLOCK], unused_high[32];
};

/* Lines of one access that are touched, at most BLOCK. */
struct block {
	struct tags tags;
	uint32_t low_twice[BLOCK]; /* tags.low, in both halves */
	uint32_t offset[BLOCK];	   /* of the sets, in bytes */
	uint8_t set[BLOCK];
	unsigned count;
};

/* The lines that may be in their set: those with the low part of a tag in it. */
typedef uint64_t candidates_function(const struct lru *lru, struct block *block);
/*
 * Makes place at the end of a set: moves the tags that stay to the front. They are those from
 * `first` on, or those with a bit in `rest`.
 */
typedef void shift_function(struct lru_set64 *set, unsigned ways, unsigned first);
typedef void compact_function(struct lru_set64 *set, unsigned ways, uint64_t rest);
/* Copies the tags of `lines`, one after the other. */
typedef void pack_function(uint16_t *low, uint32_t *high, const struct tags *tags, uint64_t lines);
/* Which tags of a set have that low part. */
typedef uint64_t equal_function(const struct lru_set64 *set, uint16_t low);
/*
 * How many tags from `way` on are equal to those from `at` on, of which the first is. It may count
 * some beyond the ends, and need not count all.
 */
typedef unsigned run_function(const struct lru_set64 *set, unsigned way, const struct tags *tags,
			      unsigned at);
/* A bit for each of BLOCK bytes that is equal to `byte`. */
typedef uint64_t bytes_function(const uint8_t *bytes, uint8_t byte);
/* The lowest `count` bits that are set. */
typedef uint64_t lowest_function(uint64_t bits, unsigned count);

struct functions {
	candidates_function *candidates;
	equal_function *equal;
	run_function *run;
	shift_function *shift;
	compact_function *compact;
	pack_function *pack;
	bytes_function *bytes;
	lowest_function *lowest;
};

/* The lowest `count` bits. */
static inline uint64_t ones(unsigned count)
{
	return count ? UINT64_MAX >> (64 - count) : 0;
}

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
 * Which of the lines hit. They are distinct, so that a tag that was there before hits unless lines
 * before it replaced it. *rest: all ways; afterwards those neither touched nor replaced.
 */
static inline __attribute__((always_inline)) uint64_t
find_hits(const struct lru_set64 *set, const struct block *block, uint64_t lines, uint64_t maybe,
	  uint64_t *rest, const struct functions *do_)
{
	const unsigned ways = (unsigned)__builtin_popcountll(*rest);
	uint64_t hit = 0, stay = *rest;
	struct tags tags; /* only those of the lines are initialised */
	unsigned at = 0;

	do_->pack(tags.low, tags.high, &block->tags, lines);
	while (lines) {
		uint64_t next = lines & maybe, missed = lines & ((next & -next) - 1), place;
		unsigned misses = (unsigned)__builtin_popcountll(missed), way, run;

		/* Each replaces the least recently used one. */
		stay &= ~do_->lowest(stay, misses);
		lines &= ~missed;
		at += misses;
		if (!next)
			break;
		place = find_way(set, stay, tags.low[at], tags.high[at], do_);
		if (!place) {
			maybe &= ~(next & -next);
			continue;
		}
		way = (unsigned)__builtin_ctzll(place);
		run = do_->run(set, way, &tags, at);
		/* Later ways that are not in `stay` hold lines touched before, thus others. */
		next = do_->lowest(lines, run < ways - way ? run : ways - way);
		run = (unsigned)__builtin_popcountll(next);
		hit |= next;
		lines &= ~next;
		stay &= ~(ones(run) << way);
		at += run;
	}
	*rest = stay;
	return hit;
}

/* Touches the lines of `lines`, which all are in `set`. Returns those that hit. */
static inline __attribute__((always_inline)) uint64_t
touch_ways(unsigned ways, struct lru_set64 *set, const struct block *block, uint64_t lines,
	   uint64_t maybe, const struct functions *do_)
{
	uint64_t rest = ones(ways), hit = 0;
	unsigned count = (unsigned)__builtin_popcountll(lines);

	if (lines & maybe)
		hit = find_hits(set, block, lines, maybe, &rest, do_);
	for (; count > ways; count--)
		lines &= lines - 1;
	if (hit)
		do_->compact(set, ways, rest);
	else
		do_->shift(set, ways, count);
	do_->pack(set->low + (ways - count), set->high + (ways - count), &block->tags, lines);
	return hit;
}

/* True if all lines are in one set, and the first two were touched one after the other before. */
static inline __attribute__((always_inline)) bool repeats(const struct lru *lru,
							  const struct block *block, uint64_t every,
							  const struct functions *do_)
{
	const struct lru_set64 *set = &lru->medium[block->set[0]];
	const struct tags *tags = &block->tags;
	uint64_t place;

	if (every & ~do_->bytes(block->set, block->set[0]))
		return false;
	place = find_way(set, ones(lru->ways) >> 1, tags->low[0], tags->high[0], do_);
	return place && set->low[__builtin_ctzll(place) + 1] == tags->low[1];
}

/* Each set once, with all its lines, if there are few sets and many lines. */
static inline __attribute__((always_inline)) uint64_t touch_block(const struct lru *lru,
								  const uint64_t *lines,
								  unsigned count,
								  const struct functions *do_)
{
	const uint64_t mask = lru->sets - 1, every = ones(count);
	const unsigned log = lru->log;
	uint64_t hit = 0, maybe;
	struct block block;

	if (lru->sets > SORTED_SETS || count < SORTED_LINES) {
		for (unsigned i = 0; i < count; i++)
			hit |= (uint64_t)touch_way(lru->ways, &lru->medium[lines[i] & mask],
						   lru_tag(lru, lines[i]), do_)
			       << i;
		return hit;
	}
	block.count = count;
	for (unsigned i = 0; i < count; i++) {
		uint64_t tag = (lines[i] >> log) + 1;

		block.tags.low[i] = (uint16_t)tag;
		block.tags.high[i] = (uint32_t)(tag >> 16);
		block.low_twice[i] = (uint16_t)tag * 0x10001u;
		block.set[i] = (uint8_t)(lines[i] & mask);
		block.offset[i] = (uint32_t)(lines[i] & mask) * (uint32_t)sizeof(*lru->medium);
	}
	if (repeats(lru, &block, every, do_))
		maybe = every;
	else
		maybe = do_->candidates(lru, &block);
	for (unsigned i = 0; i < lru->sets; i++) {
		uint64_t some = do_->bytes(block.set, (uint8_t)i) & every;

		if (some)
			hit |= touch_ways(lru->ways, &lru->medium[i], &block, some, maybe, do_);
	}
	return hit;
}

/* ---- The same for any processor -------------------------------------------------------------- */

static inline uint64_t equal_any(const struct lru_set64 *set, uint16_t low)
{
	uint64_t ways = 0;

	for (unsigned way = 0; way < LRU_MEDIUM; way += LRU_AT_ONCE)
		ways |= (uint64_t)lru_equal_16(set->low + way, low) << way;
	return ways;
}

static inline uint64_t candidates_any(const struct lru *lru, struct block *block)
{
	uint64_t maybe = 0;

	for (unsigned i = 0; i < block->count; i++) {
		const uint16_t *low = lru->medium[block->set[i]].low, wanted = block->tags.low[i];
		uint16_t equal = 0;

		for (unsigned way = 0; way < LRU_MEDIUM; way++)
			equal |= low[way] == wanted;
		maybe |= (uint64_t)(equal != 0) << i;
	}
	return maybe;
}

static inline unsigned run_any(const struct lru_set64 *set, unsigned way, const struct tags *tags,
			       unsigned at)
{
	unsigned run = 1;

	while (way + run < LRU_MEDIUM && at + run < BLOCK &&
	       set->low[way + run] == tags->low[at + run] &&
	       set->high[way + run] == tags->high[at + run])
		run++;
	return run;
}

static inline uint64_t lowest_any(uint64_t bits, unsigned count)
{
	uint64_t rest = bits;

	for (; count; count--)
		rest &= rest - 1;
	return bits & ~rest;
}

static inline uint64_t equal_bytes(const uint8_t *bytes, uint8_t byte)
{
	uint64_t ret = 0;

	for (unsigned i = 0; i < BLOCK; i += LRU_AT_ONCE)
		ret |= (uint64_t)lru_equal_8(bytes + i, byte) << i;
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

static inline void pack_any(uint16_t *low, uint32_t *high, const struct tags *tags, uint64_t lines)
{
	for (; lines; lines &= lines - 1) {
		*low++ = tags->low[__builtin_ctzll(lines)];
		*high++ = tags->high[__builtin_ctzll(lines)];
	}
}

CACHE_VECTORS static uint64_t touch_any(const struct lru *lru, const uint64_t *lines,
					unsigned count)
{
	static const struct functions any = {
		.candidates = candidates_any,
		.equal = equal_any,
		.run = run_any,
		.shift = shift_any,
		.compact = compact_any,
		.pack = pack_any,
		.bytes = equal_bytes,
		.lowest = lowest_any,
	};

	return touch_block(lru, lines, count, &any);
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

/* Without branches, because a misprediction takes as long as some lines. */
AVX512_INLINE uint64_t candidates_avx512(const struct lru *lru, struct block *block)
{
	uint32_t equal[BLOCK];
	uint64_t maybe = 0;

	for (unsigned i = block->count; i % 8; i++) {
		block->low_twice[i] = block->low_twice[0];
		block->offset[i] = block->offset[0];
	}
	for (unsigned i = 0; i < block->count; i += 8) {
#pragma GCC unroll 8
		for (unsigned k = i; k < i + 8; k++) {
			const char *set = (const char *)lru->medium + block->offset[k];
			__m512i low = _mm512_set1_epi32((int)block->low_twice[k]);
			__mmask32 lower = _mm512_cmpeq_epi16_mask(_mm512_load_si512(set), low);
			__mmask32 upper = _mm512_cmpeq_epi16_mask(_mm512_load_si512(set + 64), low);

			_store_mask32(&equal[k], _kor_mask32(lower, upper));
		}
	}
	for (unsigned i = 0; i < BLOCK; i += 16) {
		__m512i some = _mm512_loadu_si512(equal + i);

		maybe |= (uint64_t)_mm512_test_epi32_mask(some, some) << i;
	}
	return maybe & ones(block->count);
}

AVX512_INLINE unsigned run_avx512(const struct lru_set64 *set, unsigned way,
				  const struct tags *tags, unsigned at)
{
	const uint32_t *high = set->high + way, *other = tags->high + at;
	uint64_t low = _mm512_cmpneq_epi16_mask(_mm512_loadu_si512(set->low + way),
						_mm512_loadu_si512(tags->low + at));
	uint64_t lower =
		_mm512_cmpneq_epi32_mask(_mm512_loadu_si512(high), _mm512_loadu_si512(other));
	uint64_t upper = _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(high + 16),
						  _mm512_loadu_si512(other + 16));

	return (unsigned)__builtin_ctzll(low | lower | upper << 16 | 1ull << 32);
}

AVX512_INLINE uint64_t lowest_avx512(uint64_t bits, unsigned count)
{
	return _pdep_u64(ones(count), bits);
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

/* Reads and writes everything: a loop of unknown length costs more. */
AVX512_INLINE void shift_avx512(struct lru_set64 *set, unsigned ways, unsigned first)
{
	(void)ways;
	for (unsigned i = 0; i < LRU_MEDIUM; i += 32)
		_mm512_store_si512(set->low + i, _mm512_loadu_si512(set->low + first + i));
	for (unsigned i = 0; i < LRU_MEDIUM; i += 16)
		_mm512_store_si512(set->high + i, _mm512_loadu_si512(set->high + first + i));
}

AVX512_INLINE void pack_avx512(uint16_t *low, uint32_t *high, const struct tags *tags,
			       uint64_t lines)
{
	__m512i lows[2], highs[4];

	for (unsigned i = 0; i < 2; i++)
		lows[i] = _mm512_loadu_si512(tags->low + 32 * i);
	for (unsigned i = 0; i < 4; i++)
		highs[i] = _mm512_loadu_si512(tags->high + 16 * i);
	pack_16(low, lows, lines);
	pack_32(high, highs, lines);
}

__attribute__((target(LRU_AVX512))) static uint64_t
touch_avx512(const struct lru lru, const uint64_t *lines, unsigned count)
{
	static const struct functions wide = {
		.candidates = candidates_avx512,
		.equal = equal_avx512,
		.run = run_avx512,
		.shift = shift_avx512,
		.compact = compact_avx512,
		.pack = pack_avx512,
		.bytes = equal_bytes_avx512,
		.lowest = lowest_avx512,
	};

	return touch_block(&lru, lines, count, &wide);
}
#endif

uint64_t lru_touch_medium(const struct lru *lru, const uint64_t *lines, unsigned count)
{
#ifdef __x86_64__
	if (lru->wide)
		return touch_avx512(*lru, lines, count);
#endif
	return touch_any(lru, lines, count);
}
