/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/emit/batch_code.h"

#include <stddef.h>
#include <stdio.h>

#include <probe/wire_batch.h>

#include "llvm-plugin/emit/counter_rows.h"
#include "llvm-plugin/emit/devlib_link.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/plan/group_plan.h"
#include "llvm-plugin/sites/access_sites.h"

enum {
	LANES = 64,
	/* Of each lane: its share of the records, then the vector registers that are saved. */
	RECORDS_SHARE = PROBE_BATCH_RECORDS * PROBE_BATCH_STRIDE / LANES,
	SCRATCH = RECORDS_SHARE + PASS_BATCH_VGPRS * 4,
	FIRST_DIRECT = 4, /* executions of a wave that are counted one by one */
};

/*
 * Names of the registers, from batch->sgpr on. STORED is the number of bytes that are free,
 * negated, so that the addition of a record carries when the batch is full; ADDRESS is that of the
 * first record minus its initial value. START is the function's result.
 * FIRST has one bit, which is shifted out by the first executions. Until then they are counted one
 * by one.
 */
enum { ADDRESS = 0, EXEC = 2, STORED = 4, FRAME = 5, FIRST = 6, START = 7, REGISTERS };
_Static_assert((int)REGISTERS <= (int)PLAN_BATCH_SGPRS, "reserved registers");

#define BATCH_BYTES (PROBE_BATCH_RECORDS * PROBE_BATCH_STRIDE)
_Static_assert(BATCH_BYTES % (4 * LANES) == 0 && BATCH_BYTES <= 1 << 15, "s_movk_i32");

/* The lane's number. */
static LLVMValueRef lane_number(LLVMBuilderRef builder, LLVMContextRef context)
{
	struct asm_block code = {.result = LLVMInt32TypeInContext(context)};

	asm_constrain(&code, "=v");
	asm_line(&code, "v_mbcnt_lo_u32_b32 $0, -1, 0");
	asm_line(&code, "v_mbcnt_hi_u32_b32 $0, -1, $0");
	return asm_build(&code, builder, context);
}

LLVMValueRef batch_emit_entry(const struct batch_code *batch, LLVMBuilderRef builder,
			      LLVMValueRef clone)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(clone));
	LLVMTypeRef i32 = LLVMInt32TypeInContext(context), i64 = LLVMInt64TypeInContext(context);
	LLVMTypeRef types[] = {i64, i64, i32, i32, i32, i32, LLVMInt1TypeInContext(context)};
	struct asm_block code = {.result = LLVMStructTypeInContext(context, types, 7, 0),
				 .fields = 7};
	LLVMTypeRef frame_type = LLVMArrayType(i32, SCRATCH / 4);
	LLVMValueRef frame = LLVMBuildAlloca(builder, frame_type, "probe.batch");
	unsigned s = batch->sgpr, offset;

	LLVMSetAlignment(frame, 16);
	/*
	 * The compiler initialises flat_scratch if it is named, here as an output. As one of type
	 * i1, because LLVM looks up the names of these fast (asm_clobbers.cpp).
	 */
	asm_constrain(&code, "={s[%u:%u]},={s[%u:%u]},={s%u},={s%u},={s%u},={s%u},={flat_scratch}",
		      s + ADDRESS, s + ADDRESS + 1, s + EXEC, s + EXEC + 1, s + STORED, s + FRAME,
		      s + FIRST, s + START);
	offset = asm_scalar(&code, builder, LLVMBuildPtrToInt(builder, frame, i32, ""));
	asm_line(&code, "s_mov_b64 s[%u:%u], flat_scratch", s + ADDRESS, s + ADDRESS + 1);
	asm_line(&code, "s_mov_b32 s%u, $%u", s + FRAME, offset);
	asm_line(&code, "s_lshl_b32 s%u, s%u, 6", s + STORED, s + FRAME);
	asm_line(&code, "s_add_u32 s%u, s%u, s%u", s + ADDRESS, s + ADDRESS, s + STORED);
	asm_line(&code, "s_addc_u32 s%u, s%u, 0", s + ADDRESS + 1, s + ADDRESS + 1);
	asm_line(&code, "s_add_u32 s%u, s%u, 0x%x", s + ADDRESS, s + ADDRESS, BATCH_BYTES);
	asm_line(&code, "s_addc_u32 s%u, s%u, -1", s + ADDRESS + 1, s + ADDRESS + 1);
	asm_line(&code, "s_movk_i32 s%u, 0x%x", s + STORED, -BATCH_BYTES & 0xffff);
	asm_line(&code, "s_mov_b32 s%u, 0x%x", s + FIRST, 1u << (32 - FIRST_DIRECT));
	/* So that the wave has the registers that the device library's function uses. */
	asm_constrain(&code, "~{v%d},~{scc}", PASS_BATCH_VGPRS - 1);
	asm_build(&code, builder, context);
	return lane_number(builder, context);
}

