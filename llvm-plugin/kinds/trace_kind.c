/* SPDX-License-Identifier: MIT */
/* The trace kind's groups in the site table, and its probes, as trace_plan.c has planned them. */
#include "llvm-plugin/kinds/trace_kind.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/clone/kernel_clone.h"
#include "llvm-plugin/emit/devlib_link.h"
#include "llvm-plugin/kinds/ring_kind.h"
#include "llvm-plugin/kinds/trace_plan.h"
#include "llvm-plugin/kinds/trace_scatter.h"
#include "llvm-plugin/base/call_units.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/sites/access_sites.h"
#include "llvm-plugin/sites/table_builder.h"

/* ---- The site table ------------------------------------------------------------------------- */

/*
 * Limit of a group's name: "FIRST:", "B+D," per site with at most 2 + 11 + 1 bytes, and ";X/Y/Z"
 * per base, each at most "-N*N@N:N".
 */
enum { NAME_MAX_BYTES = 16 + 16 * PROBE_GROUP_SITES + 3 * 48 * PROBE_GROUP_BASES };

struct name {
	char text[NAME_MAX_BYTES];
	size_t length;
};

static void __attribute__((format(printf, 2, 3))) append(struct name *name, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	name->length += (size_t)vsnprintf(name->text + name->length,
					  sizeof(name->text) - name->length, format, args);
	va_end(args);
}

static void append_stride(struct name *name, const struct affine_stride *stride, char before)
{
	append(name, "%c%d", before, (int)stride->constant);
	if (stride->factor)
		append(name, "*%d@%u:%u", (int)stride->factor, stride->offset, stride->bits);
}

/* Add the group's site, then one site per base. */
static void list_group(const struct call_unit *unit, const struct trace_group *group,
		       struct site_table *table)
{
	struct access_site site = {.access = PROBE_ACCESS_GROUP};
	const struct trace_plan *plan = unit->trace;
	const struct trace_site *last = &plan->site[group->first + group->sites - 1];
	struct name name = {.length = 0};

	append(&name, "%u:", unit->first_site + (uint32_t)group->first);
	for (size_t i = group->first; i < group->first + group->sites; i++)
		append(&name, "%s%u%+d", i > group->first ? "," : "", plan->site[i].base,
		       (int)plan->site[i].distance);
	for (unsigned i = 0; group->proved && i < group->bases; i++)
		for (int k = 0; k < 3; k++)
			append_stride(&name, &plan->proof[group->base[i].first].stride[k],
				      k ? '/' : ';');
	site.align = site_table_string(table, name.text, name.length);
	for (unsigned i = 0; i <= group->bases; i++)
		site_table_add_site(table, last->inst, &site, unit->original,
				    1u << PROBE_KIND_TRACE);
}

void trace_list(struct call_unit *unit, LLVMModuleRef module, struct site_table *table,
		const struct pass_options *options, void *analyses)
{
	clone_kind(unit, module, PROBE_KIND_TRACE);
	unit->trace =
		trace_plan_create(unit->clone[PROBE_KIND_TRACE], unit->kernel,
				  pass_is_optnone(unit->original, options), options, analyses);
	unit->trace->first_id = site_table_sites(table);
	for (size_t i = 0; i < unit->trace->groups; i++)
		list_group(unit, &unit->trace->group[i], table);
}

/* ---- Probes --------------------------------------------------------------------------------- */

/* A group while its probes are inserted. */
struct insert {
	struct ring_context *ring;
	const struct trace_plan *plan;
	const struct trace_group *group;
	uint32_t id;
	LLVMValueRef address[PROBE_GROUP_BASES]; /* 64 bits */
	LLVMValueRef offset[PROBE_GROUP_BASES];	 /* the same, but 32 bits in LDS */
	/* OR over the bases of what is irregular or, if proved, wraps; NULL = nothing */
	LLVMValueRef irregular;
	LLVMValueRef arguments; /* trace_affine_arguments() */
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

static void join_irregular(struct insert *in, LLVMValueRef irregular)
{
	in->irregular = in->irregular ? LLVMBuildOr(in->ring->builder, in->irregular, irregular, "")
				      : irregular;
}

static void join_wraps(struct insert *in, const struct trace_affine *proof)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(in->ring->context);

	for (unsigned i = 0; i < proof->wrap_count; i++)
		join_irregular(
			in, LLVMBuildTruncOrBitCast(in->ring->builder, proof->wraps[i], i32, ""));
}

static void compute_address(struct insert *in, unsigned base)
{
	size_t first = in->group->base[base].first;
	const struct trace_site *site = &in->plan->site[first];
	bool lds = site->site.space == PROBE_SPACE_LDS;

	ring_before(in->ring, site->inst);
	in->address[base] = address_of(in->ring, site->site.pointer, lds, &in->offset[base]);
	if (in->ring->is_called)
		return;
	if (in->group->proved)
		join_wraps(in, &in->plan->proof[first]);
	else if (!in->group->scattered)
		join_irregular(in,
			       ring_call(in->ring,
					 lds ? DEVLIB_TRACE_IRREGULAR_LDS : DEVLIB_TRACE_IRREGULAR,
					 &in->offset[base], 1));
}

