/* SPDX-License-Identifier: MIT */
/*
 * One compute unit. Each of its four SIMDs has an issue slot every fourth cycle, in which it
 * issues at most one instruction per class, of different waves, the oldest first; internal
 * instructions use no unit. A wave runs ahead functionally by a piece at a time: when its trace is
 * used up it runs on until something stops it or the piece is long enough.
 */
#include "simgpu/time/wave_issue.h"

#include <stdlib.h>
#include <string.h>

#include "simgpu/exec/decode/code_cache.h"
#include "simgpu/base/sim_options.h"
#include "simgpu/time/memory_latency.h"
#include "simgpu/time/unit_workgroups.h"
#include "simgpu/time/pc_sampler.h"

enum {
	CYCLES_UNTRACED = 4000 /* of a quantum that left no trace */
};

/* The first slot of a SIMD at or after a time. */
static uint64_t slot_at(uint32_t simd, uint64_t when)
{
	return when <= simd ? simd : ((when - simd + SIM_SLOT - 1) & -(uint64_t)SIM_SLOT) + simd;
}

/* ---- Waits ---------------------------------------------------------------------------------- */

/* at: the instruction that could not issue, or after which the wave waits. */
static void count_wait(struct time_cu *cu, const struct time_wave *w, const struct sim_timing *at,
		       enum sim_wait why, uint64_t cycles)
{
	struct sim_pc_time *pc;

	(&cu->counters.wait_fetch)[why] += cycles;
	pc = cu->pcs && w->code ? sim_pc_time(w->code, at) : NULL;
	if (pc)
		__atomic_fetch_add(&pc->wait[why], cycles, __ATOMIC_RELAXED);
}

/* For PC samples: the state of w up to `until`, from where the last span ends. */
static void put_span(const struct time_cu *cu, struct time_wave *w, uint64_t until,
		     const struct sim_timing *at, bool issues, enum sim_wait why)
{
	if (cu->tick == TIME_NEVER)
		return;
	w->spans -= w->spans == TIME_SPANS;
	w->span[w->spans++] = (struct time_span){until, at, issues, (uint8_t)why};
}

void time_wave_held(struct time_cu *cu, struct time_wave *w, uint64_t now)
{
	if (w->at != w->end)
		count_wait(cu, w, w->at, (enum sim_wait)w->reason, now - w->ready);
	w->ready = now;
}

/* The wave may continue at `when`. */
void time_wave_wait(struct time_cu *cu, struct time_wave *w, uint64_t when)
{
	struct time_simd *simd = &cu->simd[w->simd];
	uint64_t slot = slot_at(w->simd, when);

	w->ready = when;
	simd->next_check[w->position] = when;
	if (slot < simd->next)
		simd->next = slot;
}

/* Another function calls time_wave_wait(). */
static void park(struct time_cu *cu, struct time_wave *w, enum time_state state)
{
	w->state = (uint8_t)state;
	cu->simd[w->simd].next_check[w->position] = TIME_NEVER;
}

/* ---- Functional execution of waves -------------------------------------------------------- */

/* Run the wave for another quantum. pass: do not hold it at its next instruction. */
void time_wave_refill(struct time_cu *cu, struct time_wave *w, bool pass)
{
	struct sim_wave *wave = &w->group->slot->wave[w->index];
	sim_trace_reset(w->trace);
	w->trace->pass = pass;
	w->trace->cycles = cu->dispatch->timing.start_cycle + cu->now;
	w->trace->first_exec = w->trace->exec = wave->exec;
	wave->trace = w->trace;
	w->run = w->word = 0;
	w->stop = sim_wave_run(wave, cu->quantum);
	cu->steps++;
	switch (w->stop) {
	case SIM_STOP_END:
		if (!--w->group->running)
			time_group_leave_slot(cu, w->group);
		return;
	case SIM_STOP_TRAP:
		if (sim_wave_trap_returns(wave))
			return;
		break;
	case SIM_STOP_GWS:
		if (sim_workgroup_sync_grid(cu->dispatch, w->group->slot, w->index))
			return;
		break;
	case SIM_STOP_FAULT:
		break;
	default:
		return;
	}
	cu->dispatch->wave_failed(cu->dispatch, wave, w->stop);
	w->stop = SIM_STOP_FAULT;
}

