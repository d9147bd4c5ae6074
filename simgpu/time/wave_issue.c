/* SPDX-License-Identifier: MIT */
/*
 * Issues the instructions of a wave. A wave runs on from its slot as far as what it needs is known:
 * it reserves slots of its SIMD's units up to a window ahead, and goes to the end of the line of
 * the address unit or the LDS port. So its accesses must be in the order of time: before one, it
 * lets all waves of the unit continue that are at an earlier cycle. At the end of its trace it does
 * the same.
 *
 * This is greedy-then-oldest arbitration: a wave that issues goes on, the others wait for free
 * slots, the oldest of those that continue in a slot first.
 */
#include "simgpu/time/wave_issue.h"

#include "simgpu/time/issue_slots.h"
#include "simgpu/time/memory_latency.h"
#include "simgpu/time/pc_sampler.h"
#include "simgpu/time/wave_progress.h"
#include "simgpu/time/wave_waits.h"

enum {
	LONGEST = 16, /* slots that one instruction reserves at most */
	LAST = WINDOW - LONGEST,
};

/* ---- Counters of outstanding accesses ------------------------------------------------------- */

static void push_vm(struct time_wave *w, uint64_t done)
{
	/* Loads return in order. */
	w->last_vm = later(w->last_vm, done);
	w->vm[w->vm_count++ % TIME_VM] = w->last_vm;
}

static void push_lgkm(struct time_wave *w, uint64_t done)
{
	w->last_lgkm = later(w->last_lgkm, done);
	w->lgkm[w->lgkm_count++ % TIME_LGKM] = done;
}

/* When at most `left` vector memory instructions are outstanding. */
static uint64_t vm_done(const struct time_wave *w, uint32_t left)
{
	return w->vm_count > left && left < TIME_VM - 1 ? w->vm[(w->vm_count - left - 1) % TIME_VM]
							: 0;
}

/*
 * The same for lgkmcnt. Scalar loads may return in any order, so any count requires all older ones
 * to be complete.
 */
static uint64_t lgkm_done(const struct time_wave *w, uint32_t left)
{
	uint64_t done = 0;

	if (!left)
		return w->last_lgkm;
	for (uint32_t i = left; i < TIME_LGKM - 1 && i < w->lgkm_count; i++)
		done = later(done, w->lgkm[(w->lgkm_count - i - 1) % TIME_LGKM]);
	return done;
}

/* s_waitcnt: vmcnt 15..14 and 3..0, lgkmcnt 11..8. */
static uint64_t counters_done(const struct time_wave *w, uint32_t operand)
{
	return later(vm_done(w, (operand & 15) | (operand >> 10 & 0x30)),
		     lgkm_done(w, operand >> 8 & 15));
}

/* If all accesses are complete, the arrays begin anew, and stay in the host's cache. */
static void forget_done(struct time_wave *w, uint64_t now)
{
	if (w->last_vm <= now)
		w->vm_count = 0;
	if (w->last_lgkm <= now)
		w->lgkm_count = 0;
}

/* When the counter, which has 6 or 4 bits, can count one more access. */
static uint64_t counter_free(const struct time_wave *w, uint32_t unit)
{
	return unit == UNIT_LDS ? lgkm_done(w, TIME_LGKM - 2) : vm_done(w, TIME_VM - 2);
}

static uint64_t issue_lds(struct time_cu *cu, struct time_wave *w, uint64_t now)
{
	uint64_t record = w->trace->word[w->word++];
	uint32_t dwords = record >> 8 & 0xff, passes = record >> 16 & 0xffff, port;
	uint64_t start;

	if ((record & 0xff) != RECORD_LDS)
		return now;
	port = record >> 48 & 1 ? sim_time_cost.lds_write_once + dwords * sim_time_cost.lds_write
				: dwords * sim_time_cost.lds_read;
	port = port > passes ? port : passes;
	cu->counters.lds_busy += port;
	cu->counters.lds_active += passes;
	cu->counters.lds_conflict += record >> 32 & 0xffff;
	/*
	 * The banks serve both ports, and the other one may have a shorter line. So their work
	 * counts from the wave's arrival, which is now.
	 */
	start = later(now, cu->lds_banks_free);
	cu->lds_banks_free = later(cu->now, cu->lds_banks_free) + passes;
	cu->lds_free[w->simd / 2] = start + port;
	/*
	 * The latency was measured with 4 cycles of port time; the use takes the slot of the
	 * s_waitcnt.
	 */
	return start + sim_time_cost.lds + port - 4 - SIM_SLOT;
}

