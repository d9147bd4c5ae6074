/* SPDX-License-Identifier: MIT */
/* The `trace` kind: every address, one record per wave and access (wire.h section 5). */
#include "devlib_affine.h"
#include "devlib_lean.h"
#include "devlib_ring.h"
#include "devlib_wave.h"

typedef uint64_t DEV_GLOBAL dev_word;

/* Number of the wave in its workgroup: lanes are numbered x first (AMDGPU ABI). */
DEV_INLINE uint32_t wave_in_group(void)
{
	/* hsa_kernel_dispatch_packet_t: workgroup sizes x, y at bytes 4 and 6. */
	const uint16_t DEV_CONSTANT *packet =
		(const uint16_t DEV_CONSTANT *)__builtin_amdgcn_dispatch_ptr();
	uint32_t x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(),
		 z = __builtin_amdgcn_workitem_id_z();

	return dev_uniform32((x + packet[2] * (y + packet[3] * z)) / 64);
}

struct wave_start {
	uint64_t exec, time;
	uint32_t hw_id, number;
};

DEV_INLINE void fill_wave(const dev_ctx *ctx, uint64_t wave, struct wave_start start, uint64_t at,
			  uint64_t head)
{
	struct probe_rec_wave DEV_GLOBAL *record = (struct probe_rec_wave DEV_GLOBAL *)at;

	record->word0 = PROBE_FORM_WAVE << PROBE_FORM_SHIFT;
	record->wave = start.number;
	record->dispatch = ctx->dispatch;
	record->group[0] = __builtin_amdgcn_workgroup_id_x();
	record->group[1] = __builtin_amdgcn_workgroup_id_y();
	record->group[2] = __builtin_amdgcn_workgroup_id_z();
	record->hw_id = start.hw_id;
	record->time = start.time;
	record->exec = start.exec;
	dev_ring_publish(ctx, wave, head);
}

/* What follows in the ring is this wave's. Waits also when dropping: without it all would be lost.
 */
DEV_INLINE bool write_wave(const dev_ctx *ctx, uint64_t wave, const struct wave_start *start,
			   uint32_t first)
{
	uint64_t head = 0;
	uint64_t at =
		dev_ring_reserve(ctx, wave, sizeof(struct probe_rec_wave), first, true, &head);

	if (dev_speaks(first)) {
		dev_ring_count(dev_ring_state(wave), !at);
		if (at)
			fill_wave(ctx, wave, *start, at, head);
	}
	return dev_ballot(at != 0);
}

DEV_ENTRY uint64_t __probe_dev_trace_enter(const dev_ctx *ctx)
{
	struct wave_start start = {
		.exec = dev_exec(),
		.time = __builtin_amdgcn_s_memrealtime(),
		.hw_id = dev_hw_id(),
		.number = wave_in_group(),
	};
	uint32_t first = dev_first(start.exec);
	uint64_t wave = dev_ring_claim(ctx, dev_place(start.hw_id), first);

	if (wave & DEV_NO_RING) {
		if (dev_speaks(first))
			dev_ring_count(dev_ring_state(wave), true);
	} else if (!write_wave(ctx, wave, &start, first)) {
		dev_ring_release(ctx, wave, first);
		wave |= DEV_NO_RING;
	}
	return dev_uniform64(wave);
}

/* A wave without a ring has counted losses and must show them: see dev_ring_release(). */
DEV_ENTRY void __probe_dev_trace_exit(const dev_ctx *ctx, uint64_t wave)
{
	uint32_t first = dev_first(dev_exec());

	if (wave & DEV_NO_RING && !dev_ring_try(dev_ring_state(wave), first))
		return;
	dev_ring_release(ctx, wave, first);
}

/* What a record will be, in few scalars. */
struct plan {
	uint64_t exec, base;
	uint32_t form, size, stride;
};

DEV_INLINE struct plan plan_record(uint64_t address, uint64_t exec)
{
	struct dev_affine affine;
	struct plan plan = {.exec = exec};
	uint32_t lanes = dev_count(exec);

	if (exec == ~0ull)
		affine = dev_affine64_full(address);
	else
		affine = dev_affine64(address, exec);
	plan.base = affine.base;
	__asm__("" : "+v"(plan.base)); /* scalar registers are scarce here */
	plan.stride = (uint32_t)affine.stride;
	if (affine.is) {
		plan.form = PROBE_FORM_AFFINE;
		plan.size = sizeof(struct probe_rec_affine);
		return plan;
	}
	int64_t offset = (int64_t)(address - affine.base);

	if (!dev_ballot(offset != (int32_t)offset)) {
		plan.form = PROBE_FORM_NEAR;
		plan.size = sizeof(struct probe_rec_lanes) + ((lanes * 4 + 7) & ~7u);
		return plan;
	}
	plan.form = PROBE_FORM_FULL;
	plan.size = sizeof(struct probe_rec_lanes) + lanes * 8;
	return plan;
}

