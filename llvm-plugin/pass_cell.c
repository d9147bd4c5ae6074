/* SPDX-License-Identifier: MIT */
#include "pass_cell.h"

#include <stdio.h>
#include <string.h>

/* The operand keeps the function; the address is made only where it is called. */
void pass_cell_call(struct pass_asm *code, LLVMValueRef function)
{
	size_t size;
	const char *name = LLVMGetValueName2(function, &size);

	pass_asm_operand(code, "i", function);
	pass_asm_put(code, "s_getpc_b64 s[28:29]");
	pass_asm_put(code, "s_add_u32 s28, s28, %.*s@rel32@lo+4", (int)size, name);
	pass_asm_put(code, "s_addc_u32 s29, s29, %.*s@rel32@hi+12", (int)size, name);
	pass_asm_put(code, "s_swappc_b64 s[30:31], s[28:29]");
}

void pass_cell_load(struct pass_asm *code, unsigned ctx)
{
	_Static_assert(offsetof(struct probe_ctx, replica_step) ==
			       offsetof(struct probe_ctx, row_0) + 8,
		       "loaded together");
	pass_asm_put(code, "s_load_dwordx4 s[8:11], $%u, 0x%x", ctx,
		     (unsigned)offsetof(struct probe_ctx, row_0));
}

void pass_cell_place(struct pass_asm *code, unsigned ctx)
{
	pass_cell_load(code, ctx);
	/* Compute unit and shader engine choose the replica (devlib_wave.h). */
	pass_asm_put(code, "s_getreg_b32 s13, hwreg(HW_REG_HW_ID, 8, 8)");
}

void pass_cell_word(struct pass_asm *code, uint32_t row, unsigned word)
{
	pass_asm_put(code, "s_waitcnt lgkmcnt(0)");
	pass_asm_put(code, "s_and_b32 s10, s13, s10");
	pass_asm_put(code, "s_mul_i32 s10, s10, s11");
	pass_asm_put(code, "s_add_u32 s10, s10, 0x%x", row * PASS_ROW_BYTES + word * 8);
}

void pass_cell_add(struct pass_asm *code, unsigned ctx, unsigned regular, uint32_t row,
		   unsigned word)
{
	pass_cell_place(code, ctx);
	pass_asm_put(code, "s_mov_b64 exec, 1");
	pass_asm_put(code, "v_mov_b32 v2, 1");
	pass_asm_put(code, "v_mov_b32 v3, 0");
	pass_cell_word(code, row, word);
	pass_asm_put(code, "v_mov_b32 v0, s10");
	pass_asm_put(code, "global_atomic_add_x2 v0, v[2:3], s[8:9]");
	pass_asm_put(code, "s_mov_b64 exec, $%u", regular);
}

void pass_cell_base(struct pass_asm *code, const struct pass_cell_bases *bases, unsigned i,
		    unsigned to, char ret[8])
{
	if (bases->low[i]) {
		snprintf(ret, 8, "$%u", pass_asm_operand(code, "v", bases->low[i]));
		return;
	}
	pass_asm_put(code, "v_lshlrev_b64 v[%u:%u], 0, $%u", to, to + 1,
		     pass_asm_operand(code, "v", bases->whole[i]));
	snprintf(ret, 8, "v%u", to);
}

/*
 * Lane i of v4 = the i-th address, from the first active lane. All lanes that a wave of this launch
 * has are active: none that is not holds anything.
 */
static void put_lanes(struct pass_asm *code, const struct pass_cell_bases *bases)
{
	char base[8];

	pass_cell_base(code, bases, 0, 4, base);
	pass_asm_put(code, "v_mov_b32 v4, %s", base);
	for (unsigned i = 1; i < bases->count; i++) {
		pass_cell_base(code, bases, i, 6, base);
		pass_asm_put(code, "v_readfirstlane_b32 s12, %s", base);
		pass_asm_put(code, "v_writelane_b32 v4, s12, %u", i);
	}
}

