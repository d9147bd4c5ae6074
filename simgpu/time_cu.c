/* SPDX-License-Identifier: MIT */
/*
 * One compute unit. Each of its four SIMDs has an issue slot every fourth cycle, in which it
 * issues at most one instruction per class, of different waves, the oldest first; internal
 * instructions use no unit. A wave runs ahead functionally by a piece at a time: when its trace is
 * used up it runs on until something stops it or the piece is long enough.
 */
#include <stdlib.h>
#include <string.h>

#include "sim_options.h"
#include "time_engine.h"

enum {
	PIECE = 512,	       /* instructions a wave runs at a time */
	CYCLES_UNTRACED = 4000 /* of a piece that left no trace */
};

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The first slot of a SIMD at or after a time. */
static uint64_t slot_at(uint32_t simd, uint64_t when)
{
	return when <= simd ? simd : ((when - simd + SIM_SLOT - 1) & -(uint64_t)SIM_SLOT) + simd;
}

/* ---- Waits ---------------------------------------------------------------------------------- */

/* at: the instruction that could not issue, or behind which the wave waits. */
static void count_wait(struct time_cu *cu, const struct time_wave *w, const struct sim_timing *at,
		       enum sim_wait why, uint64_t cycles)
{
	struct sim_pc_time *pc;

	(&cu->counters.wait_fetch)[why] += cycles;
	pc = cu->pcs && w->code ? sim_pc_time(w->code, at) : NULL;
	if (pc)
		__atomic_fetch_add(&pc->wait[why], cycles, __ATOMIC_RELAXED);
}

/* The wave may go on at `when`. */
static void wait_until(struct time_cu *cu, struct time_wave *w, uint64_t when)
{
	struct time_simd *simd = &cu->simd[w->simd];
	uint64_t slot = slot_at(w->simd, when);

	w->ready = when;
	simd->look[w->position] = when;
	if (slot < simd->next)
		simd->next = slot;
}

/* Somebody else will call wait_until(). */
static void park(struct time_cu *cu, struct time_wave *w, enum time_state state)
{
	w->state = (uint8_t)state;
	cu->simd[w->simd].look[w->position] = TIME_NEVER;
}

/* ---- Waves, from the functional side -------------------------------------------------------- */

static void add_isa(struct sim_counters *sum, struct sim_counters *part)
{
	uint64_t *from = (uint64_t *)part, *to = (uint64_t *)sum;

	for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
	*part = (struct sim_counters){0};
}

static void give_slot(struct time_cu *cu, struct time_group *group)
{
	if (!group->slot)
		return;
	add_isa(&cu->isa, &group->slot->counters);
	sim_slot_give(group->slot);
	group->slot = NULL;
}

/* Run the wave for another piece. pass: its next instruction is one it was held at. */
static void refill(struct time_cu *cu, struct time_wave *w, bool pass)
{
	struct sim_wave *wave = &w->group->slot->wave[w->index];
	sim_trace_reset(w->trace);
	w->trace->pass = pass;
	w->trace->cycles = cu->dispatch->start_cycle + cu->now;
	wave->trace = w->trace;
	w->run = w->word = 0;
	w->stop = sim_wave_run(wave, cu->piece);
	cu->steps++;
	switch (w->stop) {
	case SIM_STOP_END:
		if (!--w->group->running)
			give_slot(cu, w->group);
		return;
	case SIM_STOP_TRAP:
		if (sim_wave_trap_returns(wave))
			return;
		break;
	case SIM_STOP_GWS:
		if (sim_slot_sync_grid(cu->dispatch, w->group->slot, w->index))
			return;
		break;
	case SIM_STOP_FAULT:
		break;
	default:
		return;
	}
	sim_wave_error(cu->dispatch, wave, w->stop);
	w->stop = SIM_STOP_FAULT;
}

static void group_done(struct time_cu *cu, struct time_group *group)
{
	give_slot(cu, group);
	cu->place -= group->place.held;
	sim_place_give(&group->claim);
	if (cu->dispatch->scratch.wave_bytes)
		cu->scratch_taken &= ~((uint64_t)1 << (group->scratch_slot - cu->scratch_first));
	cu->room = true;
	group->waves = 0;
}

static void remove_wave(struct time_simd *simd, const struct time_wave *w)
{
	simd->count--;
	for (uint32_t i = w->position; i < simd->count; i++) {
		simd->wave[i] = simd->wave[i + 1];
		simd->look[i] = simd->look[i + 1];
		simd->wave[i]->position = (uint8_t)i;
	}
}

