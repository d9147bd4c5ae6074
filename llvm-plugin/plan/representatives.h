/* SPDX-License-Identifier: MIT */
/*
 * Measured sites that are counted together with another site of their block, the representative.
 * The distance of the two addresses is uniform, so that their costs are often equal. At compile
 * time this is proved if the distance is a multiple of 128 bytes, or in LDS of all banks. Otherwise
 * the representative's execution tests at run time whether the distance is such a multiple, or
 * keeps every access within its 64 B line. If not, the site is measured itself.
 *
 * Example: a[i] is at table + 8 * t, and a[i + n] is 8 * n bytes further. If n is a multiple of 16,
 * both touch the same number of lines.
 */
#ifndef PROBE_LLVM_PLUGIN_PLAN_REPRESENTATIVES_H
#define PROBE_LLVM_PLUGIN_PLAN_REPRESENTATIVES_H

#include <stdint.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/analysis/analysis.h"

struct group_plan;

enum { DISTANCE_TESTS = 8 };

struct representative {
	uint32_t unit; /* bytes of a machine access, the same in the sites that it tests */
	unsigned tests;
	struct distance_test {
		uint32_t sites; /* sites counted if the test succeeds: bit n = the n-th site after
				   it */
		struct analysis_difference difference;
		LLVMValueRef distance;
	} test[DISTANCE_TESTS];
	LLVMValueRef counted; /* mask of the sites that were counted */
};

/*
 * Finds representatives among the plan's measured sites; `flow` is the analysis of their function.
 */
void plan_find_representatives(struct group_plan *plan, const struct analysis *flow);

#endif
