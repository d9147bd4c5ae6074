/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/emit/mask_histogram.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

/* The operand keeps the function; the address is made only where it is called. */
void emit_shared_call(struct asm_block *code, LLVMValueRef function)
{
	size_t size;
	const char *name = LLVMGetValueName2(function, &size);

	asm_operand(code, "i", function);
	asm_line(code, "s_getpc_b64 s[28:29]");
	asm_line(code, "s_add_u32 s28, s28, %.*s@rel32@lo+4", (int)size, name);
	asm_line(code, "s_addc_u32 s29, s29, %.*s@rel32@hi+12", (int)size, name);
	asm_line(code, "s_swappc_b64 s[30:31], s[28:29]");
}

void emit_load_rows(struct asm_block *code, unsigned ctx)
{
	_Static_assert(offsetof(struct probe_ctx, replica_step) ==
			       offsetof(struct probe_ctx, row_0) + 8,
		       "loaded together");
	asm_line(code, "s_load_dwordx4 s[8:11], $%u, 0x%x", ctx,
		 (unsigned)offsetof(struct probe_ctx, row_0));
}

void emit_replica(struct asm_block *code, unsigned ctx)
{
	emit_load_rows(code, ctx);
	/* Compute unit and shader engine choose the replica (wave_ids.h). */
	asm_line(code, "s_getreg_b32 s13, hwreg(HW_REG_HW_ID, 8, 8)");
}

void emit_row_address(struct asm_block *code, uint32_t row, unsigned word)
{
	asm_line(code, "s_waitcnt lgkmcnt(0)");
	asm_line(code, "s_and_b32 s10, s13, s10");
	asm_line(code, "s_mul_i32 s10, s10, s11");
	asm_line(code, "s_add_u32 s10, s10, 0x%x", row * COUNTER_ROW_BYTES + word * 8);
}

void emit_add_one(struct asm_block *code, unsigned ctx, unsigned regular, uint32_t row,
		  unsigned word)
{
	emit_replica(code, ctx);
	asm_line(code, "s_mov_b64 exec, 1");
	asm_line(code, "v_mov_b32 v2, 1");
	asm_line(code, "v_mov_b32 v3, 0");
	emit_row_address(code, row, word);
	asm_line(code, "v_mov_b32 v0, s10");
	asm_line(code, "global_atomic_add_x2 v0, v[2:3], s[8:9]");
	asm_line(code, "s_mov_b64 exec, $%u", regular);
}

void emit_residue_operand(struct asm_block *code, const struct residue_operands *bases, unsigned i,
			  unsigned to, char ret[8])
{
	if (bases->low[i]) {
		snprintf(ret, 8, "$%u", asm_operand(code, "v", bases->low[i]));
		return;
	}
	asm_line(code, "v_lshlrev_b64 v[%u:%u], 0, $%u", to, to + 1,
		 asm_operand(code, "v", bases->whole[i]));
	snprintf(ret, 8, "v%u", to);
}

/*
 * Lane i of v4 = the i-th address, from the first active lane. All lanes that a wave of this launch
 * has are active: none that is not holds anything.
 */
static void emit_lanes(struct asm_block *code, const struct residue_operands *bases)
{
	char base[8];

	emit_residue_operand(code, bases, 0, 4, base);
	asm_line(code, "v_mov_b32 v4, %s", base);
	for (unsigned i = 1; i < bases->count; i++) {
		emit_residue_operand(code, bases, i, 6, base);
		asm_line(code, "v_readfirstlane_b32 s12, %s", base);
		asm_line(code, "v_writelane_b32 v4, s12, %u", i);
	}
}

