/* SPDX-License-Identifier: MIT */
#include "simgpu/time/issue_slots.h"

#include <emmintrin.h>
#ifdef __SSE4_1__
#include <smmintrin.h>
#endif

#include "simgpu/time/wave_waits.h"

_Static_assert(SIM_SIMD_WAVES * sizeof(int16_t) == sizeof(__m128i), "a vector for each SIMD");

/* All bits of one element; for a whole store, because loading what was stored in parts is slow. */
static const _Alignas(16) int16_t element[SIM_SIMD_WAVES][SIM_SIMD_WAVES] = {
	{-1}, {0, -1}, {[2] = -1}, {[3] = -1}, {[4] = -1}, {[5] = -1}, {[6] = -1}, {[7] = -1},
};

static inline __m128i *due_of(struct time_cu *cu, uint32_t simd)
{
	return (__m128i *)cu->due[simd];
}

/* A slot at or after the base. */
static inline int16_t due_at(const struct time_cu *cu, uint64_t slot)
{
	uint64_t cycles = slot - cu->base;

	return (int16_t)(cycles < DUE_LATE ? cycles : DUE_LATE);
}

static inline void set_due(struct time_cu *cu, const struct time_wave *w, int16_t due,
			   uint64_t when)
{
	__m128i mask = _mm_load_si128((const __m128i *)element[w->position]);
	__m128i *at = due_of(cu, w->simd);

	_mm_store_si128(at, _mm_or_si128(_mm_andnot_si128(mask, _mm_load_si128(at)),
					 _mm_and_si128(mask, _mm_set1_epi16(due))));
	cu->simd[w->simd].when[w->position] = when;
}

/* The first slot of a SIMD at or after a time, in this epoch. */
static inline uint64_t slot_from(const struct time_cu *cu, uint32_t simd, uint64_t when)
{
	return time_slot_at(simd, later(when, cu->base));
}

/* In the order of time, then of age. */
static inline uint32_t order_of(uint32_t due, uint32_t position)
{
	return due * SIM_SIMD_WAVES + position;
}

void time_wave_wait(struct time_cu *cu, struct time_wave *w, uint64_t when)
{
	const uint64_t slot = slot_from(cu, w->simd, when);
	const int16_t due = due_at(cu, slot);
	const uint32_t order = order_of((uint32_t)due, w->position);

	w->ready = when;
	/* Until then other waves of the unit push it out of the host's nearest cache. */
	__builtin_prefetch(&w->trace->word[w->word]);
	__builtin_prefetch(&w->trace->run[w->run]);
	set_due(cu, w, due, when);
	cu->first = order < cu->first ? order : cu->first;
	cu->next = sooner(slot, cu->next);
	cu->horizon = sooner(slot, cu->horizon);
}

void time_wave_sleep(struct time_cu *cu, const struct time_wave *w)
{
	set_due(cu, w, DUE_LATE, TIME_NEVER);
}

/* The wave that is due first; two waves that are due together are of one SIMD. */
static inline uint32_t find_first(struct time_cu *cu)
{
	__m128i least = _mm_min_epi16(
		_mm_min_epi16(_mm_load_si128(due_of(cu, 0)), _mm_load_si128(due_of(cu, 1))),
		_mm_min_epi16(_mm_load_si128(due_of(cu, 2)), _mm_load_si128(due_of(cu, 3))));
#ifdef __SSE4_1__
	uint32_t both = (uint32_t)_mm_cvtsi128_si32(_mm_minpos_epu16(least));

	return order_of(both & UINT16_MAX, both >> 16);
#else
	__m128i all = least, equal;

	all = _mm_min_epi16(all, _mm_shuffle_epi32(all, _MM_SHUFFLE(1, 0, 3, 2)));
	all = _mm_min_epi16(all, _mm_shuffle_epi32(all, _MM_SHUFFLE(2, 3, 0, 1)));
	all = _mm_min_epi16(all, _mm_shufflelo_epi16(all, _MM_SHUFFLE(2, 3, 0, 1)));
	all = _mm_shuffle_epi32(_mm_unpacklo_epi16(all, all), 0);
	equal = _mm_cmpeq_epi16(least, all);
	return order_of((uint32_t)_mm_cvtsi128_si32(all) & UINT16_MAX,
			(uint32_t)__builtin_ctz((unsigned int)_mm_movemask_epi8(equal)) / 2);
#endif
}

/* No wave is due soon. */
static __attribute__((noinline)) uint64_t find_next(const struct time_cu *cu)
{
	uint64_t next = TIME_NEVER;

	for (uint32_t s = 0; s < SIM_SIMDS; s++)
		for (uint32_t i = 0; i < SIM_SIMD_WAVES; i++) {
			uint64_t when = cu->simd[s].when[i];

			if (when != TIME_NEVER)
				next = sooner(next, time_slot_at(s, when));
		}
	return next;
}

static inline void set_next(struct time_cu *cu)
{
	uint32_t due;

	cu->first = find_first(cu);
	due = cu->first / SIM_SIMD_WAVES;
	cu->next = due == DUE_LATE ? find_next(cu) : cu->base + due;
}

void time_slots_rebase(struct time_cu *cu, uint64_t base)
{
	cu->base = base;
	for (uint32_t s = 0; s < SIM_SIMDS; s++)
		for (uint32_t i = 0; i < SIM_SIMD_WAVES; i++) {
			uint64_t when = cu->simd[s].when[i];

			cu->due[s][i] =
				when == TIME_NEVER ? DUE_LATE : due_at(cu, slot_from(cu, s, when));
		}
	cu->first = find_first(cu);
}

void time_wave_remove(struct time_cu *cu, const struct time_wave *w)
{
	struct time_simd *simd = &cu->simd[w->simd];
	int16_t *due = cu->due[w->simd];

	simd->count--;
	for (uint32_t i = w->position; i < simd->count; i++) {
		simd->wave[i] = simd->wave[i + 1];
		simd->when[i] = simd->when[i + 1];
		due[i] = due[i + 1];
		simd->wave[i]->position = (uint8_t)i;
	}
	simd->when[simd->count] = TIME_NEVER;
	due[simd->count] = DUE_LATE;
	cu->first = find_first(cu);
}

struct time_wave *time_wave_take(struct time_cu *cu)
{
	const uint32_t due = cu->first / SIM_SIMD_WAVES, position = cu->first % SIM_SIMD_WAVES;
	const uint32_t number = due % SIM_SIMDS;
	struct time_simd *simd = &cu->simd[number];
	__m128i *at = due_of(cu, number);
	__m128i mask = _mm_load_si128((const __m128i *)element[position]);

	if (__builtin_expect(
		    cu->base + due != cu->next || (uint32_t)cu->due[number][position] != due, 0)) {
		/* A trap has delayed the wave. */
		set_next(cu);
		return NULL;
	}
	/* No element is negative, so with these bits the wave's one is DUE_LATE. */
	_mm_store_si128(at, _mm_or_si128(_mm_load_si128(at), _mm_srli_epi16(mask, 1)));
	simd->when[position] = TIME_NEVER;
	set_next(cu);
	cu->horizon = sooner(sooner(cu->next, cu->time->until - 1), sooner(cu->wake, cu->tick));
	return simd->wave[position];
}
