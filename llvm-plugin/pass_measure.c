/* SPDX-License-Identifier: MIT */
#include "pass_measure.h"

#include <stdio.h>

#include "pass_cell.h"

uint32_t pass_measure_lds_width(const struct pass_site *site)
{
	return site->unit < 4 ? 4 : site->unit == 12 ? 16 : site->unit;
}

bool pass_measure_is_one_call(const struct pass_site *site)
{
	return site->size == site->unit ||
	       (site->space == PROBE_SPACE_LDS && pass_measure_lds_width(site) == site->unit);
}

/* What of a shape decides how an access is counted, apart from the place. */
static uint32_t kind_of(const struct pass_site *site)
{
	uint32_t shape = pass_site_shape(site) & ~(uint32_t)DEVLIB_SHAPE_UNALIGNED;

	if (site->space == PROBE_SPACE_GLOBAL)
		return shape & ~(uint32_t)(DEVLIB_SHAPE_STORE | DEVLIB_SHAPE_ATOMIC);
	return site->unit < 12 ? shape & ~(uint32_t)DEVLIB_SHAPE_STORE : shape;
}

bool pass_measure_alike(const struct pass_site *a, const struct pass_site *b)
{
	return a->space == b->space && kind_of(a) == kind_of(b);
}

LLVMValueRef pass_measure_address(struct pass_measure *in, const struct pass_site *site)
{
	bool lds = site->space == PROBE_SPACE_LDS;
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(in->wave));
	LLVMTypeRef type = lds ? LLVMInt32TypeInContext(context) : LLVMInt64TypeInContext(context);
	LLVMValueRef pointer = lds ? pass_opaque_lds(in->builder, site->pointer) : site->pointer;

	return LLVMBuildPtrToInt(in->builder, pointer, type, "");
}

/* Behind the function's wait (devlib_measure.h). In the entry block: it may be used in loops. */
static LLVMValueRef address_of(struct pass_measure *in, LLVMValueRef function)
{
	LLVMBuilderRef builder;
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(in->wave));
	struct pass_asm code = {.result = LLVMInt64TypeInContext(context)};
	const unsigned most = sizeof(in->first) / sizeof(in->first[0]);
	LLVMValueRef address;
	size_t size;
	const char *name = LLVMGetValueName2(function, &size);

	for (unsigned i = 0; i < in->firsts; i++)
		if (in->first[i].function == function)
			return in->first[i].address;
	builder = LLVMCreateBuilderInContext(context);
	LLVMPositionBuilderBefore(builder, pass_entry_point(in->clone));
	pass_asm_constrain(&code, "={s[28:29]}");
	pass_asm_operand(&code, "i", function);
	pass_asm_put(&code, "s_getpc_b64 s[28:29]");
	pass_asm_put(&code, "s_add_u32 s28, s28, %.*s@rel32@lo+4+4", (int)size, name);
	pass_asm_put(&code, "s_addc_u32 s29, s29, %.*s@rel32@hi+12+4", (int)size, name);
	pass_asm_constrain(&code, "~{scc}");
	address = pass_asm_build(&code, builder, context);
	LLVMDisposeBuilder(builder);
	if (in->firsts < most) {
		in->first[in->firsts].function = function;
		in->first[in->firsts++].address = address;
	}
	return address;
}

void pass_measure_row(struct pass_asm *code, unsigned wave, uint32_t id, const char *also)
{
	pass_asm_put(code, "s_mov_b64 s[4:5], $%u", wave);
	pass_asm_put(code, "s_add_u32 s4, s4, 0x%x", id * PASS_ROW_BYTES);
	pass_asm_put(code, "s_addc_u32 s5, s5, 0");
	pass_asm_put(code, "s_mov_b32 s6, %s", also);
}

void pass_measure_place(struct pass_asm *code, const struct pass_site *site, unsigned address)
{
	if (site->space == PROBE_SPACE_LDS) {
		pass_asm_put(code, "v_mov_b32 v2, $%u", address);
		pass_asm_put(code, "v_mov_b32 v3, 0");
	} else {
		pass_asm_put(code, "v_lshlrev_b64 v[2:3], 0, $%u", address);
	}
}

