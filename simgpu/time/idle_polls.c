/* SPDX-License-Identifier: MIT */
#include "simgpu/time/idle_polls.h"

#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "simgpu/base/sim_options.h"
#include "simgpu/exec/memory/single_place.h"
#include "simgpu/mem/freed_memory.h"
#include "simgpu/time/wave_progress.h"
#include "simgpu/time/wave_waits.h"

enum {
	FIRST_ROUNDS = 64,    /* simulated one by one, so that the period is a steady one */
	LONGEST_ROUND = 64,   /* instructions */
	LONGEST_PAUSE = 16384 /* cycles */
};

/* ---- Loops that read the clock -------------------------------------------------------------- */

/* A wave that executes rounds of its loop in trial. */
struct trial {
	struct sim_wave *wave;
	struct sim_trace *trace;
	uint64_t pc;
	uint64_t jumped, slept; /* cycles that jumps and s_sleep took, beyond their issue */
};

/* True for instructions that change only the wave's registers. */
static bool is_quiet(const struct sim_timing *t)
{
	switch (t->kind) {
	case TIMING_PLAIN:
	case TIMING_MFMA:
	case TIMING_BRANCH:
	case TIMING_WAITCNT:
	case TIMING_SLEEP:
		return !(t->flags & TIMING_DATA);
	default:
		return false;
	}
}

/* One round in which the clock reads `cycles`; false if the wave left the loop or may do more. */
static bool run_round(struct trial *trial, uint64_t cycles)
{
	struct sim_wave *wave = trial->wave;

	for (int i = 0; i < LONGEST_ROUND; i++) {
		const struct sim_timing *t = sim_wave_timing(wave);
		enum sim_stop stop;

		if (i && wave->pc == trial->pc)
			return true;
		if (i && !is_quiet(t))
			return false;
		sim_trace_reset(trial->trace);
		trial->trace->pass = true;
		trial->trace->cycles = cycles;
		stop = sim_wave_run(wave, 1);
		if (trial->trace->runs && trial->trace->run[0].jumps)
			trial->jumped += sim_time_cost.branch_taken - SIM_SLOT;
		if (t->kind == TIMING_SLEEP && t->arg)
			trial->slept += (uint64_t)t->arg * sim_time_cost.sleep - SIM_SLOT;
		if (stop != SIM_STOP_QUANTUM && stop != SIM_STOP_SLEEP)
			return false;
	}
	return false;
}

/* True if a round depends on nothing but the clock: a second one with the same value is equal. */
static bool depends_on_clock_only(struct trial *trial, struct sim_wave *spare, uint64_t cycles)
{
	if (!run_round(trial, cycles))
		return false;
	*spare = *trial->wave;
	return run_round(trial, cycles) &&
	       !memcmp(spare->sgpr, trial->wave->sgpr, sizeof(spare->sgpr)) &&
	       !memcmp(spare->vgpr, trial->wave->vgpr, sizeof(spare->vgpr)) &&
	       spare->exec == trial->wave->exec && spare->vcc == trial->wave->vcc &&
	       spare->scc == trial->wave->scc && spare->mode == trial->wave->mode;
}

/* The largest number of rounds, of so many cycles each, after which the wave is still in the loop.
 */
static uint64_t rounds_left(struct trial *trial, const struct sim_wave *start, uint64_t cycles,
			    uint64_t period)
{
	const uint64_t most = ((uint64_t)1 << 40) / period;
	uint64_t stays = 0, leaves = 1;

	while (leaves < most && run_round(trial, cycles + leaves * period)) {
		stays = leaves;
		leaves *= 2;
	}
	while (leaves - stays > 1) {
		uint64_t middle = stays + (leaves - stays) / 2;

		*trial->wave = *start;
		if (run_round(trial, cycles + middle * period))
			stays = middle;
		else
			leaves = middle;
	}
	return stays;
}

/*
 * Counts rounds that are not simulated. `two` and `trial` have what two of them count. What is not
 * issue, jump or sleep is taken for waiting for the clock.
 */
static void count_rounds(struct time_cu *cu, const struct time_wave *w,
			 struct sim_counters *counters, const struct sim_counters *two,
			 const struct trial *trial, uint64_t rounds, uint64_t period)
{
	const uint64_t jumped = rounds * trial->jumped / 2, slept = rounds * trial->slept / 2;
	uint64_t *to = (uint64_t *)counters, all = rounds * period;
	const uint64_t *from = (const uint64_t *)two;
	uint64_t known = rounds * (two->insts / 2) * SIM_SLOT + jumped + slept;

	for (size_t i = 0; i < sizeof(*two) / sizeof(*from); i++)
		to[i] += rounds * (from[i] / 2);
	cu->counters.insts += rounds * (two->insts / 2);
	time_count_wait(cu, w, w->last, WAIT_NO_INSTRUCTION, jumped);
	time_count_wait(cu, w, w->last, WAIT_OTHER, slept);
	time_count_wait(cu, w, w->last, WAIT_COUNTERS, all > known ? all - known : 0);
}

