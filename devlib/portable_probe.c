/* SPDX-License-Identifier: MIT */
/*
 * The `memory` kind of portable probes (portable_probe.h): every execution is measured, by a call
 * per unit of an access.
 */
#include "devlib/counter_replica.h"
#include "devlib/measure_unit.h"

DEV_ENTRY uint64_t __probe_dev_memory_enter(const struct probe_ctx DEV_CONSTANT *ctx)
{
	return replica_of(ctx);
}

DEV_SHARED void __probe_dev_memory_any(uint64_t counters, uint64_t address, uint32_t offset,
				       uint32_t shape)
{
	count_unit(counters, address, offset, shape);
}
