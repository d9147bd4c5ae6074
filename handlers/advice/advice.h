/* SPDX-License-Identifier: MIT */
/*
 * From the counters of a site to a cause, one sentence on why it costs more than needed, and a fix,
 * one sentence on what to change. A site that costs no more than needed (a broadcast, too) has
 * neither. The proposed layout is counted by the same rules, and the fix ends in the result:
 * "verified: 0 conflicts after, 62 before (per execution)". "Verified" is said only where the
 * result follows from addresses that are known, proved or recorded; where it depends on a place
 * that is not known, the worst of all places is announced ("at most"). A result that rests on
 * anything else is an "estimate", which names what it assumes. A cause without a fix is better than
 * a guess.
 */
#ifndef PROBE_HANDLERS_ADVICE_H
#define PROBE_HANDLERS_ADVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/wire.h>

#define ADVICE_MAX 512

struct trial;
struct probe_site_info;
struct array_layout;
struct buffer_layout;

/* Accesses of the same block at a constant distance, this one included. */
enum { ADVICE_NEAR = 16 };
struct advice_near {
	int32_t distance; /* from this access */
	uint32_t bytes, line;
};

struct advice_site {
	const char *arch;
	const uint64_t *counters; /* PROBE_COUNTERS words */
	enum probe_access_kind access;
	enum probe_space space;
	unsigned bytes, unit;	   /* per lane; per machine access */
	unsigned wave;		   /* lanes */
	const struct trial *trial; /* recorded executions that cost too much; NULL = none */
	/* Work-items of a workgroup in x, and in all; 0 = differs between dispatches. */
	unsigned row, items;
	uint32_t group[3], grid[3];	    /* the same by axis; 0 = differs between dispatches */
	const struct probe_site_info *info; /* NULL = none */
	struct advice_near near[ADVICE_NEAR];
	unsigned near_count;
	const struct array_layout *array;   /* an array that several accesses share; NULL = none */
	const struct buffer_layout *buffer; /* the allocation; NULL = not known */
};

struct probe_lds_scratch;

struct advice {
	char cause[ADVICE_MAX], fix[ADVICE_MAX]; /* both "" when nothing is wrong */
	bool verified;
	/* "conflicts", "cache lines of 64 B", "cache lines of 128 B", "updates of the word" */
	const char *what;
	/* Of them, per execution, without and with the fix; an estimate if not verified. */
	double before, after;
};

/* facts_bytes_used() (site_facts.h). */
double advice_line_used(const struct advice_site *site, bool with_near);

void advice_find(const struct advice_site *site, struct probe_lds_scratch *scratch,
		 struct advice *ret);

#endif
