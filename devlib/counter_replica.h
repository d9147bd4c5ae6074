/* SPDX-License-Identifier: MIT */
/* Where a wave's counters are (wire.h section 3). */
#ifndef PROBE_DEVLIB_COUNTER_REPLICA_H
#define PROBE_DEVLIB_COUNTER_REPLICA_H

#include "devlib/wave_ids.h"

/*
 * The replica of the counter table that this wave adds to, less the first row. Waves that run side
 * by side differ in slot (bits 2:0), SIMD (5:4) and compute unit (11:8): six bits made of those, so
 * that 64 waves have 64 replicas. A table has at most 64 MiB, so 32 bits do for offsets.
 */
DEV_INLINE uint64_t replica_of(const struct probe_ctx DEV_CONSTANT *ctx)
{
	uint32_t id = dev_hw_id(), replica = (id ^ id >> 5) & ctx->replica_mask;
	uint32_t row = replica * ctx->site_count - ctx->site_first;

	return dev_uniform64(ctx->counters + (uint64_t)(int32_t)(row * (PROBE_COUNTERS * 8)));
}

#endif
