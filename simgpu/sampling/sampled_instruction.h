/* SPDX-License-Identifier: MIT */
/*
 * The contents of a PC sample about the instruction at which a wave is, in the raw codes of gfx942.
 */
#ifndef PROBE_SIMGPU_SAMPLING_SAMPLED_INSTRUCTION_H
#define PROBE_SIMGPU_SAMPLING_SAMPLED_INSTRUCTION_H

#include "simgpu/exec/timing_trace.h"

/* inst_type of the snapshot (rocprofiler-sdk's parser for gfx9). */
enum sim_sampled_type {
	SAMPLED_VALU,
	SAMPLED_MATRIX,
	SAMPLED_SCALAR,
	SAMPLED_TEX,
	SAMPLED_LDS,
	SAMPLED_FLAT,
	SAMPLED_EXPORT,
	SAMPLED_MESSAGE,
	SAMPLED_BARRIER,
	SAMPLED_NOT_TAKEN,
	SAMPLED_TAKEN,
	SAMPLED_JUMP,
	SAMPLED_OTHER,
};

/* Bits of the arbiter's fields. */
enum sim_sampled_pipe {
	SAMPLED_PIPE_NONE = 0,
	SAMPLED_PIPE_MISC = 1 << 0,
	SAMPLED_PIPE_FLAT = 1 << 2,
	SAMPLED_PIPE_LDS = 1 << 3,
	SAMPLED_PIPE_TEX = 1 << 4,
	SAMPLED_PIPE_SCALAR = 1 << 5,
	SAMPLED_PIPE_MATRIX = 1 << 6,
	SAMPLED_PIPE_VALU = 1 << 7,
};

struct sim_sampled_inst {
	uint64_t pc;
	uint8_t type, pipe;
	bool issues;	  /* false: s_nop, s_waitcnt and others, which use no unit */
	bool waits;	  /* s_waitcnt */
	bool conditional; /* branch: taken or not */
};

/* The instruction `at` of a page. */
void sim_sampled_at(const struct sim_code *code, const struct sim_timing *at,
		    struct sim_sampled_inst *ret);
/* The instruction at an address that was executed or is about to be. False if there is none. */
bool sim_sampled_pc(uint64_t pc, struct sim_sampled_inst *ret);

#endif
