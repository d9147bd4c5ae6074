/* SPDX-License-Identifier: MIT */
/*
 * Constants of the cost model, except the costs of packets (queue_timeline.c). TIME.md describes
 * their use. Cycles are those of the
 * shader clock (sim_device()->core_mhz). The source of each number is next to its value in
 * timing_constants.c.
 */
#ifndef PROBE_SIMGPU_BASE_TIMING_CONSTANTS_H
#define PROBE_SIMGPU_BASE_TIMING_CONSTANTS_H

#include <stdbool.h>
#include <stdint.h>

/* These two are compile-time constants for speed. */
enum {
	SIM_SLOT = 4,	  /* [DOC rpc] cycles between a SIMD's issue slots: each cycle belongs to
			   * another SIMD */
	SIM_INTERNAL = 7, /* [HW rpc] of 8 waves issue an internal instruction per slot: fits the
			     6.79 s_nop per cycle and unit */
};

struct sim_time_cost {
	/* Issue. */
	uint16_t valu, f64, trans, mul32;
	uint16_t branch_taken, branch_not;
	uint16_t sleep; /* of s_sleep 1 */

	/* Load to use. */
	uint16_t scalar_l1, lds, vector_l1, l2, mall, hbm;
	uint16_t scalar_l2; /* a scalar load that misses its L1; memory is as much sooner */
	uint16_t store; /* from issue until the L2 has it */

	/* Workgroups. */
	uint16_t group_start; /* from its dispatch to the first instruction */
	/* Quarters of a cycle per workgroup that the device dispatches: of up to two waves, of more. */
	uint16_t group_every, group_every_large;

	/* Caches; the vector L1 fetches whole lines. */
	uint16_t l1_line, l1_kib; /* the vector L1 */
	uint16_t l2_kib;	  /* of one die */
	uint32_t mall_kib;	  /* behind the L2 of all dies; 0 for none */
	/*
	 * The L2s of dies are not coherent: a kernel's end empties them, and counts what it writes
	 * back.
	 */
	bool l2_emptied;

	/* Vector memory. */
	uint16_t ta_queue;  /* cycles of address work that can be pending before issue stops */
	uint16_t ta_once;   /* cycles per instruction in addition to those of its addresses */
	uint16_t l1_return; /* bytes per cycle from the vector L1 to the registers */

	/* Bytes per 1024 cycles: of the whole device, and the maximum for one unit. */
	uint32_t l2_read, l2_write, mall_rate, hbm_rate, cu_most;

	/* LDS port, cycles: reads per dword; stores per dword, and per instruction. */
	uint16_t lds_read, lds_write, lds_write_once;

	/* Host-trap PC sampling: how long the trap handler delays its wave. */
	uint16_t trap;
};

extern struct sim_time_cost sim_time_cost;

/* Replaces the constants that differ on an MI300X. Once, before anything is timed. */
void sim_time_cost_of_gfx942(void);

/* Matrix instructions by the shape in their name. */
struct sim_mfma_cost {
	const char *shape;
	uint16_t matrix; /* cycles the matrix unit is busy */
	uint16_t valu;	 /* of these, cycles in which no other vector instruction can issue */
};

/* Terminated by a NULL shape; the first that is in the name counts. */
extern const struct sim_mfma_cost sim_mfma_costs[], sim_mfma_costs_gfx942[];

#endif
