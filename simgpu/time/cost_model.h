/* SPDX-License-Identifier: MIT */
/*
 * The cost model at work: compute units in simulated time. A unit (wave_issue.c) asks its waves for
 * what they ran (timing_trace.h) and decides when each instruction issues; memory answers when data
 * come (memory_latency.c, l2_cache.c); the driver (dispatch_simulation.c) deals workgroups to
 * units, lets the units run side by side from one meeting to the next, and keeps the order where it
 * matters.
 *
 * Times are shader cycles since the dispatch began. Within one call of time_cu_run() a unit looks
 * at nothing that another unit changes, so it does not matter which host thread runs it, or when.
 */
#ifndef PROBE_SIMGPU_TIME_COST_MODEL_H
#define PROBE_SIMGPU_TIME_COST_MODEL_H

#include "simgpu/group/workgroup.h"
#include "simgpu/base/timing_constants.h"
#include "simgpu/base/model_counters.h"
#include "simgpu/exec/timing_trace.h"

#define TIME_NEVER UINT64_MAX

enum {
	TIME_VM = 64,	/* vmcnt counts to 63 */
	TIME_LGKM = 16, /* lgkmcnt to 15 */
	TIME_BLOCKS = 8,
	TIME_SPANS = 8,
	L1_LINE = 64,
	L2_LINE = 128,
};

struct time_group;

struct time_sampler;

enum time_state {
	TIME_RUNS,
	TIME_AT_BARRIER,
	TIME_HELD, /* before an instruction that waits for its turn among all units */
	TIME_AT_GRID,
	TIME_ENDED,
};

/* What a wave does up to a time; kept while samples are taken. */
struct time_span {
	uint64_t until;
	const struct sim_timing *at;
	bool issues;
	uint8_t why; /* if not: enum sim_wait */
};

struct time_wave {
	uint64_t ready; /* when the next instruction may issue, as far as the wave is concerned */
	/* s_waitcnt are passed as soon as they are met: the one that holds the wave till ready. */
	const struct sim_timing *stalled;
	const struct sim_timing *last;	   /* the one issued last */
	const struct sim_timing *at, *end; /* rest of the run of instructions under way */
	struct sim_trace *trace;
	uint32_t run;		/* next one of the trace */
	uint32_t word;		/* next record */
	bool jumps;		/* the run under way ends with a jump */
	uint8_t simd, position; /* of the SIMD's list */
	uint8_t state, why;	/* enum time_state; enum sim_wait since `ready` */
	enum sim_stop stop;	/* what follows the trace */
	const struct sim_code *code;
	struct time_group *group;
	uint32_t index; /* in the group */
	uint32_t vm_count, lgkm_count;
	uint64_t last_vm, last_lgkm;	       /* when all of a kind are complete */
	uint64_t start;			       /* of its residency; barriers: of the wait */
	uint64_t vm[TIME_VM], lgkm[TIME_LGKM]; /* when the last ones complete */
	/* For samples: from its last issue up to `ready`, and the end of its last trap. */
	struct time_span span[TIME_SPANS];
	uint32_t spans;
	uint64_t trapped;
};

struct time_group {
	struct sim_slot *slot; /* NULL when all waves have run to their ends */
	struct sim_place place, claim;
	uint32_t scratch_slot;
	uint64_t number;
	uint32_t waves, live, waiting;
	uint32_t running; /* waves that have not run to their end */
	struct time_wave *wave[SIM_GROUP_WAVES];
};

struct time_simd {
	uint64_t next; /* first slot in which something may happen */
	uint64_t slot; /* the last one looked at, and the classes issued in it */
	uint32_t taken;
	uint32_t count;
	/* Oldest first, and when to look at each again; never: others must wake it. */
	struct time_wave *wave[SIM_SIMD_WAVES];
	uint64_t look[SIM_SIMD_WAVES];
	uint64_t valu_free, matrix_free;
};

/* Four lines make a set and one cache line of the host: most recent first. */
struct time_line {
	uint64_t line; /* number + 1; 0 is none */
	uint64_t fill; /* when the data are there */
};

/* What a unit has touched of the L2 since the last meeting. */
struct time_touch {
	uint64_t line;		      /* of 128 bytes */
	uint8_t valid, dirty, missed; /* bit per half: there now; written; fetched by this unit */
};

struct time_touched {
	struct time_touch *touch; /* in order of first touch */
	uint32_t *index;	  /* hash table: number + 1 */
	uint32_t count, size;	  /* size of the table, a power of two; half may be used */
};

/* A block of memory as the L2 numbers its lines: those of the address, shifted. */
struct time_block {
	uint64_t base, end, shift;
};

enum time_cu_state {
	CU_RUNS,
	CU_REACHED, /* the meeting */
	CU_HELD,    /* a wave must wait for its turn */
	CU_STARVED, /* has room for a workgroup and none to start */
};

/* Workgroups dealt to a unit and not yet started: first, first + stride, ... */
struct time_backlog {
	uint64_t first, stride, count;
};

