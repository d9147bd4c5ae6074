/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/emit/measure_code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/emit/devlib_link.h"
#include "llvm-plugin/emit/distance_tests.h"
#include "llvm-plugin/emit/counter_rows.h"
#include "llvm-plugin/plan/group_plan.h"
#include "llvm-plugin/plan/representatives.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/sites/access_sites.h"

LLVMValueRef measure_address(struct measure_context *in, const struct access_site *site)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(in->wave));

	if (site->space == PROBE_SPACE_LDS)
		return LLVMBuildPtrToInt(in->builder, pass_opaque_lds(in->builder, site->pointer),
					 LLVMInt32TypeInContext(context), "");
	/*
	 * No number: as that has another type, loop strength reduction would keep it in registers
	 * of its own and advance it in each iteration.
	 */
	return site->pointer;
}

/*
 * Address after the shared function's s_waitcnt (measure_access.h). In the entry block, so that it
 * can be used in loops.
 */
static LLVMValueRef address_of(struct measure_context *in, LLVMValueRef function)
{
	LLVMBuilderRef builder;
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(in->wave));
	struct asm_block code = {.result = LLVMInt64TypeInContext(context)};
	const unsigned most = sizeof(in->first) / sizeof(in->first[0]);
	LLVMValueRef address;

	for (unsigned i = 0; i < in->firsts; i++)
		if (in->first[i].function == function)
			return in->first[i].address;
	builder = LLVMCreateBuilderInContext(context);
	LLVMPositionBuilderBefore(builder, pass_entry_point(in->clone));
	asm_constrain(&code, "={s[28:29]}");
	asm_function_address(&code, function, &asm_s28, true);
	asm_constrain(&code, "~{scc}");
	address = asm_build(&code, builder, context);
	LLVMDisposeBuilder(builder);
	if (in->firsts < most) {
		in->first[in->firsts].function = function;
		in->first[in->firsts++].address = address;
	}
	return address;
}

void measure_emit_row(struct asm_block *code, unsigned wave, uint32_t id)
{
	asm_line(code, "s_mov_b64 s[4:5], $%u", wave);
	asm_line(code, "s_mov_b32 s7, 0x%x", id * COUNTER_ROW_BYTES);
}

void measure_emit_address(struct asm_block *code, const struct access_site *site, unsigned address)
{
	if (site->space == PROBE_SPACE_LDS) {
		asm_line(code, "v_mov_b32 v2, $%u", address);
		asm_line(code, "v_mov_b32 v3, 0");
	} else {
		asm_line(code, "v_lshlrev_b64 v[2:3], 0, $%u", address);
	}
}

void measure_emit_call(struct asm_block *code, LLVMValueRef function)
{
	asm_function_address(code, function, &asm_vcc, true);
	asm_line(code, "s_swappc_b64 s[30:31], vcc");
}

/* If the site is sampled, skip what follows up to .Lprobe_skipped in most executions. */
static void emit_sampling(struct measure_context *in, struct asm_block *code)
{
	if (!in->sampled)
		return;
	if (in->counts)
		sample_emit_count(code, in->sampled, asm_scalar(code, in->builder, in->wave));
	sample_emit_choice(&in->sample, code);
}

/* An access, and the rows of counters that it is counted in. */
struct measured {
	const struct access_site *site;
	uint32_t id; /* its own row */
	LLVMValueRef address;
	const char *also; /* mask of the other rows: an operand or a number */
	const char *rest; /* operand for those that are left; NULL = there are no other rows */
};

