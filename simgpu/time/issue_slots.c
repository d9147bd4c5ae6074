/* SPDX-License-Identifier: MIT */
#include "simgpu/time/issue_slots.h"

#include <emmintrin.h>

#include "simgpu/time/wave_waits.h"

/* All bits of one element; for a whole store, because loading what was stored in parts is slow. */
static const _Alignas(16) int16_t element[SIM_SIMD_WAVES][SIM_SIMD_WAVES] = {
	{-1}, {0, -1}, {[2] = -1}, {[3] = -1}, {[4] = -1}, {[5] = -1}, {[6] = -1}, {[7] = -1},
};

/* The first slot at or after `when`, counted from the unit's base. */
static inline int16_t slot_number(const struct time_cu *cu, uint32_t simd, uint64_t when)
{
	uint64_t cycles = when - cu->base;

	if (when <= cu->base)
		return 0;
	return (int16_t)(cycles < (uint64_t)SLOT_LATE * SIM_SLOT - SIM_SLOT
				 ? (cycles + SIM_SLOT - 1 - simd) / SIM_SLOT
				 : SLOT_LATE);
}

static inline uint64_t cycle_of(const struct time_cu *cu, uint32_t simd, int16_t slot)
{
	return cu->base + simd + (uint64_t)SIM_SLOT * (uint64_t)slot;
}

static inline void set_slot(struct time_simd *simd, uint32_t position, int16_t slot, uint64_t when)
{
	__m128i mask = _mm_load_si128((const __m128i *)element[position]);
	__m128i *slots = (__m128i *)simd->slot;

	_mm_store_si128(slots, _mm_or_si128(_mm_andnot_si128(mask, _mm_load_si128(slots)),
					    _mm_and_si128(mask, _mm_set1_epi16(slot))));
	simd->when[position] = when;
}

void time_wave_wait(struct time_cu *cu, struct time_wave *w, uint64_t when)
{
	struct time_simd *simd = &cu->simd[w->simd];
	int16_t slot = slot_number(cu, w->simd, when);
	uint64_t next =
		slot == SLOT_LATE ? time_slot_at(w->simd, when) : cycle_of(cu, w->simd, slot);

	w->ready = when;
	/* Until then other waves of the unit push it out of the host's nearest cache. */
	__builtin_prefetch(&w->trace->word[w->word]);
	__builtin_prefetch(&w->trace->run[w->run]);
	set_slot(simd, w->position, slot, when);
	if (next < simd->next)
		simd->next = next;
	if (next < cu->horizon)
		cu->horizon = next;
}

void time_wave_sleep(struct time_cu *cu, const struct time_wave *w)
{
	set_slot(&cu->simd[w->simd], w->position, SLOT_LATE, TIME_NEVER);
}

void time_slots_rebase(struct time_cu *cu, uint64_t base)
{
	cu->base = base;
	for (uint32_t s = 0; s < SIM_SIMDS; s++) {
		struct time_simd *simd = &cu->simd[s];

		for (uint32_t i = 0; i < SIM_SIMD_WAVES; i++)
			simd->slot[i] = slot_number(cu, s, simd->when[i]);
	}
}

void time_wave_remove(struct time_cu *cu, const struct time_wave *w)
{
	struct time_simd *simd = &cu->simd[w->simd];

	simd->count--;
	for (uint32_t i = w->position; i < simd->count; i++) {
		simd->wave[i] = simd->wave[i + 1];
		simd->when[i] = simd->when[i + 1];
		simd->slot[i] = simd->slot[i + 1];
		simd->wave[i]->position = (uint8_t)i;
	}
	simd->when[simd->count] = TIME_NEVER;
	simd->slot[simd->count] = SLOT_LATE;
}

static inline int16_t least_of(__m128i slots)
{
	slots = _mm_min_epi16(slots, _mm_srli_si128(slots, 8));
	slots = _mm_min_epi16(slots, _mm_srli_si128(slots, 4));
	slots = _mm_min_epi16(slots, _mm_srli_si128(slots, 2));
	return (int16_t)_mm_cvtsi128_si32(slots);
}

/* None continues soon. */
static uint64_t find_next(const struct time_simd *simd, uint32_t number)
{
	uint64_t next = TIME_NEVER;

	for (uint32_t i = 0; i < SIM_SIMD_WAVES; i++)
		next = simd->when[i] < next ? simd->when[i] : next;
	return next == TIME_NEVER ? next : time_slot_at(number, next);
}

static inline uint64_t sooner(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline void set_horizon(struct time_cu *cu)
{
	uint64_t slots = sooner(sooner(cu->simd[0].next, cu->simd[1].next),
				sooner(cu->simd[2].next, cu->simd[3].next));

	cu->horizon = sooner(sooner(slots, cu->time->until - 1), sooner(cu->wake, cu->tick));
}

static inline uint64_t next_of(const struct time_cu *cu, uint32_t number, __m128i slots)
{
	int16_t least = least_of(slots);

	return least == SLOT_LATE ? find_next(&cu->simd[number], number)
				  : cycle_of(cu, number, least);
}

struct time_wave *time_wave_take(struct time_cu *cu, uint32_t number)
{
	struct time_simd *simd = &cu->simd[number];
	const int16_t slot = (int16_t)((simd->next - cu->base) / SIM_SLOT);
	__m128i slots = _mm_load_si128((const __m128i *)simd->slot);
	__m128i due = _mm_cmpeq_epi16(slots, _mm_set1_epi16(slot));
	uint32_t waves = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(due, due)), position;

	if (__builtin_expect(!waves, 0)) { /* a trap has delayed the wave */
		simd->next = next_of(cu, number, slots);
		return NULL;
	}
	position = (uint32_t)__builtin_ctz(waves);
	/* Slots are not negative, so with these bits the wave's one is SLOT_LATE. */
	slots = _mm_or_si128(slots,
			     _mm_srli_epi16(_mm_load_si128((const __m128i *)element[position]), 1));
	_mm_store_si128((__m128i *)simd->slot, slots);
	simd->when[position] = TIME_NEVER;
	simd->next = next_of(cu, number, slots);
	set_horizon(cu);
	return simd->wave[position];
}
