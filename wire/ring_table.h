/* SPDX-License-Identifier: MIT */
/*
 * States of rings as their first owners find them (wire.h section 4): where in the table of states
 * each lies, and what is in it.
 */
#ifndef PROBE_WIRE_RING_TABLE_H
#define PROBE_WIRE_RING_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/wire.h>

/* HW_ID's bits that count are its lower 16; of these, 6 and 7 never do. */
#define PROBE_RING_PLACES 65536u
/* Added to all places of a second set of rings in one table, and of a state that nobody can have.
 */
#define PROBE_RING_SECOND 0x40u
#define PROBE_RING_NOBODY 0x80u

/*
 * ring_places for so many rings, a power of two: first what tells few waves apart, as workgroups
 * are dealt to shader engines and their waves to SIMDs.
 */
uint32_t probe_ring_places(uint32_t rings);

/* The place of a ring, below 2^(bits of places). */
uint32_t probe_ring_place(uint32_t places, uint32_t ring);

/*
 * The state of ring number `ring` of those that `ctx` tells of, in GPU addresses; `at` is ctx's own
 * address. False: this ring must not be used in `trace`, since its bytes are not all where
 * ctx->wave.data_high says.
 */
bool probe_ring_state_make(const struct probe_ctx *ctx, uint64_t at, uint32_t ring, uint32_t kind,
			   struct probe_ring_state *ret);

#endif
