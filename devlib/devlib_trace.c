/* SPDX-License-Identifier: MIT */
#include "devlib_affine.h"
#include "devlib_wave.h"

DEV_ENTRY uint64_t __probe_dev_trace_enter(const struct probe_ctx DEV_CONSTANT *ctx)
{
	return ctx->ring_states;
}

DEV_ENTRY void __probe_dev_trace_exit(const struct probe_ctx DEV_CONSTANT *ctx, uint64_t wave)
{
	(void)ctx;
	(void)wave;
}

DEV_ENTRY void __probe_dev_trace_global(const struct probe_ctx DEV_CONSTANT *ctx, uint64_t wave,
					uint32_t site, uint64_t address, uint32_t shape)
{
	(void)ctx;
	(void)wave;
	(void)site;
	(void)address;
	(void)shape;
}

DEV_ENTRY void __probe_dev_trace_lds(const struct probe_ctx DEV_CONSTANT *ctx, uint64_t wave,
				     uint32_t site, uint32_t address, uint32_t shape)
{
	__probe_dev_trace_global(ctx, wave, site, address, shape);
}
