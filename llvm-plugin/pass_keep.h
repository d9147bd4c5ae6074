/* SPDX-License-Identifier: MIT */
/*
 * Measured sites in loops that keep their patterns (devlib_keep.h): what an execution has in common
 * with the one before is looked at first, and an equal one is counted in a scalar register.
 *
 * A lane's distance from the base is a variable of the kernel, as the compiler sees it: a lane has
 * what it last wrote, as in any program. That is the kept pattern's, since EXEC is the same.
 */
#ifndef PROBE_LLVM_PLUGIN_PASS_KEEP_H
#define PROBE_LLVM_PLUGIN_PASS_KEEP_H

#include "pass_measure.h"
#include "pass_plan.h"

/* What is measured of a site: nothing if it is counted in a group, or with one before it. */
struct pass_measured {
	bool is;
	uint32_t also; /* sites counted with it (devlib_measure.h) */
	int slot;      /* of pass_keep; PLAN_NONE */
	int leader;    /* the slot of a site before it that may count it, too; PLAN_NONE */
};

enum { KEEP_SLOTS = 8 };

struct pass_keep {
	struct pass_measure *measure;
	unsigned slots;
	unsigned first; /* scalar register of the last slot, the lowest one */
	struct keep_slot {
		const struct pass_site *site;
		uint32_t id, also;
		/*
		 * Sites at distances that all lanes agree about: they cost the same if the base is
		 * as exact as can be.
		 */
		uint32_t led;
		LLVMValueRef pattern; /* where the variable is */
	} slot[KEEP_SLOTS];
};

/*
 * Choose sites of the plan: those in the deepest loops first. `measured` has an element for each.
 * The function is as the plan was made of it.
 */
void pass_keep_choose(struct pass_keep *keep, const struct pass_plan *plan,
		      struct pass_measured *measured, LLVMValueRef function, void *analyses);
/* Measure the slot's access at `address`, where the builder stands. */
void pass_keep_put(struct pass_keep *keep, int slot, LLVMValueRef address);
/* The same of a site that the slot leads. */
void pass_keep_follow(struct pass_keep *keep, int leader, const struct pass_site *site, uint32_t id,
		      LLVMValueRef address, uint32_t also);
void pass_keep_begin(struct pass_keep *keep);
/* At the only return, before that of groups, which EXEC does not outlive. */
void pass_keep_end(struct pass_keep *keep, LLVMValueRef last);
/*
 * When all is put: variables become values, and the compiler leaves the registers alone, those of
 * groups as well.
 */
void pass_keep_settle(struct pass_keep *keep);

#endif