/* If v0 is 1, only the first row was counted: measure the other rows one by one. */
static void emit_rows(struct asm_block *code, const struct measured *access, LLVMValueRef function,
		      unsigned wave, unsigned address)
{
	const char *rest = access->rest;

	asm_line(code, "v_readfirstlane_b32 s4, v0");
	asm_line(code, "s_cmp_eq_u32 s4, 0");
	asm_line(code, "s_cbranch_scc1 .Lprobe_counted${:uid}");
	asm_line(code, "s_or_b32 %s, %s, 0", rest, access->also);
	asm_line(code, "s_cbranch_scc0 .Lprobe_counted${:uid}");
	asm_line(code, ".Lprobe_row${:uid}:");
	measure_emit_address(code, access->site, address);
	measure_emit_row(code, wave, access->id);
	asm_line(code, "s_ff1_i32_b32 s6, %s", rest);
	asm_line(code, "s_bitset0_b32 %s, s6", rest);
	asm_line(code, "s_lshl_b32 s6, s6, 7");
	_Static_assert(COUNTER_ROW_BYTES == 1 << 7, "bytes of a row");
	asm_line(code, "s_add_u32 s7, s7, s6");
	asm_line(code, "s_mov_b32 s6, 0");
	measure_emit_call(code, function);
	asm_line(code, "s_cmp_lg_u32 %s, 0", rest);
	asm_line(code, "s_cbranch_scc1 .Lprobe_row${:uid}");
	asm_line(code, ".Lprobe_counted${:uid}:");
}

/* The first unit of an access. */
static void emit_first(struct measure_context *in, struct asm_block *code,
		       const struct measured *access)
{
	uint32_t shape =
		access_site_shape(access->site) | (access->rest ? DEVLIB_SHAPE_MORE_ROWS : 0);
	LLVMValueRef function =
		devlib_share(in->devlib, DEVLIB_MEMORY_FIRST, shape, in->clone, in->analyses);
	unsigned place = asm_operand(code, "v", access->address);
	unsigned wave = asm_scalar(code, in->builder, in->wave);
	unsigned first = asm_scalar(code, in->builder, address_of(in, function));

	if (in->batched)
		batch_emit_record(&in->batch, code, access->site, access->id,
				  access->rest ? access->also : NULL, wave);
	measure_emit_row(code, wave, access->id);
	if (access->rest) {
		asm_line(code, "s_mov_b32 s6, %s", access->also);
		asm_line(code, "v_mov_b32 v0, 0");
	}
	asm_line(code, "s_swappc_b64 s[30:31], $%u", first);
	if (access->rest)
		emit_rows(code, access, function, wave, place);
	if (in->batched)
		batch_emit_counted(&in->batch, code);
}

void measure_emit_representative(struct measure_context *in, const struct access_site *site,
				 uint32_t id, LLVMValueRef address, const struct plan_site *plan)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(in->wave));
	LLVMTypeRef two[] = {LLVMInt32TypeInContext(context), LLVMInt32TypeInContext(context)};
	struct asm_block code = {.result = LLVMStructTypeInContext(context, two, 2, 0),
				 .fields = 2};
	const struct measured access = {
		.site = site, .id = id, .address = address, .also = "$0", .rest = "$1"};
	LLVMValueRef results;

	asm_constrain(&code, "=&s,=&s");
	if (in->sampled)
		asm_line(&code, "s_mov_b32 $0, -1"); /* followers are not measured either */
	emit_sampling(in, &code);
	measure_emit_address(&code, site, asm_operand(&code, "v", address));
	emit_distance_tests(plan->followers, in->builder, context, &code, "$0", plan->also);
	emit_first(in, &code, &access);
	asm_line(&code, ".Lprobe_skipped${:uid}:");
	results = asm_build_call(&code, in->builder, context);
	plan->followers->counted = LLVMBuildExtractValue(in->builder, results, 0, "");
}

/*
 * `also`: mask of the other rows. `counted`: mask of the sites that its representative has counted,
 * of which this one is bit `behind`; or NULL.
 */
static void emit_alone(struct measure_context *in, const struct measured *own_row, uint32_t also,
		       LLVMValueRef counted, unsigned behind)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(in->wave));
	struct measured access = *own_row;
	struct asm_block code = {0};
	char number[12];

	if (also) {
		code.result = LLVMInt32TypeInContext(context);
		asm_constrain(&code, "=&s");
	}
	if (counted) {
		asm_line(&code, "s_bitcmp1_b32 $%u, %u", asm_scalar(&code, in->builder, counted),
			 behind);
		asm_line(&code, "s_cbranch_scc1 .Lprobe_known${:uid}");
	} else {
		emit_sampling(in, &code);
	}
	measure_emit_address(&code, access.site, asm_operand(&code, "v", access.address));
	snprintf(number, sizeof(number), "0x%x", also);
	access.also = number;
	access.rest = also ? "$0" : NULL;
	emit_first(in, &code, &access);
	asm_line(&code, ".Lprobe_known${:uid}:");
	asm_line(&code, ".Lprobe_skipped${:uid}:");
	asm_build_call(&code, in->builder, context);
}

