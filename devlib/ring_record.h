/* SPDX-License-Identifier: MIT */
/*
 * A wave's ring (wire.h sections 4 and 5): one writer, so no atomic decides where a record goes.
 *
 * Who owns a ring is in its state's first word, in one way in the time kind and in another in trace
 * (wire.h); storing that word lets it go. Plain atomics are narrowed to agent scope when the pass
 * links this file; volatile ones, for what the host shares, stay system-wide.
 *
 * Host memory is fine-grained and not kept in L2, so waiting for the record's stores (the agent
 * release fence) is all that must happen before the head follows them.
 */
#ifndef PROBE_DEVLIB_RING_RECORD_H
#define PROBE_DEVLIB_RING_RECORD_H

#include "devlib/wave_ids.h"

typedef struct probe_ctx DEV_CONSTANT dev_ctx;
typedef struct probe_ring_state DEV_GLOBAL dev_state;
typedef struct probe_ring DEV_GLOBAL dev_ring;

#define DEV_OWNED 1ull

/* In `place`: s_sleep counts in 64 clocks, so about a microsecond. */
enum { DEV_SLEEP = 32 };

/* One lane speaks for the wave. */
DEV_INLINE bool dev_speaks(uint32_t first)
{
	return dev_lane() == first;
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

/* Where a ring's bytes begin; of `ctx` only what is the same for all who use the ring counts. */
DEV_INLINE uint64_t dev_ring_data(const dev_ctx *ctx, const dev_state *state)
{
	uint32_t index =
		(uint32_t)(dev_load(&state->host) - ctx->ring_heads) / sizeof(struct probe_ring);

	/* LLVM 19 would load both at once, into four scalar registers that are not there. */
	__asm__("" : "+s"(ctx));
	return ctx->ring_data + (uint64_t)index * ctx->ring_size;
}

/* An address the optimiser cannot see through: LLVM 19 would wrap an atomic of one lane again. */
DEV_INLINE uint64_t DEV_GLOBAL *dev_opaque(uint64_t DEV_GLOBAL *word)
{
	__asm__ volatile("" : "+v"(word));
	return word;
}

/* Tell the host, and the ring's next owner, what was written and lost. Called by one lane. */
DEV_INLINE void dev_ring_count(dev_state *state, volatile dev_ring *host, uint64_t written,
			       uint64_t lost)
{
	uint64_t emitted = __atomic_load_n(&state->emitted, __ATOMIC_RELAXED) + written + lost;
	uint64_t dropped = __atomic_load_n(&state->dropped, __ATOMIC_RELAXED) + lost;

	__atomic_store_n(&state->emitted, emitted, __ATOMIC_RELAXED);
	__atomic_store_n(&state->dropped, dropped, __ATOMIC_RELAXED);
	__atomic_store_n(&host->emitted, emitted, __ATOMIC_RELAXED);
	__atomic_store_n(&host->dropped, dropped, __ATOMIC_RELAXED);
}

/* One attempt to own a ring, whose first word it returns. */
DEV_INLINE uint64_t dev_ring_try(dev_state *state, uint32_t first, uint32_t timed)
{
	uint64_t old = 0;

	/* Acquire: pairs with the release in dev_ring_release(), the state's other words. */
	if (dev_speaks(first)) {
		uint64_t DEV_GLOBAL *word = dev_opaque(&state->head);

		old = timed ? __atomic_fetch_or(word, DEV_OWNED, __ATOMIC_ACQUIRE)
			    : __atomic_exchange_n(word, 0, __ATOMIC_ACQUIRE);
	}
	return dev_read64(old, first);
}

DEV_INLINE bool dev_ring_is_ours(uint64_t word, uint32_t timed)
{
	return timed ? !(word & DEV_OWNED) : word != 0;
}

/* A place and those after it, round and round. */
DEV_INLINE uint32_t dev_ring_start(const dev_ctx *ctx, uint32_t hw_id, uint32_t timed)
{
	return timed ? dev_place(hw_id) & ctx->ring_mask : hw_id & ctx->ring_places;
}

DEV_INLINE uint32_t dev_ring_next(const dev_ctx *ctx, uint32_t place, uint32_t timed)
{
	uint32_t mask = timed ? ctx->ring_mask : ctx->ring_places;

	return ((place | ~mask) + 1) & mask;
}

/*
 * Own a ring, looking from one's place on; NULL = none was free. More waves than rings may be
 * resident and may wait at a barrier for us, so a search at the start ends: after all rings once,
 * and `naps` naps.
 */
DEV_INLINE dev_state *dev_ring_claim(const dev_ctx *ctx, uint32_t hw_id, uint32_t first,
				     uint32_t naps, uint32_t timed, uint64_t *ret_word)
{
	uint32_t place = dev_ring_start(ctx, hw_id, timed), tries = 0;

	for (;;) {
		dev_state *state = (dev_state *)(ctx->ring_states +
						 (uint64_t)place * sizeof(struct probe_ring_state));

		*ret_word = dev_ring_try(state, first, timed);
		if (dev_ring_is_ours(*ret_word, timed))
			return state;
		if (tries >= ctx->ring_mask) {
			if (tries - ctx->ring_mask >= naps)
				return 0;
			__builtin_amdgcn_s_sleep(DEV_SLEEP);
		}
		tries++;
		place = dev_ring_next(ctx, place, timed);
	}
}

/* Let the next wave have the ring. Called by one lane of the owner. */
DEV_INLINE void dev_ring_release(dev_state *state, uint64_t word)
{
	__atomic_store_n(&state->head, word, __ATOMIC_RELEASE);
}

#endif
