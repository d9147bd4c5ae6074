/* SPDX-License-Identifier: MIT */
/*
 * The state of the cost model: compute units in simulated time. A unit (wave_issue.c) runs its
 * waves (timing_trace.h) and decides when each traced instruction issues. The memory model computes
 * when data arrive (memory_latency.c, l2_cache.c). The driver (dispatch_simulation.c) assigns
 * workgroups to units, runs the units in parallel within an epoch, and keeps the order of accesses
 * where it matters.
 *
 * Times are shader cycles since the dispatch began. Within one call of time_cu_run() a unit reads
 * nothing that another unit changes. So it does not matter which host thread runs it, or when.
 */
#ifndef PROBE_SIMGPU_TIME_COST_MODEL_H
#define PROBE_SIMGPU_TIME_COST_MODEL_H

#include "simgpu/group/workgroup.h"
#include "simgpu/base/timing_constants.h"
#include "simgpu/base/model_counters.h"
#include "simgpu/exec/timing_trace.h"

#define TIME_NEVER   UINT64_MAX
#define TIME_NO_PAGE UINT8_MAX

enum {
	TIME_VM = 64,	/* vmcnt counts up to 63 */
	TIME_LGKM = 16, /* lgkmcnt counts up to 15 */
	TIME_BLOCKS = 8,
	TIME_CHANNELS = 32, /* channels of the L2 */
	CONTENTION_NONE = 64,
	DUE_LATE = INT16_MAX,
	WINDOW = 64,	  /* slots that a SIMD can reserve, from its last event on */
	TIME_SPANS = 128, /* two for each slot that a wave can be ahead, and more */
	TIME_PLACES = 16,
	L1_LINE = 64,  /* the unit of the vector L1; it fetches sim_time_cost.l1_line bytes */
	L1_WAYS = 4,   /* [E] */
	L1_MOST = 512, /* lines of the largest vector L1, 32 KiB */
	SCALAR_LINES =
		256, /* [HW mt4g] 16 KiB; two units share one on hardware, here each has its own */
	L2_LINE = 128,
	CACHE_WAYS = 16, /* [DOC] of the L2 */
};

struct time_group;

struct time_sampler;

enum time_state {
	TIME_RUNS,
	TIME_AT_BARRIER,
	TIME_HELD, /* before an instruction that must execute in the order of simulated time over
		    * all units */
	TIME_AT_GRID,
	TIME_ENDED,
};

/* The state of a wave up to a time; recorded while PC samples are taken. */
struct time_span {
	uint64_t until;
	const struct sim_timing *at;
	uint32_t run; /* of the trace */
	bool issues;
	uint8_t reason; /* if it did not issue: enum sim_wait */
};

/* A wave at an instruction at which it stops each time: where it may be polling (idle_polls.h). */
struct time_poll {
	uint64_t pc;
	uint64_t since, last; /* when it was there first, and most recently */
	uint64_t state;	      /* hash of its registers then */
	uint32_t rounds;      /* consecutive times since */
	bool acted;	      /* it stored something in between */
	uint16_t loads;	      /* that it issued in between */
	bool paused;	      /* the pause is over: it polls now */
};

/* Accesses of a wave that are polls, or failed compare-and-swaps, of one place (value_waits.h). */
struct time_tries {
	uint64_t pc, addr;
	uint64_t wanted, seen; /* the value compared with, and that of the place, at the last one */
	uint64_t last, period; /* when that was, and how long after the one before */
	uint64_t shortest;     /* of the periods */
	uint64_t since;	       /* when the first failed */
	uint32_t failed;       /* in a row */
	uint32_t others;       /* accesses for which the wave stopped, from the one before */
};

/* In the order of use: most waves use the first few cache lines of the host only. */
struct time_wave {
	_Alignas(64) const struct sim_timing *at; /* the rest of the current run of instructions */
	const struct sim_timing *end;
	uint64_t ready;		       /* its waits are counted up to here */
	uint8_t simd, position;	       /* in the SIMD's list */
	uint8_t state, reason;	       /* enum time_state; enum sim_wait since `ready` */
	bool jumps, barrier;	       /* the current run ends with a jump, before a barrier */
	uint32_t word;		       /* next record */
	const struct sim_timing *last; /* the last one issued */
	struct sim_trace *trace;
	uint32_t vm_count, lgkm_count;
	uint64_t last_vm, last_lgkm; /* when all accesses of that kind are complete */
	uint32_t run, runs;	     /* of the trace: index of the next run, and their number */
	uint8_t page;		     /* of the run, in the trace; TIME_NO_PAGE at first */
	enum sim_stop stop;	     /* the stop at the end of the trace */
	uint32_t left;		     /* instructions that the trace may still get */
	uint32_t index;		     /* index in the workgroup */
	const struct sim_code *code;
	struct time_group *group;
	uint64_t start; /* start of its residency; at a barrier: of its wait */
	struct time_poll poll;
	uint64_t vm[TIME_VM]; /* completion times of the most recent accesses */
	uint64_t trapped;     /* the end of its last trap */
	bool tried;	      /* the fields from `swaps` on are of this wave (value_waits.h) */
	_Alignas(64) uint64_t lgkm[TIME_LGKM];
	struct time_tries swaps, reads;
	uint64_t returns;	  /* where it polls in a loop that leads back to the same state */
	struct time_place *place; /* it waits for a change there, as number `waiter` */
	uint32_t waiter;
	struct time_place *reads_at; /* it was made the reader of the place */
	uint32_t stops;		     /* for other accesses, since its last compare-and-swap */
	bool insists;		     /* it has waited for so long that it tries next */
};