/*
 * Call the function until it has counted all records; EXEC is all lanes. It uses PASS_BATCH_VGPRS
 * vector registers, and s4 to s31.
 */
static void emit_count(const struct batch_code *batch, struct asm_block *code, unsigned wave)
{
	unsigned s = batch->sgpr;

	asm_line(code, "s_waitcnt vmcnt(0) lgkmcnt(0)");
	asm_line(code, "s_mov_b32 s%u, 0", s + START);
	asm_line(code, ".Lprobe_count${:uid}:");
	asm_line(code, "s_mov_b64 s[4:5], $%u", wave);
	asm_line(code, "s_add_u32 s4, s4, 0x%x", batch->first_site * COUNTER_ROW_BYTES);
	asm_line(code, "s_addc_u32 s5, s5, 0");
	asm_line(code, "v_lshlrev_b64 v[0:1], 0, s[4:5]");
	asm_line(code, "s_sub_u32 s4, s%u, 0x%x", s + ADDRESS, BATCH_BYTES);
	asm_line(code, "s_subb_u32 s5, s%u, -1", s + ADDRESS + 1);
	asm_line(code, "v_lshlrev_b64 v[2:3], 0, s[4:5]");
	asm_line(code, "s_add_u32 s4, s%u, 0x%x", s + STORED, BATCH_BYTES);
	asm_line(code, "v_mov_b32 v4, s4");
	asm_line(code, "v_mov_b32 v5, s%u", s + START);
	asm_shared_call(code, batch->count);
	asm_line(code, "v_readfirstlane_b32 s%u, v0", s + START);
	asm_line(code, "s_cmp_lg_u32 s%u, 0", s + START);
	asm_line(code, "s_cbranch_scc1 .Lprobe_count${:uid}");
}

/*
 * A full batch. Vector registers may hold values of inactive lanes (wave_ids.h), and those from
 * PASS_SHARED_VGPRS on values of the program.
 */
static void emit_full(const struct batch_code *batch, struct asm_block *code, unsigned wave)
{
	unsigned s = batch->sgpr;

	/* The compiler waits for the registers in the clobber list only. */
	asm_line(code, "s_waitcnt vmcnt(0) lgkmcnt(0)");
	asm_line(code, "s_mov_b64 s[%u:%u], exec", s + EXEC, s + EXEC + 1);
	asm_line(code, "s_mov_b64 exec, -1");
	for (unsigned v = 0; v < PASS_BATCH_VGPRS; v += 4)
		asm_line(code, "scratch_store_dwordx4 off, v[%u:%u], s%u offset:%u", v, v + 3,
			 s + FRAME, RECORDS_SHARE + 4 * v);
	emit_count(batch, code, wave);
	asm_line(code, "s_movk_i32 s%u, 0x%x", s + STORED, -BATCH_BYTES & 0xffff);
	for (unsigned v = 0; v < PASS_BATCH_VGPRS; v += 4)
		asm_line(code, "scratch_load_dwordx4 v[%u:%u], off, s%u offset:%u", v, v + 3,
			 s + FRAME, RECORDS_SHARE + 4 * v);
	asm_line(code, "s_waitcnt vmcnt(0)");
	asm_line(code, "s_mov_b64 exec, s[%u:%u]", s + EXEC, s + EXEC + 1);
}