/* Everybody still there has come: go on, now. */
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
		wait_until(cu, w, now);
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
		group_done(cu, group);
	else
		release_barrier(cu, group, now);
}

/* The trace is used up: do what the wave stopped for. True: it has a trace again, or goes on. */
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
			refill(cu, w, true);
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
	refill(cu, w, false);
	if (empty && !w->trace->runs && (w->stop == SIM_STOP_QUANTUM || w->stop == SIM_STOP_SLEEP))
		wait_until(cu, w, now + CYCLES_UNTRACED);
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

/* When no more than `left` vector memory instructions are under way. */
static uint64_t vm_done(const struct time_wave *w, uint32_t left)
{
	return w->vm_count > left && left < TIME_VM - 1 ? w->vm[(w->vm_count - left - 1) % TIME_VM]
							: 0;
}

/*
 * The same for lgkmcnt. Scalar loads may return in any order, so "n left" is only as good as that
 * all older ones are done.
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
	case TIMING_SCALAR_FORGET:
		w->word++;
		time_l1_forget(cu->scalar);
		break;
	case TIMING_LDS:
		push_lgkm(w, issue_lds(cu, w, now));
		break;
	case TIMING_L1_FORGET:
		w->word++;
		time_l1_forget(cu->l1);
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
 * Pass the s_waitcnt that w stands at: when it is met is known, for all that it waits for has been
 * issued. Answers when the next instruction may issue.
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
	count_issued(cu, w, t);
	w->last = w->stalled = t;
	w->at += t->words;
	return ready + SIM_SLOT;
}

/* When the instruction behind one that issues now may, and what it costs meanwhile. */
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
		if (ready > now + SIM_SLOT)
			count_wait(cu, w, t, WAIT_NO_INSTRUCTION, ready - now - SIM_SLOT);
		return ready;
	case TIMING_SLEEP:
		ready = later(ready, now + (uint64_t)t->arg * sim_time_cost.sleep);
		count_wait(cu, w, t, WAIT_OTHER, ready - now - SIM_SLOT);
		return ready;
	default:
		issue_memory(cu, w, t, now);
		return ready;
	}
}

