/* SPDX-License-Identifier: MIT */
/*
 * A group's code is one asm block, for the reasons given in devlib_measure.h. Its short way is a
 * comparison: EXEC is that of a regular wave, every address tested is at a multiple of 128, and
 * nothing is near a wrap. For a group that is ONCE that is all. The long way measures each site by
 * the shared functions and, in a regular wave, takes back what the launch has counted for it.
 */
#include "pass_group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pass_asm.h"
#include "pass_shim.h"

/*
 * Runs of groups in loops are counted in scalar registers from this one down, which the allocator
 * is kept from ("amdgpu-num-sgpr"). It is the last with which a gfx90a can hold eight waves.
 */
enum { COUNTER_LAST = 93 };

enum { ROW_BYTES = PROBE_COUNTERS * 8 };
_Static_assert(4 + 2 * PLAN_STREAMS + 2 * PLAN_SITES <= PASS_ASM_OPERANDS, "operands of a group");

/* What a shared function may use: devlib_measure.h. */
static void clobber(struct pass_asm *code)
{
	for (int i = 0; i < 16; i++)
		pass_asm_constrain(code, "~{v%d}", i);
	for (int i = 4; i < 32; i++)
		pass_asm_constrain(code, "~{s%d}", i);
	pass_asm_constrain(code, "~{vcc},~{scc}");
}

/* It depends on EXEC: not to be moved into or out of conditions. */
static void set_convergent(LLVMValueRef call)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(call));
	unsigned kind = LLVMGetEnumAttributeKindForName("convergent", 10);

	LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
				 LLVMCreateEnumAttribute(context, kind, 0));
}

static void finish(struct pass_group_insert *in, struct pass_asm *code)
{
	clobber(code);
	set_convergent(pass_asm_build(code, in->builder,
				      LLVMGetModuleContext(LLVMGetGlobalParent(in->clone))));
}

/* ---- Small pieces of code ------------------------------------------------------------------- */

/* The operand keeps the function; the address is made only where it is called. */
static void call(struct pass_asm *code, LLVMValueRef function)
{
	size_t size;
	const char *name = LLVMGetValueName2(function, &size);

	pass_asm_operand(code, "i", function);
	pass_asm_put(code, "s_getpc_b64 s[28:29]");
	pass_asm_put(code, "s_add_u32 s28, s28, %.*s@rel32@lo+4", (int)size, name);
	pass_asm_put(code, "s_addc_u32 s29, s29, %.*s@rel32@hi+12", (int)size, name);
	pass_asm_put(code, "s_swappc_b64 s[30:31], s[28:29]");
}

/* Add 1 to a word of a row. All lanes of the regular wave are active, before and after. */
static void add_to_row(struct pass_group_insert *in, struct pass_asm *code, unsigned regular,
		       unsigned ctx, uint32_t row, unsigned word)
{
	LLVMValueRef function =
		devlib_share(in->devlib, DEVLIB_MEMORY_ADD, 0, in->clone, in->analyses);

	pass_asm_put(code, "v_lshlrev_b64 v[0:1], 0, $%u", ctx);
	pass_asm_put(code, "v_mov_b32 v2, 0x%x", row * ROW_BYTES + word * 8);
	pass_asm_put(code, "s_mov_b64 exec, 1");
	call(code, function);
	pass_asm_put(code, "s_mov_b64 exec, $%u", regular);
}