static void remove_wave(struct time_simd *simd, const struct time_wave *w)
{
	simd->count--;
	for (uint32_t i = w->position; i < simd->count; i++) {
		simd->wave[i] = simd->wave[i + 1];
		simd->next_check[i] = simd->next_check[i + 1];
		simd->wave[i]->position = (uint8_t)i;
	}
}

/* All live waves have arrived: they continue now. */
static void release_barrier(struct time_cu *cu, struct time_group *group, uint64_t now)
{
	if (!group->waiting || group->waiting < group->live)
		return;
	for (uint32_t i = 0; i < group->waves; i++) {
		struct time_wave *w = group->wave[i];

		if (!w || w->state != TIME_AT_BARRIER)
			continue;
		count_wait(cu, w, w->last, WAIT_BARRIER, now - w->ready);
		w->state = TIME_RUNS;
		time_wave_wait(cu, w, later(now, w->trapped));
	}
	group->waiting = 0;
}

static void end_wave(struct time_cu *cu, struct time_wave *w, uint64_t now)
{
	struct time_group *group = w->group;

	cu->end = later(cu->end, later(now, w->last_vm));
	cu->counters.wave_cycles += now - w->start;
	w->state = TIME_ENDED;
	group->wave[w->index] = NULL;
	group->live--;
	if (!--cu->live)
		cu->counters.cu_busy_cycles += now - cu->busy_from;
	remove_wave(&cu->simd[w->simd], w);
	if (!group->live)
		time_group_done(cu, group);
	else
		release_barrier(cu, group, now);
}

/* The trace is used up: handle the stop of the wave. True: it has a new trace, or continues. */
static bool after_trace(struct time_cu *cu, struct time_wave *w, uint64_t now)
{
	struct sim_wave *wave = w->group->slot ? &w->group->slot->wave[w->index] : NULL;
	bool empty = !w->trace->runs;

	switch (w->stop) {
	case SIM_STOP_END:
		end_wave(cu, w, now);
		return false;
	case SIM_STOP_BARRIER:
		park(cu, w, TIME_AT_BARRIER);
		w->group->waiting++;
		w->stop = SIM_STOP_QUANTUM;
		release_barrier(cu, w->group, now);
		return w->state == TIME_RUNS;
	case SIM_STOP_HOLD:
		if (sim_wave_timing(wave)->kind == TIMING_CLOCK) {
			time_wave_refill(cu, w, true);
			return true;
		}
		park(cu, w, TIME_HELD);
		cu->held++;
		return false;
	case SIM_STOP_GWS:
		if (w->group->slot->state[w->index] == WAVE_GWS) {
			park(cu, w, TIME_AT_GRID);
			return false;
		}
		break;
	case SIM_STOP_SENDMSG:
		sim_wave_message(wave);
		break;
	case SIM_STOP_SLEEP:
		cu->sleeps++;
		break;
	case SIM_STOP_FAULT:
		park(cu, w, TIME_RUNS);
		return false;
	default:
		break;
	}
	time_wave_refill(cu, w, false);
	if (empty && !w->trace->runs && (w->stop == SIM_STOP_QUANTUM || w->stop == SIM_STOP_SLEEP))
		time_wave_wait(cu, w, now + CYCLES_UNTRACED);
	return true;
}

