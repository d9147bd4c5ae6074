/* SPDX-License-Identifier: MIT */
/*
 * The `count` kind: how often, and by how many lanes, each basic block is run (wire.h section 3).
 *
 * Blocks that run together, always and with the same lanes, form a class with one row of counters.
 * A wave keeps its counts in scalar registers that the compiler never sees, as ring_cursor.h does
 * with its own, and adds them to memory at its end.
 */
#ifndef PROBE_LLVM_PLUGIN_KINDS_COUNT_KIND_H
#define PROBE_LLVM_PLUGIN_KINDS_COUNT_KIND_H

#include <stdbool.h>
#include <stdint.h>
#include <llvm-c/Core.h>

struct count_index;

enum {
	/* Registers of the wave, from here up to s93, the last one with which eight waves fit. */
	COUNT_SGPR_FIRST = 54,
	COUNT_SGPR_TEMP = 92,	/* two, even */
	COUNT_ROWS_MAX = 64,	/* with registers: a lane each when they are added to memory */
	COUNT_DEFICITS_MAX = 4, /* classes that are counted by who does not come */
	COUNT_NONE = -1,
};

/* How a class is counted. */
enum count_mode {
	COUNT_MEMBER,  /* not at all: its representative is */
	COUNT_ALWAYS,  /* by the launch: once in every wave */
	COUNT_GUARD,   /* by the waves and lanes of `from` that do not come here */
	COUNT_UNIFORM, /* executions; its lanes are those of `home`, a block that runs once */
	COUNT_ONCE,    /* lanes; it runs once, if there are any */
	COUNT_LANES,   /* both */
	COUNT_MEMORY,  /* both, at once in memory */
};

struct count_block {
	LLVMBasicBlockRef block;
	LLVMValueRef inst; /* of leaders: where the class is in the source */
	enum count_mode mode;
	int leader; /* of its class; itself, or a block that dominates it */
	int from;   /* GUARD */
	int home;   /* UNIFORM: a representative */
	unsigned depth;
	bool reachable, uniform, numbered;
	/* First register of two: executions or their deficit, lanes or theirs; ONCE has lanes only.
	 * 0 = none. */
	unsigned sgpr;
	unsigned shift;	    /* ONCE: where in the register its lanes are */
	unsigned home_sgpr; /* of a home: its lanes */
	uint32_t row;	    /* of a representative: its class's, from 0 */
};

struct count_plan {
	struct count_block *block; /* in the order of the function */
	int blocks;
	struct count_index *index;	/* sorted */
	int row_leader[COUNT_ROWS_MAX]; /* by row, from first_register_row on */
	uint32_t rows, first_register_row, register_rows;
	uint32_t rows_most;  /* with registers */
	unsigned first_sgpr; /* 0 = no registers are used */
	unsigned once_bits;  /* of a register, for each ONCE in it */
	bool always_flush;   /* else only deficits are kept, seldom more than 0 */
	LLVMValueRef last;   /* the kernel's return */
	uint32_t first_site;
};

/*
 * `lanes`: the wave's counts may be kept in registers, and blocks counted by the launch; of waves
 * of so many lanes. 0 = not.
 */
void count_plan_init(struct count_plan *plan, LLVMValueRef function, unsigned lanes,
		     void *analyses);
void count_plan_deinit(struct count_plan *plan);

#endif