static void access_scalar(struct time_cu *cu, struct time_wave *w, const struct sim_timing *t,
			  uint64_t now)
{
	switch (t->kind) {
	case TIMING_SMEM:
	case TIMING_SMEM_STORE:
		w->poll.acted |= t->kind == TIMING_SMEM_STORE;
		w->poll.loads++;
		push_lgkm(w, time_scalar(cu, w, t, now));
		break;
	case TIMING_CLOCK:
		w->word++;
		push_lgkm(w, now + sim_time_cost.scalar_l1 - SIM_SLOT);
		break;
	case TIMING_SCALAR_INVALIDATE:
		w->word++;
		time_scalar_invalidate(cu);
		break;
	default:
		w->word++;
		break;
	}
}

static void access_vector(struct time_cu *cu, struct time_wave *w, const struct sim_timing *t,
			  uint64_t now)
{
	switch (t->kind) {
	case TIMING_L1_INVALIDATE:
		w->word++;
		time_l1_invalidate(cu);
		return;
	case TIMING_PLAIN:
		w->word++;
		return;
	case TIMING_LOAD:
		w->poll.loads++;
		break;
	default:
		w->poll.acted = true;
		break;
	}
	push_vm(w, time_vector(cu, w, t, now));
	if (t->flags & TIMING_FLAT)
		push_lgkm(w, w->last_vm);
}

static inline void access_memory(struct time_cu *cu, struct time_wave *w,
				 const struct sim_timing *t, uint64_t now)
{
	if (t->unit == UNIT_LDS) {
		w->poll.acted = true;
		push_lgkm(w, issue_lds(cu, w, now));
	} else {
		access_vector(cu, w, t, now);
	}
}

/* ---- Slots ---------------------------------------------------------------------------------- */

/* What processing a wave changes; the rest of the wave's state is written as it changes. */
struct issue {
	struct time_cu *cu;
	struct time_simd *simd;
	struct time_wave *w;
	const struct sim_timing *at, *end; /* rest of the current run of instructions */
	uint64_t start;			   /* the cycle of slot 0 of the window */
	bool watched;			   /* by samples or counters per instruction */
};

static inline uint64_t mask_of(uint64_t from, uint64_t to)
{
	return ((uint64_t)1 << to) - ((uint64_t)1 << from);
}

/* Moves the window to the cycle at which the unit is now. */
static inline void window_move(struct issue *is)
{
	struct time_window *window = &is->simd->window;
	uint64_t slot = is->cu->now / SIM_SLOT, by = slot - window->origin;

	is->start = is->cu->now;
	window->origin = slot;
	if (by >= WINDOW) {
		window->busy[UNIT_VALU] = window->busy[UNIT_SCALAR] = 0;
		window->busy[UNIT_BRANCH] = window->issued = 0;
		return;
	}
	window->busy[UNIT_VALU] >>= by;
	window->busy[UNIT_SCALAR] >>= by;
	window->busy[UNIT_BRANCH] >>= by;
	window->issued >>= by;
}

static __attribute__((noinline)) void watch_wait(struct time_cu *cu, const struct time_wave *w,
						 const struct sim_timing *t, enum sim_wait why,
						 uint64_t from, uint64_t to)
{
	time_count_wait(cu, w, t, why, to - from);
	time_sampler_span(cu, w, (struct time_span){.until = to, .at = t, .reason = (uint8_t)why});
}