static void subtract(struct sim_counters *from, const struct sim_counters *other)
{
	const uint64_t *less = (const uint64_t *)other;
	uint64_t *to = (uint64_t *)from;

	for (size_t i = 0; i < sizeof(*from) / sizeof(*to); i++)
		to[i] -= less[i];
}

/* How long the wave stays in a loop that reads the clock, in whole rounds. */
static uint64_t clock_pause(struct time_cu *cu, struct time_wave *w, struct sim_wave *wave,
			    uint64_t now, uint64_t period)
{
	const size_t size = (sizeof(*wave) + 63) & ~(size_t)63;
	PROBE_AUTO_FREE struct sim_wave *start = aligned_alloc(64, size);
	PROBE_AUTO_FREE struct sim_wave *spare = aligned_alloc(64, size);
	struct sim_counters *counters = wave->group->counters, before = *counters, two;
	const uint64_t cycles = cu->dispatch->timing.start_cycle + now;
	struct trial trial = {.wave = wave, .trace = w->trace, .pc = wave->pc}, first;
	uint64_t rounds = 0;

	if (!start || !spare)
		return 0;
	*start = *wave;
	wave->trace = w->trace;
	if (depends_on_clock_only(&trial, spare, cycles)) {
		two = *counters;
		first = trial;
		rounds = rounds_left(&trial, spare, cycles, period);
	}
	*wave = *start;
	*counters = before;
	time_wave_drop_trace(w);
	if (!rounds)
		return 0;
	subtract(&two, &before);
	count_rounds(cu, w, counters, &two, &first, rounds, period);
	return rounds * period;
}

/* ---- Loops that read memory ----------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, const void *from, size_t size)
{
	const uint64_t *word = from;

	for (size_t i = 0; i < size / sizeof(*word); i++)
		hash = (hash ^ word[i]) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

static uint64_t state_of(const struct time_cu *cu, const struct sim_wave *wave)
{
	const struct sim_launch *launch = &cu->dispatch->launch;
	uint64_t hash = mix(wave->exec ^ wave->scc, wave->sgpr, sizeof(wave->sgpr));

	hash = mix(hash ^ wave->vcc, wave->vgpr[0], launch->kernel.vgprs * sizeof(wave->vgpr[0]));
	return mix(hash, wave->vgpr[SIM_VGPRS / 2], launch->kernel.agprs * sizeof(wave->vgpr[0]));
}

/*
 * Instructions from the wave's next one to the end of straight-line code, or to `pc`; 0 if they do
 * more than read memory at `pc`.
 */
static uint32_t quiet_run(const struct sim_wave *wave, uint64_t pc)
{
	const struct sim_timing *t = sim_wave_timing(wave);
	uint64_t at = wave->pc;
	uint32_t count = 0;

	while (count < LONGEST_ROUND && (!count || at != pc)) {
		bool polls = at == pc && t->kind == TIMING_LOAD;

		if (!polls && !is_quiet(t) && t->kind != TIMING_L1_INVALIDATE)
			return 0;
		count++;
		at += 4 * t->words;
		if (t->kind == TIMING_BRANCH || (at & (SIM_PAGE - 1)) < 8)
			break;
		t += t->words;
	}
	return count;
}

/* The registers, and all other state of a wave but its unused registers. */
static void copy_wave(const struct time_cu *cu, struct sim_wave *to, const struct sim_wave *from)
{
	const struct sim_launch *launch = &cu->dispatch->launch;

	memcpy(to, from, offsetof(struct sim_wave, vgpr));
	memcpy(to->vgpr, from->vgpr, launch->kernel.vgprs * sizeof(to->vgpr[0]));
	memcpy(to->vgpr[SIM_VGPRS / 2], from->vgpr[SIM_VGPRS / 2],
	       launch->kernel.agprs * sizeof(to->vgpr[0]));
}

static bool run_quietly(struct sim_wave *wave, struct sim_trace *trace, uint32_t count)
{
	enum sim_stop stop;

	sim_trace_reset(trace);
	trace->pass = true;
	stop = sim_wave_run(wave, count);
	return stop == SIM_STOP_QUANTUM || stop == SIM_STOP_SLEEP;
}

static bool run_quiet_round(struct sim_wave *wave, struct sim_trace *trace)
{
	const uint64_t pc = wave->pc;

	for (int i = 0; i < LONGEST_ROUND; i++) {
		uint32_t count = quiet_run(wave, pc);

		if (!count || !run_quietly(wave, trace, count))
			return false;
		if (wave->pc == pc)
			return true;
	}
	return false;
}