void pass_cell_bin(struct pass_asm *code, const struct plan_group *group,
		   const struct pass_cell_bases *bases, unsigned ctx, unsigned regular)
{
	char base[8] = "v4";

	_Static_assert(PROBE_BIN_WORDS == 8 && PROBE_BIN_ROWS == 4 && PASS_ROW_BYTES == 128,
		       "bits of the address");
	pass_cell_place(code, ctx);
	if (bases->count > 1)
		put_lanes(code, bases);
	else
		pass_cell_base(code, bases, 0, 4, base);
	/* The wave may have fewer lanes than that: from here on what is needed in each. */
	pass_asm_put(code, "s_mov_b64 exec, 0x%x", (1u << bases->count) - 1);
	/* Bits 6:5 to 8:7, bits 4:2 to 5:3. */
	pass_asm_put(code, "v_and_b32 v0, 0x60, %s", base);
	pass_asm_put(code, "v_and_b32 v1, 0x7c, %s", base);
	pass_asm_put(code, "v_add_lshl_u32 v0, v0, v1, 1");
	if (bases->count > 1) {
		pass_asm_put(code, "v_mbcnt_lo_u32_b32 v1, -1, 0");
		pass_asm_put(code, "v_lshl_add_u32 v0, v1, 9, v0");
	}
	pass_asm_put(code, "v_mov_b32 v2, 1");
	pass_asm_put(code, "v_mov_b32 v3, 0");
	pass_cell_word(code, group->bins, 0);
	pass_asm_put(code, "v_add_u32 v0, s10, v0");
	pass_asm_put(code, "global_atomic_add_x2 v0, v[2:3], s[8:9]");
	pass_asm_put(code, "s_mov_b64 exec, $%u", regular);
}

void pass_cell_flush(struct pass_asm *code, const struct pass_cell_sum *sums, unsigned count,
		     unsigned ctx)
{
	pass_cell_place(code, ctx);
	/* EXEC is not needed any more. */
	pass_asm_put(code, "s_mov_b64 exec, 0x%x", (1u << count) - 1);
	pass_asm_put(code, "v_mov_b32 v2, s%u", sums[0].sgpr);
	pass_asm_put(code, "v_mov_b32 v3, 0");
	for (unsigned i = 1; i < count; i++)
		pass_asm_put(code, "v_writelane_b32 v2, s%u, %u", sums[i].sgpr, i);
	pass_cell_word(code, sums[0].row, sums[0].word);
	pass_asm_put(code, "v_mov_b32 v0, s10");
	for (unsigned i = 1; i < count; i++) {
		pass_asm_put(code, "s_add_u32 s12, s10, 0x%x",
			     (sums[i].row - sums[0].row) * PASS_ROW_BYTES +
				     (sums[i].word - sums[0].word) * 8);
		pass_asm_put(code, "v_writelane_b32 v0, s12, %u", i);
	}
	pass_asm_put(code, "global_atomic_add_x2 v0, v[2:3], s[8:9]");
}

/*
 * One half of what a cell is of: the classes of up to four streams. Each is pushed in from above;
 * then all are moved down.
 */
static void put_half(struct pass_asm *code, const struct pass_cell_bases *bases, unsigned first,
		     unsigned count, unsigned sgpr)
{
	char base[8];

	for (unsigned i = 0; i < count; i++) {
		pass_cell_base(code, bases, first + i, 4, base);
		if (i)
			pass_asm_put(code, "v_alignbit_b32 v0, %s, v0, 7", base);
		else
			pass_asm_put(code, "v_lshlrev_b32 v0, 25, %s", base);
	}
	pass_asm_put(code, "v_readfirstlane_b32 s%u, v0", sgpr);
	pass_asm_put(code, "s_lshr_b32 s%u, s%u, %u", sgpr, sgpr, 32 - 7 * count);
}

/* s[4:5] = the class of each aligned stream, and the observed value, as a cell has them. */
static void put_classes(struct pass_asm *code, const struct pass_cell_bases *bases,
			LLVMValueRef observed)
{
	unsigned low = bases->count < 4 ? bases->count : 4;

	_Static_assert(PROBE_CELL_CLASS(3) == 21 && PROBE_CELL_CLASS(4) == 32, "seven bits each");
	if (low)
		put_half(code, bases, 0, low, 4);
	else
		pass_asm_put(code, "s_mov_b32 s4, 0");
	if (bases->count > 4) {
		put_half(code, bases, 4, bases->count - 4, 5);
		pass_asm_put(code, "s_bitset1_b32 s5, 31");
	} else if (observed) {
		pass_asm_put(code, "v_readfirstlane_b32 s5, $%u",
			     pass_asm_operand(code, "v", observed));
		pass_asm_put(code, "s_bitset1_b32 s5, 31");
	} else {
		pass_asm_put(code, "s_brev_b32 s5, 1");
	}
}

