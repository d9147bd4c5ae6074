/* SPDX-License-Identifier: MIT */
#include "simgpu/time/pc_sampler.h"

#include "simgpu/exec/inst.h"
#include "simgpu/time/issue_slots.h"
#include "simgpu/time/unit_workgroups.h"

#include <stdlib.h>
#include <string.h>

#include "simgpu/sampling/sampled_instruction.h"
#include "simgpu/base/device_clock.h"

/* Offsets in a record (AMD's hsa_ven_amd_pc_sampling.h, trap handlers of gfx9). */
enum {
	AT_PC = 0x00,
	AT_EXEC = 0x08,
	AT_WORKGROUP = 0x10,
	AT_WAVE = 0x1c,
	AT_HW_ID = 0x20,
	AT_SNAPSHOT = 0x24,
	AT_SNAPSHOT1 = 0x28,
	AT_CORRELATION = 0x38,

	SNAPSHOT_VALID = 1 << 0,
	SNAPSHOT_ISSUED = 1 << 1,
	SNAPSHOT_TYPE = 3, /* first bit of each field */
	SNAPSHOT_REASON = 7,
	SNAPSHOT_ISSUE = 10,
	SNAPSHOT_STALL = 18,

	PACKET_BITS = 25,
	DOORBELL_SHIFT = 32,
	SKID = 2, /* instructions that a wave may execute before it takes a host trap */
};

/* The state in which a sample finds a wave. */
struct seen {
	struct sim_sampled_inst inst;
	uint64_t exec;
	bool issued;
	uint8_t reason; /* enum sim_wait, in the order of the raw codes */
};

/* ---- Ticks ---------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t n)
{
	n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9u;
	n = (n ^ n >> 27) * 0x94d049bb133111ebu;
	return n ^ n >> 31;
}

/* A pseudo-random number that depends only on the unit and the tick. */
static uint64_t chance(const struct time_cu *cu, uint32_t salt)
{
	const struct time_sampler *sampler = cu->sampler;

	return mix(mix(sampler->number * 4 + salt) + ((uint64_t)sampler->gpu << 32 | cu->number));
}

/* The last cycle of its group of four, in which all SIMDs have had their slot. */
static uint64_t last_of_four(uint64_t when)
{
	return when | (SIM_SLOT - 1);
}

/* When the current tick is due, in cycles of the device's clock. */
static uint64_t tick_time(const struct time_cu *cu)
{
	const struct time_sampler *sampler = cu->sampler;
	uint64_t first = sampler->number * sampler->how.period;

	/* At any point of its interval, so that loops do not resonate with it. */
	if (sampler->how.method == SIM_SAMPLING_STOCHASTIC)
		return first + chance(cu, 0) % sampler->how.period;
	/* At most one instruction issues in four cycles. */
	return first + chance(cu, 0) % (SKID + 1) * SIM_SLOT;
}

static void set_tick(struct time_cu *cu)
{
	struct time_sampler *sampler = cu->sampler;
	uint64_t when = tick_time(cu);

	for (; when < sampler->begin; when = tick_time(cu))
		sampler->number++;
	cu->tick = last_of_four(when - sampler->begin);
}

bool time_sampler_begin(struct time_cu *cu, const struct sim_sampling *how, uint32_t most)
{
	if (!cu->sampler)
		cu->sampler = calloc(1, sizeof(*cu->sampler));
	for (uint32_t i = 0; i < SIM_CU_WAVES && cu->sampler; i++) {
		struct sim_trace *trace = time_slot_trace(cu, i);

		if (!trace)
			return false;
		if (!trace->mark)
			trace->mark = malloc(SIM_TRACE_MARKS * sizeof(*trace->mark));
		if (!trace->mark)
			return false;
	}
	if (!cu->sampler)
		return false;
	for (uint32_t i = 0; i < SIM_CU_WAVES; i++)
		cu->sampler->spans[i].count = 0;
	cu->sampler->how = *how;
	cu->sampler->begin = cu->dispatch->timing.start_cycle;
	cu->sampler->number = cu->dispatch->timing.start_cycle / how->period;
	cu->sampler->pending = 0;
	cu->sampler->gpu = cu->time->want.gpu;
	cu->sampler->most = most;
	cu->sampler->count = 0;
	cu->sampler->missed = 0;
	set_tick(cu);
	return true;
}

