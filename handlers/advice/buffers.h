/* SPDX-License-Identifier: MIT */
/*
 * The effect of a new buffer layout on all accesses to the buffer. A layout that helps one access
 * to global memory may harm another, so it is evaluated for every access of the run to the same
 * allocation. Accesses at one constant stride are moved as in the layout, and their cache lines
 * counted. All other accesses are assumed to keep their costs.
 */
#ifndef PROBE_HANDLERS_BUFFERS_H
#define PROBE_HANDLERS_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/handler.h>

#include "handlers/advice/advice.h"

enum { BUFFERS_OF_ACCESS = 4 };

/* The allocations of an access, looked up at its first execution in each dispatch. */
struct buffer_use {
	uint32_t id[BUFFERS_OF_ACCESS]; /* of the allocations */
	uint8_t count;
	bool unknown;	   /* some addresses were in no known allocation, or in too many */
	bool begun;	   /* `phase` is set */
	bool moves;	   /* `phase` differs between executions */
	uint8_t phase;	   /* address of the first lane modulo 128, for affine accesses */
	uint64_t dispatch; /* for which it was looked up last */
};

void buffer_use_add(struct buffer_use *use, const struct probe_host *host,
		    const struct probe_dispatch_info *dispatch, uint64_t address);
static inline void buffer_use_phase(struct buffer_use *use, uint64_t address)
{
	uint8_t phase = address & 127;

	use->moves |= use->begun && use->phase != phase;
	use->begun = true;
	use->phase = phase;
}

/* Cache lines of 128 bytes that all accesses to a buffer touch in the whole run. */
struct buffer_layout {
	unsigned others;     /* accesses to the same allocations, except this one */
	unsigned contiguous; /* of those, accesses with contiguous lanes */
	unsigned strideless; /* of those, accesses without a common stride, assumed unchanged */
	double before;
	double split;	/* as a structure of arrays; the struct is as long as the stride of this
			 * access */
	double shifted; /* with the first lane of this access at the start of a cache line */
};

struct buffer_site {
	struct advice_site site;
	const struct buffer_use *use;
	struct buffer_layout layout;
	bool known; /* `layout` is set: the allocations are known */
};

/* All accesses to global memory of a run, of all kernels. */
void buffers_find(struct buffer_site *sites, size_t count);

#endif
