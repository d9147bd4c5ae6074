/* SPDX-License-Identifier: MIT */
/*
 * Measured sites in loops that keep their patterns (measure_cached.h): what an execution has in
 * common with the one before is looked at first, and an equal one is counted in a scalar register.
 *
 * A lane's distance from the base is a variable of the kernel, as the compiler sees it: a lane has
 * what it last wrote, as in any program. That is the kept pattern's, since EXEC is the same.
 */
#ifndef PROBE_LLVM_PLUGIN_EMIT_MEASUREMENT_CACHE_H
#define PROBE_LLVM_PLUGIN_EMIT_MEASUREMENT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/emit/measure_code.h"
#include "llvm-plugin/plan/group_plan.h"

struct analysis;
struct group_plan;
struct measure_context;
struct representative;

struct access_site;

/* What is measured of a site: nothing if it is counted in a group, or with one before it. */
struct measured_site {
	bool is;
	uint32_t also;			       /* sites counted with it (measure_access.h) */
	int slot;			       /* of measurement_cache; PLAN_NONE */
	struct representative *representative; /* of sites behind it; NULL */
	unsigned behind; /* so many sites behind one that leads it; 0 = there is none */
};

enum { CACHE_SLOTS = 8 };

struct cached_site {
	const struct access_site *site;
	uint32_t id, also;
	struct representative *representative; /* NULL */
};

struct measurement_cache {
	struct measure_context *measure;
	unsigned slots;
	unsigned more;	/* registers in addition to those of slots */
	unsigned first; /* scalar register of the last slot; below are the others */
	struct cache_slot {
		struct cached_site of;
		LLVMValueRef pattern; /* where the variable is */
	} slot[CACHE_SLOTS];
};

/*
 * Choose sites of the plan: those in the deepest loops first. `measured` has an element for each.
 * The function is as the plan was made of it.
 */
void measurement_cache_choose(struct measurement_cache *cache, const struct group_plan *plan,
			      struct measured_site *measured, LLVMValueRef function,
			      const struct analysis *flow);
/* Does it call functions? They may use any register. */
bool measurement_cache_has_calls(LLVMValueRef function);
/* Measure an access at `address` that has this slot, where the builder stands. */
void measurement_cache_emit(struct measurement_cache *cache, int slot, const struct cached_site *of,
			    LLVMValueRef address);
/* The scalar register with the sites that the slot, which leads some, has counted with its own. */
void measurement_cache_counted(const struct measurement_cache *cache, int slot, char *ret,
			       size_t size);
void measurement_cache_begin(struct measurement_cache *cache);
/* At the only return, before that of groups, which EXEC does not outlive. */
void measurement_cache_end(struct measurement_cache *cache, LLVMValueRef last);
/*
 * When all is put: variables become values, and the compiler leaves the registers alone, those of
 * groups as well.
 */
void measurement_cache_finalise(struct measurement_cache *cache);

#endif
