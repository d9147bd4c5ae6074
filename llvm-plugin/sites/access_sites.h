/* SPDX-License-Identifier: MIT */
/*
 * Which instructions are sites, how the hardware splits their accesses, and their source locations.
 */
#ifndef PROBE_LLVM_PLUGIN_SITES_ACCESS_SITES_H
#define PROBE_LLVM_PLUGIN_SITES_ACCESS_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include <probe/wire.h>

struct pass_options;

enum access_class {
	PASS_ACCESS_NONE,	/* not a memory access, or one that is never probed */
	PASS_ACCESS_SITE,	/* probed */
	PASS_ACCESS_LOWERED,	/* probed after lower_intrinsics.c has run */
	PASS_ACCESS_ON_REQUEST, /* constant memory: PROBE_SPACES */
	PASS_ACCESS_UNCOVERED,	/* accesses memory in a way no probe covers */
};

struct access_site {
	LLVMValueRef pointer; /* NULL for rows that are not accesses */
	enum probe_access_kind access;
	enum probe_space space;
	uint32_t size, unit; /* bytes of a lane; bytes of a machine access */
	uint32_t align;	     /* bytes; of a region or message: its name, a string of the table */
};

/* The SHAPE_ flags of wave_ids.h, above the unit (8 bits) and the number of units (8 bits). */
enum {
	DEVLIB_SHAPE_STORE = 1 << 16,
	DEVLIB_SHAPE_UNALIGNED = 1 << 17,
	DEVLIB_SHAPE_LDS = 1 << 18,
	DEVLIB_SHAPE_FLAT = 1 << 19,
	DEVLIB_SHAPE_ATOMIC = 1 << 20,
	/* For copies only: called by unoptimised code, which provides a stack. */
	DEVLIB_SHAPE_OPTNONE = 1 << 21,
	/* In addition: called by optimised portable code, whose stamps need no stack. */
	DEVLIB_SHAPE_CURSOR = 1 << 22,
	DEVLIB_SHAPE_LATER_UNIT = 1 << 23,
	DEVLIB_SHAPE_MORE_ROWS = 1 << 24,
};

enum access_class access_site_read(LLVMValueRef inst, struct access_site *ret);
/* Does the instruction access scratch? Fills in all fields except the unit. */
bool access_site_scratch(LLVMValueRef inst, struct access_site *ret);
/* Bytes per machine access of an access; see wire_sites.h. */
uint32_t access_site_unit(enum probe_space space, enum probe_access_kind access, uint32_t size,
			  uint32_t align);
/*
 * The constant `shape` of an access for probes: unit, number of units << 8, and the SHAPE_ flags of
 * wave_ids.h.
 */
uint32_t access_site_shape(const struct access_site *site);
/* The width to which LDS units of this size are rounded: see fast_lds_passes.h. */
uint32_t access_site_lds_width(const struct access_site *site);
/* Are the units of this access counted by one call of the device library? */
bool access_site_is_one_call(const struct access_site *site);
/* Do both accesses have the same counters, given the same EXEC and addresses? */
bool access_site_alike(const struct access_site *a, const struct access_site *b);
/* File of a debug location, absolute if the compiler recorded its directory; "" = unknown. */
void pass_location_file(LLVMMetadataRef scope, char *buf, size_t size);
/* Does a wave wait here for the other waves of its workgroup? */
bool pass_is_barrier(LLVMValueRef inst);
/* Is the line of an instruction in the requested scope? */
bool pass_in_scope(LLVMValueRef inst, const struct pass_options *options);
/* Is this instruction a site, and in the requested scope? */
bool access_site_wanted(LLVMValueRef inst, const struct pass_options *options,
			struct access_site *ret);

#endif
