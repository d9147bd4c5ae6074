/* SPDX-License-Identifier: MIT */
/* Where a wave's records find no more room (ring_cursor.h). */
#ifndef PROBE_DEVLIB_RING_REFILL_H
#define PROBE_DEVLIB_RING_REFILL_H

#include "devlib/ring_cursor.h"

/* Show the host the records written so far. */
DEV_INLINE void publish(dev_state *state, uint64_t head, uint32_t first)
{
	volatile dev_ring *host = dev_ring_host(state);

	/* The supervisor's acquire of head pairs with this. */
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
	if (dev_speaks(first))
		__atomic_store_n(&host->head, head, __ATOMIC_RELAXED);
}

/*
 * Is this record worth waiting for? Under PROBE_FULL_SAMPLE each sample_every-th is; and a wave's
 * own always, since without it all would be lost.
 */
DEV_INLINE bool may_wait(const dev_ctx *ctx, dev_state *state, uint32_t first)
{
	uint32_t asked, refused;

	__asm__ volatile("s_mov_b32 %0, s92" : "=s"(asked));
	if (ctx->when_full == PROBE_FULL_BLOCK || asked == 2)
		return true;
	if (ctx->when_full == PROBE_FULL_DROP)
		return false;
	refused = (uint32_t)dev_load(&state->refused) + 1;
	if (refused >= ctx->sample_every)
		refused = 0;
	if (dev_speaks(first))
		__atomic_store_n(&state->refused, refused, __ATOMIC_RELAXED);
	return !refused;
}

/* Wait until `need` bytes behind `head` are free; false = they did not become so. */
DEV_INLINE bool await_room(const dev_ctx *ctx, dev_state *state, uint32_t head, uint32_t need,
			   uint32_t first, uint32_t *ret_tail)
{
	uint32_t tail = (uint32_t)dev_load(&state->tail), ring = ctx->ring_size, naps = 0;

	/* The cached tail is old, so it may only be too small. */
	if (head + need - tail > ring) {
		volatile dev_ring *host = dev_ring_host(state);
		bool wait = may_wait(ctx, state, first);

		for (;;) {
			uint64_t now = dev_load_host(&host->tail);

			tail = (uint32_t)now;
			if (head + need - tail <= ring) {
				if (dev_speaks(first))
					__atomic_store_n(&state->tail, now, __ATOMIC_RELAXED);
				break;
			}
			if (!wait || naps++ >= ctx->spin_limit)
				return false;
			__builtin_amdgcn_s_sleep(DEV_SLEEP);
		}
	}
	*ret_tail = tail;
	return true;
}

DEV_INLINE void answer(uint64_t at, uint64_t head_offset, uint32_t left)
{
	__asm__ volatile("s_mov_b64 s[84:85], %0\n\t"
			 "s_mov_b64 s[78:79], %1\n\t"
			 "s_mov_b32 s86, %2\n\t"
			 "s_mov_b32 s92, 1"
			 :
			 : "s"(dev_scalar64(at)), "s"(dev_scalar64(head_offset)), "s"(dev_scalar32(left))
			 : CURSOR_CHANGES);
}

DEV_INLINE void refuse(void)
{
	__asm__ volatile("s_mov_b32 s86, 1\n\ts_mov_b32 s92, 0" : : : CURSOR_CHANGES);
}

/* A wave without a ring counts in its register; see __probe_dev_cursor_exit(). */
DEV_INLINE void lose(uint32_t records)
{
	__asm__ volatile("s_add_u32 s87, s87, %0" : : "s"(dev_scalar32(records)) : CURSOR_CHANGES);
	refuse();
}

/* Bytes from `offset` on to write before the host is notified, so that the reader works meanwhile. */
DEV_INLINE uint32_t stretch(uint32_t ring, uint32_t offset, uint32_t free, uint32_t size)
{
	uint32_t most = ring / 4 > size ? ring / 4 : size;
	uint32_t room = free < ring - offset ? free : ring - offset;

	return room < most ? room : most;
}

/* Show what is written, and wait for room behind it; false = there is none. */
DEV_INLINE bool find_room(dev_state *state, uint32_t size, uint32_t first, uint32_t *ret_tail)
{
	const dev_ctx *ctx = (const dev_ctx *)dev_load(&state->ctx);
	uint32_t ring = ctx->ring_size;
	uint64_t head = cursor_head();
	uint32_t rest = ring - ((uint32_t)head & (ring - 1));

	publish(state, head, first);
	return await_room(ctx, state, (uint32_t)head, rest < size ? rest + size : size, first,
			  ret_tail);
}

/* Make room for `records` records of `bytes` bytes in all, or count them as lost. */
DEV_INLINE void ring_refill(uint32_t bytes, uint32_t records)
{
	uint32_t first = dev_first(dev_exec()), size = dev_uniform32(bytes), mode = cursor_mode();
	dev_state *state = cursor_state();

	if (mode == CURSOR_LOST || mode == CURSOR_OFF) {
		if (mode == CURSOR_LOST)
			lose(dev_uniform32(records));
		else
			refuse();
		return;
	}
	uint32_t tail;
	bool room = find_room(state, size, first, &tail);

	/* All is read again: scalar registers are scarce here. */
	state = cursor_state();
	const dev_ctx *ctx = (const dev_ctx *)dev_load(&state->ctx);

	if (!room) {
		if (dev_speaks(first))
			dev_ring_count(state, dev_ring_host(state), 0, records);
		refuse();
		return;
	}
	uint64_t head = cursor_head();
	uint64_t data = dev_ring_data(ctx, state);
	uint32_t ring = ctx->ring_size, offset = (uint32_t)head & (ring - 1);

	if (ring - offset < size) {
		if (dev_speaks(first))
			*(uint64_t DEV_GLOBAL *)(data + offset) = PROBE_FORM_PAD;
		head += ring - offset;
		offset = 0;
	}
	/* Whoever owns the ring next begins with it. */
	if (dev_speaks(first))
		__atomic_store_n(&state->head_offset, head - (data + offset), __ATOMIC_RELAXED);
	answer(data + offset, head - (data + offset),
	       (stretch(ring, offset, ring - ((uint32_t)head - tail), size) - size) | 1);
}

#endif
