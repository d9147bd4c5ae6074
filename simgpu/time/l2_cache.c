/* SPDX-License-Identifier: MIT */
/*
 * The L2: 16 ways of 128-byte lines; each half is fetched separately (64 bytes, as on the MI210).
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

enum {
	SETS = 4096,	  /* [HW mt4g] 8 MiB */
	WAYS = 16,	  /* [DOC] */
	FIRST_SIZE = 256, /* initial size of the table of touches */
	VALID = 3,
	DIRTY = 12,
};

static uint32_t set_of(uint64_t line)
{
	return (uint32_t)(line % SETS);
}

/* 47 bits of address minus 7 minus 12. */
static uint32_t tag_of(uint64_t line)
{
	return (uint32_t)(line / SETS) << 4;
}

/* The way that holds a line, or WAYS. */
static int find_way(const uint32_t *set, uint64_t line)
{
	const __m128i tag = _mm_set1_epi32((int)tag_of(line)), tags = _mm_set1_epi32(~15);
	const __m128i *ways = (const __m128i *)set;
	uint32_t found = 0;

	for (int i = 0; i < WAYS / 4; i++) {
		__m128i same = _mm_cmpeq_epi32(_mm_and_si128(_mm_load_si128(ways + i), tags), tag);

		found |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(same)) << (4 * i);
	}
	/* A way that was never used has the tag 0. */
	for (; found; found &= found - 1)
		if (set[__builtin_ctz(found)] & VALID)
			return __builtin_ctz(found);
	return WAYS;
}

static uint32_t lookup(const struct time_l2 *l2, uint64_t line)
{
	const uint32_t *set = l2->set[set_of(line)];
	int way = find_way(set, line);

	return way < WAYS ? set[way] : 0;
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

static void put_index(struct time_touched *touched, uint32_t number)
{
	uint32_t at = hash(touched, touched->touch[number].line);

	while (touched->index[at])
		at = (at + 1) & (touched->size - 1);
	touched->index[at] = number + 1;
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
		put_index(touched, i);
}

struct time_touch *time_l2_touch(struct time_cu *cu, uint64_t line)
{
	struct time_touched *touched = &cu->touched;
	uint32_t found, at;

	/* Often this is the other half of the previous line. */
	if (touched->count && touched->touch[touched->count - 1].line == line)
		return &touched->touch[touched->count - 1];
	at = hash(touched, line);
	for (; touched->index[at]; at = (at + 1) & (touched->size - 1))
		if (touched->touch[touched->index[at] - 1].line == line)
			return &touched->touch[touched->index[at] - 1];
	if (touched->count == touched->size / 2)
		grow(touched);
	found = lookup(cu->time->l2, line);
	touched->touch[touched->count] = (struct time_touch){
		.line = line,
		.valid = found & VALID,
		.dirty = (uint8_t)((found & DIRTY) >> 2),
	};
	put_index(touched, touched->count);
	return &touched->touch[touched->count++];
}

/* Halves fetched from memory that an earlier unit had already fetched count as hits. */
static void count_again(struct time_cu *cu, uint8_t again)
{
	uint32_t halves = count_halves(again);

	cu->counters.tcc_ea_read -= halves;
	if (!halves)
		return;
	cu->counters.tcc_hit++;
	cu->counters.tcc_miss--;
}

static void merge_touch(struct time_cu *cu, struct time_l2 *l2, const struct time_touch *touch)
{
	uint32_t *set = l2->set[set_of(touch->line)];
	uint32_t tag = tag_of(touch->line), now = tag | touch->valid | (uint32_t)touch->dirty << 2;
	int at = find_way(set, touch->line);

	if (at < WAYS) {
		count_again(cu, touch->missed & set[at] & VALID);
		now |= set[at];
	} else {
		/* The least recently used line is evicted; its dirty halves are written back. */
		at = WAYS - 1;
		cu->counters.tcc_ea_write += count_halves((set[at] & DIRTY) >> 2);
	}
	memmove(set + 1, set, (size_t)at * sizeof(*set));
	set[0] = now;
}

/*
 * The load of each channel in this epoch: its requests divided by an even share, but at least one.
 * In the next epoch its requests cost more by this factor.
 */
static void find_crowds(struct sim_time *time)
{
	uint64_t requests[TIME_CHANNELS] = {0}, all = 0;

	for (uint32_t i = 0; i < time->count; i++) {
		struct time_cu *cu = time->cu[time->cus[i]];

		for (uint32_t k = 0; k < TIME_CHANNELS; k++)
			requests[k] += cu->channel[k];
		memset(cu->channel, 0, sizeof(cu->channel));
	}
	for (uint32_t k = 0; k < TIME_CHANNELS; k++)
		all += requests[k];
	for (uint32_t k = 0; k < TIME_CHANNELS; k++) {
		uint64_t crowd = all ? requests[k] * TIME_CHANNELS * CROWD_NONE / all : 0;

		time->crowd[k] = crowd > CROWD_NONE ? (uint32_t)crowd : CROWD_NONE;
	}
}

void time_l2_merge(struct sim_time *time)
{
	find_crowds(time);
	for (uint32_t i = 0; i < time->count; i++) {
		struct time_cu *cu = time->cu[time->cus[i]];
		struct time_touched *touched = &cu->touched;

		if (!touched->count)
			continue;
		for (uint32_t k = 0; k < touched->count; k++)
			merge_touch(cu, time->l2, &touched->touch[k]);
		touched->count = 0;
		memset(touched->index, 0, touched->size * sizeof(*touched->index));
	}
}