static void measure_unit(struct pass_asm *code, const struct plan_site *site, uint32_t id,
			 unsigned address, unsigned ctx, LLVMValueRef function, uint32_t offset)
{
	pass_asm_put(code, "v_lshlrev_b64 v[0:1], 0, $%u", ctx);
	if (site->stream == PLAN_NONE) {
		pass_asm_put(code, "v_mov_b32 v2, 0");
		pass_asm_put(code, "v_mov_b32 v3, 0");
	} else if (site->site.space == PROBE_SPACE_LDS) {
		pass_asm_put(code, "v_mov_b32 v2, $%u", address);
		pass_asm_put(code, "v_mov_b32 v3, 0");
		if (site->delta)
			pass_asm_put(code, "v_add_u32 v2, 0x%x, v2", (uint32_t)site->delta);
	} else {
		pass_asm_put(code, "v_lshlrev_b64 v[2:3], 0, $%u", address);
		if (site->delta) {
			pass_asm_put(code, "v_add_co_u32 v2, vcc, 0x%x, v2", (uint32_t)site->delta);
			pass_asm_put(code, "v_addc_co_u32 v3, vcc, %d, v3, vcc",
				     site->delta < 0 ? -1 : 0);
		}
	}
	pass_asm_put(code, "v_mov_b32 v4, 0x%x", offset);
	pass_asm_put(code, "v_mov_b32 v5, 0x%x", id);
	call(code, function);
}

/*
 * LLVM 15 takes readfirstlane in a block that dominates this one for the same, although other lanes
 * were active there: give it a value of this block's own.
 */
static LLVMValueRef here(struct pass_group_insert *in, LLVMValueRef value)
{
	LLVMTypeRef i32 = LLVMTypeOf(value), type = LLVMFunctionType(i32, &i32, 1, 0);
	LLVMValueRef assembly = LLVMGetInlineAsm(type, (char *)"", 0, (char *)"=v,0", 4, 1, 0,
						 LLVMInlineAsmDialectATT, 0);
	LLVMValueRef built = LLVMBuildCall2(in->builder, type, assembly, &value, 1, "");

	set_convergent(built);
	return built;
}

static LLVMValueRef first_lane(struct pass_group_insert *in, LLVMValueRef value)
{
	static const char name[] = "llvm.amdgcn.readfirstlane";
	LLVMModuleRef module = LLVMGetGlobalParent(in->clone);
	LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
	unsigned number = LLVMLookupIntrinsicID(name, sizeof(name) - 1);
	size_t overloads = LLVMIntrinsicIsOverloaded(number) ? 1 : 0;
	LLVMValueRef function = LLVMGetIntrinsicDeclaration(module, number, &i32, overloads);

	if (LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 32)
		value = LLVMBuildTrunc(in->builder, value, i32, "");
	value = here(in, value);
	return LLVMBuildCall2(in->builder, LLVMGlobalGetValueType(function), function, &value, 1,
			      "");
}

static LLVMValueRef either(struct pass_group_insert *in, LLVMValueRef a, LLVMValueRef b)
{
	return a ? LLVMBuildOr(in->builder, a, b, "") : b;
}

/* ---- A group -------------------------------------------------------------------------------- */

/* The operands of a group's code that are computed outside of it. */
struct tested {
	LLVMValueRef address[PLAN_STREAMS];
	LLVMValueRef base[PLAN_STREAMS]; /* its low half in the first lane, of aligned streams */
	LLVMValueRef bases, wraps;	 /* OR of what is tested; NULL = nothing */
};

static bool is_needed(const struct pass_group_insert *in, const struct plan_group *group,
		      LLVMValueRef inst)
{
	if (inst == in->regular || inst == in->ctx)
		return true;
	for (unsigned i = 0; i < group->streams; i++)
		if (in->plan->site[group->stream[i].lead].site.pointer == inst)
			return true;
	for (size_t i = group->first; i <= group->last; i++) {
		const struct pass_pattern *pattern = &in->plan->site[i].pattern;

		for (unsigned k = 0;
		     in->plan->site[i].group != PLAN_NONE && k < pattern->wrap_count; k++)
			if (pattern->wraps[k] == inst)
				return true;
	}
	return false;
}

