/* SPDX-License-Identifier: MIT */
/*
 * Counters of the cost model, kept per compute unit and added up per dispatch. Each row is X(field,
 * name); the name is that of the hardware's counter, if there is one. "own": not a hardware
 * counter. Hardware counts SQ_WAVE_CYCLES and SQ_ACTIVE_INST_VALU in groups of four cycles: so does
 * the sum of a dispatch, while a unit's are cycles.
 */
#ifndef PROBE_SIMGPU_BASE_MODEL_COUNTERS_H
#define PROBE_SIMGPU_BASE_MODEL_COUNTERS_H

#include <stdint.h>

#define SIM_TIME_COUNTERS(X)                                                                       \
	X(busy_cycles, NULL)		       /* of the dispatch; shown as its cycles; here 0 */  \
	X(cu_busy_cycles, "SQ_BUSY_CU_CYCLES") /* units with a wave, summed */                     \
	X(wave_cycles, "SQ_WAVE_CYCLES")       /* residency of waves, summed; see below */         \
	X(insts, "SQ_INSTS")                                                                       \
	X(insts_valu, "SQ_INSTS_VALU")                                                             \
	X(insts_mfma, "SQ_INSTS_MFMA") /* included in the above */                                 \
	X(insts_salu, "SQ_INSTS_SALU")                                                             \
	X(insts_smem, "SQ_INSTS_SMEM")                                                             \
	X(insts_vmem, "SQ_INSTS_VMEM") /* including flat */                                        \
	X(insts_flat, "SQ_INSTS_FLAT")                                                             \
	X(insts_lds, "SQ_INSTS_LDS") /* including flat that reaches LDS */                         \
	X(insts_branch, "SQ_INSTS_BRANCH")                                                         \
	X(insts_internal, "SQ_INSTS_INTERNAL") /* own: nop, waitcnt, barrier, ... */               \
	X(valu_busy, "SQ_ACTIVE_INST_VALU")    /* vector issue in use; see below */                \
	X(mfma_busy, "SQ_VALU_MFMA_BUSY_CYCLES")                                                   \
	X(lds_busy, "LDS_PORT_CYCLES") /* own: max of port and banks */                            \
	X(lds_active, "SQ_LDS_IDX_ACTIVE")                                                         \
	X(lds_conflict, "SQ_LDS_BANK_CONFLICT")                                                    \
	X(ta_busy, "TA_BUSY_CYCLES") /* own: address work */                                       \
	X(ta_wavefronts, "TA_TOTAL_WAVEFRONTS")                                                    \
	X(tcp_accesses, "TCP_TOTAL_ACCESSES")                                                      \
	X(tcp_cache_accesses, "TCP_TOTAL_CACHE_ACCESSES")                                          \
	X(tcp_hits, "TCP_CACHE_HITS") /* own */                                                    \
	X(tcp_tcc_read, "TCP_TCC_READ_REQ")                                                        \
	X(tcp_tcc_write, "TCP_TCC_WRITE_REQ")                                                      \
	X(tcp_tcc_atomic, "TCP_TCC_ATOMIC_REQ") /* own: hardware has one with, one without a       \
						 * return */                                       \
	X(sqc_req, "SQC_DCACHE_REQ")                                                               \
	X(sqc_hits, "SCALAR_CACHE_HITS")     /* own: on hardware two units share a cache */        \
	X(sqc_misses, "SCALAR_CACHE_MISSES") /* own */                                             \
	X(tcc_req, "TCC_REQ")                                                                      \
	X(tcc_hit, "TCC_HIT")                                                                      \
	X(tcc_miss, "TCC_MISS")                                                                    \
	X(tcc_ea_read, "TCC_EA_RDREQ") /* requests of 64 bytes */                                  \
	X(tcc_ea_write, "TCC_EA_WRREQ")                                                            \
	X(wait_fetch, "WAIT_NO_INSTRUCTION_AVAILABLE") /* own: wave cycles by reason */            \
	X(wait_alu, "WAIT_ALU_DEPENDENCY")                                                         \
	X(wait_counters, "WAIT_WAITCNT")                                                           \
	X(wait_internal, "WAIT_INTERNAL_INSTRUCTION")                                              \
	X(wait_barrier, "WAIT_BARRIER_WAIT")                                                       \
	X(wait_arbiter, "WAIT_ARBITER_NOT_WIN")                                                    \
	X(wait_unit, "WAIT_ARBITER_WIN_EX_STALL")                                                  \
	X(wait_other, "WAIT_OTHER_WAIT")                                                           \
	X(trapped, "TRAP_CYCLES") /* own: wave cycles in the trap handler */

struct sim_time_counters {
#define X(field, name) uint64_t field;
	SIM_TIME_COUNTERS(X)
#undef X
};

#endif
