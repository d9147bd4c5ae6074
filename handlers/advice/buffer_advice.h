/* SPDX-License-Identifier: MIT */
/* What a fix that moves data does to the other accesses to the buffer. */
#ifndef PROBE_HANDLERS_ADVICE_BUFFER_ADVICE_H
#define PROBE_HANDLERS_ADVICE_BUFFER_ADVICE_H

#include "handlers/advice/site_facts.h"

/*
 * Appends the effect of the fix, which moves data, on the other accesses to the buffer; withdraws
 * it if they may lose as much as this one gains. `fix` is its name, `when` what else is assumed.
 */
void advice_append_effect(const struct facts *facts, const char *fix, const char *when,
			  struct advice *ret);
/* The same for structs longer than those that are evaluated. */
void advice_append_unevaluated(const struct facts *facts, struct advice *ret);
/* Says that the fix is to change the index, not the buffer. */
void advice_warn_of_transposing(const struct facts *facts, struct advice *ret);

#endif