/* The wave's next instruction; NULL if it has none now. */
static const struct sim_timing *next_run(struct time_cu *cu, struct time_wave *w, uint64_t now)
{
	while (w->run == w->trace->runs) {
		if (!after_trace(cu, w, now) || w->ready > now)
			return NULL;
		if (sim_dispatch_stopped(cu->dispatch)) {
			park(cu, w, TIME_RUNS);
			return NULL;
		}
	}
	w->at = w->trace->run[w->run].first;
	w->end = w->trace->run[w->run].end;
	w->jumps = w->trace->run[w->run].jumps;
	w->code = w->trace->run[w->run].code;
	w->run++;
	return w->at;
}

/* ---- Issue ---------------------------------------------------------------------------------- */

static void push_vm(struct time_wave *w, uint64_t done)
{
	/* Returns come in order. */
	w->last_vm = later(w->last_vm, done);
	w->vm[w->vm_count++ % TIME_VM] = w->last_vm;
}

static void push_lgkm(struct time_wave *w, uint64_t done)
{
	w->last_lgkm = later(w->last_lgkm, done);
	w->lgkm[w->lgkm_count++ % TIME_LGKM] = done;
}

/* When no more than `left` vector memory instructions are outstanding. */
static uint64_t vm_done(const struct time_wave *w, uint32_t left)
{
	return w->vm_count > left && left < TIME_VM - 1 ? w->vm[(w->vm_count - left - 1) % TIME_VM]
							: 0;
}

/*
 * The same for lgkmcnt. Scalar loads may return in any order, so any count left requires all older
 * ones to be complete.
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

static uint64_t issue_lds(struct time_cu *cu, struct time_wave *w, uint64_t now)
{
	uint64_t record = w->trace->word[w->word++];
	uint32_t dwords = record >> 8 & 0xff, passes = record >> 16 & 0xffff, port;

	if ((record & 0xff) != RECORD_LDS)
		return now;
	port = record >> 48 & 1 ? sim_time_cost.lds_write_once + dwords * sim_time_cost.lds_write
				: dwords * sim_time_cost.lds_read;
	port = port > passes ? port : passes;
	cu->counters.lds_busy += port;
	cu->counters.lds_active += passes;
	cu->counters.lds_conflict += record >> 32 & 0xffff;
	cu->lds_free[w->simd / 2] = now + port;
	/* The latency was measured with 4 cycles of port; its use costs the s_waitcnt's slot. */
	return now + sim_time_cost.lds + port - 4 - SIM_SLOT;
}

static void issue_memory(struct time_cu *cu, struct time_wave *w, const struct sim_timing *t,
			 uint64_t now)
{
	uint64_t done;

	switch (t->kind) {
	case TIMING_SMEM:
	case TIMING_SMEM_STORE:
		push_lgkm(w, time_scalar(cu, w, t, now));
		break;
	case TIMING_CLOCK:
		w->word++;
		push_lgkm(w, now + sim_time_cost.scalar_l1 - SIM_SLOT);
		break;
	case TIMING_SCALAR_INVALIDATE:
		w->word++;
		time_l1_invalidate(cu->scalar);
		break;
	case TIMING_LDS:
		push_lgkm(w, issue_lds(cu, w, now));
		break;
	case TIMING_L1_INVALIDATE:
		w->word++;
		time_l1_invalidate(cu->l1);
		break;
	case TIMING_PLAIN:
		w->word++;
		break;
	default:
		done = time_vector(cu, w, t, now);
		push_vm(w, done);
		if (t->flags & TIMING_FLAT)
			push_lgkm(w, w->last_vm);
		break;
	}
}

static void count_issued(struct time_cu *cu, const struct time_wave *w, const struct sim_timing *t)
{
	struct sim_pc_time *pc = cu->pcs ? sim_pc_time(w->code, t) : NULL;

	cu->counters.insts++;
	if (pc)
		__atomic_fetch_add(&pc->issued, 1, __ATOMIC_RELAXED);
}

/*
 * Pass the s_waitcnt at which w is: the cycle in which it is met is known, because all instructions
 * it waits for have been issued. Returns when the next instruction may issue.
 */
