/* SPDX-License-Identifier: MIT */
/*
 * The effects of issuing one instruction: when its wave can issue the next one, and what is
 * counted.
 */
#include "simgpu/time/wave_issue.h"

#include "simgpu/time/memory_latency.h"
#include "simgpu/time/wave_waits.h"

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

static uint64_t issue_lds(struct time_cu *cu, struct time_wave *w, uint64_t now)
{
	uint64_t record = w->trace->word[w->word++];
	uint32_t dwords = record >> 8 & 0xff, passes = record >> 16 & 0xffff, port;
	uint64_t start = later(now, cu->lds_banks_free);

	if ((record & 0xff) != RECORD_LDS)
		return now;
	port = record >> 48 & 1 ? sim_time_cost.lds_write_once + dwords * sim_time_cost.lds_write
				: dwords * sim_time_cost.lds_read;
	port = port > passes ? port : passes;
	cu->counters.lds_busy += port;
	cu->counters.lds_active += passes;
	cu->counters.lds_conflict += record >> 32 & 0xffff;
	cu->lds_banks_free = start + passes;
	cu->lds_free[w->simd / 2] = start + port;
	/*
	 * The latency was measured with 4 cycles of port time; the use takes the slot of the
	 * s_waitcnt.
	 */
	return start + sim_time_cost.lds + port - 4 - SIM_SLOT;
}

static inline void issue_memory(struct time_cu *cu, struct time_wave *w, const struct sim_timing *t,
				uint64_t now)
{
	uint64_t done;

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
	case TIMING_LDS:
		w->poll.acted = true;
		push_lgkm(w, issue_lds(cu, w, now));
		break;
	case TIMING_L1_INVALIDATE:
		w->word++;
		time_l1_invalidate(cu);
		break;
	case TIMING_PLAIN:
		w->word++;
		break;
	default:
		w->poll.acted |= t->kind == TIMING_STORE || t->kind == TIMING_ATOMIC ||
				 t->kind == TIMING_ATOMIC_RETURN;
		w->poll.loads += t->kind == TIMING_LOAD;
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

uint64_t time_pass_waitcnt(struct time_cu *cu, struct time_wave *w, uint64_t ready)
{
	const struct sim_timing *t = w->at;
	uint64_t done = counters_done(w, t->arg);

	if (done > ready) {
		done = time_slot_at(w->simd, done);
		time_count_wait(cu, w, t, WAIT_COUNTERS, done - ready);
		ready = done;
	}
	time_put_span(cu, w, ready + SIM_SLOT, t, false, WAIT_COUNTERS);
	count_issued(cu, w, t);
	w->last = w->stalled = t;
	w->at += t->words;
	return ready + SIM_SLOT;
}

/* When the instruction after one that issues now can issue, and the wait reason until then. */
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
			time_count_wait(cu, w, t, WAIT_INTERNAL, ready - now - SIM_SLOT);
			time_put_span(cu, w, ready, t, false, WAIT_INTERNAL);
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
			time_count_wait(cu, w, t, WAIT_NO_INSTRUCTION, ready - now - SIM_SLOT);
			time_put_span(cu, w, ready, t, false, WAIT_NO_INSTRUCTION);
		}
		return ready;
	case TIMING_SLEEP:
		ready = later(ready, now + (uint64_t)t->arg * sim_time_cost.sleep);
		time_count_wait(cu, w, t, WAIT_OTHER, ready - now - SIM_SLOT);
		time_put_span(cu, w, ready, t, false, WAIT_OTHER);
		return ready;
	default:
		issue_memory(cu, w, t, now);
		return ready;
	}
}

uint64_t time_issue(struct time_cu *cu, struct time_wave *w, uint64_t now)
{
	struct time_simd *simd = &cu->simd[w->simd];
	const struct sim_timing *t = w->at;
	uint64_t ready;

	if (now > w->ready)
		time_count_wait(cu, w, t, (enum sim_wait)w->reason, now - w->ready);
	count_issued(cu, w, t);
	w->last = t;
	w->stalled = NULL;
	w->at += t->words;
	w->reason = WAIT_ARBITER;
	w->spans = 0;
	time_put_span(cu, w, now + SIM_SLOT, t, true, WAIT_ARBITER);
	if (t->unit == UNIT_VALU) {
		simd->valu_free = now + t->cycles;
		cu->counters.valu_busy += t->cycles;
	}
	ready = ready_after(cu, simd, w, t, now);
	while (w->at != w->end && w->at->kind == TIMING_WAITCNT)
		ready = time_pass_waitcnt(cu, w, ready);
	w->ready = ready;
	return ready;
}

uint64_t time_counter_free(const struct time_wave *w, uint32_t unit)
{
	if (unit == UNIT_LDS)
		return lgkm_done(w, TIME_LGKM - 2);
	return unit == UNIT_VMEM ? vm_done(w, TIME_VM - 2) : 0;
}
