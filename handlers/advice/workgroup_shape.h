/* SPDX-License-Identifier: MIT */
/* Advice to launch workgroups of another shape. */
#ifndef PROBE_HANDLERS_ADVICE_WORKGROUP_SHAPE_H
#define PROBE_HANDLERS_ADVICE_WORKGROUP_SHAPE_H

#include "handlers/advice/advice.h"

/*
 * Has a launch, as far as is known, work-items for a wave in a row, and would all accesses together
 * gain by it?
 */
bool advice_may_widen(const struct advice_site *site);
/* Appends "make the workgroup wider", so that a wave holds one row, to the fix. */
void advice_say_wider(const struct advice_site *site, struct advice *ret);

#endif
