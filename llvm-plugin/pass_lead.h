/* SPDX-License-Identifier: MIT */
/*
 * Measured sites that follow another one in its block, at a distance that all lanes agree about
 * (analysis.h): what they cost follows from what that one, the leader, costs, and often is the
 * same. The leader's execution finds out, and counts them with it. It does so as long as
 *
 *	the leader costs the same wherever it is (devlib_keep.h), and the distance is such that
 *	the follower is aligned if the leader is; or
 *	the distance moves all lanes on by lines of 128 bytes, or leaves every access in its line
 *	of 64.
 */
#ifndef PROBE_LLVM_PLUGIN_PASS_LEAD_H
#define PROBE_LLVM_PLUGIN_PASS_LEAD_H

#include "llvm-plugin/analysis/analysis.h"
#include "pass_asm.h"

enum { LEAD_TESTS = 8 };

struct pass_lead {
	const struct pass_site *site;
	LLVMBuilderRef builder;
	uint32_t free; /* aligned if the leader is, whatever the launch: bit n = the n-th behind */
	unsigned tests;
	struct lead_test {
		uint32_t sites; /* counted if this holds */
		struct analysis_difference apart;
		LLVMValueRef distance;
	} test[LEAD_TESTS];
	LLVMValueRef counted; /* the sites that were: a number, or NULL if that is kept elsewhere */
};

void pass_lead_destroy(struct pass_lead *lead);
/*
 * One more follower, which stands for all of `sites`; the leader is created if there is none yet.
 * False: it is none.
 */
bool pass_lead_add(struct pass_lead **lead, const struct analysis *flow, LLVMValueRef leader_inst,
		   const struct pass_site *leader, const struct pass_site *site, uint32_t sites);
/* What an address must be a multiple of for its base to be as exact as can be (devlib_keep.h). */
uint32_t pass_lead_aligned(const struct pass_site *site);

/* Reckon the distances where the builder stands. */
void pass_lead_build(struct pass_lead *lead, LLVMBuilderRef builder, LLVMContextRef context);
/* Does anything have to be tested? */
bool pass_lead_tests(const struct pass_lead *lead);
/*
 * Code: the scalar register `counted` becomes `also` and the sites whose distances allow it. The
 * leader's addresses are in v[2:3]. Takes s7, s8, v[0:1], vcc.
 */
void pass_lead_put(const struct pass_lead *lead, struct pass_asm *code, const char *counted,
		   uint32_t also);
/*
 * The same as long as the leader's pattern lasts: s28 has those that may be counted if it costs the
 * same wherever it is.
 */
void pass_lead_put_kept(const struct pass_lead *lead, struct pass_asm *code, const char *counted,
			uint32_t also);

#endif
