/* SPDX-License-Identifier: MIT */
/*
 * Decides when instructions issue. Each of the four SIMDs of a unit has an issue slot every fourth
 * cycle, in which it issues at most one instruction per class, from different waves, the oldest
 * first; internal instructions use no unit. A slot considers only the waves that become ready in
 * it, and the oldest of each queue whose unit may be free.
 */
#include "simgpu/time/issue_slots.h"

#include <emmintrin.h>

#include "simgpu/time/pc_sampler.h"
#include "simgpu/time/wave_issue.h"
#include "simgpu/time/wave_progress.h"
#include "simgpu/time/wave_waits.h"

/* The same slot, counted from the unit's base. */
static inline int16_t slot_number(const struct time_cu *cu, uint32_t simd, uint64_t when)
{
	uint64_t cycles = when - cu->base;

	if (when <= cu->base)
		return 0;
	return (int16_t)(cycles < (uint64_t)SLOT_LATE * SIM_SLOT - SIM_SLOT
				 ? (cycles + SIM_SLOT - 1 - simd) / SIM_SLOT
				 : SLOT_LATE);
}

static inline int16_t sooner(struct time_simd *simd, int16_t slot)
{
	simd->soonest = slot < simd->soonest ? slot : simd->soonest;
	return slot;
}

static inline void check_at(struct time_cu *cu, const struct time_wave *w, uint64_t when)
{
	struct time_simd *simd = &cu->simd[w->simd];

	simd->next_check[w->position] = when;
	simd->ready_slot[w->position] = sooner(simd, slot_number(cu, w->simd, when));
}

static inline void check_never(struct time_simd *simd, uint32_t position)
{
	simd->next_check[position] = TIME_NEVER;
	simd->ready_slot[position] = SLOT_LATE;
}

void time_wave_sleep(struct time_cu *cu, const struct time_wave *w)
{
	check_never(&cu->simd[w->simd], w->position);
}

void time_slots_rebase(struct time_cu *cu, uint64_t base)
{
	cu->base = base;
	for (uint32_t s = 0; s < SIM_SIMDS; s++) {
		struct time_simd *simd = &cu->simd[s];

		for (uint32_t i = 0; i < SIM_SIMD_WAVES; i++)
			simd->ready_slot[i] = slot_number(cu, s, simd->next_check[i]);
		for (uint32_t left = simd->queues; left; left &= left - 1) {
			uint32_t i = (uint32_t)__builtin_ctz(left);

			simd->free_slot[i] = slot_number(cu, s, simd->queue[i].again);
		}
	}
}

/* Sets the cause that delays a ready wave; if it changes, the wait is divided. */
static void held_by(struct time_cu *cu, struct time_wave *w, enum sim_wait why, uint64_t now)
{
	if (w->reason == why)
		return;
	if (now > w->ready) {
		time_count_wait(cu, w, w->at, (enum sim_wait)w->reason, now - w->ready);
		w->ready = now;
	}
	w->reason = (uint8_t)why;
}

/* ---- Queues --------------------------------------------------------------------------------- */

/* When a unit itself can accept an instruction. */
static inline uint64_t unit_free(const struct time_cu *cu, uint32_t number, uint32_t queue)
{
	const struct time_simd *simd = &cu->simd[number];

	switch (queue) {
	case UNIT_VALU:
		return simd->valu_free;
	case QUEUE_MATRIX:
		return later(simd->valu_free, simd->matrix_free);
	case UNIT_LDS:
		return cu->lds_free[number / 2];
	case UNIT_VMEM:
		return cu->ta_free > sim_time_cost.ta_queue ? cu->ta_free - sim_time_cost.ta_queue
							    : 0;
	default:
		return 0;
	}
}

static inline void queue_again(struct time_cu *cu, uint32_t number, uint32_t which, uint64_t when)
{
	struct time_simd *simd = &cu->simd[number];

	simd->queue[which].again = when;
	simd->free_slot[which] = sooner(simd, slot_number(cu, number, when));
}

static inline bool bursts(const struct time_simd *simd, uint32_t unit, uint64_t now)
{
	return unit < BURST_UNITS && simd->burst[unit].end > now;
}

/*
 * Another wave's instruction was issued in this slot. The waves of a queue therefore wait for the
 * arbiter until the next slot, and then possibly for the unit.
 */