/* ---- States of a wave ----------------------------------------------------------------------- */

static uint64_t exec_at(const struct sim_trace *trace, uint32_t run, const struct sim_timing *at)
{
	uint64_t exec = trace->first_exec;

	for (uint32_t i = 0; i < trace->marks; i++) {
		const struct sim_trace_mark *mark = &trace->mark[i];

		if (mark->run > run || (mark->run == run && mark->from > at))
			break;
		exec = mark->exec;
	}
	return exec;
}

static const struct sim_code *code_of(const struct time_wave *w, uint32_t run)
{
	return w->trace->page[w->trace->run[run].page];
}

/* Sets the state to an instruction of a run of the wave's trace. */
static void see(const struct time_wave *w, uint32_t run, const struct sim_timing *at,
		struct seen *ret)
{
	sim_sampled_at(code_of(w, run), at, &ret->inst);
	ret->exec = exec_at(w->trace, run, at);
}

/* True for a branch at the end of a run that jumps: it has been taken. */
static bool taken(const struct time_wave *w, uint32_t run, const struct sim_timing *at)
{
	const struct sim_trace_run *of = &w->trace->run[run];

	return of->jumps && at + at->words == code_of(w, run)->timing + of->end;
}

/* Internal instructions never reach the arbiter. */
static void correct_arbiter_reason(struct seen *seen)
{
	if (seen->reason == WAIT_ARBITER && !seen->inst.issues)
		seen->reason = seen->inst.waits ? WAIT_COUNTERS : WAIT_INTERNAL;
}

/* Its trace is used up, and its SIMD has not yet had a slot in which to continue it. */
static bool see_next(const struct time_wave *w, struct seen *ret)
{
	const struct sim_wave *wave = w->group->slot ? &w->group->slot->wave[w->index] : NULL;

	if (w->run < w->runs) {
		see(w, w->run, code_of(w, w->run)->timing + w->trace->run[w->run].first, ret);
		correct_arbiter_reason(ret);
		return true;
	}
	if (w->stop == SIM_STOP_END || w->stop == SIM_STOP_BARRIER || !wave) {
		if (!w->last || !w->run)
			return false;
		see(w, w->run - 1, w->last, ret);
		ret->reason = w->stop == SIM_STOP_BARRIER ? WAIT_BARRIER : WAIT_INTERNAL;
		return true;
	}
	ret->exec = wave->exec;
	if (!sim_sampled_pc(wave->pc, &ret->inst))
		return false;
	correct_arbiter_reason(ret);
	return true;
}

/* Everything up to `when` has been processed, and the wave perhaps further. */
static bool look(const struct time_cu *cu, const struct time_wave *w, uint64_t when,
		 struct seen *ret)
{
	const struct time_spans *spans = &cu->sampler->spans[w - cu->waves];
	uint32_t run = w->run - 1;

	*ret = (struct seen){.reason = w->reason};
	for (uint32_t i = 0; i < spans->count; i++) {
		const struct time_span *span = &spans->span[i];

		if (when >= span->until)
			continue;
		see(w, span->run, span->at, ret);
		ret->issued = span->issues && ret->inst.issues;
		ret->reason = span->issues ? WAIT_ARBITER : span->reason;
		correct_arbiter_reason(ret);
		if (ret->inst.conditional && taken(w, span->run, span->at))
			ret->inst.type = SAMPLED_TAKEN;
		return true;
	}
	if (w->state == TIME_AT_BARRIER || w->state == TIME_AT_GRID) {
		if (!w->last || !w->run)
			return false;
		see(w, run, w->last, ret);
		ret->reason = w->state == TIME_AT_BARRIER ? WAIT_BARRIER : WAIT_OTHER;
		return true;
	}
	if (w->at == w->end)
		return see_next(w, ret);
	see(w, run, w->at, ret);
	correct_arbiter_reason(ret);
	return true;
}

/* ---- Records -------------------------------------------------------------------------------- */

static void put32(uint8_t *record, uint32_t at, uint32_t value)
{
	memcpy(record + at, &value, sizeof(value));
}

static void put64(uint8_t *record, uint32_t at, uint64_t value)
{
	memcpy(record + at, &value, sizeof(value));
}