void measure_emit_follower(struct measure_context *in, const struct access_site *site, uint32_t id,
			   LLVMValueRef address, const struct plan_site *plan)
{
	const struct plan_site *leader = plan - plan->behind;
	const struct measured access = {.site = site, .id = id, .address = address};

	emit_alone(in, &access, plan->also, leader->followers->counted, plan->behind);
}

/* Another unit, or the LDS lanes of a flat access: a call with the usual convention. */
static void emit_any(struct asm_block *code, const struct access_site *site, LLVMValueRef function,
		     unsigned wave, unsigned address, uint32_t id)
{
	measure_emit_row(code, wave, id);
	asm_line(code, "s_add_u32 s4, s4, s7");
	asm_line(code, "s_addc_u32 s5, s5, 0");
	asm_line(code, "v_lshlrev_b64 v[0:1], 0, s[4:5]");
	measure_emit_address(code, site, address);
	asm_line(code, "v_mov_b32 v4, $0");
	asm_shared_call(code, function);
}

/* The unit at $0. */
static void emit_unit(struct measure_context *in, struct asm_block *code,
		      const struct access_site *site, unsigned wave, unsigned address, uint32_t id)
{
	uint32_t shape = access_site_shape(site);

	if (site->space == PROBE_SPACE_GLOBAL) {
		measure_emit_address(code, site, address);
		asm_line(code, "v_add_co_u32 v2, vcc, $0, v2");
		asm_line(code, "v_addc_co_u32 v3, vcc, 0, v3, vcc");
		measure_emit_row(code, wave, id);
		measure_emit_call(code, devlib_share(in->devlib, DEVLIB_MEMORY_FIRST,
						     shape | DEVLIB_SHAPE_LATER_UNIT, in->clone,
						     in->analyses));
		return;
	}
	emit_any(code, site,
		 devlib_share(in->devlib, DEVLIB_MEMORY_ANY, shape, in->clone, in->analyses), wave,
		 address, id);
	if (site->space == PROBE_SPACE_FLAT)
		emit_any(code, site,
			 devlib_share(in->devlib, DEVLIB_MEMORY_ANY, shape | DEVLIB_SHAPE_LDS,
				      in->clone, in->analyses),
			 wave, address, id);
}

/* The first unit, and then the others one by one. */
static void emit_units(struct measure_context *in, const struct access_site *site, uint32_t id,
		       LLVMValueRef address)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(in->wave));
	struct asm_block code = {.result = LLVMInt32TypeInContext(context)};
	unsigned place, wave, first;

	asm_constrain(&code, "=&s");
	place = asm_operand(&code, "v", address);
	wave = asm_scalar(&code, in->builder, in->wave);
	first = asm_scalar(
		&code, in->builder,
		address_of(in, devlib_share(in->devlib, DEVLIB_MEMORY_FIRST,
					    access_site_shape(site), in->clone, in->analyses)));
	emit_sampling(in, &code);
	measure_emit_address(&code, site, place);
	measure_emit_row(&code, wave, id);
	asm_line(&code, "s_swappc_b64 s[30:31], $%u", first);
	asm_line(&code, "s_mov_b32 $0, %u", site->unit);
	asm_line(&code, ".Lprobe_unit${:uid}:");
	emit_unit(in, &code, site, wave, place, id);
	asm_line(&code, "s_add_u32 $0, $0, %u", site->unit);
	asm_line(&code, "s_cmp_lt_u32 $0, %u", site->size);
	asm_line(&code, "s_cbranch_scc1 .Lprobe_unit${:uid}");
	asm_line(&code, ".Lprobe_skipped${:uid}:");
	asm_build_call(&code, in->builder, context);
}

void measure_emit(struct measure_context *in, const struct access_site *site, uint32_t id,
		  LLVMValueRef address, uint32_t also)
{
	const struct measured access = {.site = site, .id = id, .address = address};

	if (access_site_is_one_call(site))
		emit_alone(in, &access, also, NULL, 0);
	else
		emit_units(in, site, id, address);
}