static void queue_lost(struct time_cu *cu, uint32_t number, uint32_t which, uint64_t now)
{
	struct time_simd *simd = &cu->simd[number];
	struct time_queue *queue = &simd->queue[which];
	uint64_t free = unit_free(cu, number, which);

	queue_set(queue, now, false);
	if (bursts(simd, which, now)) {
		queue_again(cu, number, which, simd->burst[which].end);
		return;
	}
	if (which == QUEUE_MATRIX && bursts(simd, UNIT_VALU, now)) {
		queue->unit = simd->matrix_free > now;
		queue_again(cu, number, which,
			    queue->unit ? simd->matrix_free : simd->burst[UNIT_VALU].end);
		return;
	}
	if (free <= now + SIM_SLOT) {
		queue_again(cu, number, which, now + SIM_SLOT);
		return;
	}
	queue->waited.arbiter += SIM_SLOT;
	queue->since = now + SIM_SLOT;
	queue->unit = true;
	queue_again(cu, number, which, free);
}

/* A ready wave waits for the arbiter or, if `busy`, for the unit. */
static void queue_join(struct time_cu *cu, struct time_wave *w, uint32_t which, bool busy,
		       uint64_t now)
{
	struct time_simd *simd = &cu->simd[w->simd];
	struct time_queue *queue = &simd->queue[which];

	if (now > w->ready)
		time_count_wait(cu, w, w->at, (enum sim_wait)w->reason, now - w->ready);
	w->ready = now;
	if (busy) {
		queue_set(queue, now, true);
		queue_again(cu, w->simd, which, unit_free(cu, w->simd, which));
	} else if (!queue->waves || queue->again <= now) {
		queue_lost(cu, w->simd, which, now);
	}
	w->joined = queue_waited(queue, now);
	queue->waves |= 1u << w->position;
	simd->queues |= 1u << which;
	check_never(simd, w->position);
	w->queue = (uint8_t)which;
}

static inline void queue_leave(struct time_cu *cu, struct time_wave *w, uint64_t now)
{
	struct time_simd *simd = &cu->simd[w->simd];
	struct time_queue *queue = &simd->queue[w->queue];
	struct time_waited waited = queue_waited(queue, now);

	time_count_wait(cu, w, w->at, WAIT_ARBITER, waited.arbiter - w->joined.arbiter);
	time_count_wait(cu, w, w->at, WAIT_UNIT, waited.unit - w->joined.unit);
	w->ready = now;
	w->reason = (uint8_t)time_wave_reason(cu, w, now);
	queue->waves &= ~(1u << w->position);
	if (!queue->waves) {
		simd->queues &= ~(1u << w->queue);
		simd->free_slot[w->queue] = SLOT_LATE;
	}
	w->queue = QUEUE_NONE;
}

enum sim_wait time_wave_reason(const struct time_cu *cu, const struct time_wave *w, uint64_t now)
{
	if (w->queue == QUEUE_NONE)
		return (enum sim_wait)w->reason;
	return queue_waits_for_unit(&cu->simd[w->simd].queue[w->queue], now) ? WAIT_UNIT
									     : WAIT_ARBITER;
}

void time_wave_held(struct time_cu *cu, struct time_wave *w, uint64_t now)
{
	if (w->queue != QUEUE_NONE)
		queue_leave(cu, w, now);
	else if (w->at != w->end)
		time_count_wait(cu, w, w->at, (enum sim_wait)w->reason, now - w->ready);
	w->ready = now;
}

void time_wave_wait(struct time_cu *cu, struct time_wave *w, uint64_t when)
{
	struct time_simd *simd = &cu->simd[w->simd];
	uint64_t slot = time_slot_at(w->simd, when);

	w->ready = when;
	check_at(cu, w, when);
	if (slot < simd->next)
		simd->next = slot;
}

void time_wave_remove(struct time_cu *cu, const struct time_wave *w)
{
	struct time_simd *simd = &cu->simd[w->simd];
	const uint32_t below = (1u << w->position) - 1;

	simd->count--;
	for (uint32_t i = w->position; i < simd->count; i++) {
		simd->wave[i] = simd->wave[i + 1];
		simd->next_check[i] = simd->next_check[i + 1];
		simd->ready_slot[i] = simd->ready_slot[i + 1];
		simd->wave[i]->position = (uint8_t)i;
	}
	check_never(simd, simd->count);
	for (uint32_t i = 0; i < QUEUE_COUNT; i++) {
		uint32_t waves = simd->queue[i].waves;

		simd->queue[i].waves = (waves & below) | (waves >> 1 & ~below);
	}
}

/* ---- Slots ---------------------------------------------------------------------------------- */

static inline uint32_t queue_of(const struct sim_timing *t)
{
	return t->kind == TIMING_MFMA ? QUEUE_MATRIX : t->unit;
}

/* True for a plain instruction that uses its unit for one slot. */
static inline bool is_plain(const struct sim_timing *t, uint32_t unit)
{
	return t->unit == unit && t->kind == TIMING_PLAIN && t->cycles == SIM_SLOT &&
	       !(t->flags & TIMING_DATA);
}

