/* SPDX-License-Identifier: MIT */
/* What the counters of a site imply about its addresses; used by the other files of advice. */
#ifndef PROBE_HANDLERS_ADVICE_SITE_FACTS_H
#define PROBE_HANDLERS_ADVICE_SITE_FACTS_H

#include "handlers/advice/advice.h"

enum pattern {
	PATTERN_STRIDE,	 /* every execution has the same stride */
	PATTERN_STRIDES, /* every execution has a stride, but not always the same */
	PATTERN_MIXED,	 /* some executions have a stride, some do not */
	PATTERN_NONE,	 /* no execution with two or more lanes has a constant stride */
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

/* Are lanes that are neighbours one distance apart, not 0, in most executions? */
bool facts_usual_stride(const struct facts *facts);

/* Active lanes of an average execution, rounded up. */
unsigned facts_active(const struct facts *facts);
/* A sum's share of one execution, on average. */
double facts_each(const struct facts *facts, uint64_t sum);
/*
 * Fewest cache lines that could hold what an average execution uses. The counters assume that no
 * lanes share bytes; where it is known that they do, these lines are fewer.
 */
double facts_needed(const struct facts *facts);
/* " at most" if it is not known whether lanes share bytes. */
const char *facts_at_most(const struct facts *facts);
/*
 * Are fewer cache lines needed than an average execution touches, with so many digits after the
 * point? Where lanes of some executions share bytes the sums need not show the excess of others.
 */
bool facts_show_excess(const struct facts *facts, int digits);
/*
 * ": 32.0 cache lines of 128 B touched, 2.0 needed", or if the sums do not show it, that some
 * executions touch more than needed.
 */
void facts_append_touched(const struct facts *facts, struct advice *ret);
/* "read", "write" or "update", as in: lanes read. */
const char *facts_verb(const struct facts *facts);
/* "cache lines of 128 B" */
const char *facts_lines(const struct facts *facts);
/* A clause about addresses without a common stride: the reason, as far as data flow shows it. */
const char *facts_address(const struct facts *facts, char *text, size_t size);
/* " (the index comes from ...)" of an index that was loaded, else "". */
const char *facts_loaded(const struct facts *facts, char *text, size_t size);
/* True if the index is computed from ids, arguments or loop variables, neither loaded nor periodic.
 */
bool facts_computed(const struct facts *facts);
/* True if a flag of enum probe_address_flag is set. */
bool facts_flag(const struct facts *facts, unsigned flag);
/*
 * The fix for lanes that update one word, or `several`: one lane does it for all. False if updates
 * cannot be combined.
 */
bool facts_say_reduce(const struct facts *facts, bool several, struct advice *ret);
/* True if, by proof, lanes of a wave have one stride, so that idle lanes do not hide others. */
bool facts_single_stride(const struct facts *facts);
/* The share of the lanes with a work-item that are active on average; 0 to 1. */
double facts_fill(const struct facts *facts);
/* True if on average less than 15/16 of the lanes with a work-item are active. */
bool facts_sparse(const struct facts *facts);
/*
 * Were (nearly) all executions recorded? Those that cost no more than needed are not, and may have
 * other strides.
 */
bool facts_nearly_recorded(const struct facts *facts);
/*
 * True if idle lanes are between active ones, and few active ones are neighbours, so that the
 * distance of neighbouring lanes is not that of active ones. Not known in LDS.
 */
bool facts_idle_between(const struct facts *facts);

#endif
