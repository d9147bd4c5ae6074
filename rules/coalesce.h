/* SPDX-License-Identifier: MIT */
/*
 * Cache lines and address-unit cycles of one access to global memory (wire.h section 3): distinct
 * lines of 64 and of 128 bytes, and, per quad of four neighbouring lanes, distinct 64-byte lines.
 */
#ifndef PROBE_RULES_COALESCE_H
#define PROBE_RULES_COALESCE_H

#include <stdbool.h>
#include <stdint.h>

struct lines {
	uint32_t quads; /* quads without active lanes count 1 too */
	uint32_t used64, used128;
};

/* Scratch space of the counting; one per thread, zeroed before first use. */
#define LINES_SLOTS 4096 /* a power of two; few of the 128 lines of an access may collide */
struct lines_scratch {
	uint32_t stamp;
	uint16_t slots[LINES_SLOTS]; /* stamp of the access that was here last, and which of its
					lines */
};

/* addr[l] for each lane l of exec; `wave` is 32 or 64. */
struct lines lines_count(unsigned wave, unsigned unit, uint64_t exec, const uint64_t addr[64],
			 struct lines_scratch *scratch);

/*
 * The same for the lanes first .. first + lanes - 1 at base + stride * (lane - first), without
 * visiting them. False if the pattern has no closed form: then count.
 */
bool lines_count_affine(unsigned wave, unsigned unit, unsigned first, unsigned lanes, uint64_t base,
			int64_t stride, struct lines *ret);

#endif