static void begin_trial(const struct time_cu *cu, const struct sim_wave *wave,
			struct time_trial *trial)
{
	copy_wave(cu, &trial->wave, wave);
	trial->group = *wave->group;
	trial->group.counters = &trial->counters;
	trial->wave.group = &trial->group;
	trial->wave.trace = &trial->trace;
}

bool time_poll_stays(const struct time_cu *cu, const struct sim_wave *wave,
		     struct time_trial *trial)
{
	unsigned epoch = sim_memory_enter();
	bool stays;

	begin_trial(cu, wave, trial);
	stays = run_quiet_round(&trial->wave, &trial->trace);
	sim_memory_leave(epoch);
	return stays;
}

bool time_poll_returns(const struct time_cu *cu, const struct sim_wave *wave,
		       struct time_trial *trial)
{
	bool stays = time_poll_stays(cu, wave, trial);
	uint64_t state = state_of(cu, &trial->wave);
	unsigned epoch = sim_memory_enter();

	stays = stays && run_quiet_round(&trial->wave, &trial->trace);
	sim_memory_leave(epoch);
	return stays && state_of(cu, &trial->wave) == state;
}

/* A round, instruction by instruction: the value it loads, and what it compares it with. */
static bool compare_round(struct sim_wave *wave, struct sim_trace *trace, struct time_compare *ret)
{
	const struct sim_loaded loaded = sim_wave_loads(wave);
	const uint64_t pc = wave->pc;
	uint32_t compares = 0;

	if (!quiet_run(wave, pc) || !run_quietly(wave, trace, 1) ||
	    !sim_wave_loaded(wave, &loaded, &ret->value))
		return false;
	for (int i = 0; i < LONGEST_ROUND && wave->pc != pc; i++) {
		bool invalidates = sim_wave_timing(wave)->kind == TIMING_L1_INVALIDATE;
		enum sim_value_use use =
			invalidates ? SIM_VALUE_UNUSED : sim_wave_uses(wave, &loaded, &ret->with);

		compares += use == SIM_VALUE_COMPARED;
		if (use == SIM_VALUE_USED || !quiet_run(wave, pc) || !run_quietly(wave, trace, 1))
			return false;
	}
	return wave->pc == pc && compares == 1;
}

bool time_poll_compares(const struct time_cu *cu, const struct sim_wave *wave,
			struct time_trial *trial, struct time_compare *ret)
{
	unsigned epoch = sim_memory_enter();
	bool compares;

	begin_trial(cu, wave, trial);
	compares = compare_round(&trial->wave, &trial->trace, ret);
	sim_memory_leave(epoch);
	return compares;
}

static uint64_t memory_pause(struct time_cu *cu, struct time_wave *w, const struct sim_wave *wave,
			     uint64_t now, uint64_t period)
{
	struct time_poll *poll = &w->poll;
	uint64_t state = state_of(cu, wave), pause = (now - poll->since) / 64;
	bool same = state == poll->state;

	poll->state = state;
	pause = pause < LONGEST_PAUSE ? pause : LONGEST_PAUSE;
	pause -= pause % SIM_SLOT;
	if (!same || pause <= period)
		return 0;
	time_count_wait(cu, w, w->last, WAIT_OTHER, pause);
	return pause;
}

/* Samples, counters per instruction and the trace of a wave need every round. */
bool time_polls_allowed(const struct time_cu *cu)
{
	const struct sim_options *options = sim_options();

	return options->polls && cu->tick == TIME_NEVER && !options->pc && !options->pcs &&
	       !options->trace;
}

uint64_t time_poll_next(struct time_cu *cu, struct time_wave *w, uint64_t now)
{
	struct sim_wave *wave = &w->group->slot->wave[w->index];
	struct time_poll *poll = &w->poll;
	uint64_t period = now - poll->last, pause;

	if (poll->paused) {
		poll->paused = false;
		return now;
	}
	poll->last = now;
	if (poll->pc != wave->pc || poll->acted) {
		*poll = (struct time_poll){.pc = wave->pc, .since = now, .last = now};
		return now;
	}
	if (++poll->rounds < FIRST_ROUNDS || !time_polls_allowed(cu))
		return now;
	pause = sim_wave_timing(wave)->kind == TIMING_CLOCK
			? clock_pause(cu, w, wave, now, period)
			: memory_pause(cu, w, wave, now, period);
	/* A loop that does more is not tried again soon: a trial costs as much as many rounds. */
	if (!pause)
		poll->rounds = 0;
	poll->paused = pause;
	poll->last = now + pause;
	return now + pause;
}
