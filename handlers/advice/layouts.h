/* SPDX-License-Identifier: MIT */
/*
 * Conflicts and cache lines of proposed layouts, counted by the same rules as those of the present
 * one. What depends on where an array begins is counted for every place, and the worst is taken.
 */
#ifndef PROBE_HANDLERS_LAYOUTS_H
#define PROBE_HANDLERS_LAYOUTS_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/rules/lds_model.h>

#include "handlers/advice/advice.h"
#include "handlers/advice/lane_offsets.h"

/* The stride of all executions; 0 = they have no common one. */
int64_t layout_stride(const struct advice_site *site);

/* Bytes of the element of a lane, at least a dword, since banks are of dwords. */
unsigned layout_element(const struct advice_site *site);

/* Conflicts of one full-wave access at `stride`. */
uint32_t layout_conflicts(const struct advice_site *site, int64_t stride,
			  struct probe_lds_scratch *scratch);

/* Conflicts of one access, all its machine accesses, at addr[l] for each lane l of exec. */
uint32_t layout_conflicts_at(const struct advice_site *site, uint64_t exec, const uint32_t addr[64],
			     struct probe_lds_scratch *scratch);

/* ---- Rows in LDS ---------------------------------------------------------------------------- */

/*
 * Rows of `row` bytes: `pad` bytes after each, or column c of row r in column c ^ r % columns. More
 * columns than all banks hold need not be counted: any power of two from there on is as good.
 */
struct row_layout {
	unsigned row, pad;
	unsigned columns, element; /* pad = 0 */
};

/* One wave of full lanes at a stride. */
void layout_of_stride(const struct advice_site *site, int64_t stride, struct lane_offsets *ret);

/* The most conflicts of any wave, wherever the array begins; UINT32_MAX: elements would be cut. */
uint32_t layout_worst(const struct advice_site *site, const struct lane_offsets *lanes,
		      const struct row_layout *layout, struct probe_lds_scratch *scratch);

/*
 * The smallest padding that leaves no conflicts, or if none does the one with the fewest; and the
 * same of swizzles. Rows are those of the candidates. False: none fits.
 */
bool layout_best_padding(const struct advice_site *site, const struct lane_offsets *lanes,
			 const unsigned *rows, unsigned count, struct row_layout *ret,
			 uint32_t *ret_worst, struct probe_lds_scratch *scratch);
bool layout_best_swizzle(const struct advice_site *site, const struct lane_offsets *lanes,
			 const unsigned *rows, unsigned count, struct row_layout *ret,
			 uint32_t *ret_worst, struct probe_lds_scratch *scratch);

/* ---- Cache lines ---------------------------------------------------------------------------- */

/* Of `line` bytes (64 or 128), of an access by `lanes` lanes from the start of a line. */
uint32_t layout_lines(const struct advice_site *site, unsigned line, int64_t stride,
		      unsigned lanes);
/* The same, wherever in a line they begin. */
uint32_t layout_lines_most(const struct advice_site *site, unsigned line, int64_t stride,
			   unsigned lanes);

#endif
