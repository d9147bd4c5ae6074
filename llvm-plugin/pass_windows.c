/* SPDX-License-Identifier: MIT */
#include "pass_windows.h"

#include "pass_pattern.h"

static bool suits(const struct plan_site *site)
{
	const struct pass_stride *x = &site->pattern.stride[0];

	if (site->site.space != PROBE_SPACE_GLOBAL || site->site.size != 4 ||
	    site->site.unit != 4 || site->site.align < 4 || site->pattern.digits ||
	    site->delta & 127)
		return false;
	return pass_pattern_uniform(&site->pattern) || (x->constant == 4 && !x->factor);
}

/* Are aligned addresses as far apart in all lanes? */
static bool go_together(const struct pass_plan *plan, const struct plan_group *group)
{
	const struct pass_pattern *first = NULL;

	for (unsigned i = 0; i < group->streams; i++) {
		const struct pass_pattern *pattern = &plan->site[group->stream[i].lead].pattern;

		if (!group->stream[i].aligned)
			continue;
		if (first && !pass_pattern_same_strides(first, pattern))
			return false;
		first = pattern;
	}
	return first;
}

bool pass_windows_may(const struct pass_plan *plan, int number)
{
	const struct plan_group *group = &plan->group[number];

	if (!go_together(plan, group))
		return false;
	for (size_t i = group->first; i <= group->last; i++)
		if (plan->site[i].group == number && !suits(&plan->site[i]))
			return false;
	return true;
}

/* Go on only if all addresses are at the same place modulo 128: as far apart in all lanes. */
static void put_same(struct pass_asm *code, const struct pass_cell_bases *bases)
{
	char first[8], other[8];

	for (unsigned i = 1; i < bases->count; i++) {
		pass_cell_base(code, bases, 0, 4, first);
		pass_cell_base(code, bases, i, 6, other);
		pass_asm_put(code, "v_xor_b32 v0, %s, %s", first, other);
		pass_asm_put(code, "v_readfirstlane_b32 s4, v0");
		pass_asm_put(code, "s_and_b32 s4, s4, 0x7f");
		pass_asm_put(code, "s_cbranch_scc1 .Lprobe_mixed${:uid}");
	}
}

/*
 * v9 = where the first address would be in lane 0 of its window; go on only if that is a multiple
 * of 64.
 */
static void put_lines(struct pass_asm *code, const struct pass_cell_bases *bases)
{
	char base[8];

	pass_asm_put(code, "v_mbcnt_lo_u32_b32 v8, -1, 0");
	pass_asm_put(code, "v_mbcnt_hi_u32_b32 v8, -1, v8");
	pass_asm_put(code, "v_and_b32 v8, 15, v8");
	pass_asm_put(code, "v_lshlrev_b32 v8, 2, v8");
	pass_cell_base(code, bases, 0, 4, base);
	pass_asm_put(code, "v_sub_u32 v9, %s, v8", base);
	pass_asm_put(code, "v_and_b32 v10, 63, v9");
	pass_asm_put(code, "v_cmp_ne_u32 vcc, 0, v10");
	pass_asm_put(code, "s_cbranch_vccnz .Lprobe_mixed${:uid}");
}

/* s5 = lanes, s6 = where their word is, from the first one. */
static void put_key(struct pass_asm *code)
{
	pass_asm_put(code, "s_bcnt1_i32_b64 s5, exec");
	pass_asm_put(code, "s_quadmask_b64 s[6:7], exec");
	pass_asm_put(code, "s_quadmask_b32 s6, s6");
	/* Few lanes in several windows may be at any stride. */
	pass_asm_put(code, "s_sub_u32 s7, s6, 1");
	pass_asm_put(code, "s_and_b32 s7, s7, s6");
	pass_asm_put(code, "s_cbranch_scc0 .Lprobe_window${:uid}");
	pass_asm_put(code, "s_cmp_lt_u32 s5, 5");
	pass_asm_put(code, "s_cbranch_scc1 .Lprobe_mixed${:uid}");
	pass_asm_put(code, ".Lprobe_window${:uid}:");
	_Static_assert(PROBE_WINDOW_PLACE == 16 && PROBE_WINDOW_LANES == 32, "64 / 4, 16 * 2");
	pass_asm_put(code, "s_cmp_eq_u32 s5, 1");
	pass_asm_put(code, "s_cselect_b32 s6, 0, s6");
	pass_asm_put(code, "v_readfirstlane_b32 s4, v9");
	pass_asm_put(code, "s_lshr_b32 s4, s4, 2");
	pass_asm_put(code, "s_and_b32 s4, s4, 16");
	pass_asm_put(code, "s_or_b32 s6, s6, s4");
	pass_asm_put(code, "s_sub_u32 s7, s5, 1");
	pass_asm_put(code, "s_lshr_b32 s7, s7, 4");
	pass_asm_put(code, "s_lshl_b32 s7, s7, 5");
	pass_asm_put(code, "s_or_b32 s6, s6, s7");
	/* Eight words to a row of sixteen. */
	pass_asm_put(code, "s_and_b32 s7, s6, 0x78");
	pass_asm_put(code, "s_add_u32 s6, s6, s7");
	pass_asm_put(code, "s_lshl_b32 s6, s6, 3");
}

void pass_windows_put(struct pass_asm *code, const struct plan_group *group,
		      const struct pass_cell_bases *bases, unsigned ctx, unsigned regular)
{
	/* Regular ones that are not counted so are those that are not in cells. */
	if (group->once) {
		pass_asm_put(code, "s_cmp_eq_u64 exec, $%u", regular);
		pass_asm_put(code, "s_cbranch_scc1 .Lprobe_mixed${:uid}");
	}
	put_same(code, bases);
	pass_asm_put(code, "s_load_dword s14, $%u, 0x%x", ctx,
		     (unsigned)offsetof(struct probe_ctx, rows16));
	pass_cell_place(code, ctx);
	put_lines(code, bases);
	put_key(code);
	pass_cell_word(code, group->windows, 0);
	pass_asm_put(code, "s_cmp_eq_u32 s14, 0");
	pass_asm_put(code, "s_cbranch_scc1 .Lprobe_mixed${:uid}");
	pass_asm_put(code, "s_add_u32 s6, s6, s10");
	pass_asm_put(code, "s_mov_b64 s[16:17], exec");
	pass_asm_put(code, "s_ff1_i32_b64 s12, exec");
	pass_asm_put(code, "s_lshl_b64 exec, 1, s12");
	pass_asm_put(code, "v_mov_b32 v0, s6");
	pass_asm_put(code, "v_mov_b32 v1, s10");
	pass_asm_put(code, "v_mov_b32 v2, 1");
	pass_asm_put(code, "v_mov_b32 v3, 0");
	pass_asm_put(code, "v_mov_b32 v4, s5");
	pass_asm_put(code, "v_mov_b32 v5, 0");
	pass_asm_put(code, "global_atomic_add_x2 v0, v[2:3], s[8:9]");
	pass_asm_put(code, "global_atomic_add_x2 v1, v[4:5], s[8:9] offset:%d",
		     (PROBE_WINDOW_ROWS - 1) * PASS_ROW_BYTES);
	pass_asm_put(code, "s_mov_b64 exec, s[16:17]");
	pass_asm_put(code, "s_branch .Lprobe_end${:uid}");
	pass_asm_put(code, ".Lprobe_mixed${:uid}:");
}
