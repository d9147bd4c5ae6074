/* SPDX-License-Identifier: MIT */
/* The slow path of a cursor whose ring has no space left (ring_cursor.h). */
#ifndef PROBE_DEVLIB_RING_REFILL_H
#define PROBE_DEVLIB_RING_REFILL_H

#include "devlib/ring_cursor.h"

/* Store the head, so that the host sees the records written so far. */
DEV_INLINE void publish_head(dev_state *state, uint64_t head, uint32_t leader)
{
	volatile dev_ring *host = dev_ring_host(state);

	/* Pairs with the supervisor's load (acquire) of the head. */
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
	if (dev_is_leader(leader))
		__atomic_store_n(&host->head, head, __ATOMIC_RELAXED);
}

/*
 * The ring is full: wait for the reader, or drop the record? PROBE_FULL_SAMPLE waits with one of
 * sample_every records. A WAVE record (s92 is 2) always waits, because without it all records of
 * the wave would be lost.
 */
DEV_INLINE bool should_wait(const dev_ctx *ctx, dev_state *state, uint32_t leader)
{
	uint32_t call_state, full_count;

	__asm__ volatile("s_mov_b32 %0, s92" : "=s"(call_state));
	if (ctx->when_full == PROBE_FULL_BLOCK || call_state == 2)
		return true;
	if (ctx->when_full == PROBE_FULL_DROP)
		return false;
	full_count = (uint32_t)dev_load(&state->full_count) + 1;
	if (full_count >= ctx->sample_every)
		full_count = 0;
	if (dev_is_leader(leader))
		__atomic_store_n(&state->full_count, full_count, __ATOMIC_RELAXED);
	return !full_count;
}

/* Wait until `size` bytes after `head` are free; false = the record is to be dropped. */
DEV_INLINE bool wait_for_space(const dev_ctx *ctx, dev_state *state, uint32_t head, uint32_t size,
			       uint32_t leader, uint32_t *ret_tail)
{
	uint32_t tail = (uint32_t)dev_load(&state->tail), ring = ctx->ring_size, waited = 0;

	/* The cached tail may be stale, and then it is too small, never too large. */
	if (head + size - tail > ring) {
		volatile dev_ring *host = dev_ring_host(state);
		bool wait = should_wait(ctx, state, leader), fits;

		for (;;) {
			uint64_t now = dev_load_host(&host->tail);

			tail = (uint32_t)now;
			fits = head + size - tail <= ring;
			if (fits && dev_is_leader(leader))
				__atomic_store_n(&state->tail, now, __ATOMIC_RELAXED);
			if (fits || !wait || waited >= ctx->spin_limit)
				break;
			waited = dev_sleep(waited);
		}
		/* Only the ring's owner writes it. */
		if (waited && dev_is_leader(leader))
			host->waited += waited;
		if (!fits)
			return false;
	}
	*ret_tail = tail;
	return true;
}

/*
 * Return from the refill: the record fits, and the cursor is at its address. The first wave of a
 * launch remains the first (time_calibrate()).
 */
DEV_INLINE void refill_cursor(uint64_t address, uint64_t head_offset, uint32_t free_bytes)
{
	__asm__ volatile("s_mov_b64 s[84:85], %0\n\t"
			 "s_mov_b64 s[78:79], %1\n\t"
			 "s_mov_b32 s86, %2\n\t"
			 "s_cmp_eq_u32 s92, 3\n\t"
			 "s_cselect_b32 s92, 3, 1"
			 :
			 : "s"(dev_scalar64(address)), "s"(dev_scalar64(head_offset)),
			   "s"(dev_scalar32(free_bytes))
			 : CURSOR_CLOBBERS);
}

/* Return from the refill: the record is lost. No free bytes: the next record comes here, too. */
DEV_INLINE void reject_record(void)
{
	__asm__ volatile("s_mov_b32 s86, 1\n\ts_mov_b32 s92, 0" : : : CURSOR_CLOBBERS);
}

/* A wave without a ring counts losses in s87 until __probe_dev_cursor_exit() reports them. */
DEV_INLINE void count_lost(uint32_t records)
{
	__asm__ volatile("s_add_u32 s87, s87, %0" : : "s"(dev_scalar32(records)) : CURSOR_CLOBBERS);
	reject_record();
}

/*
 * Size of the next batch: the bytes to write from `offset` before the head is published again. It
 * is at most a quarter of the ring, so that the reader works while the wave writes.
 */
DEV_INLINE uint32_t batch_bytes(uint32_t ring, uint32_t offset, uint32_t free_bytes, uint32_t size)
{
	uint32_t limit = ring / 4 > size ? ring / 4 : size;
	uint32_t contiguous = free_bytes < ring - offset ? free_bytes : ring - offset;

	return contiguous < limit ? contiguous : limit;
}

/* Publish the records written so far and wait for space; false = the record is to be dropped. */
DEV_INLINE bool request_space(dev_state *state, uint32_t size, uint32_t leader, uint32_t *ret_tail)
{
	const dev_ctx *ctx = (const dev_ctx *)dev_load(&state->ctx);
	uint32_t ring = ctx->ring_size;
	uint64_t head = cursor_head();
	uint32_t rest = ring - ((uint32_t)head & (ring - 1));

	publish_head(state, head, leader);
	return wait_for_space(ctx, state, (uint32_t)head, rest < size ? rest + size : size, leader,
			      ret_tail);
}

/* Make space for `records` records of `bytes` bytes in total, or count them as lost. */
DEV_INLINE void ring_refill(uint32_t bytes, uint32_t records)
{
	uint32_t leader = dev_first(dev_exec()), size = dev_uniform32(bytes), mode = cursor_mode();
	dev_state *state = cursor_state();

	if (mode == CURSOR_NO_RING || mode == CURSOR_FILTERED) {
		if (mode == CURSOR_NO_RING)
			count_lost(dev_uniform32(records));
		else
			reject_record();
		return;
	}
	uint32_t tail;
	bool fits = request_space(state, size, leader, &tail);

	/* Loaded again, not kept across the wait: scalar registers are scarce here. */
	state = cursor_state();
	const dev_ctx *ctx = (const dev_ctx *)dev_load(&state->ctx);

	if (!fits) {
		if (dev_is_leader(leader))
			dev_ring_add_lost(state, dev_ring_host(state), records);
		reject_record();
		return;
	}
	uint64_t head = cursor_head();
	uint64_t data = dev_ring_data(ctx, state);
	uint32_t ring = ctx->ring_size, offset = (uint32_t)head & (ring - 1);

	if (ring - offset < size) {
		if (dev_is_leader(leader))
			*(uint64_t DEV_GLOBAL *)(data + offset) = PROBE_FORM_PAD;
		head += ring - offset;
		offset = 0;
	}
	/* The next owner of the ring starts from it. */
	if (dev_is_leader(leader))
		__atomic_store_n(&state->head_offset, head - (data + offset), __ATOMIC_RELAXED);
	refill_cursor(data + offset, head - (data + offset),
		      (batch_bytes(ring, offset, ring - ((uint32_t)head - tail), size) - size) | 1);
}

#endif
