/* SPDX-License-Identifier: MIT */
/* Sources of vector instructions as rows. */
#ifndef PROBE_SIMGPU_EXEC_VECTOR_VECTOR_SOURCE_H
#define PROBE_SIMGPU_EXEC_VECTOR_VECTOR_SOURCE_H

#include "simgpu/exec/vector/lane_rows.h"

/* Source n as rows; a scalar is broadcast into tmp (of two rows). */
static inline const u32 *source_row(const struct sim_wave *w, const struct sim_inst *ip,
				    unsigned int n, u32 *tmp)
{
	const u32 *src = inst_src(w, ip, n);

	if (!(ip->scalar >> n & 1))
		return src;
	row_broadcast(tmp, src, ip->size[n] == 2 ? 2 : 1);
	return tmp;
}

/*
 * Runs the body with all modifiers: sources are selected, permuted and negated, MODE is applied,
 * and the result is scaled, clamped and stored. d receives the rows to merge (NULL for compares);
 * lanes that DPP disables are removed from *enabled. Returns the body's mask.
 */
u64 LEVEL(sim_body_modified)(struct sim_wave *w, const struct sim_inst *ip, u32 *d, u64 *enabled,
			     u64 mask);

#endif
