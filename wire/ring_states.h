/* SPDX-License-Identifier: MIT */
/*
 * Initial states of rings (wire_device.h section 4): their indices in the table of states, and
 * their contents.
 */
#ifndef PROBE_WIRE_RING_STATES_H
#define PROBE_WIRE_RING_STATES_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/wire.h>

/* The slot of a wave is the lower 16 bits of its HW_ID, without bits 6 and 7. */
#define PROBE_RING_SLOTS 65536u
/* Added to the slots of a second set of rings in a table, and of a state that no wave can claim. */
#define PROBE_RING_SECOND 0x40u
#define PROBE_RING_UNCLAIMABLE 0x80u

/*
 * The bits of HW_ID that select one of `rings` rings, a power of two. The first bits are those that
 * differ between concurrent waves even if there are few, because workgroups are distributed to
 * shader engines and their waves to SIMDs.
 */
uint32_t probe_ring_slot_bits(uint32_t rings);

/* The slot of a ring: its number in the bits `slot_bits`. */
uint32_t probe_ring_slot(uint32_t slot_bits, uint32_t ring);

/*
 * The initial state of ring number `ring` of `ctx`, with GPU addresses; `at` is the address of ctx.
 * False: `trace` must not use this ring, because the upper half of some of its addresses is not
 * ctx->wave.data_high.
 */
bool probe_ring_state_make(const struct probe_ctx *ctx, uint64_t at, uint32_t ring, uint32_t kind,
			   struct probe_ring_state *ret);

#endif
