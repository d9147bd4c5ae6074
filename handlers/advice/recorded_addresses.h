/* SPDX-License-Identifier: MIT */
/* Evaluates layouts on addresses that a handler has recorded, by the same rules as the counters. */
#ifndef PROBE_HANDLERS_ADVICE_RECORDED_ADDRESSES_H
#define PROBE_HANDLERS_ADVICE_RECORDED_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "handlers/advice/advice.h"
#include "handlers/advice/layouts.h"

enum {
	RECORDED_EXECUTIONS = 128,
};

/* The order of executions: dispatches, then waves in the order of their workgroups. */
struct recorded_key {
	uint64_t dispatch, wave;
};

/*
 * Addresses of the first executions in the order of their keys. Executions of a wave are in program
 * order, whatever the order of delivery. Zeroed before first use.
 */
struct recorded_addresses {
	unsigned executions;
	bool lds;
	unsigned last; /* index of the last one in order of keys */
	uint32_t number;
	struct recorded_key key[RECORDED_EXECUTIONS];
	uint32_t order[RECORDED_EXECUTIONS]; /* order of arrival */
	uint32_t wave[RECORDED_EXECUTIONS];  /* index in the workgroup */
	uint64_t exec[RECORDED_EXECUTIONS];
	uint64_t addr[RECORDED_EXECUTIONS][64]; /* addresses of active lanes */
};

/* True if an execution is among the first `most` of those seen so far. */
static inline bool recorded_wants(const struct recorded_addresses *recorded, unsigned most,
				  struct recorded_key key)
{
	const struct recorded_key *last = &recorded->key[recorded->last];

	if (recorded->executions < most)
		return true;
	return key.dispatch != last->dispatch ? key.dispatch < last->dispatch
					      : key.wave < last->wave;
}

struct recorded_execution {
	struct recorded_key key;
	bool lds;
	unsigned wave; /* index in the workgroup */
	uint64_t exec;
	const uint64_t *addr; /* by lane */
};

/* Keeps an execution; if there are `most` already, it replaces the last one. */
void recorded_add(struct recorded_addresses *recorded, unsigned most,
		  const struct recorded_execution *execution);

/* Index of the first in order of keys; there must be one. */
unsigned recorded_first(const struct recorded_addresses *recorded);
/*
 * True if all executions that cost too much were recorded, and none had an idle lane between active
 * ones.
 */
bool recorded_without_gaps(const struct recorded_addresses *recorded);

/* A new layout of LDS; the present one if all is 0. */
struct layout_move {
	unsigned row, pad; /* bytes: padding of rows; pad = 0: swizzle, exclusive-or with the row
			    * number */
	unsigned element;  /* bytes */
	unsigned copies; /* or copies of each element next to each other; lane l uses l % copies */
};

/* Conflicts of all kept executions in the new layout, with row 0 at `lowest`. */
uint64_t recorded_move(const struct recorded_addresses *recorded, const struct advice_site *site,
		       uint32_t lowest, const struct layout_move *move,
		       struct probe_lds_scratch *scratch);

/* True if every lane's access stays contiguous and as well aligned. Not for copies. */
bool recorded_fits(const struct recorded_addresses *recorded, const struct advice_site *site,
		   uint32_t lowest, const struct layout_move *move);

/* Conflicts of a kept execution of LDS, on average. */
double recorded_conflicts(const struct recorded_addresses *recorded, const struct advice_site *site,
			  struct probe_lds_scratch *scratch);

/*
 * LDS: are executions that were not recorded like those that were, as far as their conflicts show?
 * Only executions with conflicts are recorded, and a launch may have others at another distance.
 */
bool recorded_others_alike(const struct recorded_addresses *recorded,
			   const struct advice_site *site, struct probe_lds_scratch *scratch);

struct recorded_copies {
	struct layout_copies best;
	unsigned share; /* largest number of lanes of an execution on one address */
	double before;	/* conflicts per execution */
};

/*
 * LDS: lane l uses copy l % copies of the table, which extends from the lowest to the highest
 * recorded address; copies of an element are adjacent. Finds the best number of copies from 2 to 32
 * that fits in LDS. False if there is nothing to try; best.copies = 0 if they do not fit.
 */
bool recorded_copies(const struct recorded_addresses *recorded, const struct advice_site *site,
		     struct probe_lds_scratch *scratch, struct recorded_copies *ret);

/*
 * Global memory or LDS: the stride of lanes in the same row of the workgroup, if all have one; 0 =
 * each row accesses one address.
 */
bool recorded_rows(const struct recorded_addresses *recorded, const struct advice_site *site,
		   bool lds, int64_t *ret);

/*
 * The least distance of work-items of one wave that are neighbours along y, whichever way; false if
 * there are none.
 */
bool recorded_between_rows(const struct recorded_addresses *recorded,
			   const struct advice_site *site, uint64_t *ret);

struct recorded_sorting {
	bool risen; /* in every execution the addresses ascend from lane to lane */
	/* Cache lines of all kept executions; of those before, more than could hold the data. */
	uint64_t before, after, excess;
};

/*
 * Global memory: cache lines of 64 or 128 bytes, first unchanged, then with sorted addresses. The
 * addresses that all waves use in the same step are sorted together: those of their first
 * executions, of their second, and so on. Addresses of different steps are not mixed, because no
 * order of the data could do that.
 */
bool recorded_sorted(const struct recorded_addresses *recorded, const struct advice_site *site,
		     unsigned line, struct recorded_sorting *ret);

#endif
