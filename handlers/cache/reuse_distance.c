/* SPDX-License-Identifier: MIT */
#include "handlers/cache/reuse_distance.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MIN = 1024, WORDS_MIN = 1024, NEAR_WORDS = 8, THIN_MAX = 31 };

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Population count; x86-64's baseline lacks the instruction for it. */
static ALWAYS_INLINE unsigned ones(uint64_t bits, bool popcnt)
{
	if (popcnt)
		return (unsigned)__builtin_popcountll(bits);
	bits -= bits >> 1 & 0x5555555555555555ull;
	bits = (bits & 0x3333333333333333ull) + (bits >> 2 & 0x3333333333333333ull);
	bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0full;
	return (unsigned)(bits * 0x0101010101010101ull >> 56);
}

static void tree_add(struct reuse *reuse, uint32_t word, uint32_t value)
{
	for (uint32_t i = word + 1; i <= reuse->words; i += i & -i)
		reuse->tree[i] += value;
}

/* Number of bits in the words before `word`. */
static uint32_t tree_sum(const struct reuse *reuse, uint32_t word)
{
	uint32_t sum = 0;

	for (uint32_t i = word; i; i -= i & -i)
		sum += reuse->tree[i];
	return sum;
}

/* The upper bits of the product spread adjacent lines evenly. */
static size_t home_of(size_t size, uint64_t line)
{
	return line * 0x9e3779b97f4a7c15ull >> (__builtin_clzll(size) + 1);
}

static struct reuse_line *find(struct reuse_line *lines, size_t size, uint64_t line)
{
	size_t slot = home_of(size, line);

	while (lines[slot].time && lines[slot].line != line)
		slot = (slot + 1) & (size - 1);
	return &lines[slot];
}

static bool grow_lines(struct reuse *reuse)
{
	size_t size = reuse->size ? 2 * reuse->size : LINES_MIN;
	struct reuse_line *lines = calloc(size, sizeof(*lines));

	if (!lines)
		return false;
	for (size_t i = 0; i < reuse->size; i++)
		if (reuse->lines[i].time)
			*find(lines, size, reuse->lines[i].line) = reuse->lines[i];
	free(reuse->lines);
	reuse->lines = lines;
	reuse->size = size;
	return true;
}

/* Renumbers the last touches from 0, in their order. */
static void renumber(struct reuse *reuse)
{
	uint32_t sum = 0;

	/* The tree is rebuilt afterwards; until then it holds prefix sums of the words. */
	for (uint32_t word = 0; word < reuse->words; word++) {
		reuse->tree[word] = sum;
		sum += ones(reuse->live[word], false);
	}
	for (size_t i = 0; i < reuse->size; i++) {
		uint32_t slot = reuse->lines[i].time - 1;
		uint64_t below = (1ull << (slot & 63)) - 1;

		if (reuse->lines[i].time)
			reuse->lines[i].time = 1 + reuse->tree[slot >> 6] +
					       ones(reuse->live[slot >> 6] & below, false);
	}
	reuse->now = sum;
}

static bool renew_slots(struct reuse *reuse)
{
	/* At least half of the slots are free afterwards, which amortises the work. */
	uint32_t words = reuse->words ? reuse->words : WORDS_MIN;
	uint64_t *live;
	uint32_t *tree;

	if (reuse->count > 32ull * words)
		words = words < 1u << 24 ? 2 * words : 0;
	live = words ? calloc(words, sizeof(*live)) : NULL;
	tree = words ? calloc(words + 1ul, sizeof(*tree)) : NULL;
	if (!live || !tree) {
		free(live);
		free(tree);
		return false;
	}
	if (reuse->words)
		renumber(reuse);
	free(reuse->live);
	free(reuse->tree);
	reuse->live = live;
	reuse->tree = tree;
	reuse->words = words;
	for (uint32_t slot = 0; slot < reuse->now; slot += 64) {
		uint32_t left = reuse->now - slot;

		live[slot >> 6] = left < 64 ? (1ull << left) - 1 : UINT64_MAX;
		if (left >= 64)
			tree_add(reuse, slot >> 6, 64);
	}
	return true;
}

/* Number of live slots after `slot`. */
static ALWAYS_INLINE uint32_t live_after(const struct reuse *reuse, uint32_t slot, bool popcnt)
{
	uint32_t word = slot >> 6, last = (reuse->now - 1) >> 6, sum;

	sum = ones(reuse->live[word] & ~(UINT64_MAX >> (63 - (slot & 63))), popcnt);
	if (last - word > NEAR_WORDS)
		return sum + (uint32_t)reuse->count - tree_sum(reuse, word + 1);
	while (word < last)
		sum += ones(reuse->live[++word], popcnt);
	return sum;
}