/* As early in the block as all that the group needs is there: addresses need not be kept. */
static void position(struct pass_group_insert *in, const struct plan_group *group)
{
	LLVMValueRef at = LLVMGetFirstInstruction(group->block);

	while (LLVMIsAPHINode(at) || LLVMIsAAllocaInst(at))
		at = LLVMGetNextInstruction(at);
	for (LLVMValueRef inst = at; inst != LLVMGetBasicBlockTerminator(group->block);
	     inst = LLVMGetNextInstruction(inst))
		if (is_needed(in, group, inst))
			at = LLVMGetNextInstruction(inst);
	LLVMPositionBuilderBefore(in->builder, at);
	LLVMSetCurrentDebugLocation2(in->builder,
				     LLVMInstructionGetDebugLoc(in->plan->site[group->first].inst));
}

static void test_wraps(struct pass_group_insert *in, int number, struct tested *ret)
{
	const struct plan_group *group = &in->plan->group[number];
	LLVMValueRef *seen = NULL;
	size_t count = 0;

	for (size_t i = group->first; i <= group->last; i++) {
		const struct pass_pattern *pattern = &in->plan->site[i].pattern;

		if (in->plan->site[i].group != number)
			continue;
		for (unsigned k = 0; k < pattern->wrap_count; k++) {
			size_t old = 0;

			while (old < count && seen[old] != pattern->wraps[k])
				old++;
			if (old < count)
				continue;
			seen = pass_alloc(seen, (count + 1) * sizeof(*seen));
			seen[count++] = pattern->wraps[k];
			ret->wraps = either(in, ret->wraps, first_lane(in, pattern->wraps[k]));
		}
	}
	free(seen);
}

static void test(struct pass_group_insert *in, int number, struct tested *ret)
{
	const struct plan_group *group = &in->plan->group[number];
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(in->clone));

	for (unsigned i = 0; i < group->streams; i++) {
		const struct plan_stream *stream = &group->stream[i];
		const struct pass_site *site = &in->plan->site[stream->lead].site;
		LLVMTypeRef type = site->space == PROBE_SPACE_LDS ? LLVMInt32TypeInContext(context)
								  : LLVMInt64TypeInContext(context);

		ret->address[i] = LLVMBuildPtrToInt(in->builder, site->pointer, type, "");
		if (!stream->aligned)
			continue;
		ret->base[i] = first_lane(in, ret->address[i]);
		ret->bases = either(in, ret->bases, ret->base[i]);
	}
	test_wraps(in, number, ret);
}

/* Go to .Lregular if this is a regular wave and nothing speaks against it. */
static void put_test(struct pass_asm *code, const struct tested *tested, unsigned regular)
{
	if (!tested->bases && !tested->wraps) {
		pass_asm_put(code, "s_cmp_eq_u64 exec, $%u", regular);
		pass_asm_put(code, "s_cbranch_scc1 .Lprobe_regular${:uid}");
		return;
	}
	if (tested->bases)
		pass_asm_put(code, "s_and_b32 s4, $%u, 0x7f",
			     pass_asm_operand(code, "s", tested->bases));
	if (tested->wraps)
		pass_asm_put(code, "s_lshr_b32 s%d, $%u, 30", tested->bases ? 5 : 4,
			     pass_asm_operand(code, "s", tested->wraps));
	if (tested->bases && tested->wraps)
		pass_asm_put(code, "s_or_b32 s4, s4, s5");
	pass_asm_put(code, "s_xor_b64 s[6:7], exec, $%u", regular);
	pass_asm_put(code, "s_or_b32 s6, s6, s4");
	pass_asm_put(code, "s_or_b32 s6, s6, s7");
	pass_asm_put(code, "s_cbranch_scc0 .Lprobe_regular${:uid}");
}

/* Measure into the row of each site, or into those that sites share. */
static void put_measure(struct pass_group_insert *in, struct pass_asm *code, int number,
			const struct tested *tested, unsigned ctx, uint32_t first_id, bool shared)
{
	const struct plan_group *group = &in->plan->group[number];

	for (size_t i = group->first; i <= group->last; i++) {
		const struct plan_site *site = &in->plan->site[i];
		uint32_t row = shared ? group->shared + site->cost : first_id + (uint32_t)i;
		unsigned address = 0;
		LLVMValueRef function;

		if (site->group != number || (shared && !pass_plan_leads(in->plan, i)))
			continue;
		function = devlib_share(in->devlib, DEVLIB_MEMORY_SITE,
					pass_site_shape(&site->site), in->clone, in->analyses);
		if (site->stream != PLAN_NONE)
			address = pass_asm_operand(code, "v", tested->address[site->stream]);
		for (uint32_t offset = 0; offset < site->site.size; offset += site->site.unit)
			measure_unit(code, site, row, address, ctx, function, offset);
	}
}

