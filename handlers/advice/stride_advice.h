/* SPDX-License-Identifier: MIT */
#ifndef PROBE_HANDLERS_ADVICE_STRIDE_ADVICE_H
#define PROBE_HANDLERS_ADVICE_STRIDE_ADVICE_H

#include "handlers/advice/site_facts.h"

bool advice_stride_is_real(const struct facts *facts);
/* All executions at one and the same stride. */
void advice_stride(const struct facts *facts, struct advice *ret);

/* End the fix with the most cache lines of a wave at `stride`, wherever its first lane is. */
void advice_verify_lines(const struct facts *facts, int64_t stride, struct advice *ret);

#endif
