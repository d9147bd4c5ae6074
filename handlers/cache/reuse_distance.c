/* SPDX-License-Identifier: MIT */
#include "handlers/cache/reuse_distance.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { VECTOR_MIN = 5, LINES_MIN = 1024, WORDS_MIN = 256, NEAR_WORDS = 8, THIN_MAX = 31 };

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

/* The place of the line, or a free one for it. */
static ALWAYS_INLINE size_t find(const struct reuse *reuse, uint64_t line)
{
	size_t place = home_of(reuse->size, line);

	while (reuse->time[place] && reuse->line[place] != line)
		place = (place + 1) & (reuse->size - 1);
	return place;
}

/* Replaces the table by one of another size, without the lines that are not sampled any more. */
static bool make_table(struct reuse *reuse, size_t size)
{
	struct reuse new = *reuse;

	new.line = malloc(size * sizeof(*new.line));
	new.time = calloc(size, sizeof(*new.time));
	new.size = size;
	if (!new.line || !new.time) {
		free(new.line);
		free(new.time);
		return false;
	}
	for (size_t i = 0; i < reuse->size; i++) {
		uint32_t slot = reuse->time[i] - 1;
		size_t place;

		if (!reuse->time[i])
			continue;
		if (!reuse_follows(reuse, reuse->line[i])) {
			reuse->live[slot >> 6] &= ~(1ull << (slot & 63));
			new.count--;
			continue;
		}
		place = find(&new, reuse->line[i]);
		new.line[place] = reuse->line[i];
		new.time[place] = reuse->time[i];
		reuse->entry[slot] = (uint32_t)place;
	}
	free(reuse->line);
	free(reuse->time);
	*reuse = new;
	return true;
}

/* Renumbers the last touches from 0, in their order. */
static void renumber(struct reuse *reuse)
{
	uint32_t now = 0;

	for (uint32_t word = 0; word < reuse->words; word++)
		for (uint64_t live = reuse->live[word]; live; live &= live - 1) {
			unsigned bit = (unsigned)__builtin_ctzll(live);
			uint32_t entry = reuse->entry[64 * word + bit];

			reuse->entry[now] = entry;
			reuse->time[entry] = ++now;
		}
	reuse->now = now;
}

