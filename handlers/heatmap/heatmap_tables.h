/* SPDX-License-Identifier: MIT */
/* State of the handler `heatmap` per page and allocation, and the tables it writes. */
#ifndef PROBE_HANDLERS_HEATMAP_HEATMAP_TABLES_H
#define PROBE_HANDLERS_HEATMAP_HEATMAP_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/handler.h>

#include "handlers/heatmap/heatmap_lds.h"
#include "handlers/common/site_table.h"

#define PAGE_SHIFT   12
#define PAGE_BYTES   (1u << PAGE_SHIFT)
#define REGION_SHIFT 21
#define REGION_PAGES (1u << (REGION_SHIFT - PAGE_SHIFT))
#define LINE_SHIFT   6		/* 64 lines in a page: a bit each */
#define NEAR_REGIONS (1u << 15) /* 64 GiB around the first region */

/* Occupies one cache line of the host; all 0 = never touched. */
struct page {
	uint64_t lines;
	uint64_t count[KINDS];
	uint64_t bytes[KINDS];
	uint32_t owner; /* allocation of the first byte touched: index of owners + 1 */
	uint32_t epoch; /* of the dispatch for which `owner` was looked up */
};
_Static_assert(sizeof(struct page) == 64, "one line");

/*
 * Recent accesses to a page, in a quarter of a cache line: those of one dispatch with one size.
 * They are added to the page when different ones follow.
 */
struct recent {
	uint64_t lines;
	uint16_t lanes[KINDS];
	uint16_t key; /* identifies the dispatch and log2 of the bytes; 0 = none */
};
_Static_assert(sizeof(struct recent) == 16, "");

struct region {
	uint64_t number;    /* address >> REGION_SHIFT */
	struct page *pages; /* REGION_PAGES, in `memory` */
	struct recent *recent;
	void *memory;
};

/* An allocation with accesses; owners[0] collects accesses outside of any. */
struct owner {
	const struct probe_allocation_info *info;
	uint64_t pages;
	uint64_t count[KINDS];
	uint64_t bytes[KINDS];
};

struct heatmap {
	struct sites sites;
	struct region *regions; /* open addressing; an entry without pages is free */
	size_t count, size;
	struct region *last;
	/* By number of the region, from near_base on, for most of them: found without a search. */
	struct recent **near;
	uint64_t near_base;
	uint32_t epoch; /* changes with the dispatch */
	struct owner *owners;
	size_t owner_count, owner_capacity;
	uint32_t *owner_of; /* by id of the allocation */
	size_t owner_of_capacity;
	const struct probe_dispatch_info *dispatch;
	uint64_t dispatch_id;
	uint64_t keep; /* maximum number of rows of table page */
	bool no_memory;
};

/* Writes tables region, page and allocation; 0 or -errno. */
int heatmap_rows_write(const struct heatmap *heatmap);

#endif
