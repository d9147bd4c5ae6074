/* SPDX-License-Identifier: MIT */
#include "handlers/cache/lru.h"

#include <stdlib.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

/* Number of ways whose tags are compared at once. */
enum { AT_ONCE = 16 };
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
	for (uint64_t i = 0; i < lru->sets && lru->medium; i++) {
		struct lru_set64 *set = &lru->medium[i];

		for (unsigned way = 0; way < lru->ways; way++)
			set->queue[way] = set->place[way] = (uint8_t)way;
		set->tail = (uint8_t)lru->ways;
	}
	return lru->medium;
}

bool lru_init(struct lru *lru, const struct lru_shape *shape)
{
	*lru = (struct lru){.ways = (unsigned)shape->ways,
			    .sets = shape->size / shape->line / shape->ways};
	lru->log = (unsigned)__builtin_ctzll(lru->sets);
	if (lru->ways <= LRU_SMALL    ? make_small(lru)
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

/*
 * All lines are looked up before the first is touched, because reading a whole set would wait for a
 * store to a part of it. The lines are distinct, so touching one never adds another. If it evicts
 * another, that is detected when the other is touched.
 */

/* ---- Which ways have the tag ----------------------------------------------------------------- */

/* A mask with a bit for each of 16 ways. */
#ifdef __SSE2__
static inline unsigned equal_16(const uint16_t *low, uint16_t tag)
{
	const __m128i want = _mm_set1_epi16((short)tag), *at = (const __m128i *)(const void *)low;
	__m128i a = _mm_cmpeq_epi16(_mm_loadu_si128(at), want);
	__m128i b = _mm_cmpeq_epi16(_mm_loadu_si128(at + 1), want);

	return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(a, b));
}
#else
static inline unsigned equal_16(const uint16_t *low, uint16_t tag)
{
	unsigned ret = 0;

	for (unsigned way = 0; way < AT_ONCE; way++)
		ret |= (unsigned)(low[way] == tag) << way;
	return ret;
}
#endif

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

/* 48 bits are kept; they are never 0 for an address. */
static inline uint64_t tag_of(const struct lru *lru, uint64_t line)
{
	return (line >> lru->log) + 1;
}

/* ---- Short sets ------------------------------------------------------------------------------ */

/* Makes a way the most recently used. */
static inline uint64_t to_front(uint64_t order, unsigned way)
{
	const uint64_t ones = 0x1111111111111111ull;
	uint64_t differ = order ^ way * ones;
	/* The lowest equal position is exact; those above may be wrong. */
	unsigned at = (unsigned)__builtin_ctzll((differ - ones) & ~differ & ones << 3) & ~3u;
	uint64_t before = (1ull << at) - 1;

	return (order & ~before & ~(15ull << at)) | (order & before) << 4 | way;
}

/* found: the way of the tag before earlier lines were touched; -1 = none. */
static inline bool touch_set(struct lru_set *set, unsigned last, uint64_t tag, int found)
{
	uint64_t order = set->order ^ LRU_ORDER;
	unsigned way;

	if (found >= 0 && holds(set->low, set->high, (unsigned)found, tag)) {
		if ((order & 15) != (unsigned)found)
			set->order = to_front(order, (unsigned)found) ^ LRU_ORDER;
		return true;
	}
	/* Evict the last way. The order after it does not matter. */
	way = (unsigned)(order >> last) & 15;
	set->order = (order << 4 | way) ^ LRU_ORDER;
	set->low[way] = (uint16_t)tag;
	set->high[way] = (uint32_t)(tag >> 16);
	return false;
}

/* Passed by value, so that it cannot alias what is written. */
static unsigned touch_sets(const struct lru lru, const uint64_t *lines, unsigned count,
			   uint8_t *hit)
{
	const unsigned last = 4 * (lru.ways - 1);
	const uint64_t mask = lru.sets - 1;
	int8_t found[LRU_LINES_MAX];
	unsigned hits = 0;

	for (unsigned i = 0; i < count; i++) {
		const struct lru_set *set = &lru.small[lines[i] & mask];
		uint64_t tag = tag_of(&lru, lines[i]);

		found[i] = (int8_t)have_all(equal_16(set->low, (uint16_t)tag), set->high, tag);
	}
	for (unsigned i = 0; i < count; i++) {
		bool there = touch_set(&lru.small[lines[i] & mask], last, tag_of(&lru, lines[i]),
				       found[i]);

		hit[i] = there;
		hits += there;
	}
	return hits;
}

/* ---- Sets of up to 64 ways ------------------------------------------------------------------- */

static void find_medium(const struct lru lru, const uint64_t *lines, unsigned count, int8_t *found)
{
	for (unsigned i = 0; i < count; i++) {
		const struct lru_set64 *set = &lru.medium[lines[i] & (lru.sets - 1)];
		uint64_t tag = tag_of(&lru, lines[i]), ways = 0;

		for (unsigned way = 0; way < LRU_MEDIUM; way += AT_ONCE)
			ways |= (uint64_t)equal_16(set->low + way, (uint16_t)tag) << way;
		found[i] = (int8_t)have_all(ways, set->high, tag);
	}
}

#ifdef __x86_64__
/* The same, vectorised: sixteen tags at once. */
__attribute__((target("avx2"))) static inline uint32_t equal_32(const uint16_t *low, __m256i tag)
{
	const __m256i *at = (const __m256i *)(const void *)low;
	__m256i a = _mm256_cmpeq_epi16(_mm256_load_si256(at), tag);
	__m256i b = _mm256_cmpeq_epi16(_mm256_load_si256(at + 1), tag);

	/* Packing works per 128-bit half of a register. */
	a = _mm256_permute4x64_epi64(_mm256_packs_epi16(a, b), 0xd8);
	return (uint32_t)_mm256_movemask_epi8(a);
}

__attribute__((target("avx2"))) static void
find_medium_avx2(const struct lru lru, const uint64_t *lines, unsigned count, int8_t *found)
{
	for (unsigned i = 0; i < count; i++) {
		const struct lru_set64 *set = &lru.medium[lines[i] & (lru.sets - 1)];
		uint64_t tag = tag_of(&lru, lines[i]);
		__m256i low = _mm256_set1_epi16((short)tag);
		uint64_t ways = equal_32(set->low, low) | (uint64_t)equal_32(set->low + 32, low)
								  << 32;

		found[i] = (int8_t)have_all(ways, set->high, tag);
	}
}
#endif

/* The queue is full: drops invalid entries. At most one per way remains. */
static void shorten(struct lru_set64 *set)
{
	uint8_t to = set->head;

	for (uint8_t at = set->head; at != set->tail; at++) {
		uint8_t way = set->queue[at];

		if (set->place[way] != at)
			continue;
		set->queue[to] = way;
		set->place[way] = to++;
	}
	set->tail = to;
}

static inline void note(struct lru_set64 *set, unsigned way)
{
	set->queue[set->tail] = (uint8_t)way;
	set->place[way] = set->tail++;
	/* This invalidates the way's previous entry. */
	if (set->tail == set->head) {
		set->tail--;
		shorten(set);
		set->queue[set->tail] = (uint8_t)way;
		set->place[way] = set->tail++;
	}
}

/* Replaces the least recently used way. */
static inline void replace(struct lru_set64 *set, uint64_t tag)
{
	uint8_t head = set->head;
	unsigned way;

	do
		way = set->queue[head];
	while (set->place[way] != head++);
	set->head = head;
	set->low[way] = (uint16_t)tag;
	set->high[way] = (uint32_t)(tag >> 16);
	note(set, way);
}

/* found: the ways of the tags before the first line was touched; -1 = none. */
static unsigned touch_medium(const struct lru lru, const uint64_t *lines, unsigned count,
			     const int8_t *found, uint8_t *hit)
{
	const uint64_t mask = lru.sets - 1;
	unsigned hits = 0;

	for (unsigned i = 0; i < count; i++) {
		struct lru_set64 *set = &lru.medium[lines[i] & mask];
		uint64_t tag = tag_of(&lru, lines[i]);
		unsigned way = (unsigned)found[i];

		hit[i] = found[i] >= 0 && holds(set->low, set->high, way, tag);
		hits += hit[i];
		if (hit[i])
			note(set, way);
		else
			replace(set, tag);
	}
	return hits;
}

/* ---- Long sets ------------------------------------------------------------------------------- */

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
	for (unsigned way = 0; way < lru->ways; way += AT_ONCE) {
		unsigned ways = equal_16(lru->low + base + way, (uint16_t)tag);
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

static unsigned touch_rings(const struct lru lru, const uint64_t *lines, unsigned count,
			    uint8_t *hit)
{
	const uint64_t mask = lru.sets - 1;
	uint32_t way[LRU_LINES_MAX];
	unsigned hits = 0;

	for (unsigned i = 0; i < count; i++)
		way[i] = search(&lru, lines[i] & mask, tag_of(&lru, lines[i]));
	for (unsigned i = 0; i < count; i++) {
		bool there = touch_ring(&lru, lines[i] & mask, tag_of(&lru, lines[i]), way[i]);

		hit[i] = there;
		hits += there;
	}
	return hits;
}

unsigned lru_touch(struct lru *lru, const uint64_t *lines, unsigned count, uint8_t *hit)
{
	int8_t found[LRU_LINES_MAX];

	if (lru->small)
		return touch_sets(*lru, lines, count, hit);
	if (!lru->medium)
		return touch_rings(*lru, lines, count, hit);
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2"))
		find_medium_avx2(*lru, lines, count, found);
	else
#endif
		find_medium(*lru, lines, count, found);
	return touch_medium(*lru, lines, count, found, hit);
}
