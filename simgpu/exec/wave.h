/* SPDX-License-Identifier: MIT */
/*
 * A wave and a workgroup of the simulated GPU: the interface between the machine (queues, launch,
 * scheduling, faults) and the instruction set (decode and execute).
 *
 * The machine initialises struct sim_wave at launch, calls sim_wave_run() until it returns
 * SIM_STOP_END or a fault, and handles every other stop (barrier, sleep, message, trap) itself. A
 * wave belongs to one host thread while it runs; all waves of a workgroup run on one thread.
 *
 * Register numbers follow the "Scalar operands" table of the "AMD Instinct MI200" ISA manual.
 */
#ifndef PROBE_SIMGPU_EXEC_WAVE_H
#define PROBE_SIMGPU_EXEC_WAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simgpu/mem/address_space.h"

enum {
	SIM_LANES = 64,
	SIM_VGPRS = 512, /* v0..v255, then the accumulation registers a0..a255 */
	SIM_SGPRS = 128, /* operand numbers 0..127: s0..s101, flat_scratch, xnack, vcc, ttmp, m0,
			    exec */
};

/* Scalar operand numbers that have a name (low half of 64-bit pairs). */
enum sim_sreg {
	SIM_FLAT_SCRATCH = 102,
	SIM_XNACK_MASK = 104,
	SIM_VCC = 106,
	SIM_TTMP0 = 108,
	SIM_M0 = 124,
	SIM_EXEC = 126,
};

enum {
	SIM_IDX_VSKIP = 1,
	SIM_IDX_ON = 2, /* VGPR index mode; index and enables are in M0 */
};

enum sim_stop {
	SIM_STOP_QUANTUM, /* budget used up; call again */
	SIM_STOP_END,	  /* s_endpgm */
	SIM_STOP_BARRIER, /* the wave has executed s_barrier; pc is after it */
	SIM_STOP_SLEEP,	  /* s_sleep, or a spin loop: let other waves run */
	SIM_STOP_SENDMSG, /* message id in wave->stop_arg, m0 holds the argument */
	SIM_STOP_GWS,	  /* ds_gws_* : operation in stop_arg */
	SIM_STOP_TRAP,	  /* s_trap: id in stop_arg */
	SIM_STOP_FAULT,	  /* wave->fault has the reason; pc is that of the faulting instruction */
	SIM_STOP_HOLD,	  /* traced wave: before an instruction whose effect depends on the time */
};

enum sim_fault_kind {
	SIM_FAULT_NONE,
	SIM_FAULT_UNKNOWN_OPCODE, /* not an instruction of gfx90a: word[] holds the encoding */
	SIM_FAULT_UNIMPLEMENTED,  /* a gfx90a instruction that this simulator lacks: name is set */
	SIM_FAULT_READ,		  /* no mapped range, or not readable, at addr */
	SIM_FAULT_WRITE,
	SIM_FAULT_FETCH,      /* pc outside executable memory */
	SIM_FAULT_LDS,	      /* LDS address out of the workgroup's allocation */
	SIM_FAULT_SCRATCH,    /* offset out of the lane's private memory */
	SIM_FAULT_MISALIGNED, /* atomic or LDS access that the hardware rejects */
};

struct sim_fault {
	enum sim_fault_kind kind;
	uint64_t addr;
	uint32_t size;
	int lane; /* first faulting lane, -1 for scalar accesses */
	uint32_t word[2];
	const char *name; /* mnemonic, static storage; NULL if not known */
};

/*
 * Counters of executed instructions, kept at ISA level and independent of probes. One block per
 * workgroup in flight; the machine adds them up per dispatch. Cache lines are distinct lines per
 * wave access; passes follow the LDS bank rules.
 */
