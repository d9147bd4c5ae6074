/* SPDX-License-Identifier: MIT */
/* Where a wave's counters are (wire.h section 3). */
#ifndef PROBE_DEVLIB_REPLICA_H
#define PROBE_DEVLIB_REPLICA_H

#include "devlib_wave.h"

/* The replica of the counter table that waves of this compute unit add to, less the first row. */
DEV_INLINE uint64_t replica_of(const struct probe_ctx DEV_CONSTANT *ctx)
{
	uint32_t replica = dev_place(dev_hw_id()) & ctx->replica_mask;
	int64_t row = (int64_t)((uint64_t)replica * ctx->site_count) - (int64_t)ctx->site_first;

	return dev_uniform64(ctx->counters + (uint64_t)(row * PROBE_COUNTERS * 8));
}

#endif
