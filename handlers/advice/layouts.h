/* SPDX-License-Identifier: MIT */
/*
 * Conflicts and cache lines of proposed layouts, counted by the same rules as those of the present
 * one. If the result depends on where an array begins, all positions are counted and the worst is
 * used.
 */
#ifndef PROBE_HANDLERS_LAYOUTS_H
#define PROBE_HANDLERS_LAYOUTS_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/rules/lds_model.h>

#include "handlers/advice/advice.h"
#include "handlers/advice/lane_offsets.h"

/* The common stride of all executions; 0 = none. */
int64_t layout_stride(const struct advice_site *site);

/* Bytes of a lane's element, at least a dword, because banks consist of dwords. */
unsigned layout_element(const struct advice_site *site);

/* Conflicts of one access by a full wave at `stride`. */
uint32_t layout_conflicts(const struct advice_site *site, int64_t stride,
			  struct probe_lds_scratch *scratch);

/* How a machine access of the site uses the banks of LDS. */
struct probe_lds_rule layout_lds_rule(const struct advice_site *site);

/* Conflicts of one access, over all its machine accesses, at addr[l] for each lane l of exec. */
uint32_t layout_conflicts_at(const struct advice_site *site, uint64_t exec, const uint32_t addr[64],
			     struct probe_lds_scratch *scratch);

/* What a pass stores or reads at most: a dword in each bank. */
enum { LDS_PASS_BYTES = 128 };

/* ---- Space in LDS --------------------------------------------------------------------------- */

/*
 * Whether the workgroup's LDS has space for `pad` more bytes in each row of an array. POSSIBLE: it
 * depends on the size of the array, which is not known.
 */
enum layout_space { LAYOUT_NO_SPACE, LAYOUT_SPACE_POSSIBLE, LAYOUT_SPACE };
enum layout_space layout_space(const struct advice_site *site, unsigned row, unsigned pad);

/*
 * Copies of a table of `table` bytes. An execution has `after` conflicts with that many; setting
 * the further ones to 0 and reading them again costs each workgroup passes, `cost` per execution of
 * any access at its source position.
 */
struct layout_copies {
	uint64_t table;
	unsigned copies; /* 0 = none found yet */
	double after, cost;
};

/* Is there space for that many instead of one, if the table is not larger? */
bool layout_copies_fit(const struct advice_site *site, uint64_t table, unsigned copies);
/* Keeps that number of copies if it costs less in all than what was kept before. */
void layout_copies_try(const struct advice_site *site, unsigned copies, double after,
		       struct layout_copies *best);

/* ---- Rows as declared ----------------------------------------------------------------------- */

/*
 * What rows, and paddings of rows, must be multiples of: as well aligned as the compiler knew, if
 * the rows were declared.
 */
unsigned layout_align(const struct advice_site *site);
/*
 * The least multiple of `bytes` that is whole elements, as declared, if rows of that size are; at
 * most PROBE_LDS_MOST.
 */
unsigned layout_whole(const struct advice_site *site, unsigned row, unsigned bytes);

/* ---- Rows in LDS ---------------------------------------------------------------------------- */

/*
 * Rows of `row` bytes with `pad` bytes after each, or swizzled: column c of row r in column c ^ r %
 * columns. Swizzles over more columns than all banks hold need not be counted, because they are
 * equivalent.
 */
struct row_layout {
	unsigned row, pad;
	unsigned columns, element; /* pad = 0 */
};

/* Sets `columns` for rows of that size; false if rows of such elements cannot be swizzled. */
bool layout_swizzle_columns(struct row_layout *layout);

/*
 * Are columns of `element` bytes made of whole elements of the source, as far as known, and is the
 * access to no more than one? A compiler that merged several of them may not do so after a swizzle.
 */
bool layout_has_columns(const struct advice_site *site, unsigned element);

/*
 * Does the access index rows as declared, with all lanes active? Then no lane is beyond the end of
 * a row, wherever the first one is.
 */
bool layout_in_rows(const struct advice_site *site);

/* One full wave at a stride. */
void layout_of_stride(const struct advice_site *site, int64_t stride, struct lane_offsets *ret);

/*
 * Conflicts of any wave over all positions of the array; `most` is UINT32_MAX if elements would be
 * split.
 */
struct conflict_range {
	uint32_t least, most;
};
struct conflict_range layout_range(const struct advice_site *site, const struct lane_offsets *lanes,
				   const struct row_layout *layout,
				   struct probe_lds_scratch *scratch);
/* The most. */
uint32_t layout_worst(const struct advice_site *site, const struct lane_offsets *lanes,
		      const struct row_layout *layout, struct probe_lds_scratch *scratch);

enum {
	LAYOUT_ROWS = 8,
	LAYOUT_ROW_LONGEST = 8192,
	LAYOUT_PADS = 8, /* paddings of a row that are tried */
};

/* Lengths in bytes that rows of an array may have. */
struct row_candidates {
	unsigned rows[LAYOUT_ROWS], count;
};
/* Adds a distance of lanes of at least two elements, or instead the row that was declared. */
void row_candidates_add(struct row_candidates *candidates, const struct advice_site *site,
			int64_t stride);

/* Layouts for an access, whose rows may have each of those lengths. */
struct layout_search {
	const struct advice_site *site;
	const struct lane_offsets *lanes;
	const struct row_candidates *rows;
	struct probe_lds_scratch *scratch;
};

/*
 * The smallest padding without conflicts, or if there is none, the one with the fewest conflicts;
 * and the same for swizzles. False if none fits.
 */
bool layout_best_padding(const struct layout_search *search, struct row_layout *ret,
			 uint32_t *ret_worst);
bool layout_best_swizzle(const struct layout_search *search, struct row_layout *ret,
			 uint32_t *ret_worst);

/* ---- Cache lines ---------------------------------------------------------------------------- */

/* Cache lines of `line` bytes (64 or 128) touched by `lanes` lanes from the start of a line. */
uint32_t layout_lines(const struct advice_site *site, unsigned line, int64_t stride,
		      unsigned lanes);
/* The same, in the worst case over all positions in a line. */
uint32_t layout_lines_most(const struct advice_site *site, unsigned line, int64_t stride,
			   unsigned lanes);

#endif
