/* SPDX-License-Identifier: MIT */
/* State of the handler `memory` per kernel and site, and the table it writes. */
#ifndef PROBE_HANDLERS_MEMORY_MEMORY_TABLES_H
#define PROBE_HANDLERS_MEMORY_MEMORY_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/handler.h>
#include <probe/rules/access_cost.h>

#include "handlers/advice/lds_arrays.h"
#include "handlers/advice/buffers.h"
#include "handlers/advice/recorded_addresses.h"
#include "handlers/common/site_table.h"
#include "handlers/memory/near_accesses.h"

/* The last affine execution of a site: only its base modulo PERIOD matters. */
struct memory_last {
	uint64_t exec;
	int64_t stride;
	uint32_t base; /* modulo PERIOD */
	bool valid;
	uint64_t repeats; /* equal executions that are not added yet */
	struct probe_access_cost cost;
};

struct memory_site {
	struct site_facts facts;
	uint64_t counters[PROBE_COUNTERS];
	/*
	 * Sums over sampled executions, kept apart until add_sample() extrapolates them;
	 * [PROBE_C_MEASURED] = number of executions measured. NULL = none.
	 */
	uint64_t *sample;
	struct memory_last last;
	struct probe_lds_rule rule;
	uint16_t units;
	uint32_t natural;		     /* natural alignment of a unit, minus 1 */
	struct recorded_addresses *recorded; /* executions that cost too much, on which layouts are
					      * evaluated; or NULL */
	/* For LDS, from recorded addresses: */
	struct recorded_addresses *good; /* executions without conflicts; or NULL */
	uint64_t costly;		 /* executions with conflicts */
	struct array_range range;
	struct buffer_use use; /* for global memory, from recorded addresses */
	bool traced;	       /* addresses were recorded */
	uint64_t waiting;      /* see struct advice_site */
};

struct memory_kernel {
	const struct probe_lds_model *model;
	uint32_t row, items;	    /* workgroup size in x, and in total; 0 = varies */
	uint32_t group[3], grid[3]; /* 0 = varies */
	uint32_t lds_bytes;	    /* the most of any dispatch; 0 = unknown */
	uint64_t workgroups;	    /* of all dispatches that have ended */
	bool fixed_shape, turns_tiles; /* see struct advice_site */
	/* Its accesses to LDS: part of the list of all its kernel's shapes, which the first has. */
	struct array_site *lds;
	size_t lds_count;
	struct near_accesses near;
};

struct memory {
	struct sites sites;
	unsigned recorded_count; /* allocated so far */
	struct probe_cache_lines_scratch lines;
	struct probe_lds_scratch lds;
	uint64_t addr[64];
	uint32_t addr32[64];
};

static inline struct memory_site *memory_site_of(const struct sites_kernel *kernel, uint32_t id)
{
	return sites_at(kernel, id);
}

/* Writes table probe_memory_site; 0 or -errno. */
int memory_rows_write(struct memory *memory);

#endif