struct time_group {
	struct sim_workgroup *slot; /* NULL when all waves have executed s_endpgm */
	struct sim_place place, claim;
	uint32_t scratch_slot;
	uint64_t number;
	uint64_t done; /* with no live wave: when its stores are complete and its space is free */
	uint32_t waves, live, waiting;
	uint32_t running; /* waves that have not executed s_endpgm */
	struct time_wave *wave[SIM_GROUP_WAVES];
};

/*
 * Issue slots of a SIMD, reserved by waves that were processed up to a later slot. Bit n is the
 * slot `origin` + n; `origin` is the slot of the SIMD's last event, before which no more
 * instruction issues.
 */
struct time_window {
	uint64_t origin;
	uint64_t busy[UNIT_BRANCH + 1]; /* per unit: VALU, scalar and branch only */
	uint64_t issued;		/* VALU: the first slot of each instruction */
};

struct time_simd {
	struct time_wave *wave[SIM_SIMD_WAVES]; /* oldest wave first */
	uint32_t count;
	uint64_t vmem_next, lds_next; /* the first slot in which the class is not taken */
	uint64_t matrix_free;
	struct time_window window;
	uint64_t when[SIM_SIMD_WAVES]; /* when each wave continues; never: another event wakes it */
};

/* A set of an L1, the most recently used line first. */
struct time_set {
	_Alignas(64) uint64_t line[L1_WAYS]; /* number + 1; 0 is none */
	uint64_t fill[L1_WAYS];		     /* when the data arrive */
};

/* What a unit has touched of the L2 since the epoch began. */
struct time_touch {
	uint64_t line; /* number of the 128-byte line */
	uint32_t set;  /* of the L2 */
	/* A bit per half: valid now; written; fetched by this unit; in the MALL. */
	uint8_t valid, dirty, missed, in_mall;
};

struct time_touched {
	struct time_touch *touch; /* in order of first touch */
	uint32_t *index;	  /* hash table: number + 1 */
	uint32_t count, size; /* size of the table, a power of two; at most half of it is used */
};

/* A block of memory, and the offset from its addresses to the L2's line numbers. */
struct time_block {
	uint64_t base, end, shift;
};

enum time_cu_state {
	CU_RUNS,
	CU_REACHED, /* the end of the epoch */
	CU_HELD,    /* a wave must wait for other units */
	CU_STARVED, /* it can hold another workgroup but has none to start */
};

/* Workgroups that are assigned to a unit and not started: first, first + stride, ... */
struct time_backlog {
	uint64_t first, stride, count;
};

struct time_cu {
	struct time_cu *next_free;
	struct sim_dispatch *dispatch;
	struct sim_time *time;
	uint32_t number;
	uint32_t l2_set; /* the first one of its die */
	enum time_cu_state state;
	uint64_t now, end; /* end: when its last instruction or store completed */
	uint64_t base;	   /* the origin of `due` in this epoch, a multiple of four */
	/*
	 * The slot in which each wave continues, in cycles from `base` on, in the order of
	 * simd[].wave. SIMDs differ modulo four. DUE_LATE: later, or when another event wakes it.
	 */
	_Alignas(64) int16_t due[SIM_SIMDS][SIM_SIMD_WAVES];
	uint32_t first; /* the least due * SIM_SIMD_WAVES + position */
	uint64_t next;	/* the earliest slot in which a wave continues */
	/*
	 * While a wave is processed: nothing else happens on the unit before this cycle, so that
	 * the wave's accesses up to it are in the order of time.
	 */
	uint64_t horizon;
	uint64_t based; /* the end of the epoch for which base was set */
	struct time_simd simd[SIM_SIMDS];
	uint64_t lds_free[SIM_SIMDS / 2]; /* the ports of two SIMDs each */
	uint64_t lds_banks_free;
	uint64_t ta_free, l1_free;
	/*
	 * The unit's shares of the device's memory: times at which they are free, in 1/256 cycle.
	 */
	uint64_t l2_read, l2_write, mall, hbm;
	uint32_t channel[TIME_CHANNELS];	/* requests in this epoch */
	uint32_t memory_channel[TIME_CHANNELS]; /* halves of them that memory serves */
	uint32_t fetched,
		again; /* halves fetched in this epoch; of these, by an earlier unit too */
	struct time_block block[TIME_BLOCKS]; /* most recently used first */
	struct time_backlog backlog;
	uint64_t place; /* wave slots, registers and LDS that its workgroups occupy */
	uint32_t groups_used, groups_ending; /* bit per group; ending: no live wave, until `done` */
	bool has_space;			     /* something ended, so it may hold another workgroup */
	bool pcs;			     /* keep times per instruction */
	unsigned memory_epoch;		     /* while it runs (freed_memory.h) */
	uint32_t quantum;		     /* instructions that a wave runs at a time */
	uint64_t busy_from;
	bool slots_busy; /* another queue uses the wave slots: try again later */
	uint32_t live;	 /* number of live waves */
	uint32_t held;
	uint32_t waiting; /* waves that leave out tries */
	bool stored;	  /* where a wave waits for another value */
	bool woken;	  /* a wave of it, after it had reached the end of the epoch */
	uint32_t scratch_first, scratch_count; /* its part of the scratch memory */
	uint64_t scratch_taken;
	uint64_t sleeps, steps; /* for the host's back-off */
	uint64_t wake; /* when a workgroup's space becomes free, or the next one can be dispatched;
			* never if neither is awaited */
	uint64_t next_start; /* the same, for the next dispatch only */
	uint64_t busy_until; /* end of the workgroups that occupied it */
	uint64_t tick;	     /* when the next sample is due; never if none is taken */
	struct sim_counters isa;
	struct sim_time_counters counters;
	struct time_touched touched;
	struct time_sampler *sampler; /* kept between dispatches; used if `tick` is finite */
	struct time_wave waves[SIM_CU_WAVES];
	struct time_group groups[SIM_CU_WAVES];
	struct time_set l1[L1_MOST / L1_WAYS];
	struct time_set scalar[SCALAR_LINES / L1_WAYS];
	struct sim_trace *traces[SIM_CU_WAVES]; /* NULL until the wave slot is used */
};

