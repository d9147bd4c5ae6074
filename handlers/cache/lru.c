/* SPDX-License-Identifier: MIT */
#include "handlers/cache/lru.h"

#include <stdlib.h>
#include <string.h>

#include "handlers/cache/lru_sets.h"

/* Addresses of a GPU have 48 bits; a tag is one more than a number. */
enum { ADDRESS_BITS = 49 };
enum { WAYS_MAX = 1 << 16 };

static bool power(uint64_t number)
{
	return number && !(number & (number - 1));
}

bool lru_shape_valid(const struct lru_shape *shape)
{
	return power(shape->size) && power(shape->line) && power(shape->ways) &&
	       shape->ways <= WAYS_MAX && shape->size / shape->line >= shape->ways;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static bool make_present(struct lru *lru)
{
	uint64_t places = 4 * lru->sets * lru->ways;

	lru->present_shift = 64 - (unsigned)__builtin_ctzll(places);
	lru->present = calloc(places, sizeof(*lru->present));
	return lru->present != NULL;
}

static bool make_rings(struct lru *lru)
{
	size_t lines = lru->sets * lru->ways;

	lru->low = calloc(lines, sizeof(*lru->low));
	lru->high = calloc(lines, sizeof(*lru->high));
	lru->next = calloc(lines, sizeof(*lru->next));
	lru->prev = calloc(lines, sizeof(*lru->prev));
	lru->first = calloc(lru->sets, sizeof(*lru->first));
	if (!lru->low || !lru->high || !lru->next || !lru->prev || !lru->first)
		return false;
	for (size_t i = 0; i < lines; i++) {
		lru->next[i] = (uint16_t)((i + 1) & (lru->ways - 1));
		lru->prev[i] = (uint16_t)((i - 1) & (lru->ways - 1));
	}
	return make_present(lru);
}

/* Only memory that is in use is touched. */
static void *make_aligned(struct lru *lru, size_t set)
{
	lru->memory = calloc(1, lru->sets * set + LRU_ALIGN);
	if (!lru->memory)
		return NULL;
	return (void *)(((uintptr_t)lru->memory + LRU_ALIGN - 1) & ~(uintptr_t)(LRU_ALIGN - 1));
}

static bool make_small(struct lru *lru)
{
	lru->small = make_aligned(lru, sizeof(*lru->small));
	return lru->small;
}

static bool make_medium(struct lru *lru)
{
	lru->medium = make_aligned(lru, sizeof(*lru->medium));
	return lru->medium;
}

static bool has_avx512(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2");
#else
	return false;
#endif
}

bool lru_init(struct lru *lru, const struct lru_shape *shape)
{
	*lru = (struct lru){.ways = (unsigned)shape->ways,
			    .sets = shape->size / shape->line / shape->ways};
	lru->log = (unsigned)__builtin_ctzll(lru->sets);
	lru->wide = has_avx512();
	/* A small set keeps 32 bits of a tag. */
	if (lru->ways <= LRU_SMALL &&
			    (unsigned)__builtin_ctzll(shape->line) + lru->log + 32 >= ADDRESS_BITS
		    ? make_small(lru)
	    : lru->ways <= LRU_MEDIUM ? make_medium(lru)
				      : make_rings(lru))
		return true;
	lru_deinit(lru);
	return false;
}

void lru_deinit(struct lru *lru)
{
	free(lru->memory);
	free(lru->low);
	free(lru->high);
	free(lru->next);
	free(lru->prev);
	free(lru->first);
	free(lru->present);
	*lru = (struct lru){0};
}

/* The order in which empty ways are filled does not matter. */
void lru_empty(struct lru *lru)
{
	size_t lines = lru->sets * lru->ways;

	if (lru->small) {
		memset(lru->small, 0, lru->sets * sizeof(*lru->small));
		return;
	}
	for (uint64_t i = 0; i < lru->sets && lru->medium; i++) {
		memset(lru->medium[i].low, 0, sizeof(lru->medium[i].low));
		memset(lru->medium[i].high, 0, sizeof(lru->medium[i].high));
	}
	if (lru->medium)
		return;
	memset(lru->low, 0, lines * sizeof(*lru->low));
	memset(lru->high, 0, lines * sizeof(*lru->high));
	memset(lru->present, 0, 4 * lines * sizeof(*lru->present));
}

/* ---- Short sets ------------------------------------------------------------------------------ */

/*
 * Moves the tag to the front of its set. If it is not there, the last way's tag is dropped. The
 * three functions do the same.
 */
#ifdef __SSE2__
static inline bool touch_set(struct lru_set *set, unsigned last, uint32_t tag)
{
	__m128i *at = (__m128i *)(void *)set->tag, old[4], same[4], moved[4], end;
	const __m128i want = _mm_set1_epi32((int)tag), places = _mm_setr_epi32(0, 1, 2, 3);
	unsigned found;

	for (unsigned i = 0; i < 4; i++) {
		old[i] = _mm_load_si128(at + i);
		same[i] = _mm_cmpeq_epi32(old[i], want);
	}
	found = (unsigned)_mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(same[0], same[1]),
							    _mm_packs_epi32(same[2], same[3])));
	if (found & 1)
		return true;
	end = _mm_set1_epi32((int)(unsigned)__builtin_ctz(found | 1u << last));
	moved[0] = _mm_or_si128(_mm_slli_si128(old[0], 4), _mm_cvtsi32_si128((int)tag));
	for (unsigned i = 1; i < 4; i++)
		moved[i] = _mm_or_si128(_mm_slli_si128(old[i], 4), _mm_srli_si128(old[i - 1], 12));
	for (unsigned i = 0; i < 4; i++) {
		__m128i place = _mm_add_epi32(places, _mm_set1_epi32((int)(4 * i)));
		__m128i stays = _mm_cmpgt_epi32(place, end);

		_mm_store_si128(at + i, _mm_or_si128(_mm_and_si128(stays, old[i]),
						     _mm_andnot_si128(stays, moved[i])));
	}
	return found != 0;
}
#else
static inline bool touch_set(struct lru_set *set, unsigned last, uint32_t tag)
{
	unsigned at = 0;
	bool found;

	while (at < last && set->tag[at] != tag)
		at++;
	found = set->tag[at] == tag;
	memmove(set->tag + 1, set->tag, at * sizeof(tag));
	set->tag[0] = tag;
	return found;
}
#endif

