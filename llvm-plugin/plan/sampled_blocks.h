/* SPDX-License-Identifier: MIT */
/*
 * Sampling (PROBE_SITES_MEASURED): of the executions that would be measured, one in N is, chosen at
 * random and independently. Executions and active lanes are counted, once for a group of proved
 * sites, and once for the other sites of a basic block, which always execute together.
 */
#ifndef PROBE_LLVM_PLUGIN_PLAN_SAMPLED_BLOCKS_H
#define PROBE_LLVM_PLUGIN_PLAN_SAMPLED_BLOCKS_H

#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>

struct group_plan;
struct plan_site;

/* Registers of a wave: the executions to skip before the next measured one, and random bits. */
enum { PLAN_SAMPLE_SGPRS = 2 };

struct sampled_block {
	LLVMBasicBlockRef block;
	uint32_t row;
	size_t first;  /* its first measured site, which counts for all */
	unsigned sgpr; /* executions, and in the next register active lanes; 0 = in memory */
};

/* Find the blocks of sites that are always measured. Registers must be free for groups' counters
 * later. */
void plan_find_sampled_blocks(struct group_plan *plan, uint32_t *row);
/* The block of a site that is sampled, or NULL. */
const struct sampled_block *plan_sampled_block(const struct group_plan *plan,
					       const struct plan_site *site);

#endif