/*
 * Issues all consecutive plain instructions of one class, if there are several. Not used if samples
 * or counters per instruction need single instructions.
 */
static inline bool issue_burst(struct time_cu *cu, struct time_simd *simd, struct time_wave *w,
			       uint64_t now)
{
	const struct sim_timing *t = w->at, *last = t;
	const uint32_t unit = t->unit;
	uint32_t count = 0;

	if (unit >= BURST_UNITS || cu->pcs || cu->tick != TIME_NEVER)
		return false;
	for (; t != w->end && is_plain(t, unit); t += t->words) {
		last = t;
		count++;
	}
	if (count < 2)
		return false;
	if (now > w->ready)
		time_count_wait(cu, w, w->at, (enum sim_wait)w->reason, now - w->ready);
	simd->burst[unit] = (struct time_burst){
		.wave = w, .first = w->at, .from = now, .end = now + (uint64_t)count * SIM_SLOT};
	w->reason = WAIT_ARBITER;
	w->ready = simd->burst[unit].end;
	w->last = last;
	w->at = t;
	cu->counters.insts += count;
	cu->counters.valu_busy += unit == UNIT_VALU ? count * SIM_SLOT : 0;
	check_at(cu, w, w->ready);
	return true;
}

/* An older wave issues in this slot, so the rest of the burst waits. Returns the wave's bit. */
static uint32_t end_burst(struct time_cu *cu, struct time_simd *simd, uint32_t unit, uint64_t now)
{
	struct time_burst *burst = &simd->burst[unit];
	struct time_wave *w = burst->wave;
	uint64_t done = (now - burst->from) / SIM_SLOT, undone = (burst->end - now) / SIM_SLOT;

	w->at = burst->first;
	for (; done; done--) {
		w->last = w->at;
		w->at += w->at->words;
	}
	w->ready = burst->end = now;
	cu->counters.insts -= undone;
	cu->counters.valu_busy -= unit == UNIT_VALU ? undone * SIM_SLOT : 0;
	check_at(cu, w, now);
	return 1u << w->position;
}

/* w's instruction gets its unit. Returns the bit of a wave that must be processed again. */
static inline uint32_t take_unit(struct time_cu *cu, struct time_wave *w, uint32_t which,
				 uint64_t now)
{
	struct time_simd *simd = &cu->simd[w->simd];
	const uint32_t unit = w->at->unit;
	uint32_t again = bursts(simd, unit, now) ? end_burst(cu, simd, unit, now) : 0;

	simd->taken |= 1u << unit;
	if (!issue_burst(cu, simd, w, now))
		check_at(cu, w, time_issue(cu, w, now));
	if (simd->queue[which].waves)
		queue_lost(cu, w->simd, which, now);
	return again;
}

/* True if another wave issues an instruction of the class in this slot, before this wave can. */
static inline bool is_taken(const struct time_simd *simd, const struct time_wave *w, uint32_t unit,
			    uint64_t now)
{
	return simd->taken >> unit & 1 ||
	       (bursts(simd, unit, now) && simd->burst[unit].wave->position < w->position);
}

/*
 * A wave can issue its next instruction from now on. Returns the bit of another wave that must be
 * processed again.
 */
static inline uint32_t serve_ready(struct time_cu *cu, struct time_simd *simd, struct time_wave *w,
				   uint64_t now)
{
	const struct sim_timing *t = w->at;
	uint32_t which = queue_of(t);
	uint64_t own, free;

	if (t->kind == TIMING_WAITCNT) {
		w->spans = 0;
		w->ready = time_pass_waitcnt(cu, w, now);
		check_at(cu, w, w->ready);
		return 0;
	}
	if (t->unit == UNIT_NONE) {
		/* One more wave than can issue in a slot: each is skipped in rotation. */
		bool skipped = simd->count > SIM_INTERNAL &&
			       now / SIM_SLOT % SIM_SIMD_WAVES == w->position;

		check_at(cu, w, skipped ? now + SIM_SLOT : time_issue(cu, w, now));
		return 0;
	}
	own = time_counter_free(w, t->unit);
	if (is_taken(simd, w, t->unit, now)) {
		if (own <= now) {
			queue_join(cu, w, which, false, now);
			return 0;
		}
		held_by(cu, w, WAIT_ARBITER, now);
		check_at(cu, w, now + SIM_SLOT);
		return 0;
	}
	free = unit_free(cu, w->simd, which);
	if (own <= now && free <= now)
		return take_unit(cu, w, which, now);
	if (own > now) {
		held_by(cu, w, WAIT_UNIT, now);
		check_at(cu, w, later(own, free));
	} else {
		queue_join(cu, w, which, true, now);
	}
	return 0;
}

