/* SPDX-License-Identifier: MIT */
/*
 * What becomes of the dispatches of each kernel of a code object, settled when it is loaded: find
 * the clone for the wanted kind, ask the name filters, compare the argument lists, note the sites.
 */
#ifndef PROBE_HSA_DECIDE_H
#define PROBE_HSA_DECIDE_H

#include <stddef.h>

#include "hsa-plugin/code_image.h"
#include "hsa-plugin/filters.h"
#include "hsa-plugin/kernel_table.h"
#include "hsa-plugin/metadata.h"
#include "hsa-plugin/site_range.h"

struct probe_decide_row {
	const struct probe_kernel_meta *meta;
	struct probe_kernel *kernel;
	const struct probe_kernel *original; /* out: of a clone, whose it is */
};

/* Sorts the rows by name. Fills kind, verdict, clone, plan and sites of their kernels. */
void probe_decide(const struct probe_config *config, const char *uri, struct probe_decide_row *rows,
		  size_t count, const struct probe_site_table *sites,
		  const struct probe_image *image);

/* Kind and name of the original if `symbol` is "__probe_<kind>_<original>", else NULL. */
const char *probe_clone_of(const char *symbol, uint32_t *kind);

#endif
