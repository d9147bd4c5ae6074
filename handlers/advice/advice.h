/* SPDX-License-Identifier: MIT */
/*
 * From the counters of a site to one sentence on why it costs more than it need and one on what to
 * change. Nothing is said of a site that costs no more than it need (broadcasts too). What is
 * proposed is counted by the same rules, and the sentence ends in the result: "verified: 0
 * conflicts after, 62 before (per execution)". What rests on more than the counts (where rows will
 * begin, which executions were recorded) is called an estimate, and what cannot be counted is said
 * to be not verified.
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
	const struct trial *trial; /* of addresses that cost too much; NULL = none were seen */
	/* Work-items of a workgroup in x, and in all; 0 = differs between dispatches. */
	unsigned row, items;
	const struct array_layout *array; /* of several accesses that share one; NULL = none */
	/* Of global memory: all accesses to its allocation; NULL = which it is is not known. */
	const struct buffer_layout *buffer;
};

struct probe_lds_scratch;

struct advice {
	char cause[ADVICE_MAX], fix[ADVICE_MAX]; /* both "" when nothing is wrong */
	/* What the fix was found to leave, and what there was, per execution; an estimate if not
	 * verified. */
	bool verified;
	/* "conflicts", "lines of 64 B", "lines of 128 B", "updates of the word" */
	const char *what;
	double before, after;
};

void advice_find(const struct advice_site *site, struct probe_lds_scratch *scratch,
		 struct advice *ret);

#endif