/* s[4:5] = the class of each aligned stream, as a cell has it. */
static void put_classes(struct pass_asm *code, const struct plan_group *group,
			const struct tested *tested)
{
	unsigned shift = 0;

	pass_asm_put(code, "s_mov_b64 s[4:5], 0");
	for (unsigned i = 0; i < group->streams; i++) {
		if (!group->stream[i].aligned)
			continue;
		/* The first four in the lower half, the others in the upper one. */
		pass_asm_put(code, "s_and_b32 s%d, $%u, 0x7f", shift % 28 ? 6 : 4 + shift / 28,
			     pass_asm_operand(code, "s", tested->base[i]));
		if (shift % 28) {
			pass_asm_put(code, "s_lshl_b32 s6, s6, %u", shift % 28);
			pass_asm_put(code, "s_or_b32 s%d, s%d, s6", 4 + shift / 28, 4 + shift / 28);
		}
		shift += 7;
	}
	pass_asm_put(code, "s_bitset1_b32 s5, 31");
}

/*
 * Count this execution in the cell for its EXEC and the classes of all streams together. Each lane
 * looks at a cell of its own; no two are the same. If there is none, but a free one, the shared
 * function takes it.
 */
static void put_cell(struct pass_group_insert *in, struct pass_asm *code,
		     const struct plan_group *group, const struct tested *tested, unsigned ctx)
{
	LLVMValueRef function =
		devlib_share(in->devlib, DEVLIB_MEMORY_CELL, 0, in->clone, in->analyses);

	_Static_assert(PROBE_CELL_ROWS * PROBE_ROW_CELLS == 64, "a cell per lane");
	_Static_assert(offsetof(struct probe_ctx, site_first) ==
			       offsetof(struct probe_ctx, counters) + 12,
		       "loaded together");
	/*
	 * The search below writes v0 to v6 of all lanes. The back end holds values of lanes that
	 * have left a loop there, of which no list of clobbers tells it: only where no lane is
	 * away.
	 */
	pass_asm_put(code, "s_cmp_eq_u64 exec, -1");
	pass_asm_put(code, "s_cbranch_scc0 .Lprobe_long${:uid}");
	pass_asm_put(code, "s_load_dwordx4 s[8:11], $%u, 0x%x", ctx,
		     (unsigned)offsetof(struct probe_ctx, counters));
	put_classes(code, group, tested);
	pass_asm_put(code, "s_mov_b64 s[6:7], exec");
	pass_asm_put(code, "s_mov_b64 exec, -1");
	pass_asm_put(code, "v_mbcnt_lo_u32_b32 v0, -1, 0");
	pass_asm_put(code, "v_mbcnt_hi_u32_b32 v0, -1, v0");
	pass_asm_put(code, "s_waitcnt lgkmcnt(0)");
	pass_asm_put(code, "s_lshl_b32 s11, s11, 7");
	pass_asm_put(code, "s_sub_u32 s11, 0x%x, s11", group->cells * ROW_BYTES);
	pass_asm_put(code, "v_lshl_add_u32 v6, v0, 5, s11");
	pass_asm_put(code, "global_load_dwordx4 v[2:5], v6, s[8:9]");
	pass_asm_put(code, "s_waitcnt vmcnt(0)");
	pass_asm_put(code, "v_cmp_eq_u64 vcc, s[6:7], v[2:3]");
	pass_asm_put(code, "v_cmp_eq_u64 s[12:13], s[4:5], v[4:5]");
	pass_asm_put(code, "s_and_b64 exec, vcc, s[12:13]");
	pass_asm_put(code, "s_cbranch_scc0 .Lprobe_take${:uid}");
	pass_asm_put(code, "v_mov_b32 v0, 1");
	pass_asm_put(code, "v_mov_b32 v1, 0");
	pass_asm_put(code, "global_atomic_add_x2 v6, v[0:1], s[8:9] offset:%u",
		     (unsigned)offsetof(struct probe_exec_cell, count));
	pass_asm_put(code, "s_mov_b64 exec, s[6:7]");
	pass_asm_put(code, "s_branch .Lprobe_end${:uid}");
	pass_asm_put(code, ".Lprobe_take${:uid}:");
	pass_asm_put(code, "s_mov_b64 exec, -1");
	pass_asm_put(code, "v_cmp_eq_u64 vcc, 0, v[4:5]");
	pass_asm_put(code, "s_cmp_eq_u64 vcc, 0");
	pass_asm_put(code, "s_cbranch_scc1 .Lprobe_full${:uid}");
	pass_asm_put(code, "v_mov_b32 v0, s8");
	pass_asm_put(code, "v_mov_b32 v1, s9");
	pass_asm_put(code, "v_mov_b32 v2, v6");
	for (int i = 0; i < 4; i++)
		pass_asm_put(code, "v_mov_b32 v%d, s%d", 3 + i, i < 2 ? 6 + i : 2 + i);
	call(code, function);
	pass_asm_put(code, "v_readfirstlane_b32 s4, v0");
	pass_asm_put(code, "v_readfirstlane_b32 s6, v1");
	pass_asm_put(code, "v_readfirstlane_b32 s7, v2");
	pass_asm_put(code, "s_mov_b64 exec, s[6:7]");
	pass_asm_put(code, "s_cmp_lg_u32 s4, 0");
	pass_asm_put(code, "s_cbranch_scc1 .Lprobe_end${:uid}");
	pass_asm_put(code, ".Lprobe_full${:uid}:");
	pass_asm_put(code, "s_mov_b64 exec, s[6:7]");
}

