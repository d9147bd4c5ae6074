/* SPDX-License-Identifier: MIT */
/* Layouts tried on addresses that a handler has seen, counted by the same rules. */
#ifndef PROBE_HANDLERS_ADVICE_RECORDED_ADDRESSES_H
#define PROBE_HANDLERS_ADVICE_RECORDED_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "handlers/advice/advice.h"

enum {
	TRIAL_EXECUTIONS = 128,
};

/* The order of executions: dispatches, then waves in the order of their workgroups. */
struct trial_key {
	uint64_t dispatch, wave;
};

/*
 * Addresses of the first executions in the order of their keys, and of each wave in program order,
 * independent of the order of delivery. Zeroed before first use.
 */
struct trial {
	unsigned executions;
	bool lds;
	unsigned last; /* index of the last in order */
	uint32_t number;
	struct trial_key key[TRIAL_EXECUTIONS];
	uint32_t order[TRIAL_EXECUTIONS]; /* of arrival */
	uint32_t wave[TRIAL_EXECUTIONS];  /* inside the workgroup */
	uint64_t exec[TRIAL_EXECUTIONS];
	uint64_t addr[TRIAL_EXECUTIONS][64]; /* of active lanes */
};

/* Is an execution among the first `most` of those seen so far? */
static inline bool trial_wants(const struct trial *trial, unsigned most, struct trial_key key)
{
	const struct trial_key *last = &trial->key[trial->last];

	if (trial->executions < most)
		return true;
	return key.dispatch != last->dispatch ? key.dispatch < last->dispatch
					      : key.wave < last->wave;
}

struct trial_execution {
	struct trial_key key;
	bool lds;
	unsigned wave; /* index in the workgroup */
	uint64_t exec;
	const uint64_t *addr; /* by lane */
};

/* Keep an execution, instead of the last one if there are `most` already. */
void trial_add(struct trial *trial, unsigned most, const struct trial_execution *execution);

/* Index of the first in order; there must be one. */
unsigned trial_first(const struct trial *trial);

/* A new layout of LDS; the present one if all is 0. */
struct layout_move {
	unsigned row, pad; /* bytes: padding of rows; pad = 0: swizzle, exclusive-or with the row
			      number */
	unsigned element;  /* bytes */
	unsigned copies;   /* or: copies of each element side by side; lane l uses l % copies */
};

/* Conflicts of all executions kept in the new layout, with rows counted from `lowest`. */
uint64_t trial_move(const struct trial *trial, const struct advice_site *site, uint32_t lowest,
		    const struct layout_move *move, struct probe_lds_scratch *scratch);

/* Does every lane's access stay contiguous and as well aligned? Not for copies. */
bool trial_fits(const struct trial *trial, const struct advice_site *site, uint32_t lowest,
		const struct layout_move *move);

struct trial_copies {
	unsigned table, copies; /* bytes, number */
	unsigned share;		/* most lanes of an execution on one address */
	double before, after;	/* conflicts per execution */
};

/*
 * LDS: lane l uses copy l % copies of the table, the bytes from the lowest address recorded to the
 * highest; copies of an element side by side. The best of 2 to 32 copies that fit in 64 KiB. False
 * if there is nothing to try; copies = 0: they do not fit.
 */
bool trial_copies(const struct trial *trial, const struct advice_site *site,
		  struct probe_lds_scratch *scratch, struct trial_copies *ret);

/*
 * Global memory, or LDS: the stride of lanes in the same row of the workgroup, if all have one; 0 =
 * each row is at one address.
 */
bool trial_rows(const struct trial *trial, const struct advice_site *site, bool lds, int64_t *ret);

struct trial_sorting {
	bool risen;	      /* the addresses of every execution ascend from lane to lane */
	double before, after; /* lines per execution */
};

/*
 * Global memory: cache lines of 64 or 128 bytes, as they are, and with the addresses sorted that
 * all waves use in the same step: in their first executions, in their second, and so on. Addresses
 * of different steps are not sorted together: no order of the data could achieve that.
 */
bool trial_sorted(const struct trial *trial, const struct advice_site *site, unsigned line,
		  struct trial_sorting *ret);

#endif
