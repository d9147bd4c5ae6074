/* SPDX-License-Identifier: MIT */
/*
 * The trace that a wave records for the cost model: the executed instructions, as runs of
 * straight-line code, and one record of accesses per memory instruction. The run loop writes the
 * runs and opens a record before each instruction marked SIM_TRACE_DATA. The handlers fill it
 * through the functions below, which do nothing while wave->trace is NULL. A record that was not
 * filled is an access that touched nothing (EXEC was 0).
 *
 * A run continues as long as an instruction returns its direct successor, ip + ip->words; every
 * other result ends it. So a handler may execute several instructions if `words` covers them.
 */
#ifndef PROBE_SIMGPU_EXEC_TIMING_TRACE_H
#define PROBE_SIMGPU_EXEC_TIMING_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "simgpu/exec/wave.h"

/* The unit that an instruction needs to issue. The first five are the arbiter's classes. */
enum sim_unit {
	UNIT_VALU,
	UNIT_SCALAR,
	UNIT_VMEM,
	UNIT_LDS,
	UNIT_BRANCH,
	UNIT_NONE, /* internal: s_nop, s_waitcnt, ... */
	UNIT_COUNT,
};

enum sim_timing_kind {
	TIMING_PLAIN, /* the next instruction can issue after `cycles` */
	TIMING_MFMA,  /* cycles: vector issue blocked; arg: matrix unit busy */
	TIMING_BRANCH,
	TIMING_WAITCNT, /* arg: the operand */
	TIMING_SLEEP,	/* arg: operand */
	TIMING_SMEM,
	TIMING_SMEM_STORE,
	TIMING_CLOCK, /* s_memtime, s_memrealtime */
	TIMING_LDS,
	TIMING_LOAD,
	TIMING_STORE,
	TIMING_ATOMIC,
	TIMING_ATOMIC_RETURN,
	TIMING_L1_INVALIDATE,	  /* buffer_wbinvl1 */
	TIMING_SCALAR_INVALIDATE, /* s_dcache_inv */
};

enum sim_timing_flags {
	TIMING_BYPASS = 1,  /* glc: bypasses the vector L1 */
	TIMING_FLAT = 2,    /* also counts in lgkmcnt */
	TIMING_DATA = 4,    /* has a record */
	TIMING_SEGMENT = 8, /* of the FLAT family: flat, global, scratch */
};

/*
 * One per dword of code, parallel to the decoded instructions; made by sim_timing_make(), and the
 * fields of plain instructions by sim_timing_find_plain().
 */
struct sim_timing {
	uint8_t unit;
	uint8_t kind;
	uint8_t flags;
	uint8_t words; /* never 0 */
	uint16_t cycles;
	uint16_t arg;
	/*
	 * The plain instructions from this one on: of the vector or scalar ALU, for one slot.
	 * vector: a bit for each, of the vector ALU; last: dwords before the last of them.
	 */
	uint32_t plain_vector;
	uint8_t plain, plain_words, plain_last, plain_vectors;
};

/* Marks in struct sim_inst for the run loop. */
enum {
	SIM_TRACE_DATA = 1, /* writes a record */
	/*
	 * The wave stops before it (SIM_STOP_HOLD), because its effect depends on the time: clocks,
	 * and accesses whose result depends on the order of workgroups.
	 */
	SIM_TRACE_HOLD = 2,
};

/*
 * What a wave spent its cycles on, by the codes of PC samples on newer parts. "None" is the time
 * from an instruction's issue until the next one could have issued.
 */
enum sim_wait {
	WAIT_NO_INSTRUCTION, /* after a jump */
	WAIT_ALU,
	WAIT_COUNTERS, /* s_waitcnt */
	WAIT_INTERNAL, /* s_nop */
	WAIT_BARRIER,
	WAIT_ARBITER, /* another wave's instruction of the same class was issued */
	WAIT_UNIT,    /* the unit is busy */
	WAIT_OTHER,   /* s_sleep, global wave sync */
	WAIT_COUNT,
};

/* Simulated time of one instruction; all threads add to it. */
struct sim_pc_time {
	uint64_t issued;
	uint64_t wait[WAIT_COUNT];
};

enum {
	SIM_TRACE_RUNS = 96,
	SIM_TRACE_WORDS = 768,
	SIM_TRACE_RECORD = 260, /* maximum number of words in a record */
	SIM_TRACE_MARKS = 1025, /* one per instruction of the longest piece */
	SIM_PLAIN_MOST = 32,
};

/* Small, because the traces of all waves are more than the host's nearer caches hold. */
struct sim_trace_run {
	uint16_t first, end; /* in the page's array of timings */
	uint8_t page;	     /* in the trace's array of pages */
	bool jumps;	     /* the last instruction was a jump */
	bool barrier;	     /* the wave waits at a barrier before the next run */
};

/*
 * Record: kind 7..0 (enum sim_record), then by kind
 *   vector memory: 64-byte lines of each 4 lanes 15..8, entries that follow 25..16, distinct
 *                  64-byte lines 35..26, cycles of the address unit 45..36, bytes of all lanes / 4,
 *                  rounded up, 55..46
 *   LDS:           dwords per lane 15..8, bank passes 31..16, conflicts 47..32, store bit 48
 *   scalar memory: entries that follow 31..16
 * An entry is `count` consecutive 64-byte lines: number of the first << 8 | count.
 */
