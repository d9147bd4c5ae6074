/* SPDX-License-Identifier: MIT */
/*
 * The L2 of each die, and the MALL behind all of them: 16 ways of 128-byte lines. Each half is
 * fetched separately where the L1's lines have 64 bytes (MI210).
 *
 * Within an epoch a unit sees the L2 as it was at the start of the epoch, and what it has touched
 * itself since. At the end of an epoch the touches of all units are entered into the L2, one unit
 * after the other. If an earlier unit fetched the same line, the later unit's access counts as a
 * hit, although it waited for memory.
 */
#include "simgpu/time/l2_cache.h"

#include <emmintrin.h>
#include <stdlib.h>
#include <string.h>

#include "simgpu/base/simulated_device.h"

enum {
	FIRST_SIZE = 256, /* initial size of the table of touches */
	VALID = 3,
	DIRTY = 12,
	MERGE_AHEAD = 8, /* touches for which the host fetches the sets before they are entered */
};

static uint32_t set_of(const struct time_cache *cache, uint64_t line)
{
	/*
	 * Pages are anywhere in memory: as buffers grow towards the size of the cache, misses grow
	 * as if pages of 4 KiB were placed at random [HW gb: 15, 37, 63 and 86 % at 6.3, 7.7, 9.3
	 * and 11.3 MB].
	 */
	uint64_t page = (line >> 5) * 0x9e3779b97f4a7c15u >> 40;

	return (uint32_t)(line ^ page) & (cache->sets - 1);
}

/* 28 bits of the line: lines 32 GiB apart are taken for one if they have the same set, too. */
static uint32_t tag_of(uint64_t line)
{
	return (uint32_t)line << 4;
}

/* The way that holds a line with this tag, or CACHE_WAYS. */
static int find_way(const uint32_t *set, uint32_t tag_bits)
{
	const __m128i tag = _mm_set1_epi32((int)tag_bits), tags = _mm_set1_epi32(~15);
	const __m128i *ways = (const __m128i *)set;
	uint32_t found = 0;

	for (int i = 0; i < CACHE_WAYS / 4; i++) {
		__m128i same = _mm_cmpeq_epi32(_mm_and_si128(_mm_load_si128(ways + i), tags), tag);

		found |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(same)) << (4 * i);
	}
	/* A way that was never used has the tag 0. */
	for (; found; found &= found - 1)
		if (set[__builtin_ctz(found)] & VALID)
			return __builtin_ctz(found);
	return CACHE_WAYS;
}

static uint32_t lookup(const struct time_cache *cache, uint32_t number, uint64_t line)
{
	const uint32_t *set = cache->set[number];
	int way = find_way(set, tag_of(line));

	return way < CACHE_WAYS ? set[way] : 0;
}

static bool create(struct time_cache *cache, uint32_t kib, uint32_t dies)
{
	size_t bytes = dies * (size_t)kib * 1024 / L2_LINE * sizeof(**cache->set);

	cache->sets = kib * 1024 / (L2_LINE * CACHE_WAYS);
	cache->dies = dies;
	cache->set = aligned_alloc(64, bytes);
	cache->flush = calloc((dies * (size_t)cache->sets + 63) / 64, sizeof(*cache->flush));
	if (!cache->set || !cache->flush)
		return false;
	memset(cache->set, 0, bytes);
	return true;
}

bool time_caches_create(struct sim_time *time)
{
	const struct sim_time_cost *cost = &sim_time_cost;

	return create(&time->l2, cost->l2_kib, sim_device()->xccs) &&
	       (!cost->mall_kib || create(&time->mall, cost->mall_kib, 1));
}

void time_caches_destroy(struct sim_time *time)
{
	free(time->l2.set);
	free(time->l2.flush);
	free(time->mall.set);
	free(time->mall.flush);
}

/* Sixteen lines in a row lie in one cache line of the host. */
static uint32_t hash(const struct time_touched *touched, uint64_t line)
{
	uint64_t block = line / 16 * 0x9e3779b97f4a7c15u;

	return (uint32_t)((block >> 32 & ~15u) | ((line ^ block >> 60) & 15)) & (touched->size - 1);
}