static bool renew_slots(struct reuse *reuse)
{
	/* At least half of the slots are free afterwards, which amortises the work. */
	uint32_t words = reuse->words ? reuse->words : WORDS_MIN;
	uint64_t *live;
	uint32_t *tree, *entry;

	if (reuse->count > 32ull * words)
		words = words < 1u << 24 ? 2 * words : 0;
	live = words ? calloc(words, sizeof(*live)) : NULL;
	tree = words ? calloc(words + 1ul, sizeof(*tree)) : NULL;
	entry = live && tree ? realloc(reuse->entry, 64ul * words * sizeof(*entry)) : NULL;
	if (!entry) {
		free(live);
		free(tree);
		return false;
	}
	reuse->entry = entry;
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

static bool thin_out(struct reuse *reuse)
{
	bool ok = true;

	while (ok && reuse->limit && reuse->count > reuse->limit && reuse->thin < THIN_MAX) {
		reuse->thin++;
		ok = make_table(reuse, reuse->size) && renew_slots(reuse);
	}
	return ok;
}

/*
 * Touches the first line, which is at `place`, and those after it whose last touches directly
 * followed its own, in one word of slots, and that get slots in one word now. All have the distance
 * of the first: each has one line fewer after it, and the one before it once more. Returns their
 * number.
 */
static ALWAYS_INLINE unsigned move_run(struct reuse *reuse, const uint64_t *lines, unsigned count,
				       size_t place)
{
	const uint32_t slot = reuse->time[place] - 1, now = reuse->now, word = now >> 6;
	const uint64_t live = reuse->live[slot >> 6] >> (slot & 63);
	unsigned most = 64 - (now & 63), run = 0;
	uint64_t bits;

	most = most < count ? most : count;
	do {
		reuse->time[place] = now + 1 + run;
		reuse->entry[now + run] = (uint32_t)place;
		/* Also ends at the end of the word. */
		if (++run == most || !(live >> run & 1))
			break;
		place = reuse->entry[slot + run];
	} while (reuse->line[place] == lines[run]);
	bits = UINT64_MAX >> (64 - run);
	reuse->live[slot >> 6] &= ~(bits << (slot & 63));
	if (slot >> 6 != word)
		tree_add(reuse, slot >> 6, 0 - (uint32_t)run);
	reuse->live[word] |= bits << (now & 63);
	reuse->now += run;
	return run;
}

static void insert(struct reuse *reuse, uint64_t line, size_t place)
{
	reuse->live[reuse->now >> 6] |= 1ull << (reuse->now & 63);
	reuse->entry[reuse->now] = (uint32_t)place;
	reuse->line[place] = line;
	reuse->time[place] = ++reuse->now;
	reuse->count++;
}

/* Leaves slots free, so that the lines of an access are in one word and can be moved as a run. */
static ALWAYS_INLINE void begin_word(struct reuse *reuse, unsigned count, bool popcnt)
{
	uint32_t used = reuse->now & 63, word = reuse->now >> 6;

	if (used && used + count > 64) {
		tree_add(reuse, word, ones(reuse->live[word], popcnt));
		reuse->now = 64 * (word + 1);
	}
}

static ALWAYS_INLINE uint64_t touch(struct reuse *reuse, const uint64_t *lines, unsigned count,
				    unsigned *run, bool popcnt)
{
	uint64_t distance = REUSE_FIRST;
	uint32_t word;
	size_t place;

	*run = 1;
	if (3 * reuse->count >= 2 * reuse->size &&
	    !make_table(reuse, reuse->size ? 2 * reuse->size : LINES_MIN))
		return REUSE_NO_MEMORY;
	begin_word(reuse, count, popcnt);
	if (reuse->now == 64ull * reuse->words && !renew_slots(reuse))
		return REUSE_NO_MEMORY;
	place = find(reuse, lines[0]);
	word = reuse->now >> 6;
	if (reuse->time[place]) {
		uint32_t slot = reuse->time[place] - 1;

		if (slot + 1 == reuse->now)
			return 0; /* it was the most recently touched line */
		distance = (uint64_t)live_after(reuse, slot, popcnt) << reuse->thin;
		*run = move_run(reuse, lines, count, place);
	} else {
		insert(reuse, lines[0], place);
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

#ifdef __x86_64__
/* reuse_follows() for eight lines at a time, in the lower halves of 64 bits. */
__attribute__((target("avx512f,popcnt"))) static unsigned
sample_avx512(unsigned thin, const uint64_t *lines, unsigned count, uint64_t *ret)
{
	const __m512i high = _mm512_set1_epi64(0x85ebca6bu), first = _mm512_set1_epi64(0x7feb352du);
	const __m512i second = _mm512_set1_epi64(0x846ca68bu);
	const __m512i bits = _mm512_set1_epi64((1u << thin) - 1);
	unsigned n = 0;

	for (unsigned i = 0; i < count; i += 8) {
		__mmask8 valid = count - i < 8 ? (__mmask8)(0xff >> (8 - (count - i))) : 0xff;
		__m512i line = _mm512_maskz_loadu_epi64(valid, lines + i), mixed;
		__mmask8 sampled;

		mixed = _mm512_mul_epu32(_mm512_srli_epi64(line, 32), high);
		mixed = _mm512_xor_si512(line, mixed);
		mixed = _mm512_xor_si512(mixed, _mm512_srli_epi32(mixed, 16));
		mixed = _mm512_mul_epu32(mixed, first);
		mixed = _mm512_xor_si512(mixed, _mm512_srli_epi32(mixed, 15));
		mixed = _mm512_mul_epu32(mixed, second);
		mixed = _mm512_xor_si512(mixed, _mm512_srli_epi32(mixed, 16));
		sampled = _mm512_mask_testn_epi64_mask(valid, mixed, bits);
		line = _mm512_maskz_compress_epi64(sampled, line);
		/* No further than the lines that were looked at. */
		_mm512_mask_storeu_epi64(ret + n, valid, line);
		n += (unsigned)__builtin_popcount(sampled);
	}
	return n;
}
#endif

unsigned reuse_sample(const struct reuse *reuse, const uint64_t *lines, unsigned count,
		      uint64_t ret[REUSE_BATCH])
{
	unsigned n = 0;

#ifdef __x86_64__
	if (count >= VECTOR_MIN && __builtin_cpu_supports("avx512f"))
		return sample_avx512(reuse->thin, lines, count, ret);
#endif
	for (unsigned i = 0; i < count; i++) {
		ret[n] = lines[i];
		n += reuse_follows(reuse, lines[i]);
	}
	return n;
}

void reuse_prefetch(const struct reuse *reuse, uint64_t line)
{
	if (reuse->size)
		__builtin_prefetch(&reuse->line[home_of(reuse->size, line)]);
}

void reuse_deinit(struct reuse *reuse)
{
	free(reuse->line);
	free(reuse->time);
	free(reuse->live);
	free(reuse->tree);
	free(reuse->entry);
	*reuse = (struct reuse){0};
}