/* Where all aligned streams begin at the same place in a line, sites of one cost share a row. */
static void put_shared(struct pass_group_insert *in, struct pass_asm *code, int number,
		       const struct tested *tested, unsigned ctx, uint32_t first_id)
{
	const struct plan_group *group = &in->plan->group[number];
	LLVMValueRef first = NULL;

	for (unsigned i = 0; i < group->streams; i++) {
		if (!group->stream[i].aligned)
			continue;
		if (first) {
			pass_asm_put(code, "s_xor_b32 s4, $%u, $%u",
				     pass_asm_operand(code, "s", first),
				     pass_asm_operand(code, "s", tested->base[i]));
			pass_asm_put(code, "s_and_b32 s4, s4, 0x7f");
			pass_asm_put(code, "s_cbranch_scc1 .Lprobe_long${:uid}");
		} else {
			first = tested->base[i];
		}
	}
	put_measure(in, code, number, tested, ctx, first_id, true);
	pass_asm_put(code, "s_branch .Lprobe_measured${:uid}");
}

/* A regular wave ran a group that is ONCE, and was counted otherwise. */
static void put_miss(struct pass_group_insert *in, struct pass_asm *code,
		     const struct plan_group *group, unsigned regular, unsigned ctx)
{
	pass_asm_put(code, "s_cmp_eq_u64 exec, $%u", regular);
	pass_asm_put(code, "s_cbranch_scc0 .Lprobe_end${:uid}");
	add_to_row(in, code, regular, ctx, group->row, PROBE_B_MISSES);
}

