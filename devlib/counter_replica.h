/* SPDX-License-Identifier: MIT */
/* The replica of the counter table that a wave uses (wire_device.h section 3). */
#ifndef PROBE_DEVLIB_COUNTER_REPLICA_H
#define PROBE_DEVLIB_COUNTER_REPLICA_H

#include "devlib/wave_ids.h"

/*
 * Address of the wave's replica, minus the offset of the first row. Replicas keep concurrent waves
 * from contending for the same counters. Such waves differ in wave slot (HW_ID bits 2:0), SIMD
 * (5:4) and compute unit (11:8); these are combined into six bits, so that 64 waves use 64
 * replicas. A table has at most 64 MiB, so that offsets fit into 32 bits.
 */
DEV_INLINE uint64_t replica_of(const struct probe_ctx DEV_CONSTANT *ctx)
{
	uint32_t id = dev_hw_id(), replica = (id ^ id >> 5) & ctx->replica_mask;
	uint32_t row = replica * ctx->site_count - ctx->site_first;

	return dev_uniform64(ctx->counters + (uint64_t)(int32_t)(row * (PROBE_COUNTERS * 8)));
}

#endif