void pass_measure_call(struct pass_asm *code, LLVMValueRef function)
{
	size_t size;
	const char *name = LLVMGetValueName2(function, &size);

	pass_asm_operand(code, "i", function);
	pass_asm_put(code, "s_getpc_b64 vcc");
	pass_asm_put(code, "s_add_u32 vcc_lo, vcc_lo, %.*s@rel32@lo+4+4", (int)size, name);
	pass_asm_put(code, "s_addc_u32 vcc_hi, vcc_hi, %.*s@rel32@hi+12+4", (int)size, name);
	pass_asm_put(code, "s_swappc_b64 s[30:31], vcc");
}

void pass_measure_rows(struct pass_asm *code, const struct pass_site *site, LLVMValueRef function,
		       unsigned wave, unsigned address, uint32_t id, const char *also,
		       const char *rest)
{
	pass_asm_put(code, "v_readfirstlane_b32 s4, v0");
	pass_asm_put(code, "s_cmp_eq_u32 s4, 0");
	pass_asm_put(code, "s_cbranch_scc1 .Lprobe_counted${:uid}");
	pass_asm_put(code, "s_or_b32 %s, %s, 0", rest, also);
	pass_asm_put(code, "s_cbranch_scc0 .Lprobe_counted${:uid}");
	pass_asm_put(code, ".Lprobe_row${:uid}:");
	pass_measure_place(code, site, address);
	pass_measure_row(code, wave, id, "0");
	pass_asm_put(code, "s_ff1_i32_b32 s7, %s", rest);
	pass_asm_put(code, "s_bitset0_b32 %s, s7", rest);
	pass_asm_put(code, "s_lshl_b32 s7, s7, 7");
	_Static_assert(PASS_ROW_BYTES == 1 << 7, "bytes of a row");
	pass_asm_put(code, "s_add_u32 s4, s4, s7");
	pass_asm_put(code, "s_addc_u32 s5, s5, 0");
	pass_measure_call(code, function);
	pass_asm_put(code, "s_cmp_lg_u32 %s, 0", rest);
	pass_asm_put(code, "s_cbranch_scc1 .Lprobe_row${:uid}");
	pass_asm_put(code, ".Lprobe_counted${:uid}:");
}

/* The first unit of an access, of the rows that s6 is to have; `rest` as above, or NULL. */
static void put_first(struct pass_measure *in, struct pass_asm *code, const struct pass_site *site,
		      uint32_t id, LLVMValueRef address, const char *also, const char *rest)
{
	LLVMValueRef function = devlib_share(in->devlib, DEVLIB_MEMORY_FIRST, pass_site_shape(site),
					     in->clone, in->analyses);
	unsigned place = pass_asm_operand(code, "v", address);
	unsigned wave = pass_asm_scalar(code, in->builder, in->wave);
	unsigned first = pass_asm_scalar(code, in->builder, address_of(in, function));

	pass_measure_row(code, wave, id, also);
	if (rest)
		pass_asm_put(code, "v_mov_b32 v0, 0");
	pass_asm_put(code, "s_swappc_b64 s[30:31], $%u", first);
	if (rest)
		pass_measure_rows(code, site, function, wave, place, id, also, rest);
}

void pass_measure_lead(struct pass_measure *in, const struct pass_site *site, uint32_t id,
		       LLVMValueRef address, uint32_t also, struct pass_lead *lead)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(in->wave));
	LLVMTypeRef two[] = {LLVMInt32TypeInContext(context), LLVMInt32TypeInContext(context)};
	struct pass_asm code = {.result = LLVMStructTypeInContext(context, two, 2, 0), .fields = 2};
	LLVMValueRef results;

	pass_lead_build(lead, in->builder, context);
	pass_asm_constrain(&code, "=&s,=&s");
	pass_measure_place(&code, site, pass_asm_operand(&code, "v", address));
	pass_lead_put(lead, &code, "$0", also);
	put_first(in, &code, site, id, address, "$0", "$1");
	results = pass_asm_finish(&code, in->builder, context);
	lead->counted = LLVMBuildExtractValue(in->builder, results, 0, "");
}

