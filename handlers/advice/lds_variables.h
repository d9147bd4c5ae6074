/* SPDX-License-Identifier: MIT */
/*
 * One layout for all accesses to a variable in LDS, from the distances of lanes that are proved or
 * were counted. It needs no recorded addresses, so it also serves runs with counters only.
 */
#ifndef PROBE_HANDLERS_ADVICE_LDS_VARIABLES_H
#define PROBE_HANDLERS_ADVICE_LDS_VARIABLES_H

#include "handlers/advice/lds_arrays.h"

/*
 * Sets the layout of accesses whose variable has several. If a layout cannot be found, it says only
 * how many of them were not evaluated.
 */
void lds_variables_find(struct array_site *sites, size_t count, struct probe_lds_scratch *scratch);

#endif
