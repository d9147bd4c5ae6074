/* SPDX-License-Identifier: MIT */
/*
 * The trace kind. The accesses of a basic block share a record (trace_probe.c), which is written at
 * the last of them. Addresses at constant distances share a base. A barrier, a call or a message in
 * between ends a record, so that records are in program order.
 *
 * Groups are formed twice, in the base clone for the site table and in the clone, with the same
 * result.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/emit/devlib_link.h"
#include "llvm-plugin/kinds/ring_kind.h"
#include "llvm-plugin/kinds/time_kind.h"
#include "llvm-plugin/kinds/trace_affine.h"
#include "llvm-plugin/base/call_units.h"
#include "llvm-plugin/base/compile_options.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/sites/access_sites.h"
#include "llvm-plugin/sites/table_builder.h"

/*
 * Limit of a group's name: "FIRST:", "B+D," per site with at most 2 + 11 + 1 bytes, and ";X/Y/Z"
 * per base, each at most "-N*N@N:N".
 */
enum { NAME_MAX_BYTES = 16 + 16 * PROBE_GROUP_SITES + 3 * 48 * PROBE_GROUP_BASES };

struct base {
	LLVMValueRef pointer;
	LLVMValueRef address; /* 64 bits; in a clone only */
	uint32_t sites;
	const struct trace_affine *proof;
};

struct group {
	struct base base[PROBE_GROUP_BASES];
	unsigned bases, sites;
	bool proved;
	bool by_argument;	/* a stride depends on an argument */
	LLVMValueRef irregular; /* OR over the bases of what is irregular or, if proved, wraps; in a
				   clone only */
	LLVMValueRef last;	/* the last access */
	char name[NAME_MAX_BYTES];
	size_t length;
};

/* A walk over a function's accesses, for the site table or for a clone. */
struct walk {
	struct ring_context *ring; /* NULL = for the site table */
	struct site_table *table;
	const struct call_unit *unit;
	const struct pass_options *options;
	struct analysis *analysis;   /* of the function before probes were inserted */
	uint32_t site, mark;	     /* next ids */
	struct trace_affine *proofs; /* by site of the unit; NULL = none */
	LLVMValueRef arguments;	     /* trace_affine_arguments() */
	struct group group;
};

/*
 * The address to be recorded, extended to 64 bits; *ret_short: before the extension (in LDS, an
 * offset).
 */
static LLVMValueRef address_of(struct ring_context *ring, LLVMValueRef pointer, bool lds,
			       LLVMValueRef *ret_short)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(ring->context);
	LLVMTypeRef type = lds ? LLVMInt32TypeInContext(ring->context) : i64;

	pointer = lds ? pass_opaque_lds(ring->builder, pointer) : pointer;
	*ret_short = LLVMBuildPtrToInt(ring->builder, pointer, type, "");
	return LLVMBuildZExt(ring->builder, *ret_short, i64, "");
}

static void join_irregular(struct ring_context *ring, struct group *group, LLVMValueRef irregular)
{
	group->irregular = group->irregular
				   ? LLVMBuildOr(ring->builder, group->irregular, irregular, "")
				   : irregular;
}

static void reserve_wraps(struct ring_context *ring, struct group *group,
			  const struct trace_affine *proof)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(ring->context);

	for (unsigned i = 0; i < proof->wrap_count; i++)
		join_irregular(ring, group,
			       LLVMBuildTruncOrBitCast(ring->builder, proof->wraps[i], i32, ""));
}

static void take_address(struct ring_context *ring, struct group *group, struct base *base,
			 LLVMValueRef inst, bool lds)
{
	LLVMValueRef value;

	ring_before(ring, inst);
	base->address = address_of(ring, base->pointer, lds, &value);
	if (ring->is_called)
		return;
	if (group->proved)
		reserve_wraps(ring, group, base->proof);
	else
		join_irregular(ring, group,
			       ring_call(ring,
					 lds ? DEVLIB_TRACE_IRREGULAR_LDS : DEVLIB_TRACE_IRREGULAR,
					 &value, 1));
}

/* Write a single record of a site or a base, for so many accesses. */
static void write_one(struct ring_context *ring, LLVMValueRef address, uint32_t id,
		      uint32_t accesses)
{
	LLVMValueRef args[] = {address, ring_i32(ring, id), ring_i32(ring, accesses)};

	ring_call(ring, DEVLIB_TRACE_SITE, args, 3);
}