/* The wave waits at t from a cycle to another. */
static inline void wait_until(const struct issue *is, const struct sim_timing *t, enum sim_wait why,
			      uint64_t from, uint64_t to)
{
	if (to <= from)
		return;
	if (is->watched)
		watch_wait(is->cu, is->w, t, why, from, to);
	else
		*time_wait_counter(is->cu, why) += to - from;
}

/* For samples and counters per instruction. */
static __attribute__((noinline)) void watch_issue(struct time_cu *cu, const struct time_wave *w,
						  const struct sim_timing *t, uint64_t when)
{
	struct sim_pc_time *pc = cu->pcs ? sim_pc_time(w->code, t) : NULL;

	if (pc)
		__atomic_fetch_add(&pc->issued, 1, __ATOMIC_RELAXED);
	time_sampler_span(cu, w,
			  (struct time_span){.until = when + SIM_SLOT, .at = t, .issues = true});
}

/* t issues at a cycle. */
static inline void count_issue(const struct issue *is, const struct sim_timing *t, uint64_t when)
{
	is->cu->counters.insts++;
	is->w->last = t;
	if (is->watched)
		watch_issue(is->cu, is->w, t, when);
}

/* The first of `count` free slots of a unit in a row, from a slot on. If none: at least LAST. */
static inline uint32_t free_slots(uint64_t busy, uint32_t slot, uint32_t count)
{
	uint64_t free = ~busy >> slot << slot;

	for (uint32_t i = 1; i < count; i++)
		free &= free >> 1;
	return free ? (uint32_t)__builtin_ctzll(free) : WINDOW - 1;
}

/*
 * Reserves slots for an instruction that can issue at `when`. Returns when it does, or the cycle at
 * which the wave must try again, at least LAST slots after the start.
 */
static inline uint64_t reserve(const struct issue *is, const struct sim_timing *t, uint32_t unit,
			       uint32_t count, uint64_t when)
{
	struct time_window *window = &is->simd->window;
	uint32_t slot = (uint32_t)(when - is->start) / SIM_SLOT, at = slot;

	if (__builtin_expect(window->busy[unit] >> slot & mask_of(0, count), 0)) {
		uint64_t issued = unit == UNIT_VALU ? window->issued : window->busy[unit];
		uint64_t busy;

		at = free_slots(window->busy[unit], slot, count);
		busy = when + SIM_SLOT * (uint64_t)__builtin_popcountll(issued & mask_of(slot, at));
		wait_until(is, t, WAIT_ARBITER, when, busy);
		when = is->start + (uint64_t)at * SIM_SLOT;
		wait_until(is, t, WAIT_UNIT, busy, when);
		if (at >= LAST)
			return when;
	}
	window->busy[unit] |= mask_of(0, count) << at;
	window->issued |= (uint64_t)(unit == UNIT_VALU) << at;
	return when;
}

/* True if `when` is too far ahead for the window: the wave continues later. */
static inline bool is_far(const struct issue *is, uint64_t when)
{
	return when - is->start >= LAST * SIM_SLOT;
}

/*
 * Issues the plain instructions from the wave's next one on that find their slots free, which take
 * one after the other. Returns their number.
 */
static inline uint32_t issue_plain(struct issue *is, uint64_t when)
{
	struct time_window *window = &is->simd->window;
	const uint32_t slot = (uint32_t)(when - is->start) / SIM_SLOT;
	const struct sim_timing *t = is->at, *last = t + t->plain_last;
	uint64_t vector = t->plain_vector, taken, count = t->plain, vectors = t->plain_vectors;

	taken = (window->busy[UNIT_VALU] >> slot & vector) |
		(window->busy[UNIT_SCALAR] >> slot & ~vector) | (uint64_t)1 << (LAST - slot);
	if (taken & mask_of(0, count) || t + t->plain_words > is->end) {
		const uint32_t most = (uint32_t)__builtin_ctzll(taken);

		vectors = 0;
		for (count = 0; count < most && t < is->end && t->plain; count++) {
			vectors += t->unit == UNIT_VALU;
			last = t;
			t += t->words;
		}
		is->at = t;
	} else {
		is->at = t + t->plain_words;
	}
	vector &= mask_of(0, count);
	window->busy[UNIT_VALU] |= vector << slot;
	window->issued |= vector << slot;
	window->busy[UNIT_SCALAR] |= (vector ^ mask_of(0, count)) << slot;
	is->cu->counters.insts += count;
	is->cu->counters.valu_busy += vectors * SIM_SLOT;
	if (count)
		is->w->last = last;
	return (uint32_t)count;
}

