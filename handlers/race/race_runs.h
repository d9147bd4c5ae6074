/* SPDX-License-Identifier: MIT */
/* Accesses to LDS whose lanes are at constant strides, and whether two of them overlap. */
#ifndef PROBE_HANDLERS_RACE_RUNS_H
#define PROBE_HANDLERS_RACE_RUNS_H

#include <stdbool.h>
#include <stdint.h>

enum { RACE_RUNS_OF_ACCESS = 8 }; /* an access with more is stored as addresses */

/* `count` pieces of `width` bytes, `step` bytes apart. */
struct race_run {
	uint32_t site, wave;
	uint32_t first, step, width;
	uint16_t count;
	uint16_t access; /* enum probe_access_kind */
};

/*
 * Lanes of `bytes` each, `stride` apart. False if they leave the 32 bits of an LDS address. If the
 * stride leaves no gaps, all lanes become one piece.
 */
bool race_run_make(uint32_t base, int64_t stride, unsigned count, unsigned bytes,
		   struct race_run *ret);

/* Divides an access into runs; 0 if there are too many, or if a lane fits in none. */
unsigned race_runs_find(const uint64_t *addr, unsigned count, unsigned bytes,
			struct race_run runs[RACE_RUNS_OF_ACCESS]);

/* Behind its last byte. */
uint64_t race_run_end(const struct race_run *run);

bool race_runs_overlap(const struct race_run *a, const struct race_run *b);

#endif