void residue_histogram_emit(struct asm_block *code, const struct plan_group *group,
			    const struct residue_operands *bases, unsigned ctx, unsigned regular)
{
	char base[8] = "v4";

	_Static_assert(PROBE_RESIDUE_WORDS == 8 && PROBE_RESIDUE_ROWS == 4 &&
			       COUNTER_ROW_BYTES == 128,
		       "bits of the address");
	emit_replica(code, ctx);
	if (bases->count > 1)
		emit_lanes(code, bases);
	else
		emit_residue_operand(code, bases, 0, 4, base);
	/* The wave may have fewer lanes than that: from here on what is needed in each. */
	asm_line(code, "s_mov_b64 exec, 0x%x", (1u << bases->count) - 1);
	/* Bits 6:5 to 8:7, bits 4:2 to 5:3. */
	asm_line(code, "v_and_b32 v0, 0x60, %s", base);
	asm_line(code, "v_and_b32 v1, 0x7c, %s", base);
	asm_line(code, "v_add_lshl_u32 v0, v0, v1, 1");
	if (bases->count > 1) {
		asm_line(code, "v_mbcnt_lo_u32_b32 v1, -1, 0");
		asm_line(code, "v_lshl_add_u32 v0, v1, 9, v0");
	}
	asm_line(code, "v_mov_b32 v2, 1");
	asm_line(code, "v_mov_b32 v3, 0");
	emit_row_address(code, group->residue_rows, 0);
	asm_line(code, "v_add_u32 v0, s10, v0");
	asm_line(code, "global_atomic_add_x2 v0, v[2:3], s[8:9]");
	asm_line(code, "s_mov_b64 exec, $%u", regular);
}

void run_counters_flush(struct asm_block *code, const struct run_counter *sums, unsigned count,
			unsigned ctx)
{
	emit_replica(code, ctx);
	/* EXEC is not needed any more. */
	asm_line(code, "s_mov_b64 exec, 0x%x", (1u << count) - 1);
	asm_line(code, "v_mov_b32 v2, s%u", sums[0].sgpr);
	asm_line(code, "v_mov_b32 v3, 0");
	for (unsigned i = 1; i < count; i++)
		asm_line(code, "v_writelane_b32 v2, s%u, %u", sums[i].sgpr, i);
	emit_row_address(code, sums[0].row, sums[0].word);
	asm_line(code, "v_mov_b32 v0, s10");
	for (unsigned i = 1; i < count; i++) {
		asm_line(code, "s_add_u32 s12, s10, 0x%x",
			 (sums[i].row - sums[0].row) * COUNTER_ROW_BYTES +
				 (sums[i].word - sums[0].word) * 8);
		asm_line(code, "v_writelane_b32 v0, s12, %u", i);
	}
	asm_line(code, "global_atomic_add_x2 v0, v[2:3], s[8:9]");
}

/*
 * One half of what a bucket is of: the classes of up to four streams. Each is pushed in from above;
 * then all are moved down.
 */
static void emit_half(struct asm_block *code, const struct residue_operands *bases, unsigned first,
		      unsigned count, unsigned sgpr)
{
	char base[8];

	for (unsigned i = 0; i < count; i++) {
		emit_residue_operand(code, bases, first + i, 4, base);
		if (i)
			asm_line(code, "v_alignbit_b32 v0, %s, v0, 7", base);
		else
			asm_line(code, "v_lshlrev_b32 v0, 25, %s", base);
	}
	asm_line(code, "v_readfirstlane_b32 s%u, v0", sgpr);
	asm_line(code, "s_lshr_b32 s%u, s%u, %u", sgpr, sgpr, 32 - 7 * count);
}

/* s[4:5] = the class of each aligned stream, and the observed value, as a bucket has them. */
static void emit_classes(struct asm_block *code, const struct residue_operands *bases,
			 LLVMValueRef observed)
{
	unsigned low = bases->count < 4 ? bases->count : 4;

	_Static_assert(PROBE_BUCKET_RESIDUE(3) == 21 && PROBE_BUCKET_RESIDUE(4) == 32,
		       "seven bits each");
	if (low)
		emit_half(code, bases, 0, low, 4);
	else
		asm_line(code, "s_mov_b32 s4, 0");
	if (bases->count > 4) {
		emit_half(code, bases, 4, bases->count - 4, 5);
		asm_line(code, "s_bitset1_b32 s5, 31");
	} else if (observed) {
		asm_line(code, "v_readfirstlane_b32 s5, $%u", asm_operand(code, "v", observed));
		asm_line(code, "s_bitset1_b32 s5, 31");
	} else {
		asm_line(code, "s_brev_b32 s5, 1");
	}
}