struct time_cu {
	struct time_cu *next_free;
	struct sim_dispatch *dispatch;
	struct sim_time *time;
	uint32_t number;
	enum time_cu_state state;
	uint64_t now, end; /* end: when its last instruction or store was done */
	struct time_simd simd[SIM_SIMDS];
	uint64_t lds_free[SIM_SIMDS / 2], ta_free, l1_free;
	/* Shares of the device's memory: free times in 1/256 cycle. */
	uint64_t l2_read, l2_write, hbm_read, hbm_write;
	struct time_block block[TIME_BLOCKS]; /* seen lately, the last one first */
	struct time_backlog backlog;
	uint64_t place; /* what its workgroups hold */
	bool room;	/* something ended: look for work */
	bool pcs;	/* keep times per instruction */
	uint32_t piece; /* instructions a wave runs at a time */
	uint64_t busy_from;
	bool wants;    /* the place at hand had no free slot name: try again later */
	uint32_t live; /* waves */
	uint32_t held;
	uint32_t scratch_first, scratch_count; /* its part of the scratch memory */
	uint64_t scratch_taken;
	uint64_t sleeps, steps; /* for the host's back-off */
	uint64_t tick;		/* when the next sample is due; never: none is taken */
	struct sim_counters isa;
	struct sim_time_counters counters;
	struct time_touched touched;
	struct time_wave *wave_free;
	struct time_group *group_free;
	struct time_sampler *sampler; /* kept; in use if there are ticks */
	struct sim_trace *traces[SIM_CU_WAVES];
	struct time_wave waves[SIM_CU_WAVES];
	struct time_group groups[SIM_CU_WAVES];
	_Alignas(64) struct time_line l1[256];
	_Alignas(64) struct time_line scalar[256];
};

/* The L2 of one queue's view of the device: what it holds outlives a dispatch. */
struct time_l2 {
	uint32_t set[4096][16]; /* most recent first: tag 31..4, dirty halves 3..2, valid 1..0 */
};

struct sim_time {
	struct time_l2 *l2;
	struct time_cu *cu[SIM_CUS];
	uint32_t cus[SIM_CUS], count; /* units in use, in order */
	uint64_t undealt;	      /* workgroups; does not change while units run */
	uint64_t next_group;
	uint64_t until; /* the next meeting */
	uint32_t turn;	/* unit the next workgroup goes to first */
	bool sampled;
	/* Cost of 64 bytes from a unit's share, in 1/256 cycle. */
	uint32_t l2_read, l2_write, hbm_read, hbm_write;
	struct sim_place_want want;
};

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* unit_workgroups.c */
struct time_cu *time_cu_take(struct sim_dispatch *dispatch, struct sim_time *time, uint32_t number);
void time_cu_give(struct time_cu *cu);
/* Give up workgroups that a stop left behind. */
void time_cu_drop(struct time_cu *cu);
/* Whether the unit has room for one more workgroup, by what it holds. */
bool time_cu_room(const struct time_cu *cu, uint64_t number, struct sim_place *ret);
/* Start what of the backlog there is room for; cu->wants: a place was there, but not its name. */
void time_groups_start(struct time_cu *cu);
/* All waves of the group have run to their ends; and, later, in simulated time as well. */
void time_group_leave_slot(struct time_cu *cu, struct time_group *group);
void time_group_done(struct time_cu *cu, struct time_group *group);

/* wave_issue.c */
/* Run the wave for another piece. pass: its next instruction is one it was held at. */
void time_wave_refill(struct time_cu *cu, struct time_wave *w, bool pass);
/* The wave may go on at `when`. */
void time_wave_wait(struct time_cu *cu, struct time_wave *w, uint64_t when);
/* A wave that was ready waited up to now: count it. */
void time_wave_held(struct time_cu *cu, struct time_wave *w, uint64_t now);
/* Until time->until, a held wave, or an empty backlog; cu->state says which. */
void time_cu_run(struct time_cu *cu);
/* A held wave's turn. False: the dispatch is stopped. */
bool time_cu_turn(struct time_cu *cu);
/* One issue slot of a SIMD. */
void time_simd_slot(struct time_cu *cu, uint32_t number, uint64_t now);
/* The last wave has come to the grid's barrier, at `now`. */
void time_cu_grid_release(struct time_cu *cu, uint64_t now);

/* memory_latency.c: pop the record of an instruction that issues now; when it is complete. */
uint64_t time_vector(struct time_cu *cu, struct time_wave *w, const struct sim_timing *t,
		     uint64_t now);
uint64_t time_scalar(struct time_cu *cu, struct time_wave *w, const struct sim_timing *t,
		     uint64_t now);
void time_l1_forget(struct time_line *cache);

/* l2_cache.c */
enum { TOUCH_READ = 1, TOUCH_WRITE = 2 };
/*
 * A unit wants half `half` (0, 1) of a 128-byte line. *missed: it must come from memory; the
 * answer is the entry, valid until the next call.
 */
struct time_touch *time_l2_touch(struct time_cu *cu, uint64_t line, uint32_t half, bool *missed);
bool time_touched_init(struct time_touched *touched);
/* Meeting: the touches of all units become part of the L2, in the order of the units. */
void time_l2_merge(struct sim_time *time);

/* dispatch_simulation.c: every workgroup of a prepared dispatch; as sim_dispatch_run(). */
bool sim_time_run(struct sim_dispatch *dispatch);
void sim_time_destroy(struct sim_time *time);

/* parallel_for.c: fn(ctx, 0 .. count - 1), on this thread and the pool's; returns when all are
 * done.
 */
void sim_pool_each(void (*fn)(void *ctx, uint32_t i), void *ctx, uint32_t count);

#endif
