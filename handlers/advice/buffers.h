/* SPDX-License-Identifier: MIT */
/*
 * What a change of a buffer's layout does to all that touch it. What helps one access of global
 * memory may cost another, so a change that moves data is counted for every access that a run made
 * to the same allocation: the addresses of those at one constant stride are moved as the change
 * would, and their lines counted; of others it is taken that they cost what they did.
 */
#ifndef PROBE_HANDLERS_BUFFERS_H
#define PROBE_HANDLERS_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/handler.h>

#include "handlers/advice/advice.h"

enum { BUFFERS_OF_ACCESS = 4 };

/* Which allocations an access touched, as far as its first execution of each dispatch tells. */
struct buffer_use {
	uint32_t id[BUFFERS_OF_ACCESS]; /* of the allocations */
	uint8_t count;
	bool unknown;	   /* some were in none, or in too many */
	bool begun;	   /* `phase` is set */
	bool moves;	   /* not always at the same place in a line */
	uint8_t phase;	   /* the first lane's address modulo 128, of accesses at a stride */
	uint64_t dispatch; /* looked up last */
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

/* All accesses to a buffer, in lines of 128 bytes in the whole run. */
struct buffer_layout {
	unsigned others; /* accesses to the same allocations, besides this one */
	unsigned beside; /* of them, those whose lanes are side by side */
	unsigned vague;	 /* of them, those at no one stride: taken to cost what they do */
	double before;
	double split;	/* with an array for each member of structs as long as this one's stride */
	double shifted; /* with this access's first lane at the begin of a line */
};

struct buffer_site {
	struct advice_site site;
	const struct buffer_use *use;
	struct buffer_layout layout;
	bool known; /* `layout` is set: in which allocations it lies is known */
};

/* All accesses to global memory of a run, of all kernels. */
void buffers_find(struct buffer_site *sites, size_t count);

#endif
