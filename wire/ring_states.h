/* SPDX-License-Identifier: MIT */
/*
 * Initial states of rings (wire.h section 4): at which slot of the table of states each is, and
 * its contents.
 */
#ifndef PROBE_WIRE_RING_STATES_H
#define PROBE_WIRE_RING_STATES_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/wire.h>

/* The slot of a wave is the lower 16 bits of its HW_ID, without bits 6 and 7. */
#define PROBE_RING_SLOTS 65536u
/* Added to the slots of a second set of rings in one table, and of a state that no wave can have.
 */
#define PROBE_RING_SECOND 0x40u
#define PROBE_RING_UNCLAIMABLE 0x80u

/*
 * The bits of HW_ID that select one of so many rings, a power of two: first those in which few
 * waves differ, as workgroups are distributed to shader engines and their waves to SIMDs.
 */
uint32_t probe_ring_slot_bits(uint32_t rings);

/* The slot of a ring: its number in the bits `slot_bits`. */
uint32_t probe_ring_slot(uint32_t slot_bits, uint32_t ring);

/*
 * The state of ring number `ring` of those in `ctx`, in GPU addresses; `at` is ctx's own address.
 * False: `trace` must not use this ring, since the upper half of some of its addresses is not
 * ctx->wave.data_high.
 */
bool probe_ring_state_make(const struct probe_ctx *ctx, uint64_t at, uint32_t ring, uint32_t kind,
			   struct probe_ring_state *ret);

#endif