void pass_measure_follow(struct pass_measure *in, const struct pass_site *site, uint32_t id,
			 LLVMValueRef address, uint32_t also,
			 const struct pass_measure_behind *behind)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(in->wave));
	struct pass_asm code = {0};
	char number[12];

	if (also) {
		code.result = LLVMInt32TypeInContext(context);
		pass_asm_constrain(&code, "=&s");
	}
	if (behind && behind->counted)
		pass_asm_put(&code, "s_bitcmp1_b32 $%u, %u",
			     pass_asm_scalar(&code, in->builder, behind->counted), behind->behind);
	else if (behind)
		pass_asm_put(&code, "s_bitcmp1_b32 %s, %u", behind->in, behind->behind);
	if (behind)
		pass_asm_put(&code, "s_cbranch_scc1 .Lprobe_known${:uid}");
	pass_measure_place(&code, site, pass_asm_operand(&code, "v", address));
	snprintf(number, sizeof(number), "0x%x", also);
	put_first(in, &code, site, id, address, number, also ? "$0" : NULL);
	pass_asm_put(&code, ".Lprobe_known${:uid}:");
	pass_asm_finish(&code, in->builder, context);
}

/* Another unit, or the lanes in LDS of a flat one: as any function is called. */
static void put_any(struct pass_asm *code, const struct pass_site *site, LLVMValueRef function,
		    unsigned wave, unsigned address, uint32_t id)
{
	pass_measure_row(code, wave, id, "0");
	pass_asm_put(code, "v_lshlrev_b64 v[0:1], 0, s[4:5]");
	pass_measure_place(code, site, address);
	pass_asm_put(code, "v_mov_b32 v4, $0");
	pass_cell_call(code, function);
}

/* The unit at $0. */
static void put_unit(struct pass_measure *in, struct pass_asm *code, const struct pass_site *site,
		     unsigned wave, unsigned address, uint32_t id)
{
	uint32_t shape = pass_site_shape(site);

	if (site->space == PROBE_SPACE_GLOBAL) {
		pass_measure_place(code, site, address);
		pass_asm_put(code, "v_add_co_u32 v2, vcc, $0, v2");
		pass_asm_put(code, "v_addc_co_u32 v3, vcc, 0, v3, vcc");
		pass_measure_row(code, wave, id, "0");
		pass_measure_call(code,
				  devlib_share(in->devlib, DEVLIB_MEMORY_FIRST,
					       shape | DEVLIB_SHAPE_MORE, in->clone, in->analyses));
		return;
	}
	put_any(code, site,
		devlib_share(in->devlib, DEVLIB_MEMORY_ANY, shape, in->clone, in->analyses), wave,
		address, id);
	if (site->space == PROBE_SPACE_FLAT)
		put_any(code, site,
			devlib_share(in->devlib, DEVLIB_MEMORY_ANY, shape | DEVLIB_SHAPE_LDS,
				     in->clone, in->analyses),
			wave, address, id);
}

/* The first unit, and the others one by one. */
static void put_units(struct pass_measure *in, const struct pass_site *site, uint32_t id,
		      LLVMValueRef address)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(in->wave));
	struct pass_asm code = {.result = LLVMInt32TypeInContext(context)};
	unsigned place, wave, first;

	pass_asm_constrain(&code, "=&s");
	place = pass_asm_operand(&code, "v", address);
	wave = pass_asm_scalar(&code, in->builder, in->wave);
	first = pass_asm_scalar(
		&code, in->builder,
		address_of(in, devlib_share(in->devlib, DEVLIB_MEMORY_FIRST, pass_site_shape(site),
					    in->clone, in->analyses)));
	pass_measure_place(&code, site, place);
	pass_measure_row(&code, wave, id, "0");
	pass_asm_put(&code, "s_swappc_b64 s[30:31], $%u", first);
	pass_asm_put(&code, "s_mov_b32 $0, %u", site->unit);
	pass_asm_put(&code, ".Lprobe_unit${:uid}:");
	put_unit(in, &code, site, wave, place, id);
	pass_asm_put(&code, "s_add_u32 $0, $0, %u", site->unit);
	pass_asm_put(&code, "s_cmp_lt_u32 $0, %u", site->size);
	pass_asm_put(&code, "s_cbranch_scc1 .Lprobe_unit${:uid}");
	pass_asm_finish(&code, in->builder, context);
}

void pass_measure_put(struct pass_measure *in, const struct pass_site *site, uint32_t id,
		      LLVMValueRef address, uint32_t also)
{
	if (pass_measure_is_one_call(site))
		pass_measure_follow(in, site, id, address, also, NULL);
	else
		put_units(in, site, id, address);
}
