/* SPDX-License-Identifier: MIT */
/* What the parts of advice share; see advice.h. */
#ifndef PROBE_HANDLERS_ADVICE_PARTS_H
#define PROBE_HANDLERS_ADVICE_PARTS_H

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
	int64_t low, high; /* strides seen */
	uint64_t executions, lanes, conflicts, way;
	uint64_t used, needed, excess; /* lines of 128 bytes, or of 64 if only those are too many */
	unsigned line;
	const char *verb; /* "read" */
};

__attribute__((format(printf, 2, 3))) void advice_say(char text[ADVICE_MAX], const char *format,
						      ...);
__attribute__((format(printf, 2, 3))) void advice_append(char text[ADVICE_MAX], const char *format,
							 ...);

/* Four digits of what is small, whole numbers of what is large: none as a power of ten. */
struct number_text {
	char text[32];
};
struct number_text advice_number(double value);

/* End the fix in what it was found to leave: `what` begins in the plural. */
void advice_verify(struct advice *ret, const char *what, double after, double before);

/* The same for what rests on more than counts; if it leaves no less, that it is not verified. */
void advice_estimate(struct advice *ret, const char *what, double after, double before);

/* What is known of addresses without one stride. */
const char *advice_irregular(const struct facts *facts, char *text, size_t room);

/* Active lanes of an average execution, rounded up; a sum's share of an average execution. */
unsigned facts_active(const struct facts *facts);
double facts_each(const struct facts *facts, uint64_t sum);
/* "read", as in: what lanes read; "lines of 128 B". */
const char *facts_verb(const struct facts *facts);
const char *facts_lines(const struct facts *facts);

/* Are so many lanes idle that they may be the reason for its lines? (advice_idle.c) */
bool advice_is_sparse(const struct facts *facts);
void advice_sparse(const struct facts *facts, struct advice *ret);

/* All executions at one and the same stride. */
void advice_stride(const struct facts *facts, struct advice *ret);

/* Append what a fix that moves data so that lines begin elsewhere does to the buffer's others. */
void advice_judge_shift(const struct facts *facts, struct advice *ret);

/* A site that touches more lines than it need. */
void advice_global(const struct facts *facts, struct advice *ret);

/* A site that touches no line too many, but whose lanes may wait for each other at a word. */
void advice_contended(const struct facts *facts, struct advice *ret);

#endif
