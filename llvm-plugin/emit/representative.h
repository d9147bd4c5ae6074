/* SPDX-License-Identifier: MIT */
/*
 * Measured sites that follow another one in its block, at a distance that all lanes agree about
 * (analysis.h): what they cost follows from what that one, the representative, costs, and often is
 *the same. The representative's execution finds out, and counts them with it. It does so as long as
 *
 *	the representative costs the same wherever it is (measure_cached.h), and the distance is
 *such that the follower is aligned if the representative is; or the distance moves all lanes on by
 *lines of 128 bytes, or leaves every access in its line of 64.
 */
#ifndef PROBE_LLVM_PLUGIN_EMIT_REPRESENTATIVE_H
#define PROBE_LLVM_PLUGIN_EMIT_REPRESENTATIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/analysis/analysis.h"
#include "llvm-plugin/emit/inline_asm.h"

struct analysis;
struct asm_block;

struct access_site;

enum { DISTANCE_TESTS = 8 };

struct representative {
	const struct access_site *site;
	LLVMBuilderRef builder;
	uint32_t free; /* aligned if the representative is, whatever the launch: bit n = the n-th
			  behind */
	unsigned tests;
	struct distance_test {
		uint32_t sites; /* counted if this holds */
		struct analysis_difference apart;
		LLVMValueRef distance;
	} test[DISTANCE_TESTS];
	LLVMValueRef counted; /* the sites that were: a number, or NULL if that is kept elsewhere */
};

void representative_destroy(struct representative *representative);
/*
 * One more follower, which stands for all of `sites`; the representative is created if there is
 * none yet. False: it is none.
 */
bool representative_add(struct representative **representative, const struct analysis *flow,
			LLVMValueRef leader_inst, const struct access_site *leader,
			const struct access_site *site, uint32_t sites);
/* What an address must be a multiple of for its base to be as exact as can be (measure_cached.h).
 */
uint32_t representative_alignment(const struct access_site *site);

/* Compute the distances where the builder is. */
void representative_build(struct representative *representative, LLVMBuilderRef builder,
			  LLVMContextRef context);
/* Does anything have to be tested? */
bool representative_has_tests(const struct representative *representative);
/*
 * Code: the scalar register `counted` becomes `also` and the sites whose distances allow it. The
 * representative's addresses are in v[2:3]. Takes s7, s8, v[0:1], vcc.
 */
void representative_emit(const struct representative *representative, struct asm_block *code,
			 const char *counted, uint32_t also);
/*
 * The same as long as the representative's pattern lasts: s28 has those that may be counted if it
 * costs the same wherever it is.
 */
void representative_emit_cached(const struct representative *representative, struct asm_block *code,
				const char *counted, uint32_t also);

#endif