static void fill_common(const struct time_cu *cu, const struct time_wave *w, uint64_t when,
			const struct seen *seen, uint8_t *record)
{
	const struct sim_dispatch *dispatch = cu->dispatch;
	const struct sim_queue *queue = dispatch->queue;
	uint64_t packets = queue->ring_size / 64, number = w->group->number;
	uint64_t clock = dispatch->timing.start_cycle + when;

	memset(record, 0, SIM_SAMPLE_BYTES);
	put64(record, AT_PC, seen->inst.pc);
	put64(record, AT_EXEC, seen->exec);
	put32(record, AT_WORKGROUP, (uint32_t)(number % dispatch->launch.groups[0]));
	number /= dispatch->launch.groups[0];
	put32(record, AT_WORKGROUP + 4, (uint32_t)(number % dispatch->launch.groups[1]));
	put32(record, AT_WORKGROUP + 8, (uint32_t)(number / dispatch->launch.groups[1]));
	put32(record, AT_WAVE, w->index & 0x3f);
	put32(record, AT_HW_ID, w->group->place.hw_id[w->index]);
	put64(record, SIM_SAMPLE_TIME, clock / sim_tick_cycles());
	/* The doorbell's number, as in a queue's descriptor: (address >> 3) & 0x3ff. */
	put64(record, AT_CORRELATION,
	      (dispatch->index % packets & ((1u << PACKET_BITS) - 1)) | (uint64_t)(queue->id - 1)
										<< DOORBELL_SHIFT);
}

/*
 * The arbiter of the wave's SIMD: which pipes issued an instruction in this slot, and which pipes
 * stalled the chosen instruction.
 */
static void fill_snapshot(const struct time_cu *cu, const struct time_wave *sampled, uint64_t when,
			  const struct seen *seen, uint8_t *record)
{
	const struct time_simd *simd = &cu->simd[sampled->simd];
	uint32_t issue = 0, stall = 0, data = SNAPSHOT_VALID;
	struct seen other;

	for (uint32_t i = 0; i < simd->count; i++) {
		if (!look(cu, simd->wave[i], when, &other))
			continue;
		if (other.issued)
			issue |= other.inst.pipe;
		else if (other.reason == WAIT_UNIT)
			stall |= other.inst.pipe;
	}
	stall &= ~issue;
	if (seen->issued) {
		data |= SNAPSHOT_ISSUED | (uint32_t)seen->inst.type << SNAPSHOT_TYPE;
	} else {
		data |= (uint32_t)seen->reason << SNAPSHOT_REASON;
		/* Another wave got the pipe; it may have become free in this very slot. */
		if (seen->reason == WAIT_UNIT)
			stall |= seen->inst.pipe;
		if (seen->reason == WAIT_ARBITER)
			issue |= seen->inst.pipe;
	}
	issue |= stall;
	put32(record, AT_SNAPSHOT, data | issue << SNAPSHOT_ISSUE | stall << SNAPSHOT_STALL);
	put32(record, AT_SNAPSHOT1, cu->live);
}

static uint8_t *new_record(struct time_sampler *sampler, uint64_t when)
{
	if (sampler->count == sampler->room) {
		uint32_t room = sampler->room ? 2 * sampler->room : 64;
		void *grown = realloc(sampler->sample, room * sizeof(*sampler->sample));

		if (!grown) {
			sampler->missed++;
			return NULL;
		}
		sampler->sample = grown;
		sampler->room = room;
	}
	sampler->sample[sampler->count].at = when;
	return sampler->sample[sampler->count++].record;
}

/* ---- Stochastic ----------------------------------------------------------------------------- */

/*
 * Chooses one of the wave slots that the unit could use, so that each resident wave is equally
 * likely at any time; none for an empty slot.
 */
static struct time_wave *choose(struct time_cu *cu)
{
	struct time_sampler *sampler = cu->sampler;
	uint32_t number;

	if (cu->live > sampler->most)
		sampler->most = cu->live;
	number = (uint32_t)(chance(cu, 1) % sampler->most);
	for (uint32_t s = 0; s < SIM_SIMDS; s++) {
		if (number < cu->simd[s].count)
			return cu->simd[s].wave[number];
		number -= cu->simd[s].count;
	}
	return NULL;
}

static void snapshot(struct time_cu *cu, uint64_t when)
{
	struct time_wave *w = cu->live ? choose(cu) : NULL;
	struct seen seen;
	uint8_t *record;

	if (!w || !look(cu, w, when, &seen))
		return;
	record = new_record(cu->sampler, when);
	if (!record)
		return;
	fill_common(cu, w, when, &seen, record);
	fill_snapshot(cu, w, when, &seen, record);
}

