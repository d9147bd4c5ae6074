/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/emit/mask_histogram.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

/*
 * One half of a bucket's key: the residues of up to four streams. Each is shifted in from the top;
 * then all are shifted down.
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

/* s[4:5] = a bucket's key: the residue of each aligned stream, and the observed value. */
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

/* s6 = the offset from s[8:9] of the row that a hash of EXEC and s[4:5] chooses. */
static void emit_row(struct asm_block *code, uint32_t first)
{
	_Static_assert(PROBE_BUCKET_ROWS == 16, "four bits of a product");
	/* Multipliers of the hash: any odd numbers without a pattern. */
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

/* The modifier of an atomic operation that returns the old value, and of a load that bypasses L1.
 */
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

enum {
	/* Offsets in a row: of the buckets, and of the two parts of the first one's key. */
	BUCKETS_AT = offsetof(struct probe_bucket_row, bucket),
	EXEC_AT = BUCKETS_AT + offsetof(struct probe_exec_bucket, exec),
	CLASSES_AT = BUCKETS_AT + offsetof(struct probe_exec_bucket, residues),
};

/*
 * From .Lprobe_taken on, the bucket is this wave's. From .Lprobe_again on, another wave has just
 * taken it for the same EXEC. If that is not for the same key, the shared function searches all
 * buckets.
 */
static void emit_taken(struct asm_block *code, LLVMValueRef function)
{
	asm_line(code, ".Lprobe_taken${:uid}:");
	asm_line(code, "v_mov_b32 v4, s4");
	asm_line(code, "v_mov_b32 v5, s5");
	asm_line(code, "global_store_dwordx2 v1, v[4:5], s[8:9] offset:%u", CLASSES_AT);
	asm_line(code, ".Lprobe_ours${:uid}:");
	asm_line(code, "global_atomic_add_x2 v0, v[2:3], s[8:9]");
	asm_line(code, "s_mov_b64 exec, s[6:7]");
	asm_line(code, "s_branch .Lprobe_end${:uid}");
	asm_line(code, ".Lprobe_again${:uid}:");
	asm_line(code, "global_load_dwordx2 v[4:5], v1, s[8:9] offset:%u %s", CLASSES_AT,
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
	asm_shared_call(code, function);
	asm_line(code, "v_readfirstlane_b32 s4, v0");
	asm_line(code, "s_cmp_lg_u32 s4, 0");
	asm_line(code, "s_cbranch_scc1 .Lprobe_end${:uid}");
}

/*
 * No bucket of the row has this key: claim the first free one. If another wave claims a second one
 * for the same key at the same time, the host adds both up. If another wave was faster, or the
 * scalar cache is stale, the bucket is read again.
 */
static void emit_take(struct asm_block *code, LLVMValueRef function)
{
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
	asm_line(code, "global_atomic_cmpswap_x2 v[4:5], v1, v[4:7], s[8:9] offset:%u %s", EXEC_AT,
		 returning(function));
	asm_line(code, "s_waitcnt vmcnt(0)");
	asm_line(code, "v_readfirstlane_b32 s14, v4");
	asm_line(code, "v_readfirstlane_b32 s15, v5");
	asm_line(code, "s_cmp_eq_u64 s[14:15], 0");
	asm_line(code, "s_cbranch_scc1 .Lprobe_taken${:uid}");
	asm_line(code, "s_cmp_eq_u64 s[14:15], s[6:7]");
	asm_line(code, "s_cbranch_scc1 .Lprobe_again${:uid}");
	/* The bucket has another key: try the next one. */
	asm_line(code, "s_add_u32 s13, s13, 8");
	asm_line(code, "s_cmp_lt_u32 s13, %u", 8 * PROBE_ROW_BUCKETS);
	asm_line(code, "s_cbranch_scc1 .Lprobe_take${:uid}");
	asm_line(code, "s_mov_b64 exec, s[6:7]");
	asm_line(code, "s_branch .Lprobe_full${:uid}");
	emit_taken(code, function);
}

/*
 * Scalar loads, because vector registers must not be written in inactive lanes: lanes that have
 * left a loop hold values there that no clobber list covers (wave_ids.h).
 */
void mask_histogram_emit(struct asm_block *code, const struct plan_group *group,
			 const struct residue_operands *bases, LLVMValueRef observed, unsigned ctx,
			 LLVMValueRef function)
{
	_Static_assert(PROBE_ROW_BUCKETS * sizeof(struct probe_exec_bucket) == 64, "s[16:31]");
	emit_load_rows(code, ctx);
	emit_classes(code, bases, observed);
	emit_row(code, group->histogram[PLAN_BY_MASK]);
	asm_line(code, "s_add_u32 s8, s8, s6");
	asm_line(code, "s_addc_u32 s9, s9, 0");
	asm_line(code, "s_load_dwordx16 s[16:31], s[8:9], 0x%x", BUCKETS_AT);
	asm_line(code, "v_mov_b32 v0, 0");
	asm_line(code, "v_mov_b32 v2, 1");
	asm_line(code, "v_mov_b32 v3, 0");
	asm_line(code, "s_mov_b64 s[6:7], exec");
	asm_line(code, "s_ff1_i32_b64 s12, exec");
	asm_line(code, "s_waitcnt lgkmcnt(0)");
	for (unsigned i = 0; i < PROBE_ROW_BUCKETS; i++) {
		asm_line(code, "s_cmp_eq_u64 s[6:7], s[%u:%u]", 16 + 4 * i, 17 + 4 * i);
		asm_line(code, "s_cbranch_scc0 .Lprobe_bucket%u${:uid}", i + 1);
		asm_line(code, "s_cmp_eq_u64 s[4:5], s[%u:%u]", 18 + 4 * i, 19 + 4 * i);
		asm_line(code, "s_cbranch_scc0 .Lprobe_bucket%u${:uid}", i + 1);
		asm_line(code, "s_lshl_b64 exec, 1, s12");
		asm_line(code, "global_atomic_add_x2 v0, v[2:3], s[8:9] offset:%u", 8 * i);
		asm_line(code, "s_mov_b64 exec, s[6:7]");
		asm_line(code, "s_branch .Lprobe_end${:uid}");
		asm_line(code, ".Lprobe_bucket%u${:uid}:", i + 1);
	}
	emit_take(code, function);
	asm_line(code, ".Lprobe_full${:uid}:");
}