/* s6 = how far from s[8:9] the row lies that EXEC and s[4:5] choose. */
static void emit_row(struct asm_block *code, uint32_t first)
{
	_Static_assert(PROBE_BUCKET_ROWS == 16, "four bits of a product");
	/* Odd numbers without a pattern: any will do. */
	asm_line(code, "s_mul_i32 s6, exec_hi, 0x9e3779b1");
	asm_line(code, "s_mul_i32 s7, s5, 0xc2b2ae35");
	asm_line(code, "s_add_u32 s6, s6, exec_lo");
	asm_line(code, "s_xor_b32 s7, s7, s4");
	asm_line(code, "s_add_u32 s6, s6, s7");
	asm_line(code, "s_mul_i32 s6, s6, 0x85ebca6b");
	asm_line(code, "s_lshr_b32 s6, s6, 28");
	asm_line(code, "s_lshl_b32 s6, s6, 7");
	asm_line(code, "s_add_u32 s6, s6, 0x%x", first * COUNTER_ROW_BYTES);
	_Static_assert(COUNTER_ROW_BYTES == 1 << 7, "bytes of a row");
	asm_line(code, "s_waitcnt lgkmcnt(0)");
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
 * None of the buckets is ours: take the first free one. That another wave takes one for the same at
 * the same time does no harm, they are added up. If that one was faster, or the scalar cache has
 * the row as it was, the bucket is looked at again, or else all of them by the shared function.
 */
static void emit_take(struct asm_block *code, LLVMValueRef function)
{
	const unsigned mask_rows = (unsigned)offsetof(struct probe_bucket_row, bucket);
	const unsigned exec = mask_rows + (unsigned)offsetof(struct probe_exec_bucket, exec);
	const unsigned classes = mask_rows + (unsigned)offsetof(struct probe_exec_bucket, residues);

	for (unsigned i = 0; i < PROBE_ROW_BUCKETS; i++) {
		asm_line(code, "s_movk_i32 s13, %u", 8 * i);
		asm_line(code, "s_cmp_eq_u64 s[%u:%u], 0", 16 + 4 * i, 17 + 4 * i);
		asm_line(code, "s_cbranch_scc1 .Lprobe_take${:uid}");
	}
	asm_line(code, "s_branch .Lprobe_full${:uid}");
	asm_line(code, ".Lprobe_take${:uid}:");
	asm_line(code, "s_lshl_b64 exec, 1, s12");
	asm_line(code, "v_mov_b32 v0, s13");
	asm_line(code, "v_lshlrev_b32 v1, 1, v0");
	asm_line(code, "v_mov_b32 v4, s6");
	asm_line(code, "v_mov_b32 v5, s7");
	asm_line(code, "v_mov_b32 v6, 0");
	asm_line(code, "v_mov_b32 v7, 0");
	asm_line(code, "global_atomic_cmpswap_x2 v[4:5], v1, v[4:7], s[8:9] offset:%u %s", exec,
		 returning(function));
	asm_line(code, "s_waitcnt vmcnt(0)");
	asm_line(code, "v_readfirstlane_b32 s14, v4");
	asm_line(code, "v_readfirstlane_b32 s15, v5");
	asm_line(code, "s_cmp_eq_u64 s[14:15], 0");
	asm_line(code, "s_cbranch_scc1 .Lprobe_taken${:uid}");
	asm_line(code, "s_cmp_eq_u64 s[14:15], s[6:7]");
	asm_line(code, "s_cbranch_scc1 .Lprobe_again${:uid}");
	/* Another's: the next one. */
	asm_line(code, "s_add_u32 s13, s13, 8");
	asm_line(code, "s_cmp_lt_u32 s13, %u", 8 * PROBE_ROW_BUCKETS);
	asm_line(code, "s_cbranch_scc1 .Lprobe_take${:uid}");
	asm_line(code, "s_mov_b64 exec, s[6:7]");
	asm_line(code, "s_branch .Lprobe_full${:uid}");
	asm_line(code, ".Lprobe_taken${:uid}:");
	asm_line(code, "v_mov_b32 v4, s4");
	asm_line(code, "v_mov_b32 v5, s5");
	asm_line(code, "global_store_dwordx2 v1, v[4:5], s[8:9] offset:%u", classes);
	asm_line(code, ".Lprobe_ours${:uid}:");
	asm_line(code, "global_atomic_add_x2 v0, v[2:3], s[8:9]");
	asm_line(code, "s_mov_b64 exec, s[6:7]");
	asm_line(code, "s_branch .Lprobe_end${:uid}");
	asm_line(code, ".Lprobe_again${:uid}:");
	asm_line(code, "global_load_dwordx2 v[4:5], v1, s[8:9] offset:%u %s", classes,
		 returning(function));
	asm_line(code, "s_waitcnt vmcnt(0)");
	asm_line(code, "v_readfirstlane_b32 s14, v4");
	asm_line(code, "v_readfirstlane_b32 s15, v5");
	asm_line(code, "s_cmp_eq_u64 s[14:15], s[4:5]");
	asm_line(code, "s_cbranch_scc1 .Lprobe_ours${:uid}");
	asm_line(code, "s_mov_b64 exec, s[6:7]");
	asm_line(code, "v_mov_b32 v0, s8");
	asm_line(code, "v_mov_b32 v1, s9");
	asm_line(code, "v_mov_b32 v2, s4");
	asm_line(code, "v_mov_b32 v3, s5");
	emit_shared_call(code, function);
	asm_line(code, "v_readfirstlane_b32 s4, v0");
	asm_line(code, "s_cmp_lg_u32 s4, 0");
	asm_line(code, "s_cbranch_scc1 .Lprobe_end${:uid}");
}

/*
 * Scalar loads, because no register may be written in lanes that are not active: those that have
 * left a loop hold values there that no list of clobbers speaks of (wave_ids.h).
 */
void mask_histogram_emit(struct asm_block *code, const struct plan_group *group,
			 const struct residue_operands *bases, LLVMValueRef observed, unsigned ctx,
			 LLVMValueRef function)
{
	unsigned mask_rows = (unsigned)offsetof(struct probe_bucket_row, bucket);

	_Static_assert(PROBE_ROW_BUCKETS * sizeof(struct probe_exec_bucket) == 64, "s[16:31]");
	emit_load_rows(code, ctx);
	emit_classes(code, bases, observed);
	emit_row(code, group->mask_rows);
	asm_line(code, "s_add_u32 s8, s8, s6");
	asm_line(code, "s_addc_u32 s9, s9, 0");
	asm_line(code, "s_load_dwordx16 s[16:31], s[8:9], 0x%x", mask_rows);
	asm_line(code, "v_mov_b32 v0, 0");
	asm_line(code, "v_mov_b32 v2, 1");
	asm_line(code, "v_mov_b32 v3, 0");
	asm_line(code, "s_mov_b64 s[6:7], exec");
	asm_line(code, "s_ff1_i32_b64 s12, exec");
	asm_line(code, "s_waitcnt lgkmcnt(0)");
	for (unsigned i = 0; i < PROBE_ROW_BUCKETS; i++) {
		asm_line(code, "s_cmp_eq_u64 s[6:7], s[%u:%u]", 16 + 4 * i, 17 + 4 * i);
		asm_line(code, "s_cbranch_scc0 .Lprobe_cell%u${:uid}", i + 1);
		asm_line(code, "s_cmp_eq_u64 s[4:5], s[%u:%u]", 18 + 4 * i, 19 + 4 * i);
		asm_line(code, "s_cbranch_scc0 .Lprobe_cell%u${:uid}", i + 1);
		asm_line(code, "s_lshl_b64 exec, 1, s12");
		asm_line(code, "global_atomic_add_x2 v0, v[2:3], s[8:9] offset:%u", 8 * i);
		asm_line(code, "s_mov_b64 exec, s[6:7]");
		asm_line(code, "s_branch .Lprobe_end${:uid}");
		asm_line(code, ".Lprobe_cell%u${:uid}:", i + 1);
	}
	emit_take(code, function);
	asm_line(code, ".Lprobe_full${:uid}:");
}
