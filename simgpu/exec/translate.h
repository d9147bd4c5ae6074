/* SPDX-License-Identifier: MIT */
/*
 * Frequently executed straight-line code is translated to machine code. libprobe-sim.so counts how often
 * code is entered and sends requests to a separate shared object, libprobe-sim-jit.so, which alone
 * needs LLVM. Without it, or until it is loaded, the interpreter runs.
 *
 * A block extends from its first instruction to a branch that is not translated, with exits at
 * conditional branches. It has exactly the effects of the interpreter's handlers in sequence, and
 * calls them for instructions without a translation; every memory instruction is such a call.
 */
#ifndef PROBE_SIMGPU_EXEC_TRANSLATE_H
#define PROBE_SIMGPU_EXEC_TRANSLATE_H

#include "simgpu/exec/inst.h"

/* Executed instructions per class; the run loop adds it to the workgroup's counters. */
struct sim_tally {
	uint64_t cls[C_COUNT];
	uint64_t lanes;		     /* popcount(exec) over vector instructions */
	uint64_t insts;		     /* by blocks only */
	const struct sim_inst *last; /* the last instruction of the last block; NULL: its first one
				      * has yet to run */
};

/*
 * Runs the block; returns what a handler returns. The tally counts the executed instructions,
 * including the last one.
 */
typedef const struct sim_inst *sim_block_fn(struct sim_wave *w, struct sim_tally *tally);

struct sim_block {
	sim_block_fn *run;
	uint32_t insts; /* maximum number of instructions it executes */
	uint8_t fp;	/* bits of wave->fp_special under which it must not run */
};

enum {
	SIM_JIT_ABI = 2,
};

struct sim_jit_job {
	uint32_t abi, inst_size, wave_size; /* both sides must have the same values */
	const char *level;
	const struct sim_inst *first;
	const struct sim_inst *end;  /* one past the last instruction that may be read */
	const struct sim_inst *base; /* instruction 0 of the page */
	/*
	 * Opens a record in the wave's trace; false if the buffer is full, so that the instruction
	 * must wait.
	 */
	bool (*trace_open)(struct sim_wave *w);
	/* EXEC may have changed before `next`; called only if there is a trace. */
	void (*trace_exec)(struct sim_wave *w, const struct sim_inst *next);
};

/*
 * The only function of libprobe-sim-jit.so: returns 0, or -errno if the code must stay interpreted.
 */
typedef int sim_jit_translate(const struct sim_jit_job *job, struct sim_block *ret);
#define SIM_JIT_SYMBOL "probe_sim_jit_translate"

/* Requests a translation of the code from ip on; `code` is its page. */
void sim_translate_request(const struct sim_code *code, struct sim_inst *ip);

/* Reads PROBE_SIM_JIT; level: the vector level for which code is translated. */
void sim_translate_init(const char *level);

/* Number of entries after which code counts as hot; never reached if translation is off. */
extern uint32_t sim_translate_after;

/* Control arrives at ip. Counts lost between threads only delay the translation. */
static inline const struct sim_inst *sim_entered(const struct sim_wave *w,
						 const struct sim_inst *at)
{
	struct sim_inst *ip = (struct sim_inst *)(uintptr_t)at;
	uint32_t heat = __atomic_load_n(&ip->heat, __ATOMIC_RELAXED);

	if (__builtin_expect(heat < sim_translate_after, 1)) {
		__atomic_store_n(&ip->heat, heat + 1, __ATOMIC_RELAXED);
		if (heat + 1 == sim_translate_after)
			sim_translate_request(w->code, ip);
	}
	return at;
}

#endif
