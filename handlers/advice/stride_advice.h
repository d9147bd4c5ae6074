/* SPDX-License-Identifier: MIT */
/* Advice on lanes at one constant stride, and fixes that other patterns have in common with it. */
#ifndef PROBE_HANDLERS_ADVICE_STRIDE_ADVICE_H
#define PROBE_HANDLERS_ADVICE_STRIDE_ADVICE_H

#include "handlers/advice/index_step.h"
#include "handlers/advice/site_facts.h"

/* Bytes; larger strides are those of structs only if no index has a smaller step. */
enum { ADVICE_STRUCT_MAX = 64 };

bool advice_stride_is_real(const struct facts *facts);
/* For sites whose executions all have the same stride. */
void advice_stride(const struct facts *facts, struct advice *ret);

/*
 * Ends the fix with the largest number of cache lines of a wave at `stride`, over all positions of
 * its first lane; false if it is withdrawn.
 */
bool advice_verify_lines(const struct facts *facts, int64_t stride, struct advice *ret);
/* The same for contiguous pieces, at the best position: for bytes, which fill less than a line. */
bool advice_estimate_lines(const struct facts *facts, struct advice *ret);

/*
 * For lanes that use structs of `stride` bytes: to give what they access an array of its own, or if
 * that takes several machine accesses, an array for each.
 */
void advice_say_arrays(const struct advice_site *site, int64_t stride, struct advice *ret);
/* Bytes of a lane in such an array. */
static inline unsigned advice_piece(const struct advice_site *site)
{
	return site->unit < site->bytes ? site->unit : site->bytes;
}

/*
 * The fix to swap indices, or if that would only move the cost, to stage a tile in LDS; with
 * `alternative`, that is an alternative to swapping.
 */
void advice_say_swap(const struct facts *facts, uint64_t stride, bool alternative,
		     struct advice *ret);
/* Bytes between lanes that use neighbouring elements. */
int64_t advice_step_apart(const struct advice_site *site, const struct index_step *step);
/* Cache lines of a wave if lanes in a row are at `stride`, with each row at any position. */
uint32_t advice_lines_of_rows(const struct facts *facts, int64_t stride);
/* The largest number of cache lines of a wave whose lanes all use neighbouring elements. */
double advice_lines_apart(const struct facts *facts, const struct index_step *step);
/*
 * Ends a fix that swaps indices with its result, `after` if the index has a value for each of
 * `lanes`: verified, or an estimate if that or the step is not certain. False if the fix is
 * withdrawn.
 */
bool advice_count_swap(const struct facts *facts, const struct index_step *step, unsigned lanes,
		       double after, struct advice *ret);
/* Continues such a fix: to give what lanes access of each element an array of its own, too. */
void advice_append_split(const struct facts *facts, const struct index_step *step,
			 struct advice *ret);

/* True if it is, or may be, a member of a struct; rows of matrices are arrays of short rows. */
bool advice_is_member(const struct advice_site *site);
/* Says of lanes at `stride` that accesses near this one use what it leaves, if they do. */
void advice_append_shared(const struct facts *facts, int64_t stride, struct advice *ret);

#endif