/* ---- Instructions --------------------------------------------------------------------------- */

static inline uint64_t issue_valu(const struct issue *is, const struct sim_timing *t, uint64_t when)
{
	uint64_t matrix;

	if (__builtin_expect(t->kind == TIMING_MFMA, 0)) {
		matrix = time_slot_at(is->w->simd, is->simd->matrix_free);
		wait_until(is, t, WAIT_UNIT, when, matrix);
		when = later(when, matrix);
		if (is_far(is, when))
			return when;
	}
	when = reserve(is, t, UNIT_VALU, t->cycles / SIM_SLOT, when);
	if (is_far(is, when))
		return when;
	is->cu->counters.valu_busy += t->cycles;
	if (__builtin_expect(t->kind == TIMING_MFMA, 0)) {
		is->simd->matrix_free = when + t->arg;
		is->cu->counters.insts_mfma++;
		is->cu->counters.mfma_busy += t->arg;
	}
	return when;
}

/* When a vector memory or LDS instruction issues: these units serve waves in order of arrival. */
static inline uint64_t line_up(const struct issue *is, const struct sim_timing *t, uint64_t when)
{
	uint64_t *next = t->unit == UNIT_LDS ? &is->simd->lds_next : &is->simd->vmem_next;
	uint64_t unit, at;

	if (t->unit == UNIT_LDS)
		unit = is->cu->lds_free[is->w->simd / 2];
	else
		unit = later(is->cu->ta_free, sim_time_cost.ta_queue) - sim_time_cost.ta_queue;
	unit = time_slot_at(is->w->simd, later(unit, counter_free(is->w, t->unit)));
	at = later(later(when, *next), unit);
	*next = at + SIM_SLOT;
	wait_until(is, t, unit > when ? WAIT_UNIT : WAIT_ARBITER, when, at);
	return at;
}

/* Returns when the next instruction can issue. */
static inline uint64_t issue_waitcnt(const struct issue *is, const struct sim_timing *t,
				     uint64_t when)
{
	uint64_t done = time_slot_at(is->w->simd, counters_done(is->w, t->arg));

	wait_until(is, t, WAIT_COUNTERS, when, done);
	when = later(when, done);
	forget_done(is->w, when);
	count_issue(is, t, when);
	return when + SIM_SLOT;
}

/* Other instructions that use no unit. */
static __attribute__((noinline)) uint64_t issue_internal(struct issue issue,
							 const struct sim_timing *t, uint64_t when)
{
	const struct issue *is = &issue;
	uint64_t next;

	/* One more wave than can issue in a slot: each is skipped in rotation. */
	if (is->simd->count > SIM_INTERNAL && when / SIM_SLOT % SIM_SIMD_WAVES == is->w->position) {
		wait_until(is, t, WAIT_ARBITER, when, when + SIM_SLOT);
		when += SIM_SLOT;
	}
	count_issue(is, t, when);
	when += SIM_SLOT;
	next = when - SIM_SLOT + t->cycles;
	if (t->kind == TIMING_SLEEP)
		next = when - SIM_SLOT + (uint64_t)t->arg * sim_time_cost.sleep;
	wait_until(is, t, t->kind == TIMING_SLEEP ? WAIT_OTHER : WAIT_INTERNAL, when, next);
	return later(when, next);
}

/* The unit is at `when`; false if other events come first, so that the wave must wait. */
static inline bool advance(struct issue *is, uint64_t when)
{
	if (when > is->cu->horizon || is->cu->stored)
		return false;
	if (when > is->cu->now) {
		is->cu->now = when;
		window_move(is);
		if (is->watched)
			time_sampler_forget(is->cu, is->w);
	}
	return true;
}

