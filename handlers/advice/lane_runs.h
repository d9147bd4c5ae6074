/* SPDX-License-Identifier: MIT */
/*
 * Runs of contiguous lanes that are apart from each other, as t % 20 makes of an id: the length of
 * a run, which need not divide a wave. 0 = there are none, or not all have one length.
 */
#ifndef PROBE_HANDLERS_ADVICE_LANE_RUNS_H
#define PROBE_HANDLERS_ADVICE_LANE_RUNS_H

#include <stdint.h>

#include "handlers/advice/site_facts.h"

/* By the compiler's proof. */
uint64_t runs_proved(const struct advice_site *site);
/* By recorded addresses, if those of all executions are known. */
uint64_t runs_recorded(const struct facts *facts);

#endif