static void put_regular(struct pass_group_insert *in, struct pass_asm *code,
			const struct plan_group *group, unsigned regular, unsigned ctx)
{
	if (!group->once)
		pass_asm_put(code, "s_branch .Lprobe_end${:uid}");
	pass_asm_put(code, ".Lprobe_regular${:uid}:");
	if (group->once)
		return;
	if (group->counter != PLAN_NONE)
		pass_asm_put(code, "s_add_u32 s%d, s%d, 1", COUNTER_LAST - group->counter,
			     COUNTER_LAST - group->counter);
	else
		add_to_row(in, code, regular, ctx, group->row, PROBE_B_RUNS);
}

static void insert_group(struct pass_group_insert *in, int number, uint32_t first_id)
{
	const struct plan_group *group = &in->plan->group[number];
	struct tested tested = {0};
	struct pass_asm code = {0};
	unsigned regular, ctx;

	position(in, group);
	test(in, number, &tested);
	regular = pass_asm_operand(&code, "s", in->regular);
	ctx = pass_asm_operand(
		&code, "s", LLVMBuildPtrToInt(in->builder, in->ctx, LLVMTypeOf(in->regular), ""));
	put_test(&code, &tested, regular);
	if (tested.wraps) {
		pass_asm_put(&code, "s_lshr_b32 s4, $%u, 30",
			     pass_asm_operand(&code, "s", tested.wraps));
		pass_asm_put(&code, "s_cbranch_scc1 .Lprobe_long${:uid}");
	}
	if (group->cells != PROBE_ROW_NONE) {
		/* Not if the shapes of waves differ. */
		pass_asm_put(&code, "s_cmp_eq_u64 $%u, 0", regular);
		pass_asm_put(&code, "s_cbranch_scc1 .Lprobe_long${:uid}");
		put_cell(in, &code, group, &tested, ctx);
	}
	if (group->shared != PROBE_ROW_NONE)
		put_shared(in, &code, number, &tested, ctx, first_id);
	pass_asm_put(&code, ".Lprobe_long${:uid}:");
	put_measure(in, &code, number, &tested, ctx, first_id, false);
	pass_asm_put(&code, ".Lprobe_measured${:uid}:");
	if (group->once)
		put_miss(in, &code, group, regular, ctx);
	put_regular(in, &code, group, regular, ctx);
	pass_asm_put(&code, ".Lprobe_end${:uid}:");
	finish(in, &code);
}

/* ---- A guard -------------------------------------------------------------------------------- */

/* Where a regular wave branches: not all of it goes to the guarded block? That is a miss. */
static void insert_guard(struct pass_group_insert *in, const struct plan_guard *guard)
{
	LLVMValueRef branch = LLVMGetBasicBlockTerminator(guard->from);
	bool taken = LLVMGetSuccessor(branch, 0) == guard->block;
	struct pass_asm code = {0};
	unsigned mask, regular, ctx;

	LLVMPositionBuilderBefore(in->builder, branch);
	LLVMSetCurrentDebugLocation2(in->builder, LLVMInstructionGetDebugLoc(branch));
	mask = pass_asm_operand(&code, "s", pass_ballot(in->builder, LLVMGetCondition(branch), 64));
	regular = pass_asm_operand(&code, "s", in->regular);
	ctx = pass_asm_operand(
		&code, "s", LLVMBuildPtrToInt(in->builder, in->ctx, LLVMTypeOf(in->regular), ""));
	if (taken)
		pass_asm_put(&code, "s_cmp_eq_u64 $%u, $%u", mask, regular);
	else
		pass_asm_put(&code, "s_cmp_eq_u64 $%u, 0", mask);
	pass_asm_put(&code, "s_cbranch_scc1 .Lprobe_end${:uid}");
	pass_asm_put(&code, "s_cmp_eq_u64 exec, $%u", regular);
	pass_asm_put(&code, "s_cbranch_scc0 .Lprobe_end${:uid}");
	add_to_row(in, &code, regular, ctx, guard->row, PROBE_B_MISSES);
	pass_asm_put(&code, ".Lprobe_end${:uid}:");
	finish(in, &code);
}

