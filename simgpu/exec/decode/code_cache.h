/* SPDX-License-Identifier: MIT */
/* Decoded code, by page, and the counters of each of its instructions. */
#ifndef PROBE_SIMGPU_EXEC_DECODE_CODE_CACHE_H
#define PROBE_SIMGPU_EXEC_DECODE_CODE_CACHE_H

#include "simgpu/exec/inst.h"

/*
 * Prepares the decoder for the code around entry; the decoded code is kept for later launches.
 * Called on the queue's thread before the first wave of a dispatch; safe to call again for the same
 * code.
 */
int sim_code_prepare(uint64_t entry);

/* The instruction at pc, decoding its page if needed. NULL with wave->stop set if that fails. */
const struct sim_inst *sim_fetch(struct sim_wave *w, uint64_t pc);

/* The page of an address as it was last decoded; NULL if it never was. */
const struct sim_code *sim_code_at(uint64_t pc);

/* The instruction at which a stopped wave will continue. */
const struct sim_timing *sim_wave_timing(const struct sim_wave *wave);

/* Text of the instruction at pc for messages: mnemonic if known, else its words in hex. */
void sim_code_describe(uint64_t pc, char *buf, size_t size);

/*
 * Counters per instruction: to be switched on before the first launch. sim_pc_counters_get() copies
 * the counters of the instruction at pc; -ENOENT if it never ran (or counting is off).
 * sim_pc_counters_each() visits every instruction of [base, end) that ran, in order of pc; a
 * non-zero result of the callback ends the iteration and is returned.
 */
void sim_pc_counting(bool on);
int sim_pc_counters_get(uint64_t pc, struct sim_pc_counters *ret);
int sim_pc_counters_each(uint64_t base, uint64_t end,
			 int (*visit)(void *ctx, uint64_t pc, const struct sim_pc_counters *c),
			 void *ctx);

/* Mnemonic of an instruction that ran, even after its memory was freed; "" if it never ran. */
const char *sim_pc_name(uint64_t pc);

/*
 * With sim_pc_counting() on: visits the executions of every instruction whose page was not
 * replaced.
 */
void sim_opcode_executions(void (*visit)(void *ctx, enum sim_op op, uint64_t execs), void *ctx);

/* The times of the instruction `at` of a page; NULL unless sim_pc_counting() is on. */
struct sim_pc_time *sim_pc_time(const struct sim_code *code, const struct sim_timing *at);
/* The times of the instruction at an address; zeros if there are none. */
void sim_pc_time_get(uint64_t pc, struct sim_pc_time *ret);

#endif