struct sim_counters {
	uint64_t waves;
	uint64_t insts; /* wave instructions, all classes */
	uint64_t valu, salu, smem, vmem, flat, lds, branch, other;
	uint64_t lane_ops; /* popcount(exec) summed over vector instructions */
	uint64_t lines64;  /* distinct 64 B lines touched by global/flat/buffer accesses */
	uint64_t lines128;
	uint64_t lds_passes;	/* SQ_LDS_IDX_ACTIVE: sum of phase costs */
	uint64_t lds_conflicts; /* SQ_LDS_BANK_CONFLICT: passes beyond one per phase */
	/* Only while sim_pc_counting(): distinct 64 B lines of each 4 lanes, at least 1 for each.
	 */
	uint64_t quads;
	uint64_t flat_lds; /* of flat, those that reached LDS */
};

/*
 * The same counters per instruction, for comparison with those of probes. Kept only while
 * sim_pc_counting() is on (before the code first runs); all threads add to one block.
 */
struct sim_pc_counters {
	uint64_t execs;	  /* wave executions */
	uint64_t active;  /* of those, with a lane in EXEC */
	uint64_t lanes;	  /* active lanes, summed over them */
	uint64_t lines64; /* as in struct sim_counters */
	uint64_t lines128;
	uint64_t lds_passes;
	uint64_t lds_conflicts;
	uint64_t quads;
};

struct sim_trace; /* timing_trace.h */
struct sim_code;  /* decoded instructions of one executable range, owned by the ISA side */

struct sim_group {
	uint8_t *lds;
	uint32_t lds_size;
	uint32_t id[3];
	uint32_t shared_base_hi;  /* high half of the LDS aperture, 0x10000 */
	uint32_t private_base_hi; /* high half of the scratch aperture, 0x20000 */
	struct sim_counters *counters;
	uint32_t gpu; /* SIM_MEM_GPU() of the GPU it runs on; 0: memory of any GPU is accepted */
};

struct sim_wave {
	uint64_t pc;   /* byte address of the next instruction */
	uint64_t exec; /* the valid copy; accessors mirror it to sgpr[126..127] */
	uint64_t vcc;
	uint32_t sgpr[SIM_SGPRS];
	bool scc;
	uint32_t mode;	/* MODE register: [3:0] round, [7:4] denorm, bit 8 dx10_clamp, ... */
	uint32_t xcc;	/* XCC_ID: the die */
	uint32_t hw_id; /* HW_ID as s_getreg reads it; an identity, not a placement */
	uint32_t lds_alloc, gpr_alloc, trapsts, status;
	uint32_t gpr_idx;  /* SIM_IDX_*: what MODE requires of every vector instruction */
	uint32_t in_group; /* wave number inside the workgroup */
	uint8_t *scratch;  /* this wave's private memory, lanes interleaved by dword */
	uint32_t scratch_lane_size;
	struct sim_group *group;
	struct sim_range cache[4]; /* recently used ranges, owned by the ISA side */
	uint64_t cache_generation;
	uint32_t gpu;		     /* the group->gpu for which the cache is valid */
	const struct sim_code *code; /* where pc was last found; owned by the ISA side */
	uint32_t stop_arg;
	struct sim_fault fault;
	/* Working state of the ISA side between the instructions of one sim_wave_run(). */
	enum sim_stop stop;
	uint32_t
		fp_special; /* bit 0: f32, bit 1: f64/f16 round or denorm mode is not the default */
	void *memo;	    /* memoised costs of access patterns, of the running host thread */
	struct sim_trace *trace; /* trace for the cost model, or NULL */
	uint64_t special[3];	 /* values of operands such as scc or shared_base, by source slot */
	/* All vector registers, one 256-byte row each; 64-byte aligned. */
	_Alignas(64) uint32_t vgpr[SIM_VGPRS][SIM_LANES];
};

/*
 * Runs up to `budget` instructions of a wave. The wave's state is consistent at every return. Any
 * budget >= 1 is valid; small ones only cost speed.
 */
enum sim_stop sim_wave_run(struct sim_wave *wave, uint32_t budget);

#endif
