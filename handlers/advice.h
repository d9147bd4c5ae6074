/* SPDX-License-Identifier: MIT */
/*
 * From the counters of a site to one sentence on why it costs more than it need and one on what to
 * change. Nothing is said of a site that costs no more than it need (broadcasts too); a padding is
 * proposed only after the LDS model has found it free of conflicts.
 */
#ifndef PROBE_HANDLERS_ADVICE_H
#define PROBE_HANDLERS_ADVICE_H

#include <stddef.h>
#include <stdint.h>

#include <probe/wire.h>

#define ADVICE_MAX 320

struct advice_site {
	const char *arch;
	const uint64_t *counters; /* PROBE_COUNTERS words */
	enum probe_access_kind access;
	unsigned bytes, unit; /* per lane; per machine access */
	unsigned wave;	      /* lanes */
	unsigned row;	      /* work-items of a workgroup in x; 0 = differs between dispatches */
};

struct lds_scratch;

struct advice {
	char cause[ADVICE_MAX], fix[ADVICE_MAX]; /* both "" when nothing is wrong */
};

void advice_give(const struct advice_site *site, struct lds_scratch *scratch, struct advice *ret);

/* Bytes of bandwidth that a site wasted: lines not needed, and LDS passes lost at 128 bytes each.
 */
uint64_t advice_cost(uint64_t excess64, uint64_t excess128, uint64_t conflicts);

#endif