bool time_touched_init(struct time_touched *touched)
{
	touched->size = FIRST_SIZE;
	touched->count = 0;
	touched->touch = malloc(FIRST_SIZE / 2 * sizeof(*touched->touch));
	touched->index = calloc(FIRST_SIZE, sizeof(*touched->index));
	return touched->touch && touched->index;
}

/* Where the index of a line that is not in the table goes. */
static uint32_t free_index(const struct time_touched *touched, uint64_t line)
{
	uint32_t at = hash(touched, line);

	while (touched->index[at])
		at = (at + 1) & (touched->size - 1);
	return at;
}

/* Without memory for a larger table, the oldest touches are dropped, so the L2 misses them. */
static void grow(struct time_touched *touched)
{
	uint32_t size = touched->size * 2;
	struct time_touch *touch = realloc(touched->touch, size / 2 * sizeof(*touch));
	uint32_t *index = touch ? calloc(size, sizeof(*index)) : NULL;

	if (touch)
		touched->touch = touch;
	if (!index) {
		touched->count = 0;
		memset(touched->index, 0, touched->size * sizeof(*touched->index));
		return;
	}
	free(touched->index);
	touched->index = index;
	touched->size = size;
	for (uint32_t i = 0; i < touched->count; i++)
		index[free_index(touched, touch[i].line)] = i + 1;
}

struct time_touch *time_l2_touch(struct time_cu *cu, uint64_t line)
{
	struct time_touched *touched = &cu->touched;
	const struct time_cache *l2 = &cu->time->l2, *mall = &cu->time->mall;
	struct time_touch *touch;
	uint32_t set, found, at;

	/* Often this is the other half of the previous line. */
	if (touched->count && touched->touch[touched->count - 1].line == line)
		return &touched->touch[touched->count - 1];
	at = hash(touched, line);
	for (; touched->index[at]; at = (at + 1) & (touched->size - 1))
		if (touched->touch[touched->index[at] - 1].line == line)
			return &touched->touch[touched->index[at] - 1];
	if (touched->count == touched->size / 2) {
		grow(touched);
		at = free_index(touched, line);
	}
	set = cu->l2_set + set_of(l2, line);
	found = lookup(l2, set, line);
	touch = &touched->touch[touched->count];
	*touch = (struct time_touch){
		.line = line,
		.set = set,
		.valid = found & VALID,
		.dirty = (uint8_t)((found & DIRTY) >> 2),
	};
	if (mall->sets && (found & VALID) != VALID)
		touch->in_mall = lookup(mall, set_of(mall, line), line) & VALID;
	touched->index[at] = ++touched->count;
	return touch;
}

/* Halves fetched from memory that an earlier unit had already fetched count as hits. */
static void count_again(struct time_cu *cu, uint8_t again)
{
	uint32_t halves = count_halves(again);

	if (!halves)
		return;
	cu->counters.tcc_ea_read -= time_fetches(halves);
	cu->counters.tcc_hit++;
	cu->counters.tcc_miss--;
}

/* Makes a way the most recently used one, with this contents. */
static void put_first(uint32_t *set, int way, uint32_t now)
{
	memmove(set + 1, set, (size_t)way * sizeof(*set));
	set[0] = now;
}

/* Everything that the L2 reads or will write back passes through the MALL. */
static void merge_mall(struct time_cache *mall, uint64_t line, uint32_t halves)
{
	uint32_t *set = mall->set[set_of(mall, line)], tag = tag_of(line);
	int at = find_way(set, tag);

	put_first(set, at < CACHE_WAYS ? at : CACHE_WAYS - 1,
		  tag | halves | (at < CACHE_WAYS ? set[at] : 0));
}

static void merge_touch(struct time_cu *cu, struct sim_time *time, const struct time_touch *touch)
{
	struct time_cache *l2 = &time->l2;
	uint32_t *set = l2->set[touch->set];
	uint32_t tag = tag_of(touch->line), now = tag | touch->valid | (uint32_t)touch->dirty << 2;
	int at = find_way(set, tag);

	cu->fetched += count_halves(touch->missed);
	if (at < CACHE_WAYS) {
		cu->again += count_halves(touch->missed & set[at] & VALID);
		count_again(cu, touch->missed & set[at] & VALID);
		now |= set[at];
	} else {
		/* The least recently used line is evicted; its dirty halves are written back. */
		at = CACHE_WAYS - 1;
		cu->counters.tcc_ea_write += count_halves((set[at] & DIRTY) >> 2);
	}
	put_first(set, at, now);
	if (touch->dirty || sim_time_cost.l2_emptied)
		l2->flush[touch->set / 64] |= (uint64_t)1 << touch->set % 64;
	if (time->mall.sets && (touch->missed | touch->dirty))
		merge_mall(&time->mall, touch->line, touch->missed | touch->dirty);
}