static uint64_t pass_waitcnt(struct time_cu *cu, struct time_wave *w, uint64_t ready)
{
	const struct sim_timing *t = w->at;
	uint64_t done = counters_done(w, t->arg);

	if (done > ready) {
		done = slot_at(w->simd, done);
		count_wait(cu, w, t, WAIT_COUNTERS, done - ready);
		ready = done;
	}
	put_span(cu, w, ready + SIM_SLOT, t, false, WAIT_COUNTERS);
	count_issued(cu, w, t);
	w->last = w->stalled = t;
	w->at += t->words;
	return ready + SIM_SLOT;
}

/* When the instruction after one that issues now may issue, and the wait reason until then. */
static uint64_t ready_after(struct time_cu *cu, struct time_simd *simd, struct time_wave *w,
			    const struct sim_timing *t, uint64_t now)
{
	uint64_t ready = now + SIM_SLOT;

	switch (t->kind) {
	case TIMING_PLAIN:
		if (t->flags & TIMING_DATA)
			issue_memory(cu, w, t, now);
		if (t->unit == UNIT_NONE && t->cycles > SIM_SLOT) {
			ready = now + t->cycles;
			count_wait(cu, w, t, WAIT_INTERNAL, ready - now - SIM_SLOT);
			put_span(cu, w, ready, t, false, WAIT_INTERNAL);
		}
		return ready;
	case TIMING_MFMA:
		simd->matrix_free = now + t->arg;
		cu->counters.insts_mfma++;
		cu->counters.mfma_busy += t->arg;
		return ready;
	case TIMING_BRANCH:
		ready = now + (w->at == w->end && w->jumps ? sim_time_cost.branch_taken
							   : sim_time_cost.branch_not);
		if (ready > now + SIM_SLOT) {
			count_wait(cu, w, t, WAIT_NO_INSTRUCTION, ready - now - SIM_SLOT);
			put_span(cu, w, ready, t, false, WAIT_NO_INSTRUCTION);
		}
		return ready;
	case TIMING_SLEEP:
		ready = later(ready, now + (uint64_t)t->arg * sim_time_cost.sleep);
		count_wait(cu, w, t, WAIT_OTHER, ready - now - SIM_SLOT);
		put_span(cu, w, ready, t, false, WAIT_OTHER);
		return ready;
	default:
		issue_memory(cu, w, t, now);
		return ready;
	}
}

/* Issue w's next instruction now; returns when the next one may. */
static uint64_t issue(struct time_cu *cu, struct time_simd *simd, struct time_wave *w, uint64_t now)
{
	const struct sim_timing *t = w->at;
	uint64_t ready;

	if (now > w->ready)
		count_wait(cu, w, t, (enum sim_wait)w->reason, now - w->ready);
	count_issued(cu, w, t);
	w->last = t;
	w->stalled = NULL;
	w->at += t->words;
	w->reason = WAIT_ARBITER;
	w->spans = 0;
	put_span(cu, w, now + SIM_SLOT, t, true, WAIT_ARBITER);
	if (t->unit == UNIT_VALU) {
		simd->valu_free = now + t->cycles;
		cu->counters.valu_busy += t->cycles;
	}
	ready = ready_after(cu, simd, w, t, now);
	while (w->at != w->end && w->at->kind == TIMING_WAITCNT)
		ready = pass_waitcnt(cu, w, ready);
	w->ready = ready;
	return ready;
}

/* When the units that an instruction needs can take it. */
static uint64_t units_free(const struct time_cu *cu, const struct time_simd *simd,
			   const struct time_wave *w, const struct sim_timing *t)
{
	switch (t->unit) {
	case UNIT_VALU:
		return t->kind == TIMING_MFMA ? later(simd->valu_free, simd->matrix_free)
					      : simd->valu_free;
	case UNIT_LDS:
		/* Counters are 4 bits wide. */
		return later(cu->lds_free[w->simd / 2], lgkm_done(w, TIME_LGKM - 2));
	case UNIT_VMEM:
		return later(cu->ta_free > sim_time_cost.ta_queue
				     ? cu->ta_free - sim_time_cost.ta_queue
				     : 0,
			     vm_done(w, TIME_VM - 2));
	default:
		return 0;
	}
}

