/* SPDX-License-Identifier: MIT */
/*
 * The `memory` kind: exact counters per site, made on the device (wire.h section 3).
 *
 * The wave's own word is the address of its replica of the counter table, less the first site's
 * offset, so that site s has its 16 counters at word + s * 128.
 */
#include "devlib_measure.h"
#include "devlib_replica.h"
#include "devlib_wave.h"

DEV_ENTRY uint64_t __probe_dev_memory_enter(const struct probe_ctx DEV_CONSTANT *ctx)
{
	return replica_of(ctx);
}

DEV_ENTRY uint64_t __probe_dev_uniform(uint64_t value)
{
	return dev_uniform64(value);
}

DEV_SHARED void __probe_dev_memory_any(uint64_t counters, uint64_t address, uint32_t offset,
				       uint32_t shape)
{
	measure_unit(counters, address, offset, shape);
}

/* The first unit of an access, called as devlib_measure.h says: the counters are in s[4:5]. */
DEV_SHARED void __probe_dev_memory_first(uint64_t none, uint64_t address, uint32_t shape)
{
	uint32_t units = shape & SHAPE_LDS ? shape >> 8 & 0xff : 1, also, rows;
	uint64_t counters;

	(void)none;
	if (!measure_fast(address, shape, &counters, &also))
		return;
	__asm__("" : "+v"(counters), "+v"(also)); /* scalar registers are scarce here */
	for (;;) {
		count_units(counters, address, 0, shape, units);
		if (!dev_uniform32(also))
			return;
		rows = (uint32_t)__builtin_ctz(also);
		also = also >> rows & ~1u;
		counters += rows * (PROBE_COUNTERS * 8);
	}
}

/* The same for what has no registers left for a loop: flat and unaligned accesses, of one row. */
DEV_SHARED void __probe_dev_memory_alone(uint64_t none, uint64_t address, uint32_t shape)
{
	uint64_t counters;
	uint32_t also;

	(void)none;
	if (!measure_fast(address, shape, &counters, &also))
		return;
	count_unit(counters, address, 0, shape);
	if (shape & SHAPE_FLAT)
		count_unit(counters, address, 0, shape | SHAPE_LDS);
}

/* The same as `any` for a wave that has not looked for its replica: it seldom needs one. */
DEV_SHARED void __probe_dev_memory_site(uint64_t ctx, uint64_t address, uint32_t offset,
					uint32_t site, uint32_t shape)
{
	uint64_t replica = replica_of((const struct probe_ctx DEV_CONSTANT *)dev_uniform64(ctx));

	/* A table has at most 64 MiB. */
	measure_unit(replica + dev_uniform32(site) * (uint32_t)(PROBE_COUNTERS * 8), address,
		     offset, shape);
}

/* See devlib_measure.h. */
DEV_ENTRY void __probe_dev_memory_access(uint64_t wave, uint32_t site, uint64_t address,
					 uint32_t shape, uint32_t also, uint64_t first, void *any,
					 void *more)
{
	measure(wave, site, address, shape, also, first, any, more);
}
