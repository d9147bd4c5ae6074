/* SPDX-License-Identifier: MIT */
/* Advice on excess cache lines, and on atomic updates that contend for a word. */
#ifndef PROBE_HANDLERS_ADVICE_GLOBAL_ADVICE_H
#define PROBE_HANDLERS_ADVICE_GLOBAL_ADVICE_H

#include "handlers/advice/site_facts.h"

/* A site that touches more cache lines than needed. */
void advice_global(const struct facts *facts, struct advice *ret);

/*
 * Do lanes of an atomic operation that wait for others cost more than its excess cache lines, or
 * has it none?
 */
bool advice_waits_most(const struct facts *facts);
/* An atomic operation whose lanes may contend for a word. */
void advice_contended(const struct facts *facts, struct advice *ret);

#endif
