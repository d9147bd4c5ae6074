/* SPDX-License-Identifier: MIT */
/*
 * Which kernels of a code object run their clones, settled when it is loaded: find the clone of the
 * requested kind, apply the filters by name, compare the argument lists, find the sites. What
 * depends on a single dispatch is in launch_verdict.h.
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
	const struct probe_kernel *original; /* out: of a clone */
};

/* Sorts the rows by name. Fills kind, verdict, clone, plan and sites of their kernels. */
void probe_kernels_decide(const struct probe_config *config, const char *uri,
			  struct probe_kernel_row *rows, size_t count,
			  const struct probe_site_table *sites, const struct probe_image *image);

/* Kind and name of the original if `symbol` is "__probe_<kind>_<original>", else NULL. */
const char *probe_clone_of(const char *symbol, uint32_t *kind);

#endif