/* Passed by value, so that it cannot alias what is written. */
static uint64_t touch_sets(const struct lru lru, const uint64_t *lines, unsigned count)
{
	uint64_t hit = 0;

	for (unsigned i = 0; i < count; i++)
		hit |= (uint64_t)touch_set(&lru.small[lines[i] & (lru.sets - 1)], lru.ways - 1,
					   (uint32_t)lru_tag(&lru, lines[i]))
		       << i;
	return hit;
}

#ifdef __x86_64__
__attribute__((target(LRU_AVX512))) static uint64_t
touch_sets_avx512(const struct lru lru, const uint64_t *lines, unsigned count)
{
	const unsigned last = 1u << (lru.ways - 1);
	uint32_t tags[LRU_LINES_MAX], sets[LRU_LINES_MAX];
	uint16_t found[LRU_LINES_MAX];
	__m512i lower, upper;

	for (unsigned i = 0; i < count; i++) {
		tags[i] = (uint32_t)lru_tag(&lru, lines[i]);
		sets[i] = (uint32_t)lines[i] & (uint32_t)(lru.sets - 1);
	}
#pragma GCC unroll 8
	for (unsigned i = 0; i < count; i++) {
		struct lru_set *set = &lru.small[sets[i]];
		__m512i tag = _mm512_set1_epi32((int)tags[i]);
		__m512i old = _mm512_load_si512(set);
		unsigned ways = _mm512_cmpeq_epi32_mask(old, tag), end = ways | last;

		/* Up to the lowest bit of `end`, each tag moves by one. */
		_mm512_store_si512(set, _mm512_mask_alignr_epi32(old, (__mmask16)(end ^ (end - 1)),
								 old, tag, 15));
		found[i] = (uint16_t)ways;
	}
	lower = _mm512_loadu_si512(found);
	upper = _mm512_loadu_si512(found + 32);
	return (_mm512_test_epi16_mask(lower, lower) |
		(uint64_t)_mm512_test_epi16_mask(upper, upper) << 32) &
	       (count ? UINT64_MAX >> (64 - count) : 0);
}
#endif

