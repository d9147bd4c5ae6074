/* SPDX-License-Identifier: MIT */
/*
 * The effect of a new buffer layout on all accesses to the buffer. A layout that helps one access
 * to global memory may harm another, so it is evaluated for every access of the run to the same
 * allocation. Lanes at one constant stride are moved as in the layout, from wherever they may have
 * been in the allocation. The results are upper bounds.
 */
#ifndef PROBE_HANDLERS_BUFFERS_H
#define PROBE_HANDLERS_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/handler.h>

#include "handlers/advice/advice.h"

enum { BUFFERS_OF_ACCESS = 4 };

/* The allocations of an access. */
struct buffer_use {
	uint32_t id[BUFFERS_OF_ACCESS]; /* of the allocations */
	uint8_t count;
	bool unknown;	   /* some addresses were in no known allocation, or in too many */
	uint64_t dispatch; /* for which one was looked up last */
	uint64_t begin, bytes;
	/*
	 * Of executions whose lanes have one stride: the offset of their first lane in its
	 * allocation is `first`, or differs from it by a multiple of `apart`. They are apart from
	 * the first to the last active lane, in `full` executions as far as the wave is long, and
	 * in `others` at most `most` lanes.
	 */
	uint64_t first, apart, full, others;
	unsigned most;
};

/* Before each execution: looks its allocation up unless it is the last one. */
void buffer_use_add(struct buffer_use *use, const struct probe_host *host,
		    const struct probe_dispatch_info *dispatch, uint64_t address);
void buffer_use_lanes(struct buffer_use *use, uint64_t exec, uint64_t address, unsigned wave);

/* Cache lines of 128 bytes that all accesses to a buffer touch in the whole run. */
struct buffer_layout {
	unsigned others;     /* accesses to the same allocations, except this one */
	unsigned rows;	     /* of those, and of this one in launches of other shapes */
	unsigned contiguous; /* of those, accesses with contiguous lanes */
	double before;
	/*
	 * At most: if lanes of this access have gaps, as a structure of arrays, each from the start
	 * of a cache line, of structs as long as its stride; if they are contiguous, with its
	 * lowest lane at the start of a line.
	 */
	double after;
	unsigned least, most; /* bytes of the members that have such arrays; 0 = none have */
};

/* An access in the launches of one shape. */
struct buffer_site {
	struct advice_site site;
	const struct buffer_use *use;
	struct buffer_layout layout;
	bool known;   /* `layout` is set: the allocations are known */
	size_t first; /* index of the first of the same access */
	size_t seen;  /* of the first: for which access it was counted last */
};

/* All accesses to global memory of a run, of all kernels. */
void buffers_find(struct buffer_site *sites, size_t count);

#endif