/* The active lanes' part of a record that is not affine. An odd number of offsets ends in a 0. */
DEV_INLINE void write_lanes(uint64_t at, uint64_t address, const struct plan *plan)
{
	uint32_t rank = dev_rank(plan->exec), lanes = dev_count(plan->exec);

	at += sizeof(struct probe_rec_lanes);
	if (plan->form == PROBE_FORM_FULL) {
		*(dev_word *)(at + rank * 8) = address;
		return;
	}
	uint32_t DEV_GLOBAL *offset = (uint32_t DEV_GLOBAL *)(at + rank * 4);

	offset[0] = (uint32_t)(address - plan->base);
	if (lanes & 1 && rank == lanes - 1)
		offset[1] = 0;
}

DEV_INLINE void write_access(const dev_ctx *ctx, uint64_t wave, uint32_t site, uint64_t address,
			     const struct plan *plan)
{
	uint32_t first = dev_first(plan->exec);
	uint64_t head = 0, at = 0;

	if (!dev_ballot(wave & DEV_NO_RING))
		at = dev_ring_reserve(ctx, wave, plan->size, first,
				      ctx->when_full == PROBE_FULL_BLOCK, &head);
	if (plan->form != PROBE_FORM_AFFINE && dev_ballot(at != 0))
		write_lanes(at, address, plan);
	if (!dev_speaks(first))
		return;
	dev_ring_count(dev_ring_state(wave), !at);
	if (!at)
		return;
	/* The second word is the stride of an affine record, the size of the others. */
	dev_word *record = (dev_word *)at;
	uint32_t second = plan->form == PROBE_FORM_AFFINE ? plan->stride : plan->size;

	record[0] = dev_join(site | plan->form << PROBE_FORM_SHIFT, second);
	record[1] = plan->exec;
	record[2] = plan->form == PROBE_FORM_FULL ? 0 : plan->base;
	dev_ring_publish(ctx, wave, head);
}

/* Any EXEC, any addresses. Arguments come in vector registers; most stay there. */
DEV_SHARED void __probe_dev_trace_any(uint64_t wave_ctx, uint64_t wave, uint64_t address,
				      uint32_t site)
{
	const dev_ctx *ctx = (const dev_ctx *)dev_uniform64(wave_ctx);
	struct plan plan = plan_record(address, dev_exec());

	write_access(ctx, wave, site, address, &plan);
}

/* A call in disguise, as devlib_lean.h explains. */
DEV_ENTRY void __probe_dev_trace_global_lean(const dev_ctx *ctx, uint64_t wave, uint32_t site,
					     uint64_t address, uint32_t shape, void *any,
					     void *more)
{
	uint32_t a0 = (uint32_t)(uint64_t)ctx, a1 = (uint32_t)((uint64_t)ctx >> 32);
	uint32_t a2 = (uint32_t)wave, a3 = (uint32_t)(wave >> 32);
	uint32_t a4 = (uint32_t)address, a5 = (uint32_t)(address >> 32), a6 = site;

	(void)shape;
	(void)more;
	__asm__ volatile(
		"s_swappc_b64 s[30:31], %[any]"
		: "={v0}"(a0), "={v1}"(a1), "={v2}"(a2), "={v3}"(a3), "={v4}"(a4), "={v5}"(a5),
		  "={v6}"(a6)
		: "0"(a0), "1"(a1), "2"(a2), "3"(a3), "4"(a4), "5"(a5), "6"(a6), [any] "s"(any)
		: LEAN_SCALARS, "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15");
}

/* The address of an LDS access is its offset in the workgroup's LDS. */
DEV_ENTRY void __probe_dev_trace_lds_lean(const dev_ctx *ctx, uint64_t wave, uint32_t site,
					  uint32_t address, uint32_t shape, void *any, void *more)
{
	__probe_dev_trace_global_lean(ctx, wave, site, address, shape, any, more);
}