/* ---- Long sets ------------------------------------------------------------------------------- */

/*
 * All lines are looked up before the first is touched, because reading a whole set would wait for a
 * store to a part of it. The lines are distinct, so touching one never adds another. If it evicts
 * another, that is detected when the other is touched.
 */

/* Among the ways with the low part of the tag, the one with the whole tag; -1 = none. */
static inline int have_all(uint64_t ways, const uint32_t *high, uint64_t tag)
{
	for (; ways; ways &= ways - 1) {
		int way = __builtin_ctzll(ways);

		if (high[way] == (uint32_t)(tag >> 16))
			return way;
	}
	return -1;
}

static inline bool holds(const uint16_t *low, const uint32_t *high, unsigned way, uint64_t tag)
{
	return low[way] == (uint16_t)tag && high[way] == (uint32_t)(tag >> 16);
}

static uint32_t *present_of(const struct lru *lru, uint64_t tag, uint64_t set)
{
	tag &= 0xffffffffffffull;
	return &lru->present[(tag << lru->log | set) * 0x9e3779b97f4a7c15ull >> lru->present_shift];
}

/* The way that holds the tag, or `ways`. */
static unsigned search(const struct lru *lru, uint64_t set, uint64_t tag)
{
	size_t base = set * lru->ways;

	if (!*present_of(lru, tag, set))
		return lru->ways;
	for (unsigned way = 0; way < lru->ways; way += LRU_AT_ONCE) {
		unsigned ways = lru_equal_16(lru->low + base + way, (uint16_t)tag);
		int found = have_all(ways, lru->high + base + way, tag);

		if (found >= 0)
			return way + (unsigned)found;
	}
	return lru->ways;
}

/* Moves it to the front of the ring. */
static void ring_to_front(uint16_t *next, uint16_t *prev, uint16_t first, uint16_t way)
{
	next[prev[way]] = next[way];
	prev[next[way]] = prev[way];
	next[way] = first;
	prev[way] = prev[first];
	next[prev[first]] = way;
	prev[first] = way;
}

/* way: of the tag before earlier lines were touched; `ways` = none. */
static bool touch_ring(const struct lru *lru, uint64_t set, uint64_t tag, unsigned way)
{
	size_t base = set * lru->ways;
	uint16_t *low = lru->low + base, *prev = lru->prev + base;
	uint32_t *high = lru->high + base;
	unsigned first = lru->first[set];
	uint64_t old;

	if (way < lru->ways && holds(low, high, way, tag)) {
		if (way != first && way != prev[first])
			ring_to_front(lru->next + base, prev, (uint16_t)first, (uint16_t)way);
		lru->first[set] = (uint16_t)way;
		return true;
	}
	/* Evicts the last one; its way becomes the first. */
	way = prev[first];
	lru->first[set] = (uint16_t)way;
	old = (uint64_t)high[way] << 16 | low[way];
	if (old)
		--*present_of(lru, old, set);
	++*present_of(lru, tag, set);
	low[way] = (uint16_t)tag;
	high[way] = (uint32_t)(tag >> 16);
	return false;
}

static uint64_t touch_rings(const struct lru lru, const uint64_t *lines, unsigned count)
{
	const uint64_t mask = lru.sets - 1;
	uint32_t way[LRU_LINES_MAX];
	uint64_t hit = 0;

	for (unsigned i = 0; i < count; i++)
		way[i] = search(&lru, lines[i] & mask, lru_tag(&lru, lines[i]));
	for (unsigned i = 0; i < count; i++)
		hit |= (uint64_t)touch_ring(&lru, lines[i] & mask, lru_tag(&lru, lines[i]), way[i])
		       << i;
	return hit;
}

uint64_t lru_touch(struct lru *lru, const uint64_t *lines, unsigned count)
{
	if (lru->medium)
		return lru_touch_medium(lru, lines, count);
	if (!lru->small)
		return touch_rings(*lru, lines, count);
#ifdef __x86_64__
	if (lru->wide)
		return touch_sets_avx512(*lru, lines, count);
#endif
	return touch_sets(*lru, lines, count);
}
