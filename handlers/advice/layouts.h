/* SPDX-License-Identifier: MIT */
/*
 * Would it be better laid out differently? Conflicts and lines of a proposed layout, counted by the
 * same rules as those of the layout as it is: from a stride (advice.c), or from addresses that a
 * handler has seen (struct trial).
 */
#ifndef PROBE_HANDLERS_LAYOUTS_H
#define PROBE_HANDLERS_LAYOUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "handlers/advice/advice.h"
#include <probe/rules/lds_model.h>

/* The one distance of all lanes in all executions; 0 = there is none. */
int64_t layout_stride(const struct advice_site *site);

/* Bytes that a lane's element takes in LDS: no padding makes it less than a dword. */
unsigned layout_element(const struct advice_site *site);

/* Conflicts of one full-wave access: rows of `row` lanes at `stride`, rows `shift` bytes apart. */
uint32_t layout_conflicts(const struct advice_site *site, int64_t stride, unsigned row,
			  uint32_t shift, struct probe_lds_scratch *scratch);

/*
 * Smallest padding, in elements, that leaves no conflict at the stride nor along the row; 0 if none
 * up to 8 does.
 */
unsigned layout_padding(const struct advice_site *site, int64_t stride, unsigned row,
			struct probe_lds_scratch *scratch);

/*
 * Elements of a row of `pitch` bytes if storing column c of row r in column c ^ r % elements leaves
 * no conflict, whichever column or row the wave takes; else 0.
 */
unsigned layout_swizzle(const struct advice_site *site, int64_t pitch, unsigned row,
			struct probe_lds_scratch *scratch);

/*
 * The same where the stride may be any multiple that has the same conflicts: what helps at each of
 * the first LAYOUT_MULTIPLES. The swizzle stores column c of row r in column c ^ r % elements.
 */
enum { LAYOUT_MULTIPLES = 8 };
unsigned layout_padding_any(const struct advice_site *site, int64_t stride, unsigned row,
			    struct probe_lds_scratch *scratch);
unsigned layout_swizzle_any(const struct advice_site *site, int64_t stride, unsigned row,
			    struct probe_lds_scratch *scratch);

/* Lines of `line` bytes (64 or 128) of one access by `lanes` lanes that begins at a line. */
uint32_t layout_lines(const struct advice_site *site, unsigned line, int64_t stride,
		      unsigned lanes);

/* ---- On addresses ---------------------------------------------------------------------------- */

enum {
	TRIAL_EXECUTIONS = 128,
	TRIAL_LAYOUTS = 14,
};

/* Whose execution: dispatches in their order, and waves in that of their workgroups. */
struct trial_key {
	uint64_t dispatch, wave;
};

/*
 * The first executions in the order of their keys, and in each wave's order, whatever the order of
 * delivery was; zeroed before first use.
 */
struct trial {
	unsigned executions;
	bool lds;
	unsigned last; /* which of them is the last one */
	uint32_t number;
	struct trial_key key[TRIAL_EXECUTIONS];
	uint32_t order[TRIAL_EXECUTIONS]; /* of arrival */
	uint32_t wave[TRIAL_EXECUTIONS];  /* inside the workgroup */
	uint64_t exec[TRIAL_EXECUTIONS];
	uint64_t addr[TRIAL_EXECUTIONS][64]; /* of active lanes */
};

/* Is an execution among the first `most`, at least of those seen by now? */
static inline bool trial_wants(const struct trial *trial, unsigned most, struct trial_key key)
{
	const struct trial_key *last = &trial->key[trial->last];

	if (trial->executions < most)
		return true;
	return key.dispatch != last->dispatch ? key.dispatch < last->dispatch
					      : key.wave < last->wave;
}

/* Keep an execution, in the place of the last one if there are `most`. */
void trial_add(struct trial *trial, unsigned most, bool lds, struct trial_key key, unsigned wave,
	       uint64_t exec, const uint64_t addr[64]);

/* Which of them comes first; there must be one. */
unsigned trial_first(const struct trial *trial);

/* Where LDS offsets go; nowhere if all is 0. */
struct layout_move {
	unsigned row, pad; /* bytes: rows are padded; pad = 0: elements moved by exclusive-or with
			      the row's number */
	unsigned element;  /* bytes */
	unsigned copies;   /* instead: of each element, side by side; lane l uses l % copies */
};

/* Conflicts of all executions kept, their addresses, counted from `lowest`, moved. */
uint64_t trial_move(const struct trial *trial, const struct advice_site *site, uint32_t lowest,
		    const struct layout_move *move, struct probe_lds_scratch *scratch);

/* Does every lane stay whole, and as well aligned? Not for copies. */
bool trial_fits(const struct trial *trial, const struct advice_site *site, uint32_t lowest,
		const struct layout_move *move);

struct trial_result {
	unsigned row, pad; /* bytes; pad = 0: the best is an exclusive-or with the row's number */
	double before, after; /* per execution */
};

/* LDS: the best of TRIAL_LAYOUTS paddings and swizzles. False if there is nothing to try. */
bool trial_layouts(const struct trial *trial, const struct advice_site *site,
		   struct probe_lds_scratch *scratch, struct trial_result *ret);

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

struct trial_words {
	int64_t apart; /* bytes from each row to the next one, in all executions; 0 = it varies */
	double lines;  /* that the word of one row is in, on average */
};

/* Rows that are at one address each, as trial_rows found. */
struct trial_words trial_words(const struct trial *trial, const struct advice_site *site,
			       unsigned line);

struct trial_sorting {
	bool risen;	      /* every execution's addresses rose from lane to lane as they came */
	double before, after; /* lines per execution */
};

/*
 * Global memory: lines of 64 or 128 bytes, as they came, and with the addresses sorted that all
 * waves use at the same step: in each one's first execution, in each one's second, and so on. What
 * a wave uses again at another step is not sorted together: no order of the data brings that about.
 */
bool trial_sorted(const struct trial *trial, const struct advice_site *site, unsigned line,
		  struct trial_sorting *ret);

#endif