void batch_emit_record(const struct batch_code *batch, struct asm_block *code,
		       const struct access_site *site, uint32_t id, const char *also, unsigned wave)
{
	uint32_t fields = site->unit << PROBE_BATCH_UNIT |
			  (id - batch->first_site) << PROBE_BATCH_ROW |
			  (also ? 1u << PROBE_BATCH_ALSO : 0);
	unsigned s = batch->sgpr;

	/* As in fast_lines.h: all addresses are aligned, and within 2 GiB. */
	asm_line(code, "v_alignbit_b32 v0, v3, v2, 31");
	asm_line(code, "v_readfirstlane_b32 s5, v0");
	asm_line(code, "v_xor_b32 v0, s5, v0");
	if (site->unit > 1)
		asm_line(code, "v_and_or_b32 v0, v2, %u, v0", site->unit - 1);
	/* Never equal while FIRST is not 0: of an address, bits 47 to 63 are all the same. */
	asm_line(code, "v_cmp_ne_u32 vcc, s%u, v0", s + FIRST);
	asm_line(code, "s_cbranch_vccnz .Lprobe_direct${:uid}");
	asm_line(code, "v_mbcnt_lo_u32_b32 v0, exec_lo, 0");
	asm_line(code, "v_mbcnt_hi_u32_b32 v0, exec_hi, v0");
	asm_line(code, "v_lshl_add_u32 v0, v0, 3, s%u", s + STORED);
	_Static_assert(PROBE_BATCH_ENTRY == 1 << 3, "bytes of an entry");
	asm_line(code, "s_bcnt1_i32_b64 s4, exec");
	asm_line(code, "s_or_b32 s4, s4, 0x%x", fields >> PROBE_BATCH_LANES_AT);
	asm_line(code, "v_lshl_or_b32 v3, s4, %u, $%u", PROBE_BATCH_LANES_AT,
		 asm_operand(code, "v", batch->lane));
	asm_line(code, "global_store_dwordx2 v0, v[2:3], s[%u:%u]", s + ADDRESS, s + ADDRESS + 1);
	if (also) {
		asm_line(code, "v_mov_b32 v0, s%u", s + STORED);
		asm_line(code, "v_mov_b32 v4, %s", also);
		asm_line(code, "global_store_dword v0, v4, s[%u:%u] offset:%u", s + ADDRESS,
			 s + ADDRESS + 1, PROBE_BATCH_LANES * PROBE_BATCH_ENTRY);
	}
	asm_line(code, "s_add_u32 s%u, s%u, %u", s + STORED, s + STORED, PROBE_BATCH_STRIDE);
	asm_line(code, "s_cbranch_scc0 .Lprobe_batched${:uid}");
	emit_full(batch, code, wave);
	asm_line(code, "s_branch .Lprobe_batched${:uid}");
	asm_line(code, ".Lprobe_direct${:uid}:");
}

void batch_emit_counted(const struct batch_code *batch, struct asm_block *code)
{
	unsigned s = batch->sgpr;

	/* s11 = -1 if it took long (fast_lines.h), or was not of all lanes. Then shift FIRST. */
	asm_line(code, "s_cmp_eq_u64 exec, -1");
	asm_line(code, "s_cselect_b32 s11, s11, -1");
	asm_line(code, "s_cmp_eq_u32 s11, -1");
	asm_line(code, "s_cselect_b32 s4, 1, 0");
	asm_line(code, "s_lshl_b32 s%u, s%u, s4", s + FIRST, s + FIRST);
	asm_line(code, ".Lprobe_batched${:uid}:");
}

void batch_emit_end(const struct batch_code *batch, struct asm_block *code, unsigned wave)
{
	asm_line(code, "s_cmp_eq_u32 s%u, 0x%x", batch->sgpr + STORED, -BATCH_BYTES);
	asm_line(code, "s_cbranch_scc1 .Lprobe_counted${:uid}");
	asm_line(code, "s_mov_b64 exec, -1");
	emit_count(batch, code, wave);
	asm_line(code, ".Lprobe_counted${:uid}:");
}
