/* SPDX-License-Identifier: MIT */
/*
 * What the simulated GPU offers to tools beyond the driver's interface: counters of what executed,
 * kept by the machine itself and independent of any instrumentation. libprobe-sim.so exports it in
 * version node PROBE_SIM_1. Look the functions up with dlsym(RTLD_DEFAULT, ...), because they do
 * not exist on a real GPU. C11, also valid as C++.
 *
 * All functions are thread-safe. Structs begin with their size as the caller knows it; fields
 * beyond it are not written.
 */
#ifndef PROBE_SIMGPU_PROBE_SIM_H
#define PROBE_SIMGPU_PROBE_SIM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PROBE_SIM_VERSION 1

/* Why a wave does not issue: the stall reasons of PC samples on newer parts. */
enum probe_sim_wait {
	PROBE_SIM_WAIT_NO_INSTRUCTION,
	PROBE_SIM_WAIT_ALU_DEPENDENCY,
	PROBE_SIM_WAIT_WAITCNT,
	PROBE_SIM_WAIT_INTERNAL,
	PROBE_SIM_WAIT_BARRIER,
	PROBE_SIM_WAIT_ARBITER_NOT_WIN,
	PROBE_SIM_WAIT_ARBITER_WIN_EX_STALL,
	PROBE_SIM_WAIT_OTHER,
	PROBE_SIM_WAITS,
};

struct probe_sim_counters {
	uint32_t size; /* in: sizeof of the caller's struct */
	uint32_t dispatches;
	uint64_t host_ns; /* wall clock of the host */
	uint64_t waves;
	uint64_t insts; /* wave instructions, and by class */
	uint64_t valu, salu, smem, vmem, flat, lds, branch, other;
	uint64_t lane_ops;	    /* active lanes summed over vector instructions */
	uint64_t lines64, lines128; /* sum over accesses of the distinct lines of each */
	uint64_t lds_passes, lds_conflicts;
	/*
	 * From the cost model, 0 without it (PROBE_SIM_MODEL): shader cycles of the dispatch, then
	 * counters with the hardware's names. simgpu/TIME.md describes those that hardware lacks.
	 */
	uint64_t cycles, sq_busy_cu_cycles, sq_wave_cycles, sq_insts, sq_insts_valu, sq_insts_mfma,
		sq_insts_salu, sq_insts_smem, sq_insts_vmem, sq_insts_flat, sq_insts_lds,
		sq_insts_branch, sq_insts_internal, sq_active_inst_valu, sq_valu_mfma_busy_cycles,
		lds_port_cycles, sq_lds_idx_active, sq_lds_bank_conflict, ta_busy_cycles,
		ta_total_wavefronts, tcp_total_accesses, tcp_total_cache_accesses, tcp_cache_hits,
		tcp_tcc_read_req, tcp_tcc_write_req, tcp_tcc_atomic_req, sqc_dcache_req,
		scalar_cache_hits, scalar_cache_misses, tcc_req, tcc_hit, tcc_miss, tcc_ea_rdreq,
		tcc_ea_wrreq, wait_no_instruction_available, wait_alu_dependency, wait_waitcnt,
		wait_internal_instruction, wait_barrier_wait, wait_arbiter_not_win,
		wait_arbiter_win_ex_stall, wait_other_wait, trap_cycles;
};

/* The same for the instruction at one address of loaded code. */
struct probe_sim_pc {
	uint32_t size;
	uint32_t reserved;
	uint64_t pc;
	uint64_t execs; /* wave executions */
	uint64_t lanes; /* active lanes summed over them */
	uint64_t lines64, lines128;
	uint64_t lds_passes, lds_conflicts;
	/* From the cost model: issues, and cycles that waves waited at it, by reason. */
	uint64_t issued;
	uint64_t wait[PROBE_SIM_WAITS];
	uint64_t active; /* executions with a lane in EXEC */
	uint64_t quads;	 /* distinct 64-byte lines of each 4 lanes, at least 1 for each */
};

/* PROBE_SIM_VERSION of the library. */
uint32_t probe_sim_version(void);

/*
 * Counters of one finished dispatch, identified by its queue (hsa_queue_t *; the hardware queue if
 * a tool wraps it) and its packet index. Only the last 4096 dispatches are kept: -ENOENT for
 * others. They are available before the completion signal changes.
 */
int probe_sim_dispatch_counters(const void *queue, uint64_t packet, struct probe_sim_counters *ret);

/*
 * Sum over all finished dispatches of a kernel, by its symbol without ".kd"; -ENOENT if it never
 * ran.
 */
int probe_sim_kernel_counters(const char *name, struct probe_sim_counters *ret);

/*
 * Visits every kernel that ran, in the order of first dispatch. A non-zero result of the callback
 * ends the iteration and is returned. The callback must not call this interface.
 */
int probe_sim_each_kernel(int (*visit)(void *ctx, const char *name,
				       const struct probe_sim_counters *counters),
			  void *ctx);

/*
 * Counters per instruction, kept if PROBE_SIM_PC=1 is set in the environment: of the one at pc
 * (-ENOENT if it never ran), or of every one in [base, end) in order of pc.
 */
int probe_sim_pc_counters(uint64_t pc, struct probe_sim_pc *ret);
int probe_sim_each_pc(uint64_t base, uint64_t end,
		      int (*visit)(void *ctx, const struct probe_sim_pc *counters), void *ctx);

#ifdef __cplusplus
}
#endif

#endif
