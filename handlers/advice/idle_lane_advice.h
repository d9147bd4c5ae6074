/* SPDX-License-Identifier: MIT */
#ifndef PROBE_HANDLERS_ADVICE_IDLE_LANE_ADVICE_H
#define PROBE_HANDLERS_ADVICE_IDLE_LANE_ADVICE_H

#include "handlers/advice/site_facts.h"

/* Are so many lanes idle that they may be the cause of the excess cache lines? */
bool advice_is_sparse(const struct facts *facts);
void advice_sparse(const struct facts *facts, struct advice *ret);

#endif
