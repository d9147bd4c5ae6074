/* SPDX-License-Identifier: MIT */
/* LDS dwords per bank and kernel, for the handler heatmap. */
#ifndef PROBE_HANDLERS_HEATMAP_LDS_H
#define PROBE_HANDLERS_HEATMAP_LDS_H

#include <stdbool.h>
#include <stdint.h>

#include "handlers/common/site_table.h"

enum { HEATMAP_BANKS_MAX = 64 };
enum heatmap_kinds { READS, WRITES, ATOMICS, KINDS };

/* Per kernel: sites_kernel.extra. */
struct heatmap_banks {
	uint32_t count; /* 0 = no LDS access yet */
	uint64_t dwords[KINDS][HEATMAP_BANKS_MAX];
};

static inline enum heatmap_kinds heatmap_kind(const struct site_facts *facts)
{
	return facts->access == PROBE_ACCESS_LOAD    ? READS
	       : facts->access == PROBE_ACCESS_STORE ? WRITES
						     : ATOMICS;
}

/* Counts lane by lane. */
void heatmap_lds(const struct sites_kernel *kernel, const struct site_facts *facts,
		 const uint64_t *addr, unsigned count);
/*
 * Closed form: a full wave at a constant stride visits banks in a cycle, each equally often. False
 * if it does not apply; then use heatmap_lds().
 */
bool heatmap_lds_run(const struct sites_kernel *kernel, const struct site_facts *facts,
		     const struct probe_access *access);
/* Writes table probe_heatmap_lds; 0 or -errno. */
int heatmap_lds_write(const struct sites *sites);

#endif
