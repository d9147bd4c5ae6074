/* SPDX-License-Identifier: MIT */
/*
 * Turns the counters of a site into a cause, one sentence on why it costs more than needed, and a
 * fix, one sentence on what to change. A site that costs no more than needed (also a broadcast) has
 * neither.
 *
 * The proposed layout is counted by the same rules, and the fix ends in the result: "verified: 0
 * conflicts after, 62 before (per execution)". "Verified" is used only if the result follows from
 * addresses that are known, proved or recorded. If it depends on an unknown position in memory, the
 * worst case is stated ("at most"). Any other result is an "estimate", which names its assumptions.
 * If nothing can be computed, there is a cause without a fix.
 */
#ifndef PROBE_HANDLERS_ADVICE_H
#define PROBE_HANDLERS_ADVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/wire.h>

#define ADVICE_MAX 512

struct recorded_addresses;
struct probe_site_info;
struct probe_site_term;
struct array_layout;
struct buffer_layout;
struct compared_accesses;

/* An access of a block that has others at constant distances. */
struct advice_near {
	int32_t distance; /* from the first one of the block */
	uint32_t bytes, line, column;
};

struct advice_site {
	const char *arch;
	const uint64_t *counters; /* PROBE_COUNTERS words */
	enum probe_access_kind access;
	enum probe_space space;
	unsigned bytes, unit;			   /* per lane; per machine access */
	uint16_t variable;			   /* in LDS: its number; 0 = unknown */
	uint32_t declared_row, declared_element;   /* bytes, of that variable; 0 = unknown */
	unsigned wave;				   /* lanes per wave */
	const struct recorded_addresses *recorded; /* costly executions; NULL = none */
	/* Work-items of a workgroup in x, and in total; 0 = differs between dispatches. */
	unsigned row, items;
	uint32_t group[3], grid[3]; /* the same by axis; 0 = differs between dispatches */
	uint32_t lds_bytes;	    /* of a workgroup, the most of any launch; 0 = unknown */
	uint64_t workgroups;	    /* of all launches of this shape */
	const struct probe_site_info *info;  /* NULL = none */
	const struct probe_site_term *terms; /* of its address */
	unsigned term_count;		     /* 0 = unknown */
	/* In how many launch shapes of its kernel the access was executed; 0 = unknown. */
	unsigned launches;
	bool fixed_shape; /* the kernel works for one shape of its workgroups only */
	bool turns_tiles; /* rows of x in LDS are columns: rows of y become as short as x is long */
	/* Accesses of the same block at a constant distance, this one included. */
	const struct advice_near *near;
	unsigned near_count;
	int32_t near_distance; /* of this one from the first one of the block */
	/*
	 * Atomic updates of global memory: lanes that wait for a lane before them, because both
	 * update the same word. Known from all addresses only.
	 */
	bool waiting_known;
	uint64_t waiting;
	unsigned copies;	   /* other accesses at its source position, in other blocks */
	unsigned strides;	   /* copies whose lanes are another distance apart */
	uint64_t place_executions; /* of all accesses at its source position */
	const struct compared_accesses *others; /* all of the kernel; NULL = unknown */
	const struct array_layout *array;   /* an array in LDS shared by several accesses; NULL =
					     * none */
	const struct buffer_layout *buffer; /* the allocation; NULL = unknown */
};

/* From the access of `site` to the one near it. */
static inline int64_t advice_distance(const struct advice_site *site,
				      const struct advice_near *near)
{
	return (int64_t)near->distance - site->near_distance;
}

/* A stride from its counter: hostile ones are limited, so that a wave's lanes stay in 64 bits. */
static inline int64_t advice_read_stride(uint64_t stride)
{
	const int64_t most = 1ll << 56, read = (int64_t)stride;

	return read > most ? most : read < -most ? -most : read;
}

struct probe_lds_scratch;

struct advice {
	char cause[ADVICE_MAX], fix[ADVICE_MAX]; /* both "" if nothing is wrong */
	bool verified;
	bool others_move; /* the fix changes which lanes make other accesses of the kernel */
	/* "conflicts", "cache lines of 64 B", "cache lines of 128 B", "updates of the word",
	 * "updates" */
	const char *what;
	/* Their number per execution, without and with the fix; estimates if not verified. */
	double before, after;
};

/* Bytes of 128 of a cache line that are used (line_use.h); 0 = unknown. */
double advice_line_used(const struct advice_site *site, bool with_near);

/* Does the access show that its kernel works for one shape of workgroups only? */
bool advice_fixes_shape(const struct advice_site *site);
/* Does it go down the columns of a tile in LDS along x, and along its rows with y? */
bool advice_turns_tile(const struct advice_site *site);

void advice_find(const struct advice_site *site, struct probe_lds_scratch *scratch,
		 struct advice *ret);

#endif
