/* SPDX-License-Identifier: MIT */
/*
 * The `count` kind: executions and active lanes of each basic block (wire_device.h section 3).
 *
 * Blocks that always execute together, with the same lanes, form a class with one row of counters.
 * A wave keeps its counts in reserved registers (reserved_registers.h), and adds them to memory
 * when it ends.
 */
#ifndef PROBE_LLVM_PLUGIN_KINDS_COUNT_KIND_H
#define PROBE_LLVM_PLUGIN_KINDS_COUNT_KIND_H

#include <stdbool.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/base/reserved_registers.h"

struct count_index;

enum {
	COUNT_SGPR_TEMP = RESERVED_LAST - 1, /* two registers, for the code of a block */
	COUNT_ROWS_MAX = 64, /* rows with registers: one lane each when they are added to memory */
	COUNT_DEFICITS_MAX = 4, /* classes that are counted by lanes that do not execute them */
	COUNT_NONE = -1,
};

/* What is counted for a class. */
enum count_mode {
	COUNT_MEMBER,  /* nothing: the class's leader is counted */
	COUNT_ALWAYS,  /* nothing: executes once in every wave of the launch */
	COUNT_GUARD,   /* deficits: waves and lanes of `from` that do not execute it */
	COUNT_UNIFORM, /* executions; its lanes are those of `home`, a block that executes once */
	COUNT_ONCE,    /* lanes; executes at most once */
	COUNT_LANES,   /* both */
	COUNT_MEMORY,  /* both, immediately in memory */
};

struct count_block {
	LLVMBasicBlockRef block;
	LLVMValueRef inst; /* of a leader: source location of the class */
	enum count_mode mode;
	int leader; /* leader of its class: itself, or a block that dominates it */
	int from;   /* GUARD */
	int home;   /* UNIFORM: a representative */
	unsigned depth;
	bool reachable, uniform, numbered;
	/*
	 * First of two registers: executions or their deficit, lanes or theirs; ONCE has lanes
	 * only. 0 = none.
	 */
	unsigned sgpr;
	unsigned shift;	    /* ONCE: position of its lanes in the register */
	unsigned home_sgpr; /* of a home: register with its lanes */
	uint32_t row;	    /* of a leader: row of its class, from 0 */
};

struct count_plan {
	struct count_block *block; /* in the order of the function */
	int blocks;
	struct count_index *index;	/* sorted */
	int row_leader[COUNT_ROWS_MAX]; /* by row, from first_register_row on */
	uint32_t rows, first_register_row, register_rows;
	uint32_t rows_max;		     /* with registers */
	struct reserved_registers registers; /* none are assigned: no counts are in registers */
	unsigned once_bits;		     /* bits of a register per ONCE class */
	bool always_flush; /* false: registers have deficits only, which are rarely more than 0 */
	LLVMValueRef last; /* the kernel's return */
	uint32_t first_site;
};

/*
 * `lanes`: number of lanes of a wave, if counts may be kept in registers and derived from the
 * launch; 0 = they may not.
 */
void count_plan_init(struct count_plan *plan, LLVMValueRef function, unsigned lanes,
		     void *analyses);
void count_plan_deinit(struct count_plan *plan);

#endif
