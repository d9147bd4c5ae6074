/* SPDX-License-Identifier: MIT */
/*
 * Cache lines that one access of a wave to global memory touches, and the cycles that the address
 * unit needs for it (docs/glossary.md: coalescing).
 *
 * Pure functions, safe to call from several threads if each has a scratch space of its own.
 */
#ifndef PROBE_RULES_CACHE_LINES_H
#define PROBE_RULES_CACHE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct probe_cache_lines {
	/*
	 * Address-unit cycles: per quad of four neighbouring lanes, its distinct lines of 64
	 * bytes; a quad without active lanes takes one as well.
	 */
	uint32_t quads;
	uint32_t used64, used128; /* distinct lines of 64 and of 128 bytes */
};

/* Working memory of probe_cache_lines_count(): one per thread, zeroed before first use. 8 KiB. */
#define PROBE_CACHE_LINES_SLOTS 4096 /* a power of two, so large that few lines collide */
struct probe_cache_lines_scratch {
	uint32_t stamp;
	/* Per hash: the last access that used the slot (a stamp), and which of its lines. */
	uint16_t slots[PROBE_CACHE_LINES_SLOTS];
};

/*
 * One machine access of `unit` bytes per lane. addr[l] is read for each lane l of `exec`, which is
 * not 0; `wave` is 32 or 64.
 */
struct probe_cache_lines probe_cache_lines_count(unsigned wave, unsigned unit, uint64_t exec,
						 const uint64_t addr[64],
						 struct probe_cache_lines_scratch *scratch);

/* Neighbouring lanes at a constant stride: lane l is at base + stride * (l - first). */
struct probe_affine_lanes {
	unsigned first, count;
	uint64_t base;
	int64_t stride;
};

/*
 * The same in closed form. False if there is none for the pattern: use probe_cache_lines_count()
 * then.
 */
bool probe_cache_lines_count_affine(unsigned wave, unsigned unit,
				    const struct probe_affine_lanes *lanes,
				    struct probe_cache_lines *ret);

#ifdef __cplusplus
}
#endif

#endif