/* ---- Host trap ------------------------------------------------------------------------------ */

/* The wave runs the trap handler; its outstanding accesses continue. */
static void enter_trap(struct time_cu *cu, struct time_wave *w, uint64_t when)
{
	uint64_t end = when + sim_time_cost.trap;
	uint64_t from = later(w->ready, when);

	cu->sampler->pending = end;
	w->trapped = end;
	if (w->state != TIME_RUNS || from >= end)
		return;
	cu->counters.trapped += end - from;
	time_sampler_forget(cu, w);
	time_wave_wait(cu, w, end);
}

static void trap(struct time_cu *cu, uint64_t when)
{
	struct time_wave *w = &cu->waves[cu->sampler->number % SIM_CU_WAVES];
	struct seen seen;
	uint8_t *record;

	if (when < cu->sampler->pending || !cu->live || !w->group || w->state == TIME_ENDED)
		return;
	if (!look(cu, w, when, &seen))
		return;
	record = new_record(cu->sampler, when);
	if (!record)
		return;
	fill_common(cu, w, when, &seen, record);
	enter_trap(cu, w, when);
}

void time_sampler_run(struct time_cu *cu, uint64_t next)
{
	struct time_sampler *sampler = cu->sampler;
	uint64_t end = next;

	/* All waves wait for other units, which continue first. */
	if (next == TIME_NEVER)
		end = cu->now;
	else if (end > cu->time->until)
		end = cu->time->until;
	while (cu->tick < end) {
		if (sampler->how.method == SIM_SAMPLING_STOCHASTIC)
			snapshot(cu, cu->tick);
		else
			trap(cu, cu->tick);
		sampler->number++;
		set_tick(cu);
	}
}

void time_sampler_span(struct time_cu *cu, const struct time_wave *w, struct time_span span)
{
	struct time_spans *spans;

	if (cu->tick == TIME_NEVER)
		return;
	spans = &cu->sampler->spans[w - cu->waves];
	spans->count -= spans->count == TIME_SPANS;
	span.run = w->run - 1;
	spans->span[spans->count++] = span;
}

/* ---- Delivery ------------------------------------------------------------------------------- */

struct reference {
	const struct time_sample *sample;
	uint32_t cu;
};

static int by_time(const void *a, const void *b)
{
	const struct reference *x = a, *y = b;

	if (x->sample->at != y->sample->at)
		return x->sample->at < y->sample->at ? -1 : 1;
	if (x->cu != y->cu)
		return x->cu < y->cu ? -1 : 1;
	return x->sample < y->sample ? -1 : x->sample > y->sample;
}

static uint64_t gather(const struct sim_time *time, struct reference *ret)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < time->count; i++) {
		const struct time_cu *cu = time->cu[time->cus[i]];

		for (uint32_t k = 0; k < cu->sampler->count; k++, count++)
			if (ret)
				ret[count] =
					(struct reference){&cu->sampler->sample[k], cu->number};
	}
	return count;
}

static uint64_t forget(struct sim_time *time)
{
	uint64_t missed = 0;

	for (uint32_t i = 0; i < time->count; i++) {
		struct time_sampler *sampler = time->cu[time->cus[i]]->sampler;

		missed += sampler->missed;
		sampler->count = 0;
		sampler->missed = 0;
	}
	return missed;
}

void time_samplers_deliver(struct sim_time *time)
{
	const struct time_sampler *any = time->cu[time->cus[0]]->sampler;
	uint64_t count = gather(time, NULL), lost = 0;
	struct reference *order = count ? malloc(count * sizeof(*order)) : NULL;
	uint8_t *records = count ? malloc(count * SIM_SAMPLE_BYTES) : NULL;

	if (order && records) {
		gather(time, order);
		qsort(order, count, sizeof(*order), by_time);
		for (uint64_t i = 0; i < count; i++)
			memcpy(records + i * SIM_SAMPLE_BYTES, order[i].sample->record,
			       SIM_SAMPLE_BYTES);
	} else {
		lost = count;
		count = 0;
	}
	lost += forget(time);
	if (count || lost)
		sim_sampling_deliver(any->gpu, any->how.session, records, count, lost);
	free(order);
	free(records);
}
