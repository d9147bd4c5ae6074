/* SPDX-License-Identifier: MIT */
/*
 * A wave's ring (wire.h sections 4 and 5): one writer, so no atomic decides where a record goes.
 *
 * The wave's own word is the address of its struct probe_ring_state; bit 0 says that it could get
 * no ring, and then it only counts there what it loses. Plain atomics are narrowed to agent scope
 * when the pass links this file; volatile ones, for what the host shares, stay system-wide.
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

#define DEV_NO_RING 1ull

/* In `place`: s_sleep counts in 64 clocks, so about a microsecond. */
enum { DEV_SLEEP = 32 };

DEV_INLINE dev_state *dev_ring_state(uint64_t wave)
{
	return (dev_state *)(wave & ~DEV_NO_RING);
}

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

/* Count a record the ring was asked to take, and whether it was lost. Called by one lane. */
DEV_INLINE void dev_ring_count(dev_state *state, bool lost)
{
	__atomic_fetch_add(dev_opaque(&state->emitted), 1, __ATOMIC_RELAXED);
	if (lost)
		__atomic_fetch_add(dev_opaque(&state->dropped), 1, __ATOMIC_RELAXED);
}

/* One attempt to own a ring. */
DEV_INLINE bool dev_ring_try(dev_state *state, uint32_t first)
{
	uint32_t old = 1;

	if (dev_speaks(first)) {
		uint32_t expected = 0;

		/*
		 * Acquire: pairs with the release in dev_ring_release(), the state's other words.
		 * Release: what this wave counted comes before, see there.
		 */
		__atomic_compare_exchange_n(&state->owner, &expected, 1, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_RELAXED);
		old = expected;
	}
	return dev_read32(old, first) == 0;
}

/*
 * Own a ring, looking from one's place on. More waves than rings may be resident and may wait at a
 * barrier for us, so the search ends: after all rings once, and spin_limit naps.
 */
DEV_INLINE uint64_t dev_ring_claim(const dev_ctx *ctx, uint32_t place, uint32_t first)
{
	uint32_t mask = ctx->ring_mask, tries = 0;
	uint32_t most = mask + (ctx->when_full == PROBE_FULL_BLOCK ? ctx->spin_limit : 0);
	uint64_t states = ctx->ring_states;

	for (;;) {
		uint64_t wave = states + (uint64_t)((place + tries) & mask) *
						 sizeof(struct probe_ring_state);

		if (dev_ring_try(dev_ring_state(wave), first))
			return wave;
		if (tries >= most)
			return wave | DEV_NO_RING;
		if (tries++ >= mask)
			__builtin_amdgcn_s_sleep(DEV_SLEEP);
	}
}

/*
 * Show the host what was counted, then let the next wave have the ring. Called by the owner.
 *
 * A wave without a ring counts its losses here at any time and then tries to own the ring, once, to
 * show them. If it fails because we still own it, we must see its count after we let go: hence the
 * second look, and the fence between the two. If another wave owns the ring by then, it will show
 * it.
 */
DEV_INLINE void dev_ring_release(const dev_ctx *ctx, uint64_t wave, uint32_t first)
{
	dev_state *state = dev_ring_state(wave);
	volatile dev_ring *host = dev_ring_host(ctx, wave & ~DEV_NO_RING);
	uint64_t dropped;

	do {
		dropped = dev_load(&state->dropped);
		if (dev_speaks(first)) {
			__atomic_store_n(&host->emitted,
					 __atomic_load_n(&state->emitted, __ATOMIC_RELAXED),
					 __ATOMIC_RELAXED);
			__atomic_store_n(&host->dropped, dropped, __ATOMIC_RELAXED);
			__atomic_store_n(&state->owner, 0, __ATOMIC_RELEASE);
		}
		__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
	} while (dev_load(&state->dropped) != dropped && dev_ring_try(state, first));
}

/*
 * Where a record of `size` bytes goes; 0 = nowhere, the ring stayed full. The same in all lanes,
 * but kept in vector registers: of the scalar ones a shared function has few (devlib_lean.h). The
 * bytes in a ring, and those it lacks, fit 32 bits.
 */
DEV_INLINE uint64_t dev_ring_reserve(const dev_ctx *ctx, uint64_t wave, uint32_t size,
				     uint32_t first, bool wait, uint64_t *ret_head)
{
	dev_state *state = dev_ring_state(wave);
	uint64_t head = __atomic_load_n(&state->head, __ATOMIC_RELAXED);
	uint64_t tail = __atomic_load_n(&state->tail, __ATOMIC_RELAXED);
	uint32_t ring = ctx->ring_size, at = (uint32_t)head & (ring - 1);
	uint32_t pad = ring - at < size ? ring - at : 0, naps = 0;

	*ret_head = head + pad + size;
	/* The cached tail is old, so it may only be too small. */
	while (dev_ballot((uint32_t)*ret_head - (uint32_t)tail > ring)) {
		tail = dev_load_host(&dev_ring_host(ctx, wave)->tail);
		if (!dev_ballot((uint32_t)*ret_head - (uint32_t)tail > ring)) {
			if (dev_speaks(first))
				__atomic_store_n(&state->tail, tail, __ATOMIC_RELAXED);
			break;
		}
		if (!wait || naps++ >= ctx->spin_limit)
			return 0;
		__builtin_amdgcn_s_sleep(DEV_SLEEP);
	}
	uint64_t data = ctx->ring_data + (uint64_t)dev_ring_index(ctx, wave) * ring;

	if (dev_ballot(pad != 0)) {
		if (dev_speaks(first))
			*(uint64_t DEV_GLOBAL *)(data + at) = PROBE_FORM_PAD;
		at = 0;
	}
	return data + at;
}

/* Called by one lane after all lanes have stored their parts of the record. */
DEV_INLINE void dev_ring_publish(const dev_ctx *ctx, uint64_t wave, uint64_t head)
{
	dev_state *state = dev_ring_state(wave);
	volatile dev_ring *host = dev_ring_host(ctx, wave);

	__atomic_store_n(&state->head, head, __ATOMIC_RELAXED);
	/* The supervisor's acquire of head pairs with this. */
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
	__atomic_store_n(&host->head, head, __ATOMIC_RELAXED);
}

#endif
