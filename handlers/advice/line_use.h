/* SPDX-License-Identifier: MIT */
/*
 * How many bytes of the cache lines of 128 B that an access requests are used. "Each line" means
 * each one between the first and the last ones of a wave, which may be used less.
 */
#ifndef PROBE_HANDLERS_ADVICE_LINE_USE_H
#define PROBE_HANDLERS_ADVICE_LINE_USE_H

#include "handlers/advice/site_facts.h"

struct line_use {
	double own;    /* bytes of 128 that the access uses; 0 = unknown */
	double shared; /* that it and the accesses near it use; 0 = unknown */
	/*
	 * `own` is a mean: the stride is not a part of a line; or of all lines that were requested,
	 * because idle lanes are, or may be, between active ones.
	 */
	bool average;
	unsigned others; /* how many accesses `shared` includes, without this one */
	/* Bytes between lanes, and lanes that are at this distance from each other. */
	uint64_t apart, lanes;
};

/* Of lanes that all have one stride; else nothing is known. */
struct line_use line_use(const struct facts *facts);
/* Of lanes at `stride` in rows of that many work-items. */
struct line_use line_use_of_rows(const struct facts *facts, int64_t stride);

/* Does the access share the lines, so that `shared` includes it? Also true for the access itself.
 */
bool line_use_includes(const struct line_use *use, const struct advice_site *site,
		       const struct advice_near *near);

#endif
