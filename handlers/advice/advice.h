/* SPDX-License-Identifier: MIT */
/*
 * From the counters of a site to a cause, one sentence on why it costs more than needed, and a fix,
 * one sentence on what to change. A site that costs no more than needed (a broadcast, too) has
 * neither. The proposed layout is counted by the same rules, and the fix ends in the result:
 * "verified: 0 conflicts after, 62 before (per execution)". A result that rests on assumptions
 * (where rows will begin, which executions were recorded) is an estimate; a fix that cannot be
 * counted says "not verified".
 */
#ifndef PROBE_HANDLERS_ADVICE_H
#define PROBE_HANDLERS_ADVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/wire.h>

#define ADVICE_MAX 512

struct trial;
struct array_layout;
struct buffer_layout;

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

void advice_find(const struct advice_site *site, struct probe_lds_scratch *scratch,
		 struct advice *ret);

#endif