enum time_wait_kind {
	WAITS_FOR_VALUE, /* compares with a value of its own */
	WAITS_TO_READ,	 /* compares with what it last read */
	WAITS_TO_LEAVE,	 /* only reads */
};

/* A value that was read, and what it was compared with. */
struct time_compare {
	uint64_t value, with;
};

/* A wave that leaves out its tries (value_waits.h). */
struct time_waiter {
	struct time_cu *cu;
	struct time_wave *wave;
	const struct sim_wave *registers;
	uint64_t next, period; /* its next try, and when further ones follow */
	uint64_t wanted;       /* the value it waits for */
	uint64_t checked;      /* when its round was last executed */
	uint64_t since, due;   /* when it began to wait, and when it tries at the latest */
	enum time_wait_kind kind;
	bool compares; /* WAITS_TO_LEAVE: only the order of the value to another one matters */
	struct time_compare compare; /* in a round that stays */
};

/* A place in memory that waves try to change. */
struct time_place {
	uint64_t addr; /* 0: unused */
	uint32_t bytes;
	const void *host;
	uint64_t generation; /* of the map of memory in which `host` was found */
	uint64_t value, changed;
	struct time_wave *reader;     /* the wave that reads this value and tries with it next */
	uint64_t success, read_until; /* when it is expected to change it, and the latest */
	uint64_t due;		      /* no waiter is due before */
	uint32_t count, capacity;
	struct time_waiter *waiter;
};

/* A copy of a wave, to execute a round of its loop in trial. */
struct time_trial {
	struct sim_wave wave;
	struct sim_group group;
	struct sim_counters counters;
	struct sim_trace trace;
};

struct time_places {
	bool used;
	uint32_t woken; /* units */
	struct time_trial *trial;
	struct time_place place[TIME_PLACES];
};

/* A cache of the device as one queue sees it; its contents are kept between dispatches. */
struct time_cache {
	uint32_t sets; /* of one die; a power of two */
	uint32_t dies;
	uint64_t *flush;	     /* bit per set: has something to do at a kernel's end */
	uint32_t (*set)[CACHE_WAYS]; /* most recently used first: tag 31..4, dirty halves 3..2,
				      * valid halves 1..0 */
};

struct sim_time {
	struct time_cache l2, mall; /* the MALL has no sets if the device has none */
	struct time_cu *cu[SIM_CUS_MOST];
	uint32_t cus[SIM_CUS_MOST], count; /* units in use, in order */
	uint64_t unassigned;		   /* number of workgroups; constant while units run */
	uint64_t next_group;
	uint64_t from, until; /* beginning and end of the epoch */
	bool sampled;
	/* Cost of 64 bytes from a unit's share, in 1/256 cycle. */
	uint32_t l2_read, l2_write, mall_rate, hbm;
	uint32_t hbm_alone;   /* the cost from memory if no other unit fetches the same */
	uint32_t group_every; /* cycles from one workgroup of a unit to the next */
	/* Additional cost of a request in the L2 and in memory, in 1/CONTENTION_NONE. */
	uint32_t contention[TIME_CHANNELS], memory_contention[TIME_CHANNELS];
	struct sim_place_request want;
	struct time_places places;
};

/* How many of the two halves of a line. */
static inline uint32_t count_halves(uint32_t halves)
{
	return (halves & 1) + (halves >> 1);
}

/* Requests from the L2 to memory for some halves of a line: of the size of the L1's lines. */
static inline uint32_t time_fetches(uint32_t halves)
{
	return sim_time_cost.l1_line == L1_LINE ? halves : 1;
}

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t sooner(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

#endif