/* Processes the oldest wave of a queue whose unit may be free. Returns like serve_ready(). */
static inline uint32_t serve_queue(struct time_cu *cu, struct time_simd *simd, uint32_t number,
				   uint32_t which, uint64_t now)
{
	struct time_queue *queue = &simd->queue[which];
	struct time_wave *w = simd->wave[__builtin_ctz(queue->waves)];
	uint32_t unit = which == QUEUE_MATRIX ? UNIT_VALU : which;
	uint64_t free;

	if (is_taken(simd, w, unit, now)) {
		queue_lost(cu, number, which, now);
		return 0;
	}
	free = unit_free(cu, number, which);
	if (free > now) {
		queue_set(queue, now, true);
		queue_again(cu, number, which, free);
		return 0;
	}
	queue_leave(cu, w, now);
	return take_unit(cu, w, which, now);
}

/* A bit per element that is at or before a slot. */
static inline uint32_t due(const int16_t *slots, int16_t slot)
{
	__m128i later =
		_mm_cmpgt_epi16(_mm_load_si128((const __m128i *)slots), _mm_set1_epi16(slot));

	return ~(uint32_t)_mm_movemask_epi8(_mm_packs_epi16(later, later)) & 0xff;
}

/*
 * The waves to consider in a slot: those that are ready, and the oldest of each queue that is due.
 */
static inline uint32_t due_waves(const struct time_simd *simd, int16_t slot)
{
	uint32_t waves = due(simd->ready_slot, slot);

	for (uint32_t left = simd->queues & due(simd->free_slot, slot); left; left &= left - 1) {
		uint32_t queued = simd->queue[__builtin_ctz(left)].waves;

		waves |= queued & -queued;
	}
	return waves;
}

/* The first slot after this one in which something is due. */
static inline int16_t first_after(const struct time_simd *simd, int16_t slot)
{
	const __m128i now = _mm_set1_epi16(slot), late = _mm_set1_epi16(SLOT_LATE);
	__m128i ready = _mm_load_si128((const __m128i *)simd->ready_slot);
	__m128i free = _mm_load_si128((const __m128i *)simd->free_slot), least;

	ready = _mm_or_si128(_mm_andnot_si128(_mm_cmpgt_epi16(ready, now), late), ready);
	free = _mm_or_si128(_mm_andnot_si128(_mm_cmpgt_epi16(free, now), late), free);
	least = _mm_min_epi16(ready, free);
	least = _mm_min_epi16(least, _mm_srli_si128(least, 8));
	least = _mm_min_epi16(least, _mm_srli_si128(least, 4));
	least = _mm_min_epi16(least, _mm_srli_si128(least, 2));
	return (int16_t)_mm_cvtsi128_si32(least);
}

static uint64_t find_next(const struct time_simd *simd)
{
	uint64_t next = TIME_NEVER;

	for (uint32_t i = 0; i < SIM_SIMD_WAVES; i++)
		next = simd->next_check[i] < next ? simd->next_check[i] : next;
	for (uint32_t left = simd->queues; left; left &= left - 1) {
		uint64_t again = simd->queue[__builtin_ctz(left)].again;

		next = again < next ? again : next;
	}
	return next;
}

static inline uint64_t next_slot(const struct time_cu *cu, uint32_t number, int16_t slot)
{
	int16_t next = cu->simd[number].soonest;

	if (next == SLOT_LATE) {
		uint64_t when = find_next(&cu->simd[number]);

		return when == TIME_NEVER ? when : time_slot_at(number, when);
	}
	return cu->base + number + (uint64_t)SIM_SLOT * (uint64_t)(next > slot ? next : slot + 1);
}

void time_simd_slot(struct time_cu *cu, uint32_t number, uint64_t now)
{
	struct time_simd *simd = &cu->simd[number];
	const int16_t slot = (int16_t)((now - cu->base) / SIM_SLOT);
	uint32_t left = due_waves(simd, slot);

	if (simd->slot != now)
		simd->taken = 0;
	simd->slot = now;
	/* Before anything changes, because loading what has just been stored in parts is slow. */
	simd->soonest = first_after(simd, slot);
	while (left) {
		uint32_t i = (uint32_t)__builtin_ctz(left);
		struct time_wave *w = simd->wave[i];

		left &= left - 1;
		if (w->queue != QUEUE_NONE) {
			left |= serve_queue(cu, simd, number, w->queue, now);
			continue;
		}
		if (w->at == w->end) {
			bool ended, goes_on = time_wave_next_run(cu, w, now);

			/* Younger waves may have been released, and moved up in the list. */
			ended = w->state == TIME_ENDED;
			left = due_waves(simd, slot) & -(ended ? 1u << i : 2u << i);
			if (!goes_on)
				continue;
		}
		left |= serve_ready(cu, simd, w, now);
	}
	simd->next = next_slot(cu, number, slot);
}
