/* SPDX-License-Identifier: MIT */
#ifndef PROBE_HANDLERS_ADVICE_STRIDE_ADVICE_H
#define PROBE_HANDLERS_ADVICE_STRIDE_ADVICE_H

#include "handlers/advice/site_facts.h"

/* All executions at one and the same stride. */
void advice_stride(const struct facts *facts, struct advice *ret);

/* End the fix with the cache lines of `lanes` lanes at `stride`, the first at the start of a line.
 */
void advice_verify_lines(const struct facts *facts, int64_t stride, unsigned lanes,
			 struct advice *ret);

/*
 * For a fix that moves data to align it: append its effect on the other accesses to the buffer, or
 * withdraw it if they lose as much.
 */
void advice_append_shift_effect(const struct facts *facts, struct advice *ret);

#endif