/* Write a single record of a site or a base, for so many accesses. */
static void write_one(struct ring_context *ring, LLVMValueRef address, uint32_t id,
		      uint32_t accesses)
{
	LLVMValueRef args[] = {address, ring_i32(ring, id), ring_i32(ring, accesses)};

	ring_call(ring, DEVLIB_TRACE_SITE, args, 3);
}

/* In unoptimised code each access has a record of its own. */
static void write_sites(struct ring_context *ring)
{
	const struct trace_plan *plan = ring->unit->trace;

	for (size_t i = 0; i < plan->sites; i++) {
		const struct access_site *site = &plan->site[i].site;
		LLVMValueRef address, value;

		ring_before(ring, plan->site[i].inst);
		address = address_of(ring, site->pointer, site->space == PROBE_SPACE_LDS, &value);
		write_one(ring, address, ring->unit->first_site + (uint32_t)i, 1);
	}
}

/* In portable code each base has a record of its own. */
static void write_bases(const struct insert *in)
{
	for (unsigned i = 0; i < in->group->bases; i++)
		write_one(in->ring, in->address[i], in->id + 1 + i, in->group->base[i].sites);
}

static void write_proved(struct insert *in)
{
	uint32_t weight[PROBE_GROUP_BASES];
	struct trace_affine_group proved = {
		.id = in->id,
		.sites = in->group->sites,
		.bases = in->group->bases,
		.address = in->address,
		.weight = weight,
	};

	for (unsigned i = 0; i < in->group->bases; i++)
		weight[i] = in->group->base[i].sites;
	if (in->group->by_argument)
		join_irregular(in, in->arguments);
	proved.wraps = in->irregular;
	trace_affine_write(in->ring, &proved);
}

/* In parts whose records are at most half of a ring. */
static void write_scattered(const struct insert *in)
{
	uint32_t weight[PROBE_GROUP_BASES];

	for (unsigned first = 0; first < in->group->bases; first += TRACE_SCATTER_BASES) {
		struct trace_scatter_group part = {
			.id = in->id + first,
			.address = in->offset + first,
			.weight = weight,
		};

		for (; part.bases < TRACE_SCATTER_BASES && first + part.bases < in->group->bases;
		     part.bases++) {
			weight[part.bases] = in->group->base[first + part.bases].sites;
			part.sites += weight[part.bases];
		}
		trace_scatter_write(in->ring, &part);
	}
}

static void write_unproved(const struct insert *in)
{
	const struct trace_group *group = in->group;
	struct ring_context *ring = in->ring;
	LLVMValueRef args[4 + 2 * PROBE_GROUP_BASES];

	args[0] = ring_i32(ring, in->id);
	args[1] = ring_i32(ring, in->id | (uint32_t)PROBE_FORM_BLOCK << PROBE_FORM_SHIFT);
	args[2] = ring_i32(ring, group->sites);
	args[3] = in->irregular;
	for (unsigned i = 0; i < group->bases; i++) {
		args[4 + i] = ring_i32(ring, group->base[i].sites);
		args[4 + group->bases + i] = in->address[i];
	}
	ring_call(ring, DEVLIB_TRACE_BLOCK + (group->bases - 1), args, 4 + 2 * group->bases);
}

static void insert_group(struct insert *in)
{
	in->irregular = NULL;
	for (unsigned i = 0; i < in->group->bases; i++)
		compute_address(in, i);
	ring_before(in->ring, in->plan->site[in->group->first + in->group->sites - 1].inst);
	if (in->group->proved)
		write_proved(in);
	else if (in->ring->is_called)
		write_bases(in);
	else if (in->group->scattered)
		write_scattered(in);
	else
		write_unproved(in);
	in->id += 1 + in->group->bases;
}

static void insert_barriers(struct ring_context *ring, LLVMValueRef function)
{
	for (LLVMValueRef inst = pass_first_inst(function); inst; inst = pass_next_inst(inst))
		if (pass_is_barrier(inst)) {
			ring_before(ring, inst);
			ring_call(ring, DEVLIB_TRACE_BARRIER, &ring->optnone, 1);
		}
}

void trace_insert(struct ring_context *ring, LLVMValueRef function)
{
	const struct trace_plan *plan = ring->unit->trace;
	struct insert in = {.ring = ring, .plan = plan};

	/* A function without sites is cloned only for its callers (ring_cursor.h). */
	if (!plan)
		return;
	in.id = plan->first_id;
	in.arguments = trace_affine_arguments(ring, function, plan->proof, plan->sites);
	if (ring->is_optnone)
		write_sites(ring);
	for (size_t i = 0; i < plan->groups; i++) {
		in.group = &plan->group[i];
		insert_group(&in);
	}
	insert_barriers(ring, function);
}