static uint64_t flush_set(uint32_t *set)
{
	uint64_t halves = 0;

	for (int i = 0; i < CACHE_WAYS; i++) {
		halves += count_halves((set[i] & DIRTY) >> 2);
		set[i] &= sim_time_cost.l2_emptied ? 0 : ~(uint32_t)DIRTY;
	}
	return halves;
}

uint64_t time_l2_flush(struct sim_time *time)
{
	struct time_cache *l2 = &time->l2;
	uint64_t halves = 0;

	for (uint32_t i = 0; i < (l2->dies * l2->sets + 63) / 64; i++) {
		for (uint64_t left = l2->flush[i]; left; left &= left - 1)
			halves += flush_set(l2->set[i * 64 + (uint32_t)__builtin_ctzll(left)]);
		l2->flush[i] = 0;
	}
	return halves;
}

/*
 * The load of each channel in this window: its requests divided by an even share, but at least one.
 * In the next window its requests cost more by this factor.
 */
static void find_crowds(const uint64_t *requests, uint32_t *contention)
{
	uint64_t all = 0;

	for (uint32_t k = 0; k < TIME_CHANNELS; k++)
		all += requests[k];
	for (uint32_t k = 0; k < TIME_CHANNELS; k++) {
		uint64_t load = all ? requests[k] * TIME_CHANNELS * CONTENTION_NONE / all : 0;

		contention[k] = load > CONTENTION_NONE ? (uint32_t)load : CONTENTION_NONE;
	}
}

static void find_all_crowds(struct sim_time *time)
{
	uint64_t requests[TIME_CHANNELS] = {0}, fetches[TIME_CHANNELS] = {0};

	for (uint32_t i = 0; i < time->count; i++) {
		struct time_cu *cu = time->cu[time->cus[i]];

		for (uint32_t k = 0; k < TIME_CHANNELS; k++) {
			requests[k] += cu->channel[k];
			fetches[k] += cu->memory_channel[k];
		}
		memset(cu->channel, 0, sizeof(cu->channel));
		memset(cu->memory_channel, 0, sizeof(cu->memory_channel));
	}
	find_crowds(requests, time->contention);
	find_crowds(fetches, time->memory_contention);
}

/*
 * Units that fetch the same line share it, which they do not see within an epoch. So in the next
 * window memory costs less, by the part of the fetches that were repeated in this one.
 */
static void find_sharing(struct sim_time *time)
{
	uint64_t fetched = 0, again = 0;

	for (uint32_t i = 0; i < time->count; i++) {
		struct time_cu *cu = time->cu[time->cus[i]];

		fetched += cu->fetched;
		again += cu->again;
		cu->fetched = cu->again = 0;
	}
	time->hbm = time->hbm_alone;
	if (again)
		time->hbm = (uint32_t)((fetched - again) * time->hbm_alone / fetched);
}

void time_l2_measure(struct sim_time *time)
{
	find_all_crowds(time);
	find_sharing(time);
}

void time_l2_merge(struct sim_time *time)
{
	for (uint32_t i = 0; i < time->count; i++) {
		struct time_cu *cu = time->cu[time->cus[i]];
		struct time_touched *touched = &cu->touched;

		if (!touched->count)
			continue;
		for (uint32_t k = 0; k < touched->count; k++) {
			if (k + MERGE_AHEAD < touched->count)
				__builtin_prefetch(
					time->l2.set[touched->touch[k + MERGE_AHEAD].set], 1);
			merge_touch(cu, time, &touched->touch[k]);
		}
		touched->count = 0;
		memset(touched->index, 0, touched->size * sizeof(*touched->index));
	}
}