/* Issue w's next instruction now; answers when the one behind it may. */
static uint64_t issue(struct time_cu *cu, struct time_simd *simd, struct time_wave *w, uint64_t now)
{
	const struct sim_timing *t = w->at;
	uint64_t ready;

	if (now > w->ready)
		count_wait(cu, w, t, (enum sim_wait)w->why, now - w->ready);
	count_issued(cu, w, t);
	w->last = t;
	w->stalled = NULL;
	w->at += t->words;
	w->why = WAIT_ARBITER;
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

/* Whether w can issue in this slot. If not, *again is when to look at it next; w->why says why. */
static bool may_issue(struct time_cu *cu, struct time_simd *simd, struct time_wave *w, uint64_t now,
		      uint64_t *again)
{
	const struct sim_timing *t = w->at;
	uint64_t free;

	*again = now + SIM_SLOT;
	/* Of internal instructions one more than may issue in a slot: each is left out in turn. */
	if (t->unit == UNIT_NONE)
		return simd->count <= SIM_INTERNAL ||
		       now / SIM_SLOT % SIM_SIMD_WAVES != w->position;
	if (simd->taken >> t->unit & 1)
		return false;
	free = units_free(cu, simd, w, t);
	if (free > now) {
		w->why = WAIT_UNIT;
		*again = free;
		return false;
	}
	simd->taken |= 1u << t->unit;
	return true;
}

/* When to look at a wave again that is to issue now. */
static uint64_t serve_wave(struct time_cu *cu, struct time_simd *simd, struct time_wave *w,
			   uint64_t now)
{
	uint64_t again;

	if (w->at->kind == TIMING_WAITCNT) {
		w->ready = pass_waitcnt(cu, w, now);
		return w->ready;
	}
	return may_issue(cu, simd, w, now, &again) ? issue(cu, simd, w, now) : again;
}

static void simd_slot(struct time_cu *cu, uint32_t number, uint64_t now)
{
	struct time_simd *simd = &cu->simd[number];
	uint64_t next = TIME_NEVER;

	if (simd->slot != now)
		simd->taken = 0;
	simd->slot = now;
	for (uint32_t i = 0; i < simd->count;) {
		struct time_wave *w = simd->wave[i];

		if (simd->look[i] > now) {
			i++;
			continue;
		}
		if (w->at == w->end && !next_run(cu, w, now)) {
			i += w->state != TIME_ENDED;
			continue;
		}
		simd->look[i] = serve_wave(cu, simd, w, now);
		i++;
	}
	for (uint32_t i = 0; i < simd->count; i++)
		next = simd->look[i] < next ? simd->look[i] : next;
	simd->next = next == TIME_NEVER ? next : slot_at(number, next > now ? next : now + 1);
}

/* ---- Workgroups ----------------------------------------------------------------------------- */

bool time_cu_room(const struct time_cu *cu, uint64_t number, struct sim_place *ret)
{
	struct sim_place_want want = cu->time->want;

	if (cu->dispatch->scratch.wave_bytes &&
	    (uint32_t)__builtin_popcountll(cu->scratch_taken) == cu->scratch_count)
		return false;
	want.number = number;
	return sim_place_fit(&want, cu->number, cu->place, ret);
}

static struct time_group *free_group(struct time_cu *cu)
{
	struct time_group *group = cu->groups;

	while (group->waves)
		group++;
	return group;
}

static void start_wave(struct time_cu *cu, struct time_group *group, uint32_t i)
{
	uint32_t hw_id = group->place.hw_id[i];
	uint32_t number = (hw_id >> 4 & 3) * SIM_SIMD_WAVES + (hw_id & 15);
	struct time_wave *w = &cu->waves[number];
	struct time_simd *simd;

	w->simd = (uint8_t)(number / SIM_SIMD_WAVES);
	simd = &cu->simd[w->simd];
	w->trace = cu->traces[number];
	w->at = w->end = w->last = NULL;
	w->code = NULL;
	w->state = TIME_RUNS;
	w->why = WAIT_ARBITER;
	w->group = group;
	w->index = i;
	w->vm_count = w->lgkm_count = 0;
	w->last_vm = w->last_lgkm = 0;
	w->stalled = NULL;
	w->start = cu->now;
	group->wave[i] = w;
	w->position = (uint8_t)simd->count;
	simd->wave[simd->count++] = w;
	if (!cu->live++)
		cu->busy_from = cu->now;
	refill(cu, w, false);
	wait_until(cu, w, cu->now);
}

/* False: not now, for want of memory or of a free name. */
static bool start_group(struct time_cu *cu, uint64_t number, const struct sim_place *place)
{
	struct time_group *group = free_group(cu);
	struct sim_place_want want = cu->time->want;
	struct sim_slot *slot = sim_slot_take();

	want.number = number;
	group->place = group->claim = *place;
	if (!slot || !sim_place_claim(&want, &group->claim)) {
		if (slot)
			sim_slot_give(slot);
		return false;
	}
	group->scratch_slot = 0;
	if (cu->dispatch->scratch.wave_bytes) {
		uint32_t free = (uint32_t)__builtin_ctzll(~cu->scratch_taken);

		cu->scratch_taken |= (uint64_t)1 << free;
		group->scratch_slot = cu->scratch_first + free;
	}
	slot->number = number;
	slot->place = group->claim;
	slot->scratch_slot = group->scratch_slot;
	sim_slot_fill(cu->dispatch, slot);
	group->slot = slot;
	group->waves = group->live = group->running = slot->waves;
	group->waiting = 0;
	cu->place += place->held;
	for (uint32_t i = 0; i < group->waves; i++)
		start_wave(cu, group, i);
	return true;
}

/* Start what there is room for. */
static void start_groups(struct time_cu *cu)
{
	struct time_backlog *backlog = &cu->backlog;
	struct sim_place place;

	while (backlog->count && time_cu_room(cu, backlog->first, &place)) {
		if (!start_group(cu, backlog->first, &place)) {
			cu->wants = true;
			return;
		}
		backlog->first += backlog->stride;
		backlog->count--;
	}
	cu->room = false;
}

/* ---- The unit ------------------------------------------------------------------------------- */

/* Whether a workgroup is missing that could be started. */
static bool starves(struct time_cu *cu)
{
	struct sim_place place;

	if (!cu->room || cu->wants)
		return false;
	start_groups(cu);
	if (cu->wants)
		return false;
	cu->room = !cu->backlog.count && cu->time->undealt &&
		   time_cu_room(cu, cu->time->next_group, &place);
	return cu->room;
}

/* The slots of all SIMDs in one group of four cycles; false: something must be seen to first. */
static bool run_slots(struct time_cu *cu, uint64_t first)
{
	for (uint32_t i = 0; i < SIM_SIMDS; i++) {
		if (cu->simd[i].next != first + i)
			continue;
		cu->now = first + i;
		simd_slot(cu, i, cu->now);
		if (cu->room | cu->held)
			return false;
	}
	return true;
}

static uint64_t first_slot(const struct time_cu *cu)
{
	uint64_t a = cu->simd[0].next < cu->simd[1].next ? cu->simd[0].next : cu->simd[1].next;
	uint64_t b = cu->simd[2].next < cu->simd[3].next ? cu->simd[2].next : cu->simd[3].next;

	return a < b ? a : b;
}

void time_cu_run(struct time_cu *cu)
{
	const uint64_t until = cu->time->until;

	for (uint32_t turns = 0;; turns++) {
		uint64_t next;

		if (starves(cu)) {
			cu->state = CU_STARVED;
			return;
		}
		if (cu->held) {
			cu->state = CU_HELD;
			return;
		}
		do
			next = first_slot(cu);
		while (next < until && ++turns & 1023 && run_slots(cu, next & -(uint64_t)SIM_SLOT));
		if (next >= until || sim_dispatch_stopped(cu->dispatch)) {
			cu->state = CU_REACHED;
			return;
		}
	}
}

static struct time_wave *held_wave(struct time_cu *cu)
{
	for (uint32_t s = 0; s < SIM_SIMDS; s++)
		for (uint32_t i = 0; i < cu->simd[s].count; i++)
			if (cu->simd[s].wave[i]->state == TIME_HELD)
				return cu->simd[s].wave[i];
	return NULL;
}

bool time_cu_turn(struct time_cu *cu)
{
	struct time_wave *w = held_wave(cu);

	w->state = TIME_RUNS;
	cu->held--;
	refill(cu, w, true);
	/* It issues in the very slot in which it was found, if its unit is still free there. */
	wait_until(cu, w, cu->now);
	return !sim_dispatch_stopped(cu->dispatch);
}

void time_cu_grid_release(struct time_cu *cu, uint64_t now)
{
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
		wait_until(cu, w, later(now, cu->now));
	}
}

