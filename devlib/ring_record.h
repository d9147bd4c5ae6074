/* SPDX-License-Identifier: MIT */
/*
 * Claiming and releasing a ring (wire_device.h, struct probe_ring_state). A ring has one writer, so
 * that the position of a record takes no atomic operation.
 *
 * The first word of a ring's state says whether a wave owns the ring, in a different encoding for
 * `time` and `trace`. Storing that word releases the ring.
 *
 * The pass narrows non-volatile atomics to agent scope when it links this file. Volatile ones
 * access memory shared with the host, and keep system scope.
 *
 * Host memory is fine-grained and not cached in L2. It is therefore enough to wait for the stores
 * of a record (release fence at agent scope) before the head is stored.
 */
#ifndef PROBE_DEVLIB_RING_RECORD_H
#define PROBE_DEVLIB_RING_RECORD_H

#include "devlib/wave_ids.h"

typedef struct probe_ctx DEV_CONSTANT dev_ctx;
typedef struct probe_ring_state DEV_GLOBAL dev_state;
typedef struct probe_ring DEV_GLOBAL dev_ring;

#define DEV_RING_OWNED 1ull

/* Operands of s_sleep, in units of 64 cycles: about a microsecond, and the longest. */
enum { DEV_SLEEP = 32, DEV_LONG_SLEEP = 127 };

/*
 * Sleep before the next poll of a word that the host changes. `waited`: microseconds so far, about;
 * returns the new sum. Each sleep takes as long as all before it, up to a limit, so that a wave
 * that waits executes few instructions.
 */
DEV_INLINE uint32_t dev_sleep(uint32_t waited)
{
	enum { LONG = DEV_LONG_SLEEP / DEV_SLEEP + 1, MOST = 64 };
	uint32_t share = waited < MOST ? waited : MOST, until = waited + share;

	if (share < LONG) {
		__builtin_amdgcn_s_sleep(DEV_SLEEP);
		return waited + 1;
	}
	for (; waited < until; waited += LONG)
		__builtin_amdgcn_s_sleep(DEV_LONG_SLEEP);
	return waited;
}

/* Is this the lane that stores on behalf of the wave? `leader`: the first active lane. */
DEV_INLINE bool dev_is_leader(uint32_t leader)
{
	return dev_lane() == leader;
}

DEV_INLINE uint64_t dev_load(const uint64_t DEV_GLOBAL *word)
{
	return dev_uniform64(__atomic_load_n(word, __ATOMIC_RELAXED));
}

DEV_INLINE uint64_t dev_load_host(const volatile uint64_t DEV_GLOBAL *word)
{
	return dev_uniform64(__atomic_load_n(word, __ATOMIC_RELAXED));
}

DEV_INLINE dev_ring *dev_ring_host(const dev_state *state)
{
	return (dev_ring *)dev_load(&state->host);
}

/* Address of a ring's data. Reads only fields of `ctx` that are the same for all its users. */
DEV_INLINE uint64_t dev_ring_data(const dev_ctx *ctx, const dev_state *state)
{
	uint32_t index =
		(uint32_t)(dev_load(&state->host) - ctx->ring_heads) / sizeof(struct probe_ring);

	/* Else LLVM 19 combines both loads, and four consecutive scalar registers are not free. */
	__asm__("" : "+s"(ctx));
	return ctx->ring_data + (uint64_t)index * ctx->ring_size;
}

/* Hide an address from the optimiser: LLVM 19 would scan the lanes again for a one-lane atomic. */
DEV_INLINE uint64_t DEV_GLOBAL *dev_opaque(uint64_t DEV_GLOBAL *word)
{
	__asm__ volatile("" : "+v"(word));
	return word;
}

/* Report lost records to the host and to the ring's next owner. Called by one lane. */
DEV_INLINE void dev_ring_add_lost(dev_state *state, volatile dev_ring *host, uint64_t lost)
{
	uint64_t emitted = __atomic_load_n(&state->emitted, __ATOMIC_RELAXED) + lost;
	uint64_t dropped = __atomic_load_n(&state->dropped, __ATOMIC_RELAXED) + lost;

	__atomic_store_n(&state->emitted, emitted, __ATOMIC_RELAXED);
	__atomic_store_n(&state->dropped, dropped, __ATOMIC_RELAXED);
	__atomic_store_n(&host->emitted, emitted, __ATOMIC_RELAXED);
	__atomic_store_n(&host->dropped, dropped, __ATOMIC_RELAXED);
}

/* Try once to claim a ring. Returns the first word of its state before (dev_ring_claimed()). */
DEV_INLINE uint64_t dev_ring_try_claim(dev_state *state, uint32_t leader, uint32_t timed)
{
	uint64_t old = 0;

	/* Acquire: pairs with the release in dev_ring_release(), for the state's other words. */
	if (dev_is_leader(leader)) {
		uint64_t DEV_GLOBAL *word = dev_opaque(&state->head);

		old = timed ? __atomic_fetch_or(word, DEV_RING_OWNED, __ATOMIC_ACQUIRE)
			    : __atomic_exchange_n(word, 0, __ATOMIC_ACQUIRE);
	}
	return dev_read64(old, leader);
}

DEV_INLINE bool dev_ring_claimed(uint64_t word, uint32_t timed)
{
	return timed ? !(word & DEV_RING_OWNED) : word != 0;
}

/* The slots that a wave searches for a free ring: its own first, then all others, cyclically. */
DEV_INLINE uint32_t dev_ring_first_slot(const dev_ctx *ctx, uint32_t hw_id, uint32_t timed)
{
	return timed ? dev_wave_slot(hw_id) & ctx->ring_mask : hw_id & ctx->ring_slot_mask;
}

DEV_INLINE uint32_t dev_ring_next_slot(const dev_ctx *ctx, uint32_t slot, uint32_t timed)
{
	uint32_t mask = timed ? ctx->ring_mask : ctx->ring_slot_mask;

	return ((slot | ~mask) + 1) & mask;
}

/*
 * Claim a ring, searching from the own slot; NULL = none was free. The search visits all rings once
 * and then polls at most `polls` times. It must end: there may be more resident waves than rings,
 * and those that own a ring may wait for this wave at a barrier.
 */
DEV_INLINE dev_state *dev_ring_claim(const dev_ctx *ctx, uint32_t hw_id, uint32_t leader,
				     uint32_t polls, uint32_t timed, uint64_t *ret_word)
{
	uint32_t slot = dev_ring_first_slot(ctx, hw_id, timed), tries = 0, waited = 0;

	for (;;) {
		dev_state *state = (dev_state *)(ctx->ring_states +
						 (uint64_t)slot * sizeof(struct probe_ring_state));

		*ret_word = dev_ring_try_claim(state, leader, timed);
		if (dev_ring_claimed(*ret_word, timed))
			return state;
		if (tries >= ctx->ring_mask) {
			if (waited >= polls)
				return 0;
			waited = dev_sleep(waited);
		}
		tries++;
		slot = dev_ring_next_slot(ctx, slot, timed);
	}
}

/* Release the ring. Called by one lane of the owner. */
DEV_INLINE void dev_ring_release(dev_state *state, uint64_t word)
{
	__atomic_store_n(&state->head, word, __ATOMIC_RELEASE);
}

#endif
