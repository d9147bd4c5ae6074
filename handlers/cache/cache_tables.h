/* SPDX-License-Identifier: MIT */
/* State of the handler `cache` per site and GPU, and the tables it writes. */
#ifndef PROBE_HANDLERS_CACHE_CACHE_TABLES_H
#define PROBE_HANDLERS_CACHE_CACHE_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/handler.h>

#include "handlers/cache/touched_lines.h"
#include "handlers/cache/lru.h"
#include "handlers/cache/reuse_distance.h"
#include "handlers/common/site_table.h"

enum { CACHE_UNITS = 256, CACHE_BUCKETS = 34 };

struct cache_site {
	struct site_facts facts;
	uint64_t executions, l1_accesses, l1_hits, l2_accesses, l2_hits;
	/* Estimated from the sampled lines, weighted by 1 / rate. */
	uint64_t first;
	uint64_t distances[CACHE_BUCKETS]; /* 0: distance 0; n: 2^(n-1) to 2^n - 1 */
	uint64_t sampled;		   /* touches of sampled lines */
	unsigned thin;			   /* the lowest rate was 2^-thin */
};

struct agent {
	uint32_t id;
	struct lru l1[CACHE_UNITS];	/* allocated on first use */
	uint64_t dispatch[CACHE_UNITS]; /* the last dispatch that used each L1 */
	struct lru l2;
	struct reuse reuse;
};

struct cache {
	struct sites sites;
	struct lru_shape l1, l2;
	uint64_t with_reuse, followed;
	const char *arch; /* name of the row of archs[] */
	struct agent **agents;
	size_t agent_count;
	struct touched_lines lines;
	bool no_memory;
};

/* Write tables model_site, model_reuse and model_shape; 0 or -errno. */
int cache_rows_write(const struct cache *cache);

#endif
