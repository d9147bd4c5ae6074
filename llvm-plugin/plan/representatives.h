/* SPDX-License-Identifier: MIT */
/*
 * Measured sites that are counted with another one of their block, the representative: the distance
 * of the two addresses is uniform, so their costs often are equal. Which rows an execution is
 * counted in is known when the kernel is compiled if the distance moves all lanes on by cache lines
 * of 128 bytes, or in LDS by whole banks. Otherwise the representative's execution tests whether it
 * does, or leaves every access in its line of 64; if not, the site measures itself.
 *
 * Example: a[i] is at table + 8 * t, a[i + n] at 8 * n behind it. If n is a multiple of 16, both
 * touch as many lines.
 */
#ifndef PROBE_LLVM_PLUGIN_PLAN_REPRESENTATIVES_H
#define PROBE_LLVM_PLUGIN_PLAN_REPRESENTATIVES_H

#include <stdint.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/analysis/analysis.h"

struct group_plan;

enum { DISTANCE_TESTS = 8 };

struct representative {
	uint32_t unit; /* bytes of its machine accesses, and of the sites it tests */
	unsigned tests;
	struct distance_test {
		uint32_t sites; /* counted if this holds: bit n = the n-th behind */
		struct analysis_difference apart;
		LLVMValueRef distance;
	} test[DISTANCE_TESTS];
	LLVMValueRef counted; /* the sites that were */
};

/* Of the plan's measured sites; `flow` is of the function that has them. */
void plan_find_representatives(struct group_plan *plan, const struct analysis *flow);

#endif