/* ---- Making and keeping units --------------------------------------------------------------- */

static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
static struct time_cu *free_cus;

static struct time_cu *make_cu(void)
{
	struct time_cu *cu = aligned_alloc(64, (sizeof(*cu) + 63) & ~(size_t)63);

	if (!cu)
		return NULL;
	memset(cu, 0, sizeof(*cu));
	if (time_touched_init(&cu->touched))
		return cu;
	free(cu->touched.touch);
	free(cu->touched.index);
	free(cu);
	return NULL;
}

struct time_cu *time_cu_take(struct sim_dispatch *dispatch, struct sim_time *time, uint32_t number)
{
	struct time_cu *cu;

	pthread_mutex_lock(&free_lock);
	cu = free_cus;
	if (cu)
		free_cus = cu->next_free;
	pthread_mutex_unlock(&free_lock);
	if (!cu)
		cu = make_cu();
	for (uint32_t i = 0; cu && i < SIM_CU_WAVES; i++) {
		if (!cu->traces[i])
			cu->traces[i] = malloc(sizeof(*cu->traces[i]));
		cu->waves[i].group = NULL;
		if (cu->traces[i])
			continue;
		time_cu_give(cu);
		return NULL;
	}
	if (!cu)
		return NULL;
	cu->touched.count = 0;
	memset(cu->touched.index, 0, cu->touched.size * sizeof(*cu->touched.index));
	/* All between these two starts at nothing. */
	memset(&cu->dispatch, 0,
	       offsetof(struct time_cu, touched) - offsetof(struct time_cu, dispatch));
	for (uint32_t i = 0; i < SIM_SIMDS; i++)
		cu->simd[i] = (struct time_simd){.next = TIME_NEVER, .slot = TIME_NEVER};
	for (uint32_t i = 0; i < SIM_CU_WAVES; i++)
		cu->groups[i].waves = 0;
	time_l1_forget(cu->l1);
	time_l1_forget(cu->scalar);
	cu->dispatch = dispatch;
	cu->time = time;
	cu->number = number;
	cu->pcs = sim_options()->pc;
	cu->piece = sim_options()->quantum < PIECE ? (uint32_t)sim_options()->quantum : PIECE;
	return cu;
}

void time_cu_drop(struct time_cu *cu)
{
	for (uint32_t i = 0; i < SIM_CU_WAVES; i++)
		if (cu->groups[i].waves)
			group_done(cu, &cu->groups[i]);
}

void time_cu_give(struct time_cu *cu)
{
	pthread_mutex_lock(&free_lock);
	cu->next_free = free_cus;
	free_cus = cu;
	pthread_mutex_unlock(&free_lock);
}
