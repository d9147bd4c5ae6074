/* SPDX-License-Identifier: MIT */
/* The workgroup filter. */
#ifndef PROBE_DEVLIB_WORKGROUP_FILTER_H
#define PROBE_DEVLIB_WORKGROUP_FILTER_H

#include "devlib/wave_ids.h"

/* Does the filter select this wave's workgroup? */
DEV_INLINE bool dev_workgroup_selected(const struct probe_ctx DEV_CONSTANT *ctx)
{
	uint32_t x = __builtin_amdgcn_workgroup_id_x(), y = __builtin_amdgcn_workgroup_id_y(),
		 z = __builtin_amdgcn_workgroup_id_z();

	return x >= ctx->group_first[0] && x <= ctx->group_last[0] && y >= ctx->group_first[1] &&
	       y <= ctx->group_last[1] && z >= ctx->group_first[2] && z <= ctx->group_last[2];
}

#endif
