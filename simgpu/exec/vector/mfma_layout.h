/* SPDX-License-Identifier: MIT */
/*
 * Where matrix instructions have their operands. An instruction works on B blocks: D = A * B + C
 * with A of M x K, B of K x M, C and D of M x M (all shapes are square). Register layouts as
 * printed by AMD's matrix instruction calculator for CDNA2:
 *   A, B:     lane = i + M * (block + blocks * (k / per_lane)), element k % per_lane of the lane
 *   C, D 32:  lane = j + 32 * (i / 4 % 2),  register = i % 4 + 4 * (i / 8) + 16 * block
 *   C, D 16:  lane = j + 16 * (i / 4),      register = i % 4 + 4 * block
 *   C, D 4:   lane = j + 4 * block,         register = i
 *   f64 16:   lane = j + 16 * (i % 4),      register pair = i / 4
 *   f64 4:    lane = j + 4 * block + 16 * i
 * EXEC and MODE are ignored.
 */
#ifndef PROBE_SIMGPU_EXEC_VECTOR_MFMA_LAYOUT_H
#define PROBE_SIMGPU_EXEC_VECTOR_MFMA_LAYOUT_H

#include "simgpu/exec/vector/float_bodies.h"

struct shape {
	unsigned int m, k, blocks, per_lane;
};

/* B lane permutation ("BLGP"): broadcast of halves or quarters, rotation by 16. */
static inline unsigned int blgp_lane(unsigned int blgp, unsigned int lane)
{
	switch (blgp) {
	case 1:
		return lane & 31;
	case 2:
		return 32 | (lane & 31);
	case 3:
		return (lane + 16) & 63;
	case 4:
	case 5:
	case 6:
	case 7:
		return 16 * (blgp - 4) + (lane & 15);
	default:
		return lane;
	}
}

/* The block of A that block b uses: groups of 2^cbsz share block abid of the group. */
static inline unsigned int a_block(const struct sim_inst *ip, unsigned int b, unsigned int blocks)
{
	unsigned int cbsz = (unsigned int)ip->imm & 7, abid = (unsigned int)(ip->imm >> 8) & 15;
	unsigned int group = 1u << cbsz;

	if (group > blocks)
		group = blocks;
	return (b & ~(group - 1)) + (abid & (group - 1));
}

static inline unsigned int source_lane(struct shape s, unsigned int b, unsigned int i,
				       unsigned int k)
{
	return i + s.m * (b + s.blocks * (k / s.per_lane));
}

static inline unsigned int result_row(struct shape s, unsigned int b, unsigned int i)
{
	if (s.m == 32)
		return i % 4 + 4 * (i / 8) + 16 * b;
	return s.m == 16 ? i % 4 + 4 * b : i;
}

static inline unsigned int result_lane(struct shape s, unsigned int b, unsigned int i)
{
	if (s.m == 32)
		return 32 * (i / 4 % 2);
	return s.m == 16 ? 16 * (i / 4) : 4 * b;
}

/* Source C as rows; a constant is one row for all registers. */
static inline void copy_c(const struct sim_wave *w, const struct sim_inst *ip, u32 *acc,
			  unsigned int rows)
{
	const u32 *c = inst_src(w, ip, 2);

	if (!(ip->constant & 4)) {
		memcpy(acc, c, 256 * rows);
		return;
	}
	for (unsigned int r = 0; r < rows; r++)
		memcpy(acc + 64 * r, c, 256);
}

/* Permutes rows like B's lanes. */
static inline void permute(void *rows, unsigned int n, unsigned int blgp)
{
	u32 from[64], *row = rows;

	for (; blgp && n; n--, row += 64) {
		memcpy(from, row, sizeof(from));
		LANES row[l] = from[blgp_lane(blgp, l)];
	}
}

#endif