LLVMValueRef pass_group_load_regular(LLVMBuilderRef builder, LLVMValueRef ctx)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(ctx));
	LLVMTypeRef i8 = LLVMInt8TypeInContext(context), i64 = LLVMInt64TypeInContext(context);
	LLVMValueRef offset = LLVMConstInt(i64, offsetof(struct probe_ctx, regular), 0);
	LLVMValueRef at = LLVMBuildGEP2(builder, i8, ctx, &offset, 1, "");
	LLVMValueRef load = LLVMBuildLoad2(builder, i64, at, "probe.regular");

	LLVMSetAlignment(load, 8);
	return load;
}

/* Told to the compiler once, so that the wave gets them. */
static void start_counters(struct pass_group_insert *in)
{
	LLVMTypeRef i32 =
		LLVMInt32TypeInContext(LLVMGetModuleContext(LLVMGetGlobalParent(in->clone)));
	LLVMTypeRef type = LLVMFunctionType(i32, NULL, 0, 0);
	LLVMValueRef after = LLVMGetNextInstruction(in->regular);
	char limit[12];

	LLVMPositionBuilderBefore(in->builder, after);
	LLVMSetCurrentDebugLocation2(in->builder, NULL);
	for (int i = 0; i < in->plan->counters; i++) {
		char constraint[12];
		int size = snprintf(constraint, sizeof(constraint), "={s%d}", COUNTER_LAST - i);

		/* As a result: a clobbered register that the compiler may not use is a warning. */
		LLVMBuildCall2(in->builder, type,
			       LLVMGetInlineAsm(type, (char *)"s_mov_b32 $0, 0", 15, constraint,
						(size_t)size, 1, 0, LLVMInlineAsmDialectATT, 0),
			       NULL, 0, "");
	}
	/*
	 * The number includes 2 to 6 for vcc and the like, as many as the function turns out to
	 * need.
	 */
	snprintf(limit, sizeof(limit), "%d", COUNTER_LAST + 1 - in->plan->counters + 2);
	LLVMAddTargetDependentFunctionAttr(in->clone, "amdgpu-num-sgpr", limit);
}

/* At the wave's only end. EXEC is not needed any more. */
static void flush_counters(struct pass_group_insert *in, LLVMValueRef last)
{
	LLVMValueRef function =
		devlib_share(in->devlib, DEVLIB_MEMORY_SUM, 0, in->clone, in->analyses);
	struct pass_asm code = {0};
	unsigned ctx, lane = 0;

	LLVMPositionBuilderBefore(in->builder, last);
	LLVMSetCurrentDebugLocation2(in->builder, LLVMInstructionGetDebugLoc(last));
	ctx = pass_asm_operand(
		&code, "s", LLVMBuildPtrToInt(in->builder, in->ctx, LLVMTypeOf(in->regular), ""));
	for (int i = 0; i < in->plan->groups; i++) {
		const struct plan_group *group = &in->plan->group[i];

		if (group->counter == PLAN_NONE)
			continue;
		pass_asm_put(&code, "s_mov_b32 s4, 0x%x",
			     group->row * ROW_BYTES + PROBE_B_RUNS * 8);
		pass_asm_put(&code, "v_writelane_b32 v2, s4, %u", lane);
		pass_asm_put(&code, "v_writelane_b32 v3, s%d, %u", COUNTER_LAST - group->counter,
			     lane++);
	}
	pass_asm_put(&code, "s_mov_b64 exec, 0x%x", (1u << lane) - 1);
	pass_asm_put(&code, "v_lshlrev_b64 v[0:1], 0, $%u", ctx);
	call(&code, function);
	finish(in, &code);
}

void pass_group_insert(struct pass_group_insert *in)
{
	uint32_t first_id = in->plan->first_site;

	for (int i = 0; i < in->plan->groups; i++)
		insert_group(in, i, first_id);
	for (int i = 0; i < in->plan->guards; i++)
		insert_guard(in, &in->plan->guard[i]);
	if (in->plan->counters) {
		start_counters(in);
		flush_counters(in, in->last);
	}
}