static inline uint64_t issue_branch(const struct issue *is, const struct sim_timing *t,
				    uint64_t when)
{
	uint64_t next = when + sim_time_cost.branch_not;

	if (t + t->words == is->end && is->w->jumps)
		next = when + sim_time_cost.branch_taken;
	count_issue(is, t, when);
	wait_until(is, t, WAIT_NO_INSTRUCTION, when + SIM_SLOT, next);
	return next;
}

/*
 * Issues the wave's next instruction, which can issue at *when, and sets when the one after it can.
 * False if it must wait until then.
 */
static inline __attribute__((always_inline)) bool
issue_one(struct issue *is, const struct sim_timing *t, uint64_t *when)
{
	uint64_t at;

	switch (t->unit) {
	case UNIT_VALU:
		at = *when = issue_valu(is, t, *when);
		if (is_far(is, at))
			return false;
		break;
	case UNIT_SCALAR:
		at = *when = reserve(is, t, UNIT_SCALAR, 1, *when);
		if (is_far(is, at))
			return false;
		/* No order: they mostly hit a cache without a line in front of it. */
		if (t->flags & TIMING_DATA)
			access_scalar(is->cu, is->w, t, at);
		break;
	case UNIT_BRANCH:
		*when = reserve(is, t, UNIT_BRANCH, 1, *when);
		if (is_far(is, *when))
			return false;
		*when = issue_branch(is, t, *when);
		return true;
	case UNIT_NONE:
		*when = t->kind == TIMING_WAITCNT ? issue_waitcnt(is, t, *when)
						  : issue_internal(*is, t, *when);
		return true;
	default:
		if (t->flags & TIMING_DATA && !advance(is, *when))
			return false;
		at = line_up(is, t, *when);
		if (t->flags & TIMING_DATA)
			access_memory(is->cu, is->w, t, at);
		break;
	}
	count_issue(is, t, at);
	*when = at + SIM_SLOT;
	return true;
}

/* The next run of instructions of the trace, or of a new one. False if the wave waits. */
static inline bool next_run(struct issue *is, uint64_t when)
{
	struct time_wave *w = is->w;

	if (w->run < w->runs && !w->barrier) {
		time_wave_take_run(w);
	} else {
		w->at = w->end;
		if (!advance(is, when)) {
			time_wave_wait(is->cu, w, when);
			return false;
		}
		w->ready = when;
		if (!time_wave_next_run(is->cu, w, when))
			return false;
	}
	is->at = w->at;
	is->end = w->end;
	return true;
}

static inline __attribute__((always_inline)) void issue_wave(struct time_cu *cu,
							     struct time_wave *w, bool watched)
{
	struct issue is = {
		.cu = cu,
		.simd = &cu->simd[w->simd],
		.w = w,
		.at = w->at,
		.end = w->end,
		.watched = watched,
	};
	const uint64_t ready = w->ready;
	uint64_t when = cu->now;

	if (watched)
		time_sampler_forget(cu, w);
	window_move(&is);
	if (is.at == is.end && !next_run(&is, when))
		return;
	wait_until(&is, is.at, (enum sim_wait)w->reason, ready, when);
	w->reason = WAIT_ARBITER;
	for (;;) {
		const struct sim_timing *t;

		if (is.at == is.end && !next_run(&is, when))
			return;
		t = is.at;
		if (is_far(&is, when))
			break;
		if (t->plain > 1 && !watched) {
			uint32_t count = issue_plain(&is, when);

			when += (uint64_t)count * SIM_SLOT;
			if (count)
				continue;
		}
		if (!issue_one(&is, t, &when))
			break;
		is.at = t + t->words;
	}
	w->at = is.at;
	time_wave_wait(cu, w, when);
}

/* Most waves are not watched, so there is a copy of the function that does not look. */
void time_wave_issue(struct time_cu *cu, struct time_wave *w)
{
	if (__builtin_expect(cu->pcs || cu->tick != TIME_NEVER, 0))
		issue_wave(cu, w, true);
	else
		issue_wave(cu, w, false);
}