/* Drops the lines that are not sampled at the present rate. */
static bool drop_unsampled(struct reuse *reuse)
{
	struct reuse_line *lines = calloc(reuse->size, sizeof(*lines));

	if (!lines)
		return false;
	for (size_t i = 0; i < reuse->size; i++) {
		const struct reuse_line *line = &reuse->lines[i];
		uint32_t slot = line->time - 1;

		if (!line->time)
			continue;
		if (reuse_follows(reuse, line->line)) {
			*find(lines, reuse->size, line->line) = *line;
		} else {
			reuse->live[slot >> 6] &= ~(1ull << (slot & 63));
			reuse->count--;
		}
	}
	free(reuse->lines);
	reuse->lines = lines;
	return renew_slots(reuse);
}

static bool thin_out(struct reuse *reuse)
{
	bool ok = true;

	while (ok && reuse->limit && reuse->count > reuse->limit && reuse->thin < THIN_MAX) {
		reuse->thin++;
		ok = drop_unsampled(reuse);
	}
	return ok;
}

/*
 * Lines from the second on whose last touches directly followed that of the first one, in one word
 * of slots, and that get slots in one word now. All have the distance of the first: each has one
 * line fewer after it, and the one before it once more.
 */
static ALWAYS_INLINE unsigned find_run(const struct reuse *reuse, const uint64_t *lines,
				       unsigned count, struct reuse_line **entry)
{
	const uint32_t slot = entry[0]->time - 1;
	const unsigned was = 64 - (slot & 63), is = 64 - (reuse->now & 63);
	unsigned most = was < is ? was : is, run = 1;

	most = most < count ? most : count;
	for (; run < most; run++) {
		entry[run] = find(reuse->lines, reuse->size, lines[run]);
		if (entry[run]->time != entry[0]->time + run)
			break;
	}
	return run;
}

/* The slots of a run are those before it; returns its number of lines. */
static ALWAYS_INLINE unsigned move_run(struct reuse *reuse, const uint64_t *lines, unsigned count,
				       struct reuse_line *first)
{
	struct reuse_line *entry[64]; /* only those of the run are initialised */
	const uint32_t slot = first->time - 1, word = reuse->now >> 6;
	unsigned run;
	uint64_t bits;

	entry[0] = first;
	run = find_run(reuse, lines, count, entry);
	bits = UINT64_MAX >> (64 - run);
	reuse->live[slot >> 6] &= ~(bits << (slot & 63));
	if (slot >> 6 != word)
		tree_add(reuse, slot >> 6, 0 - (uint32_t)run);
	reuse->live[word] |= bits << (reuse->now & 63);
	for (unsigned i = 0; i < run; i++)
		entry[i]->time = reuse->now + 1 + i;
	reuse->now += run;
	return run;
}

static void insert(struct reuse *reuse, uint64_t line, struct reuse_line *entry)
{
	reuse->live[reuse->now >> 6] |= 1ull << (reuse->now & 63);
	*entry = (struct reuse_line){.line = line, .time = ++reuse->now};
	reuse->count++;
}

static ALWAYS_INLINE uint64_t touch(struct reuse *reuse, const uint64_t *lines, unsigned count,
				    unsigned *run, bool popcnt)
{
	struct reuse_line *entry;
	uint64_t distance = REUSE_FIRST;
	uint32_t word;

	*run = 1;
	if (2 * reuse->count >= reuse->size && !grow_lines(reuse))
		return REUSE_NO_MEMORY;
	if (reuse->now == 64ull * reuse->words && !renew_slots(reuse))
		return REUSE_NO_MEMORY;
	entry = find(reuse->lines, reuse->size, lines[0]);
	word = reuse->now >> 6;
	if (entry->time) {
		uint32_t slot = entry->time - 1;

		if (slot + 1 == reuse->now)
			return 0; /* it was the most recently touched line */
		distance = (uint64_t)live_after(reuse, slot, popcnt) << reuse->thin;
		*run = move_run(reuse, lines, count, entry);
	} else {
		insert(reuse, lines[0], entry);
	}
	if (!(reuse->now & 63))
		tree_add(reuse, word, ones(reuse->live[word], popcnt));
	if (distance == REUSE_FIRST && !thin_out(reuse))
		return REUSE_NO_MEMORY;
	return distance;
}

#ifdef __x86_64__
__attribute__((target("popcnt"))) static uint64_t
touch_popcnt(struct reuse *reuse, const uint64_t *lines, unsigned count, unsigned *run)
{
	return touch(reuse, lines, count, run, true);
}
#endif

uint64_t reuse_touch(struct reuse *reuse, const uint64_t *lines, unsigned count, unsigned *run)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("popcnt"))
		return touch_popcnt(reuse, lines, count, run);
#endif
	return touch(reuse, lines, count, run, false);
}

void reuse_prefetch(const struct reuse *reuse, uint64_t line)
{
	if (reuse->size)
		__builtin_prefetch(&reuse->lines[home_of(reuse->size, line)]);
}

void reuse_deinit(struct reuse *reuse)
{
	free(reuse->lines);
	free(reuse->live);
	free(reuse->tree);
	*reuse = (struct reuse){0};
}