/* The cause that delays a ready wave; if it changes, the wait is divided. */
static void held_by(struct time_cu *cu, struct time_wave *w, enum sim_wait why, uint64_t now)
{
	if (w->reason == why)
		return;
	if (now > w->ready)
		time_wave_held(cu, w, now);
	w->reason = (uint8_t)why;
}

/* Whether w can issue in this slot. If not, *again is when to check it next; w->reason says why. */
static bool may_issue(struct time_cu *cu, struct time_simd *simd, struct time_wave *w, uint64_t now,
		      uint64_t *again)
{
	const struct sim_timing *t = w->at;
	uint64_t free;

	*again = now + SIM_SLOT;
	/* Of internal instructions one more than may issue in a slot: each in turn is skipped. */
	if (t->unit == UNIT_NONE)
		return simd->count <= SIM_INTERNAL ||
		       now / SIM_SLOT % SIM_SIMD_WAVES != w->position;
	if (simd->taken >> t->unit & 1) {
		held_by(cu, w, WAIT_ARBITER, now);
		return false;
	}
	free = units_free(cu, simd, w, t);
	if (free > now) {
		held_by(cu, w, WAIT_UNIT, now);
		*again = free;
		return false;
	}
	simd->taken |= 1u << t->unit;
	return true;
}

/* When to check a wave again that can issue now. */
static uint64_t serve_wave(struct time_cu *cu, struct time_simd *simd, struct time_wave *w,
			   uint64_t now)
{
	uint64_t again;

	if (w->at->kind == TIMING_WAITCNT) {
		w->spans = 0;
		w->ready = pass_waitcnt(cu, w, now);
		return w->ready;
	}
	return may_issue(cu, simd, w, now, &again) ? issue(cu, simd, w, now) : again;
}

void time_simd_slot(struct time_cu *cu, uint32_t number, uint64_t now)
{
	struct time_simd *simd = &cu->simd[number];
	uint64_t next = TIME_NEVER;

	if (simd->slot != now)
		simd->taken = 0;
	simd->slot = now;
	for (uint32_t i = 0; i < simd->count;) {
		struct time_wave *w = simd->wave[i];

		if (simd->next_check[i] > now) {
			i++;
			continue;
		}
		if (w->at == w->end && !next_run(cu, w, now)) {
			i += w->state != TIME_ENDED;
			continue;
		}
		simd->next_check[i] = serve_wave(cu, simd, w, now);
		i++;
	}
	for (uint32_t i = 0; i < simd->count; i++)
		next = simd->next_check[i] < next ? simd->next_check[i] : next;
	simd->next = next == TIME_NEVER ? next : slot_at(number, next > now ? next : now + 1);
}

void time_cu_grid_release(struct time_cu *cu, uint64_t now)
{
	if (cu->tick < now)
		time_sampler_run(cu, now);
	for (uint32_t i = 0; i < SIM_CU_WAVES; i++) {
		struct time_wave *w = &cu->waves[i];

		if (!w->group || w->state == TIME_ENDED || !w->group->slot ||
		    w->group->slot->state[w->index] != WAVE_GWS)
			continue;
		w->group->slot->state[w->index] = WAVE_READY;
		if (w->state != TIME_AT_GRID)
			continue;
		count_wait(cu, w, w->last, WAIT_OTHER, later(now, cu->now) - w->ready);
		w->state = TIME_RUNS;
		time_wave_wait(cu, w, later(later(now, cu->now), w->trapped));
	}
}