enum sim_record {
	RECORD_NOTHING,
	RECORD_VECTOR,
	RECORD_LDS,
	RECORD_SCALAR,
};

/* EXEC from an instruction of a run on; only for PC samples. */
struct sim_trace_mark {
	uint64_t exec;
	const struct sim_timing *from;
	uint32_t run;
};

struct sim_trace {
	uint32_t runs, words;
	uint32_t head; /* the open record */
	/*
	 * Positions where EXEC changed; mark is NULL if not requested. first_exec: at the beginning
	 * of the trace.
	 */
	uint32_t marks;
	struct sim_trace_mark *mark;
	uint64_t first_exec, exec;
	uint64_t cycles; /* the value that a held s_memtime reads */
	bool pass;	 /* do not stop the wave before the first instruction */
	/* Most traces are short: the host then fetches a cache line or two of each array. */
	const struct sim_code *page[SIM_TRACE_RUNS]; /* two in a row differ */
	_Alignas(64) struct sim_trace_run run[SIM_TRACE_RUNS];
	_Alignas(64) uint64_t word[SIM_TRACE_WORDS];
};

/* True if EXEC changed, so that a mark is needed before the instruction. */
static inline bool sim_trace_changed(const struct sim_wave *w)
{
	return w->trace->mark && w->exec != w->trace->exec && w->trace->marks < SIM_TRACE_MARKS;
}

static inline void sim_trace_exec(struct sim_wave *w, const struct sim_timing *from, uint32_t run)
{
	struct sim_trace *trace = w->trace;

	trace->exec = w->exec;
	trace->mark[trace->marks++] = (struct sim_trace_mark){w->exec, from, run};
}

static inline void sim_trace_reset(struct sim_trace *trace)
{
	trace->runs = trace->words = trace->marks = 0;
	trace->pass = false;
}

/* The index of the next run's page in the trace; mostly that of the run before. */
static inline uint8_t sim_trace_page(struct sim_trace *trace, const struct sim_code *code)
{
	uint8_t page = trace->runs ? trace->run[trace->runs - 1].page : 0;

	if (trace->runs && trace->page[page] != code)
		page++;
	trace->page[page] = code;
	return page;
}

/* Opens the record of one more instruction; false if the wave must stop first. */
static inline bool sim_trace_open(struct sim_trace *trace)
{
	if (trace->words + SIM_TRACE_RECORD > SIM_TRACE_WORDS)
		return false;
	trace->head = trace->words++;
	trace->word[trace->head] = RECORD_NOTHING;
	return true;
}

/* Lines first .. first + count - 1 touched by a scalar access. */
static inline void sim_trace_scalar(struct sim_wave *w, uint64_t addr, uint32_t bytes)
{
	struct sim_trace *trace = w->trace;
	uint64_t first = addr >> 6, last = (addr + bytes - 1) >> 6;

	if (!trace)
		return;
	if (trace->words - trace->head > 32)
		return;
	if ((trace->word[trace->head] & 0xff) != RECORD_SCALAR)
		trace->word[trace->head] = RECORD_SCALAR;
	trace->word[trace->head] += 1 << 16;
	trace->word[trace->words++] = first << 8 | (last - first + 1);
}

/* Costs of several accesses of one instruction add up. dwords: per lane, rounded up. */
static inline void sim_trace_lds(struct sim_wave *w, uint32_t dwords, uint32_t passes,
				 uint32_t conflicts, bool store)
{
	struct sim_trace *trace = w->trace;

	if (!trace)
		return;
	if ((trace->word[trace->head] & 0xff) != RECORD_LDS)
		trace->word[trace->head] = RECORD_LDS;
	trace->word[trace->head] |= (uint64_t)store << 48;
	trace->word[trace->head] +=
		(uint64_t)dwords << 8 | (uint64_t)passes << 16 | (uint64_t)conflicts << 32;
}

/* The extent of a vector memory access, in addition to the lines themselves. */
struct sim_touched {
	uint32_t quads;	 /* distinct 64-byte lines of each 4 lanes */
	uint32_t cycles; /* of the address unit */
	uint32_t entries, lines, bytes;
};

static inline void sim_trace_vector(struct sim_trace *trace, struct sim_touched touched)
{
	trace->word[trace->head] = RECORD_VECTOR | (uint64_t)touched.quads << 8 |
				   (uint64_t)touched.entries << 16 | (uint64_t)touched.lines << 26 |
				   (uint64_t)touched.cycles << 36 |
				   (uint64_t)((touched.bytes + 3) / 4) << 46;
}

static inline struct sim_touched sim_trace_touched(uint64_t record)
{
	return (struct sim_touched){
		.quads = record >> 8 & 0xff,
		.entries = record >> 16 & 0x3ff,
		.lines = record >> 26 & 0x3ff,
		.cycles = record >> 36 & 0x3ff,
		.bytes = (record >> 46 & 0x3ff) * 4,
	};
}

#endif
