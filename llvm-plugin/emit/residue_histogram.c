/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/emit/residue_histogram.h"

#include <stdint.h>
#include <stdio.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/emit/counter_rows.h"

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
 * Lane i of v4 = the i-th address in the first active lane. All lanes of the wave are active, so
 * writing to others loses nothing.
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
	/* From here on one lane per address, even if the wave has fewer active lanes. */
	asm_line(code, "s_mov_b64 exec, 0x%x", (1u << bases->count) - 1);
	/* Address bits 6:5 to offset bits 8:7, bits 4:2 to 5:3. */
	asm_line(code, "v_and_b32 v0, 0x60, %s", base);
	asm_line(code, "v_and_b32 v1, 0x7c, %s", base);
	asm_line(code, "v_add_lshl_u32 v0, v0, v1, 1");
	if (bases->count > 1) {
		asm_line(code, "v_mbcnt_lo_u32_b32 v1, -1, 0");
		asm_line(code, "v_lshl_add_u32 v0, v1, 9, v0");
	}
	asm_line(code, "v_mov_b32 v2, 1");
	asm_line(code, "v_mov_b32 v3, 0");
	emit_row_address(code, group->histogram[PLAN_BY_RESIDUE], 0);
	asm_line(code, "v_add_u32 v0, s10, v0");
	asm_line(code, "global_atomic_add_x2 v0, v[2:3], s[8:9]");
	asm_line(code, "s_mov_b64 exec, $%u", regular);
}

/*
 * In a full wave, one lane counts each address: bits 4:0 of its index are bits 6:2 of the address.
 */
void residue_lanes_emit(struct asm_block *code, const struct residue_operands *bases, unsigned full)
{
	char base[8];

	asm_line(code, "s_cmp_eq_u64 exec, $%u", full);
	asm_line(code, "s_cbranch_scc0 .Lprobe_uncounted${:uid}");
	for (unsigned i = 0; i < bases->count; i++) {
		emit_residue_operand(code, bases, i, 0, base);
		asm_line(code, "v_readfirstlane_b32 s%u, %s", 4 + i, base);
	}
	if (bases->count > 1)
		asm_line(code, "s_or_b32 s6, s4, s5");
	asm_line(code, "s_and_b32 s6, s%u, 3", bases->count > 1 ? 6 : 4);
	asm_line(code, "s_cbranch_scc1 .Lprobe_uncounted${:uid}");
	asm_line(code, "s_bfe_u32 s4, s4, 0x50002");
	asm_line(code, "s_lshl_b32 exec_lo, 1, s4");
	if (bases->count > 1) {
		asm_line(code, "s_bfe_u32 s5, s5, 0x50002");
		asm_line(code, "s_lshl_b32 exec_hi, 1, s5");
	} else {
		asm_line(code, "s_mov_b32 exec_hi, 0");
	}
	asm_line(code, "v_add_u32 $0, 1, $0");
	asm_line(code, "s_mov_b64 exec, -1");
	asm_line(code, "s_branch .Lprobe_end${:uid}");
	asm_line(code, ".Lprobe_uncounted${:uid}:");
}
