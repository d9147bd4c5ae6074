/* SPDX-License-Identifier: MIT */
/* Sources of vector instructions as rows. */
#ifndef PROBE_SIMGPU_EXEC_VECTOR_VECTOR_SOURCE_H
#define PROBE_SIMGPU_EXEC_VECTOR_VECTOR_SOURCE_H

#include "simgpu/exec/vector/lane_rows.h"

/* Source n as rows; a scalar is spread into tmp (of two rows). */
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
 * Run the body with all modifiers: sources selected, permuted and negated, MODE applied, result
 * scaled, clamped and placed. d gets the rows to merge (NULL for compares), *enabled loses the
 * lanes that DPP switches off. Returns the body's mask.
 */
u64 LEVEL(sim_body_modified)(struct sim_wave *w, const struct sim_inst *ip, u32 *d, u64 *enabled,
			     u64 mask);

#endif
