/* SPDX-License-Identifier: MIT */
/*
 * Addresses and conditions that follow from the launch, as expressions for the host (wire_sites.h).
 */
#ifndef PROBE_ANALYSIS_LAUNCH_EXPR_H
#define PROBE_ANALYSIS_LAUNCH_EXPR_H

#include "common/expr.h"
#include "llvm-plugin/analysis/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * All functions add to the graph and return the root, or PROBE_EXPR_NONE if the value does not
 * follow from the launch, or is too long.
 */

/* 1 in lanes that take the branch to its first successor, or with `other` to the second. */
uint32_t analysis_branch_expr(const struct analysis *in, LLVMValueRef branch, bool other,
			      struct expr_graph *graph);
/* The same for a switch: lanes that branch to one of its successors, by a single case. */
uint32_t analysis_switch_expr(const struct analysis *in, LLVMValueRef inst,
			      LLVMBasicBlockRef successor, struct expr_graph *graph);
/*
 * The address per lane of an access in `block`, except for a value that all lanes share and that
 * does not affect the cost (struct probe_site_proof).
 */
uint32_t analysis_lane_address_expr(const struct analysis *in, LLVMValueRef pointer,
				    LLVMBasicBlockRef block, struct expr_graph *graph);
/*
 * The largest number of iterations of a loop, if they are so few that expressions may depend on
 * them (PROBE_EXPR_ITERATION); else 0. The host takes 0.7 s to evaluate as many for 16384 waves.
 */
enum { ANALYSIS_FEW = 16 };
unsigned analysis_few_iterations(const struct analysis *in, LLVMBasicBlockRef header);
/* Does the value depend on the iteration of this loop? 0 = the outermost one. */
bool analysis_depends_on_loop(const struct expr_graph *graph, uint32_t root, unsigned loop);
/* How often a lane that enters the loop starts another iteration. */
uint32_t analysis_repeats_expr(const struct analysis *in, LLVMBasicBlockRef header,
			       struct expr_graph *graph);
/*
 * The address per lane, as above, in the first iteration of the loop with that header. *ret_step:
 * the distance to the address in the next iteration, the same for all iterations and lanes.
 */
uint32_t analysis_loop_address_expr(const struct analysis *in, LLVMValueRef pointer,
				    LLVMBasicBlockRef block, LLVMBasicBlockRef header,
				    struct expr_graph *graph, uint32_t *ret_step);
/*
 * Are the distances between the lanes of a wave the same in all workgroups, unless the address
 * wraps?
 */
bool analysis_same_distances(const struct expr_graph *graph, uint32_t root);
/* The address in a lane, modulo 128. */
uint32_t analysis_address_expr(const struct analysis *in, LLVMValueRef pointer,
			       struct expr_graph *graph);

#ifdef __cplusplus
}
#endif
#endif
