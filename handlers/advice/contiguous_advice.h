/* SPDX-License-Identifier: MIT */
/* Advice on lanes that use neighbouring elements, which are misaligned or in part idle. */
#ifndef PROBE_HANDLERS_ADVICE_CONTIGUOUS_ADVICE_H
#define PROBE_HANDLERS_ADVICE_CONTIGUOUS_ADVICE_H

#include "handlers/advice/line_use.h"
#include "handlers/advice/site_facts.h"

/* For sites whose lanes are one element apart in all executions. */
void advice_contiguous(const struct facts *facts, struct advice *ret);

/*
 * For contiguous rows of several lanes of which a wave has several, one element apart in each: if
 * rows are whole cache lines, they cost too much only because they begin elsewhere. False if not.
 */
bool advice_misaligned_rows(const struct facts *facts, struct advice *ret);

/* That lanes are idle; `how`, in parentheses, says which. */
void advice_say_idle(const struct facts *facts, const char *how, struct advice *ret);

/* Appends the source lines of the accesses near this one, each once; with `use`, of those in it. */
void advice_append_near_lines(const struct advice_site *site, const struct line_use *use,
			      struct advice *ret);

#endif
