/* SPDX-License-Identifier: MIT */
/*
 * The `memory` kind: exact counters per site, made on the device (wire.h section 3).
 *
 * The wave's own word is the address of its replica of the counter table, less the first site's
 * offset, so that site s has its 16 counters at word + s * 128.
 */
#include "devlib_full.h"
#include "devlib_lean.h"
#include "devlib_replica.h"
#include "devlib_unit.h"
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
	count_unit(counters, address, offset, shape);
}

/* The same for a wave that has not looked for its replica: it seldom needs one. */
DEV_SHARED void __probe_dev_memory_site(uint64_t ctx, uint64_t address, uint32_t offset,
					uint32_t site, uint32_t shape)
{
	uint64_t replica = replica_of((const struct probe_ctx DEV_CONSTANT *)dev_uniform64(ctx));

	count_unit(replica + (uint64_t)dev_uniform32(site) * (PROBE_COUNTERS * 8), address, offset,
		   shape);
}

DEV_INLINE uint64_t site_counters(uint64_t wave, uint32_t site)
{
	return wave + (uint64_t)site * (PROBE_COUNTERS * 8);
}

/*
 * The lean probes; `any` is the shared function's copy for this shape, `more` that for the LDS
 * lanes of a flat access.
 */
DEV_ENTRY void __probe_dev_memory_global_lean(const struct probe_ctx DEV_CONSTANT *ctx,
					      uint64_t wave, uint32_t site, uint64_t address,
					      uint32_t shape, void *any, void *more)
{
	(void)ctx;
	dev_lean_lines(site_counters(wave, site), address, shape, any, more, 0);
}

DEV_ENTRY void __probe_dev_memory_lds_lean(const struct probe_ctx DEV_CONSTANT *ctx, uint64_t wave,
					   uint32_t site, uint32_t address, uint32_t shape,
					   void *any, void *more)
{
	(void)ctx;
	(void)more;
	dev_lean_passes(site_counters(wave, site), address, shape, any);
}

DEV_ENTRY void __probe_dev_memory_flat_lean(const struct probe_ctx DEV_CONSTANT *ctx, uint64_t wave,
					    uint32_t site, uint64_t address, uint32_t shape,
					    void *any, void *more)
{
	(void)ctx;
	dev_lean_flat(site_counters(wave, site), address, shape, any, more);
}