/* s6 = how far from s[8:9] the row lies that EXEC and s[4:5] choose. */
static void put_row(struct pass_asm *code, uint32_t first)
{
	_Static_assert(PROBE_CELL_ROWS == 16, "four bits of a product");
	/* Odd numbers without a pattern: any will do. */
	pass_asm_put(code, "s_mul_i32 s6, exec_hi, 0x9e3779b1");
	pass_asm_put(code, "s_mul_i32 s7, s5, 0xc2b2ae35");
	pass_asm_put(code, "s_add_u32 s6, s6, exec_lo");
	pass_asm_put(code, "s_xor_b32 s7, s7, s4");
	pass_asm_put(code, "s_add_u32 s6, s6, s7");
	pass_asm_put(code, "s_mul_i32 s6, s6, 0x85ebca6b");
	pass_asm_put(code, "s_lshr_b32 s6, s6, 28");
	pass_asm_put(code, "s_lshl_b32 s6, s6, 7");
	pass_asm_put(code, "s_add_u32 s6, s6, 0x%x", first * PASS_ROW_BYTES);
	_Static_assert(PASS_ROW_BYTES == 1 << 7, "bytes of a row");
	pass_asm_put(code, "s_waitcnt lgkmcnt(0)");
}

/* How an atomic operation says that it wants the old value, and a load the value in L2. */
static const char *returning(LLVMValueRef function)
{
	static const char key[] = "target-cpu";
	LLVMAttributeRef cpu = LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex,
							     key, sizeof(key) - 1);
	unsigned size = 0;
	const char *name = cpu ? LLVMGetStringAttributeValue(cpu, &size) : "";

	return size >= 5 && (!strncmp(name, "gfx94", 5) || !strncmp(name, "gfx95", 5)) ? "sc0"
										       : "glc";
}

/*
 * None of the cells is ours: take the first free one. That another wave takes one for the same at
 * the same time does no harm, they are added up. If that one was faster, or the scalar cache has
 * the row as it was, the cell is looked at again, or else all of them by the shared function.
 */
static void put_take(struct pass_asm *code, LLVMValueRef function)
{
	const unsigned cells = (unsigned)offsetof(struct probe_cell_row, cell);
	const unsigned exec = cells + (unsigned)offsetof(struct probe_exec_cell, exec);
	const unsigned classes = cells + (unsigned)offsetof(struct probe_exec_cell, classes);

	for (unsigned i = 0; i < PROBE_ROW_CELLS; i++) {
		pass_asm_put(code, "s_movk_i32 s13, %u", 8 * i);
		pass_asm_put(code, "s_cmp_eq_u64 s[%u:%u], 0", 16 + 4 * i, 17 + 4 * i);
		pass_asm_put(code, "s_cbranch_scc1 .Lprobe_take${:uid}");
	}
	pass_asm_put(code, "s_branch .Lprobe_full${:uid}");
	pass_asm_put(code, ".Lprobe_take${:uid}:");
	pass_asm_put(code, "s_lshl_b64 exec, 1, s12");
	pass_asm_put(code, "v_mov_b32 v0, s13");
	pass_asm_put(code, "v_lshlrev_b32 v1, 1, v0");
	pass_asm_put(code, "v_mov_b32 v4, s6");
	pass_asm_put(code, "v_mov_b32 v5, s7");
	pass_asm_put(code, "v_mov_b32 v6, 0");
	pass_asm_put(code, "v_mov_b32 v7, 0");
	pass_asm_put(code, "global_atomic_cmpswap_x2 v[4:5], v1, v[4:7], s[8:9] offset:%u %s", exec,
		     returning(function));
	pass_asm_put(code, "s_waitcnt vmcnt(0)");
	pass_asm_put(code, "v_readfirstlane_b32 s14, v4");
	pass_asm_put(code, "v_readfirstlane_b32 s15, v5");
	pass_asm_put(code, "s_cmp_eq_u64 s[14:15], 0");
	pass_asm_put(code, "s_cbranch_scc1 .Lprobe_taken${:uid}");
	pass_asm_put(code, "s_cmp_eq_u64 s[14:15], s[6:7]");
	pass_asm_put(code, "s_cbranch_scc1 .Lprobe_again${:uid}");
	/* Another's: the next one. */
	pass_asm_put(code, "s_add_u32 s13, s13, 8");
	pass_asm_put(code, "s_cmp_lt_u32 s13, %u", 8 * PROBE_ROW_CELLS);
	pass_asm_put(code, "s_cbranch_scc1 .Lprobe_take${:uid}");
	pass_asm_put(code, "s_mov_b64 exec, s[6:7]");
	pass_asm_put(code, "s_branch .Lprobe_full${:uid}");
	pass_asm_put(code, ".Lprobe_taken${:uid}:");
	pass_asm_put(code, "v_mov_b32 v4, s4");
	pass_asm_put(code, "v_mov_b32 v5, s5");
	pass_asm_put(code, "global_store_dwordx2 v1, v[4:5], s[8:9] offset:%u", classes);
	pass_asm_put(code, ".Lprobe_ours${:uid}:");
	pass_asm_put(code, "global_atomic_add_x2 v0, v[2:3], s[8:9]");
	pass_asm_put(code, "s_mov_b64 exec, s[6:7]");
	pass_asm_put(code, "s_branch .Lprobe_end${:uid}");
	pass_asm_put(code, ".Lprobe_again${:uid}:");
	pass_asm_put(code, "global_load_dwordx2 v[4:5], v1, s[8:9] offset:%u %s", classes,
		     returning(function));
	pass_asm_put(code, "s_waitcnt vmcnt(0)");
	pass_asm_put(code, "v_readfirstlane_b32 s14, v4");
	pass_asm_put(code, "v_readfirstlane_b32 s15, v5");
	pass_asm_put(code, "s_cmp_eq_u64 s[14:15], s[4:5]");
	pass_asm_put(code, "s_cbranch_scc1 .Lprobe_ours${:uid}");
	pass_asm_put(code, "s_mov_b64 exec, s[6:7]");
	pass_asm_put(code, "v_mov_b32 v0, s8");
	pass_asm_put(code, "v_mov_b32 v1, s9");
	pass_asm_put(code, "v_mov_b32 v2, s4");
	pass_asm_put(code, "v_mov_b32 v3, s5");
	pass_cell_call(code, function);
	pass_asm_put(code, "v_readfirstlane_b32 s4, v0");
	pass_asm_put(code, "s_cmp_lg_u32 s4, 0");
	pass_asm_put(code, "s_cbranch_scc1 .Lprobe_end${:uid}");
}

