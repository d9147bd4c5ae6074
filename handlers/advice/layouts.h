/* SPDX-License-Identifier: MIT */
/*
 * Conflicts and cache lines of a proposed layout, for lanes at a stride, counted by the same rules
 * as those of the present layout.
 */
#ifndef PROBE_HANDLERS_LAYOUTS_H
#define PROBE_HANDLERS_LAYOUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "handlers/advice/advice.h"
#include <probe/rules/lds_model.h>

/* The stride of all executions; 0 = they have no common one. */
int64_t layout_stride(const struct advice_site *site);

/* Bytes of the element of a lane, at least a dword, since padding is in dwords. */
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

/* Cache lines of `line` bytes (64 or 128) of an access by `lanes` lanes from the start of a line.
 */
uint32_t layout_lines(const struct advice_site *site, unsigned line, int64_t stride,
		      unsigned lanes);

/* Conflicts of one access, all its machine accesses, at addr[l] for each lane l of exec. */
uint32_t layout_conflicts_at(const struct advice_site *site, uint64_t exec, const uint32_t addr[64],
			     struct probe_lds_scratch *scratch);

#endif
