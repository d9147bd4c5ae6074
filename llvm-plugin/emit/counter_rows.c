/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/emit/counter_rows.h"

#include <stddef.h>

#include <probe/wire.h>

void emit_load_rows(struct asm_block *code, unsigned ctx)
{
	_Static_assert(offsetof(struct probe_ctx, replica_mask_and_size) ==
			       offsetof(struct probe_ctx, first_row) + 8,
		       "loaded together");
	asm_line(code, "s_load_dwordx4 s[8:11], $%u, 0x%x", ctx,
		 (unsigned)offsetof(struct probe_ctx, first_row));
}

void emit_replica(struct asm_block *code, unsigned ctx)
{
	emit_load_rows(code, ctx);
	/* Compute unit and shader engine select the replica (wave_ids.h). */
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

void run_counters_flush(struct asm_block *code, const struct run_counter *sums, unsigned count,
			unsigned ctx)
{
	/* Often all are 0: groups of an enumerated launch are not counted. */
	asm_line(code, "s_or_b32 s4, s%u, s%u", sums[0].sgpr, sums[count > 1].sgpr);
	for (unsigned i = 2; i < count; i++)
		asm_line(code, "s_or_b32 s4, s4, s%u", sums[i].sgpr);
	asm_line(code, "s_cbranch_scc0 .Lprobe_nothing${:uid}");
	emit_replica(code, ctx);
	/* The wave's EXEC is no longer needed. */
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
	asm_line(code, ".Lprobe_nothing${:uid}:");
}