/*
 * Scalar loads, because no register may be written in lanes that are not active: those that have
 * left a loop hold values there that no list of clobbers speaks of (devlib_wave.h).
 */
void pass_cell_put(struct pass_asm *code, const struct plan_group *group,
		   const struct pass_cell_bases *bases, LLVMValueRef observed, unsigned ctx,
		   LLVMValueRef function)
{
	unsigned cells = (unsigned)offsetof(struct probe_cell_row, cell);

	_Static_assert(PROBE_ROW_CELLS * sizeof(struct probe_exec_cell) == 64, "s[16:31]");
	pass_cell_load(code, ctx);
	put_classes(code, bases, observed);
	put_row(code, group->cells);
	pass_asm_put(code, "s_add_u32 s8, s8, s6");
	pass_asm_put(code, "s_addc_u32 s9, s9, 0");
	pass_asm_put(code, "s_load_dwordx16 s[16:31], s[8:9], 0x%x", cells);
	pass_asm_put(code, "v_mov_b32 v0, 0");
	pass_asm_put(code, "v_mov_b32 v2, 1");
	pass_asm_put(code, "v_mov_b32 v3, 0");
	pass_asm_put(code, "s_mov_b64 s[6:7], exec");
	pass_asm_put(code, "s_ff1_i32_b64 s12, exec");
	pass_asm_put(code, "s_waitcnt lgkmcnt(0)");
	for (unsigned i = 0; i < PROBE_ROW_CELLS; i++) {
		pass_asm_put(code, "s_cmp_eq_u64 s[6:7], s[%u:%u]", 16 + 4 * i, 17 + 4 * i);
		pass_asm_put(code, "s_cbranch_scc0 .Lprobe_cell%u${:uid}", i + 1);
		pass_asm_put(code, "s_cmp_eq_u64 s[4:5], s[%u:%u]", 18 + 4 * i, 19 + 4 * i);
		pass_asm_put(code, "s_cbranch_scc0 .Lprobe_cell%u${:uid}", i + 1);
		pass_asm_put(code, "s_lshl_b64 exec, 1, s12");
		pass_asm_put(code, "global_atomic_add_x2 v0, v[2:3], s[8:9] offset:%u", 8 * i);
		pass_asm_put(code, "s_mov_b64 exec, s[6:7]");
		pass_asm_put(code, "s_branch .Lprobe_end${:uid}");
		pass_asm_put(code, ".Lprobe_cell%u${:uid}:", i + 1);
	}
	put_take(code, function);
	pass_asm_put(code, ".Lprobe_full${:uid}:");
}
