/* SPDX-License-Identifier: MIT */
#ifndef PROBE_HANDLERS_ADVICE_STRIDE_ADVICE_H
#define PROBE_HANDLERS_ADVICE_STRIDE_ADVICE_H

#include "handlers/advice/site_facts.h"

enum { ADVICE_STRUCT_MAX = 64 }; /* bytes; larger strides are taken for rows, not for structs */

bool advice_stride_is_real(const struct facts *facts);
/* For sites whose executions all have the same stride. */
void advice_stride(const struct facts *facts, struct advice *ret);

/*
 * Ends the fix with the largest number of cache lines of a wave at `stride`, over all positions of
 * its first lane.
 */
void advice_verify_lines(const struct facts *facts, int64_t stride, struct advice *ret);

/* For lanes at a stride of at most ADVICE_STRUCT_MAX: to give what they access an array of its own.
 */
void advice_say_arrays(const struct advice_site *site, int64_t stride, struct advice *ret);
/* Says of lanes at `stride` that accesses near this one use what it leaves, if they do. */
void advice_append_shared(const struct facts *facts, int64_t stride, struct advice *ret);

#endif
