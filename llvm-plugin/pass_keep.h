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
	uint32_t also;		/* sites counted with it (devlib_measure.h) */
	int slot;		/* of pass_keep; PLAN_NONE */
	struct pass_lead *lead; /* of sites behind it; NULL */
	unsigned behind;	/* so many sites behind one that leads it; 0 = there is none */
};

enum { KEEP_SLOTS = 8, KEEP_USERS = 16 };

struct keep_site {
	const struct pass_site *site;
	uint32_t id, also;
	struct pass_lead *lead; /* NULL */
};

struct pass_keep {
	struct pass_measure *measure;
	unsigned slots;
	unsigned more;	/* registers beside those of slots */
	unsigned first; /* scalar register of the last slot; below are the others */
	/*
	 * Sites of a slot, alike, are in loops apart from each other, so that one is done before
	 * another begins, mostly.
	 */
	bool shared;
	struct keep_slot {
		struct keep_site of; /* the first one */
		LLVMValueRef user[KEEP_USERS];
		unsigned users;
		LLVMValueRef pattern; /* where the variable is */
	} slot[KEEP_SLOTS];
};

/*
 * Choose sites of the plan: those in the deepest loops first. `measured` has an element for each.
 * The function is as the plan was made of it.
 */
void pass_keep_choose(struct pass_keep *keep, const struct pass_plan *plan,
		      struct pass_measured *measured, LLVMValueRef function,
		      const struct pass_options *options, const struct analysis *flow);
/* Does it call functions? They may use any register. */
bool pass_keep_calls(LLVMValueRef function);
/* Measure an access at `address` that has this slot, where the builder stands. */
void pass_keep_put(struct pass_keep *keep, int slot, const struct keep_site *of,
		   LLVMValueRef address);
/* The scalar register with the sites that the slot, which leads some, has counted with its own. */
void pass_keep_counted(const struct pass_keep *keep, int slot, char *ret, size_t size);
void pass_keep_begin(struct pass_keep *keep);
/* At the only return, before that of groups, which EXEC does not outlive. */
void pass_keep_end(struct pass_keep *keep, LLVMValueRef last);
/*
 * When all is put: variables become values, and the compiler leaves the registers alone, those of
 * groups as well.
 */
void pass_keep_settle(struct pass_keep *keep);

#endif
