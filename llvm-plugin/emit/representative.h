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
#ifndef PROBE_LLVM_PLUGIN_EMIT_REPRESENTATIVE_H
#define PROBE_LLVM_PLUGIN_EMIT_REPRESENTATIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/analysis/analysis.h"
#include "llvm-plugin/emit/inline_asm.h"

struct access_site;
struct analysis;
struct asm_block;
struct group_plan;

enum { DISTANCE_TESTS = 8 };

struct representative {
	const struct access_site *site;
	LLVMBuilderRef builder;
	unsigned tests;
	struct distance_test {
		uint32_t sites; /* counted if this holds: bit n = the n-th behind */
		struct analysis_difference apart;
		LLVMValueRef distance;
	} test[DISTANCE_TESTS];
	LLVMValueRef counted; /* the sites that were */
};

/* What is measured of a site: nothing if it is counted in a group, or always with another one. */
struct measured_site {
	bool is;
	uint32_t also;			       /* sites always counted with it, as above */
	struct representative *representative; /* of sites behind it that are tested; NULL */
	unsigned behind; /* so many sites behind its representative; 0 = it has none */
};

/* Of each site of the plan; `flow` is of the function that has them. NULL: no representatives. */
struct measured_site *measured_sites_find(const struct group_plan *plan,
					  const struct analysis *flow);
void measured_sites_destroy(struct measured_site *measured, const struct group_plan *plan);

/*
 * Code where the builder is: the scalar register `counted` becomes `also` and the sites whose
 * distances allow it. The representative's addresses are in v[2:3]. Takes s7, s8, v[0:1], vcc.
 */
void representative_emit(struct representative *representative, LLVMBuilderRef builder,
			 struct asm_block *code, const char *counted, uint32_t also);

#endif
