/* SPDX-License-Identifier: MIT */
#ifndef PROBE_HANDLERS_ADVICE_GLOBAL_ADVICE_H
#define PROBE_HANDLERS_ADVICE_GLOBAL_ADVICE_H

#include "handlers/advice/site_facts.h"

/* A site that touches more cache lines than needed. */
void advice_global(const struct facts *facts, struct advice *ret);

/* An atomic operation without excess cache lines, whose lanes may contend for a word. */
void advice_contended(const struct facts *facts, struct advice *ret);

#endif
