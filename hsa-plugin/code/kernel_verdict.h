/* SPDX-License-Identifier: MIT */
/*
 * Decides which kernels of a code object run their clones, when the code object is loaded. It finds
 * the clone of the requested kind, applies the filters by name, compares the argument lists and
 * finds the sites. launch_verdict.h decides what depends on a single dispatch.
 */
#ifndef PROBE_HSA_PLUGIN_CODE_KERNEL_VERDICT_H
#define PROBE_HSA_PLUGIN_CODE_KERNEL_VERDICT_H

#include <stddef.h>

#include "hsa-plugin/code/code_image.h"
#include "hsa-plugin/code/filters.h"
#include "hsa-plugin/code/kernel_table.h"
#include "hsa-plugin/code/metadata.h"
#include "hsa-plugin/code/site_range.h"

struct probe_kernel_row {
	const struct probe_kernel_meta *meta;
	struct probe_kernel *kernel;
	const struct probe_kernel *original; /* out: the original of a clone */
};

/* Sorts the rows by name and fills kind, verdict, clone, plan and sites of their kernels. */
void probe_kernels_decide(const struct probe_config *config, const char *uri,
			  struct probe_kernel_row *rows, size_t count,
			  const struct probe_site_table *sites, const struct probe_image *image);

/*
 * Returns the original's name and sets *kind if `symbol` is "__probe_<kind>_<original>"; else NULL.
 */
const char *probe_clone_of(const char *symbol, uint32_t *kind);

#endif
