/* SPDX-License-Identifier: MIT */
/*
 * A wave's ring (wire.h sections 4 and 5): one writer, so no atomic decides where a record goes.
 *
 * Who sets bit 0 of a ring's head owns it; storing a head without it lets it go. Plain atomics are
 * narrowed to agent scope when the pass links this file; volatile ones, for what the host shares,
 * stay system-wide.
 *
 * Host memory is fine-grained and not kept in L2, so waiting for the record's stores (the agent
 * release fence) is all that must happen before the head follows them.
 */
#ifndef PROBE_DEVLIB_RING_H
#define PROBE_DEVLIB_RING_H

#include "devlib_wave.h"

typedef struct probe_ctx DEV_CONSTANT dev_ctx;
typedef struct probe_ring_state DEV_GLOBAL dev_state;
typedef struct probe_ring DEV_GLOBAL dev_ring;

#define DEV_OWNED 1ull

/* In `place`: s_sleep counts in 64 clocks, so about a microsecond. */
enum { DEV_SLEEP = 32 };

DEV_INLINE uint32_t dev_ring_index(const dev_ctx *ctx, uint64_t wave)
{
	return (uint32_t)(wave - ctx->ring_states) / sizeof(struct probe_ring_state);
}

DEV_INLINE dev_ring *dev_ring_host(const dev_ctx *ctx, uint64_t wave)
{
	return (dev_ring *)(ctx->ring_heads +
			    (uint64_t)dev_ring_index(ctx, wave) * sizeof(struct probe_ring));
}

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

/* One attempt to own a ring, whose head it returns; an odd one is another wave's. */
DEV_INLINE uint64_t dev_ring_try(dev_state *state, uint32_t first)
{
	uint64_t old = 0;

	/* Acquire: pairs with the release in dev_ring_release(), the state's other words. */
	if (dev_speaks(first))
		old = __atomic_fetch_or(dev_opaque(&state->head), DEV_OWNED, __ATOMIC_ACQUIRE);
	return dev_read64(old, first);
}

/*
 * Own a ring, looking from one's place on; NULL = none was free. More waves than rings may be
 * resident and may wait at a barrier for us, so a search at the start ends: after all rings once,
 * and `naps` naps.
 */
DEV_INLINE dev_state *dev_ring_claim(const dev_ctx *ctx, uint32_t place, uint32_t first,
				     uint32_t naps, uint64_t *ret_head)
{
	uint32_t mask = ctx->ring_mask, tries = 0;

	for (;;) {
		dev_state *state =
			(dev_state *)(ctx->ring_states + (uint64_t)((place + tries) & mask) *
								 sizeof(struct probe_ring_state));

		*ret_head = dev_ring_try(state, first);
		if (!(*ret_head & DEV_OWNED))
			return state;
		if (tries >= mask) {
			if (tries - mask >= naps)
				return 0;
			__builtin_amdgcn_s_sleep(DEV_SLEEP);
		}
		tries++;
	}
}

/* Let the next wave have the ring. Called by one lane of the owner. */
DEV_INLINE void dev_ring_release(dev_state *state, uint64_t head)
{
	__atomic_store_n(&state->head, head, __ATOMIC_RELEASE);
}

#endif
