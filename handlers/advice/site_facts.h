/* SPDX-License-Identifier: MIT */
/* What the counters of a site say about its addresses, for the parts of advice. */
#ifndef PROBE_HANDLERS_ADVICE_SITE_FACTS_H
#define PROBE_HANDLERS_ADVICE_SITE_FACTS_H

#include "handlers/advice/advice.h"

enum pattern {
	PATTERN_STRIDE,	 /* every execution at one and the same stride */
	PATTERN_STRIDES, /* every execution at a stride, not always the same */
	PATTERN_MIXED,	 /* some at a stride, some not */
	PATTERN_NONE,	 /* no execution with two lanes or more at a constant stride */
};

struct facts {
	const struct advice_site *site;
	enum pattern pattern;
	int64_t low, high; /* strides seen, in bytes */
	uint64_t executions, lanes, conflicts, way;
	/* Cache lines of `line` bytes: 128, or 64 if only those exceed what is needed. */
	uint64_t used, needed, excess;
	unsigned line;
	const char *participle; /* "read", "written", "updated" */
};

struct facts facts_of(const struct advice_site *site);

/* Active lanes of an average execution, rounded up. */
unsigned facts_active(const struct facts *facts);
/* A sum's share of one execution, on average. */
double facts_each(const struct facts *facts, uint64_t sum);
/* "read", "write" or "update", as in: what lanes read. */
const char *facts_verb(const struct facts *facts);
/* "cache lines of 128 B" */
const char *facts_lines(const struct facts *facts);
/* A clause on addresses that have no common stride: why, as far as data flow tells. */
const char *facts_address(const struct facts *facts, char *text, size_t size);
/* Is the index a matter of ids and arguments, neither loaded nor periodic? */
bool facts_computed(const struct facts *facts);
/* Are less than 15 of 16 lanes active that the workgroup fills its waves with, on average? */
bool facts_sparse(const struct facts *facts);

/*
 * Of 128 bytes of memory that lanes at one stride touch, those that this access uses, or also the
 * accesses near it; 0 = not known.
 */
double facts_bytes_used(const struct facts *facts, bool with_near);

#endif
