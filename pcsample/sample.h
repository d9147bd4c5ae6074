/* SPDX-License-Identifier: MIT */
/*
 * A PC sample of any GPU family and method. Codes are those of rocprofiler-sdk's public
 * enumerations, so that files match rocprofv3's.
 */
#ifndef PROBE_PCSAMPLE_SAMPLE_H
#define PROBE_PCSAMPLE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/sampling.h>

/* GPUs with the same record layout. */
enum probe_pcs_family {
	PROBE_PCS_GFX9,	 /* gfx90a, gfx942, gfx950 */
	PROBE_PCS_GFX12, /* gfx1200, gfx1201 */
	PROBE_PCS_GFX1250,
};

/* Bits of probe_pc_sample.arb_issue and arb_stall: what each pipe did in the sampled cycle. */
enum probe_pcs_pipe {
	PROBE_PCS_PIPE_VALU = 1 << 0,
	PROBE_PCS_PIPE_MATRIX = 1 << 1,
	PROBE_PCS_PIPE_SCALAR = 1 << 2,
	PROBE_PCS_PIPE_VMEM_TEX = 1 << 3,
	PROBE_PCS_PIPE_LDS = 1 << 4,
	PROBE_PCS_PIPE_LDS_DIRECT = 1 << 5,
	PROBE_PCS_PIPE_FLAT = 1 << 6,
	PROBE_PCS_PIPE_EXPORT = 1 << 7,
	PROBE_PCS_PIPE_MISC = 1 << 8, /* branches, messages: "brmsg" on gfx12 */
};

/* Fields that a family or method lacks are 0. */
struct probe_pc_sample {
	uint64_t pc; /* absolute device address, corrected (gfx950 mid-macro) */
	uint64_t exec;
	uint64_t timestamp;   /* ns, in the clock domain of the system */
	uint64_t correlation; /* raw; see probe_pcs_packet() and probe_pcs_doorbell() */
	uint32_t workgroup[3];
	uint16_t arb_issue, arb_stall; /* stochastic: enum probe_pcs_pipe */
	uint8_t wave_in_group, chiplet;
	uint8_t wave, simd, pipe, cu, shader_array, shader_engine; /* hw_id; cu: WGP on gfx12 */
	uint8_t thread_group, vm, queue, microengine;
	uint8_t wave_count; /* stochastic: resident on the compute unit (gfx9), SIMD (gfx12) */
	uint8_t type;	    /* enum probe_pcs_type, if issued */
	uint8_t reason;	    /* enum probe_pcs_reason, if not issued */
	bool issued;	    /* stochastic */
	bool dual;	    /* stochastic, gfx9: dual-issued vector instructions */
	bool has_counts;    /* gfx12 stochastic: the counts below are valid */
	uint8_t load, store, bvh, texture, ds, km; /* issued, not yet complete */
};

/* The index of the hardware packet modulo the size of its queue, and the number of the doorbell. */
static inline uint32_t probe_pcs_packet(uint64_t correlation)
{
	return (uint32_t)correlation & 0x1ffffff;
}

static inline uint32_t probe_pcs_doorbell(uint64_t correlation)
{
	return (uint32_t)(correlation >> 32) & 0x3ff;
}

#endif
