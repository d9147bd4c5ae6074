/* SPDX-License-Identifier: MIT */
/* The workgroup filter. */
#ifndef PROBE_DEVLIB_WORKGROUP_FILTER_H
#define PROBE_DEVLIB_WORKGROUP_FILTER_H

#include "devlib/wave_ids.h"

/* Does the filter select this workgroup? */
DEV_INLINE bool dev_workgroup_selected(const struct probe_ctx DEV_CONSTANT *ctx,
				       const uint32_t group[3])
{
	for (int i = 0; i < 3; i++) {
		uint32_t number = dev_uniform32(group[i]);

		if (number < ctx->group_first[i] || number > ctx->group_last[i])
			return false;
	}
	return true;
}

#endif
