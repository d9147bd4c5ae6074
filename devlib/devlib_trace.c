/* SPDX-License-Identifier: MIT */
/* The `trace` kind: every address, one record per wave and access (wire.h section 5). */
#include "devlib_affine.h"
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
	return at != 0;
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

/* The active lanes' part of a record that is not affine. */
DEV_INLINE void write_lanes(uint64_t at, uint64_t address, uint64_t base, uint64_t exec, bool near)
{
	uint32_t rank = dev_rank(exec);

	at += sizeof(struct probe_rec_lanes);
	if (near)
		*(uint32_t DEV_GLOBAL *)(at + rank * 4) = (uint32_t)(address - base);
	else
		*(dev_word *)(at + rank * 8) = address;
}

DEV_INLINE void write_access(const dev_ctx *ctx, uint64_t wave, uint32_t site, uint64_t address,
			     uint64_t exec, const struct dev_affine *affine)
{
	uint32_t first = dev_first(exec), lanes = dev_count(exec);
	int64_t offset = (int64_t)(address - affine->base);
	bool near = !dev_ballot(offset != (int32_t)offset);
	uint32_t tail = affine->is ? 0 : near ? (lanes * 4 + 7) & ~7u : lanes * 8;
	uint32_t size = sizeof(struct probe_rec_lanes) + tail;
	uint32_t form = affine->is ? PROBE_FORM_AFFINE : near ? PROBE_FORM_NEAR : PROBE_FORM_FULL;
	uint64_t head, at = 0;

	if (!(wave & DEV_NO_RING))
		at = dev_uniform64(dev_ring_reserve(ctx, wave, size, first,
						    ctx->when_full == PROBE_FULL_BLOCK, &head));
	if (at && !affine->is)
		write_lanes(at, address, affine->base, exec, near);
	if (!dev_speaks(first))
		return;
	dev_ring_count(dev_ring_state(wave), !at);
	if (!at)
		return;
	/* The second word is the stride of an affine record, the size of the others. */
	dev_word *record = (dev_word *)at;
	uint32_t second = affine->is ? (uint32_t)affine->stride : size;

	record[0] = site | form << PROBE_FORM_SHIFT | (uint64_t)second << 32;
	record[1] = exec;
	record[2] = affine->is || near ? affine->base : 0;
	if (near && !affine->is && lanes & 1)
		*(uint32_t DEV_GLOBAL *)(at + sizeof(struct probe_rec_lanes) + lanes * 4) = 0;
	dev_ring_publish(ctx, wave, head);
}

DEV_ENTRY void __probe_dev_trace_global(const dev_ctx *ctx, uint64_t wave, uint32_t site,
					uint64_t address, uint32_t shape)
{
	uint64_t exec = dev_exec();
	struct dev_affine affine;

	(void)shape;
	if (exec == ~0ull)
		affine = dev_affine64_full(address);
	else
		affine = dev_affine64(address, exec);
	write_access(ctx, wave, site, address, exec, &affine);
}

/* The address of an LDS access is its offset in the workgroup's LDS. */
DEV_ENTRY void __probe_dev_trace_lds(const dev_ctx *ctx, uint64_t wave, uint32_t site,
				     uint32_t address, uint32_t shape)
{
	__probe_dev_trace_global(ctx, wave, site, address, shape);
}