/* In unoptimised code each access has a record of its own. */
static void write_site(struct ring_context *ring, LLVMValueRef inst, const struct access_site *site,
		       uint32_t id)
{
	LLVMValueRef address, value;

	ring_before(ring, inst);
	address = address_of(ring, site->pointer, site->space == PROBE_SPACE_LDS, &value);
	write_one(ring, address, id, 1);
}

/* In portable code each base has a record of its own. */
static void write_bases(struct walk *walk)
{
	const struct group *group = &walk->group;

	ring_before(walk->ring, group->last);
	for (unsigned i = 0; i < group->bases; i++)
		write_one(walk->ring, group->base[i].address, walk->mark + 1 + i,
			  group->base[i].sites);
}

static void write_proved(struct walk *walk)
{
	const struct group *group = &walk->group;
	LLVMValueRef address[PROBE_GROUP_BASES];
	uint32_t weight[PROBE_GROUP_BASES];
	struct trace_affine_group proved = {
		.id = walk->mark,
		.sites = group->sites,
		.bases = group->bases,
		.address = address,
		.weight = weight,
	};

	for (unsigned i = 0; i < group->bases; i++) {
		address[i] = group->base[i].address;
		weight[i] = group->base[i].sites;
	}
	ring_before(walk->ring, group->last);
	if (group->by_argument)
		join_irregular(walk->ring, &walk->group, walk->arguments);
	proved.wraps = group->irregular;
	trace_affine_write(walk->ring, &proved);
}

static void write_group(struct walk *walk)
{
	struct ring_context *ring = walk->ring;
	struct group *group = &walk->group;
	LLVMValueRef args[4 + 2 * PROBE_GROUP_BASES];

	ring_before(ring, group->last);
	args[0] = ring_i32(ring, walk->mark);
	args[1] = ring_i32(ring, walk->mark | (uint32_t)PROBE_FORM_BLOCK << PROBE_FORM_SHIFT);
	args[2] = ring_i32(ring, group->sites);
	args[3] = group->irregular;
	for (unsigned i = 0; i < group->bases; i++) {
		args[4 + i] = ring_i32(ring, group->base[i].sites);
		args[4 + group->bases + i] = group->base[i].address;
	}
	ring_call(ring, DEVLIB_TRACE_BLOCK + (group->bases - 1), args, 4 + 2 * group->bases);
}

static void name_stride(struct group *group, const struct affine_stride *stride, char before)
{
	char *at = group->name + group->length;
	size_t room = sizeof(group->name) - group->length;

	if (stride->factor)
		group->length +=
			(size_t)snprintf(at, room, "%c%d*%d@%u:%u", before, (int)stride->constant,
					 (int)stride->factor, stride->offset, stride->bits);
	else
		group->length += (size_t)snprintf(at, room, "%c%d", before, (int)stride->constant);
}

/* Add the group's site, then one site per base. */
static void list_group(struct walk *walk)
{
	struct access_site site = {.access = PROBE_ACCESS_GROUP};
	struct group *group = &walk->group;

	for (unsigned i = 0; group->proved && i < group->bases; i++)
		for (int k = 0; k < 3; k++)
			name_stride(group, &group->base[i].proof->stride[k], k ? '/' : ';');
	site.align = site_table_string(walk->table, group->name, group->length);
	for (unsigned i = 0; i <= group->bases; i++)
		site_table_add_site(walk->table, group->last, &site, walk->unit->original,
				    1u << PROBE_KIND_TRACE);
}

static void end_group(struct walk *walk)
{
	if (!walk->group.sites)
		return;
	if (!walk->ring)
		list_group(walk);
	else if (walk->group.proved)
		write_proved(walk);
	else if (!walk->ring->is_called)
		write_group(walk);
	else if (!walk->ring->is_optnone)
		write_bases(walk);
	walk->mark += 1 + walk->group.bases;
	walk->group.sites = walk->group.bases = 0;
	walk->group.by_argument = false;
	walk->group.irregular = NULL;
	walk->group.length = 0;
}

/*
 * The base at a constant distance from a pointer; a new base if there is none and space is left;
 * else NULL.
 */
static struct base *find_base(const struct walk *walk, struct group *group, LLVMValueRef pointer,
			      int64_t *ret_distance)
{
	for (unsigned i = 0; i < group->bases; i++)
		if (analysis_distance(walk->analysis, group->base[i].pointer, pointer,
				      ret_distance) &&
		    *ret_distance == (int32_t)*ret_distance)
			return &group->base[i];
	*ret_distance = 0;
	if (group->bases == PROBE_GROUP_BASES)
		return NULL;
	group->base[group->bases] = (struct base){.pointer = pointer};
	return &group->base[group->bases++];
}

static void take_site(struct walk *walk, LLVMValueRef inst, const struct access_site *site)
{
	struct group *group = &walk->group;
	bool lds = site->space == PROBE_SPACE_LDS;
	const struct trace_affine *proof =
		walk->proofs ? &walk->proofs[walk->site - walk->unit->first_site] : NULL;
	bool proved = proof && proof->proved;
	struct base *base;
	int64_t distance;

	/*
	 * Mixing unproved with proved addresses would require tests of all addresses of the record.
	 */
	if (group->sites == PROBE_GROUP_SITES || (group->sites && group->proved != proved))
		end_group(walk);
	group->proved = proved;
	base = find_base(walk, group, site->pointer, &distance);
	if (!base) {
		end_group(walk);
		base = find_base(walk, group, site->pointer, &distance);
	}
	if (!base->sites)
		base->proof = proof;
	group->by_argument = group->by_argument || (proved && proof->by_argument);
	if (!base->sites && walk->ring && !walk->ring->is_optnone)
		take_address(walk->ring, group, base, inst, lds);
	if (!group->sites)
		group->length =
			(size_t)snprintf(group->name, sizeof(group->name), "%u:", walk->site);
	group->length += (size_t)snprintf(
		group->name + group->length, sizeof(group->name) - group->length, "%s%u%+d",
		group->sites ? "," : "", (unsigned)(base - group->base), (int)distance);
	base->sites++;
	group->sites++;
	group->last = inst;
	if (walk->ring && walk->ring->is_optnone)
		write_site(walk->ring, inst, site, walk->site);
	walk->site++;
}

static bool ends_group(LLVMValueRef inst)
{
	return pass_is_barrier(inst) || pass_is_message(inst) || pass_ends_wave(inst) ||
	       pass_direct_callee(inst) ||
	       (LLVMIsACallInst(inst) && !LLVMIsAFunction(LLVMGetCalledValue(inst)));
}

static void walk_function(struct walk *walk, LLVMValueRef function)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block)) {
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst; inst = next) {
			struct access_site site;

			next = LLVMGetNextInstruction(inst);
			if (access_site_wanted(inst, walk->options, &site)) {
				take_site(walk, inst, &site);
				continue;
			}
			if (ends_group(inst))
				end_group(walk);
			if (walk->ring && pass_is_barrier(inst)) {
				ring_before(walk->ring, inst);
				ring_call(walk->ring, DEVLIB_TRACE_BARRIER, &walk->ring->optnone,
					  1);
			}
		}
		end_group(walk);
	}
}

void trace_list(struct call_unit *unit, struct site_table *table,
		const struct pass_options *options, void *analyses)
{
	struct walk walk = {
		.table = table,
		.unit = unit,
		.options = options,
		.site = unit->first_site,
	};

	size_t count;

	unit->first_group = site_table_sites(table);
	if (pass_is_optnone(unit->original, options))
		return;
	walk.analysis = analysis_create(unit->base, unit->kernel, analyses);
	walk.proofs = trace_affine_prove(unit->base, walk.analysis, options, &count);
	walk_function(&walk, unit->base);
	analysis_destroy(walk.analysis);
	free(walk.proofs);
}

void trace_insert(struct ring_context *ring, LLVMValueRef function,
		  const struct pass_options *options, void *analyses)
{
	struct walk walk = {
		.ring = ring,
		.unit = ring->unit,
		.options = options,
		.site = ring->unit->first_site,
		.mark = ring->unit->first_group,
	};

	size_t count = 0;

	walk.analysis = analysis_create(function, ring->unit->kernel, analyses);
	if (!ring->is_optnone)
		walk.proofs = trace_affine_prove(function, walk.analysis, options, &count);
	walk.arguments =
		trace_affine_arguments(ring, function, walk.proofs, walk.proofs ? count : 0);
	walk_function(&walk, function);
	analysis_destroy(walk.analysis);
	free(walk.proofs);
}
