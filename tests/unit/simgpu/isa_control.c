/* SPDX-License-Identifier: MIT */
/*
 * Control that has no place in a table of results: the fork/join stack of divergent branches,
 * skipped vector instructions, ways to end, debugger branches, and what must be refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/simgpu/program_lab.h"

enum snippet {
	G_FORK,
	I_FORK,
	NESTED,
	OVERFLOW,
	VSKIP,
	SETKILL_0,
	SETKILL_1,
	HALT_0,
	HALT_1,
	SENDMSGHALT,
	RFE,
	RFE_RESTORE,
	ENDPGM_SAVED,
	ENDPGM_ORDERED,
	CDBG,
	HWREG,
	SNIPPETS,
};

/* Both paths count themselves in v2 and the number of active lanes in s30 or s31. */
#define PATHS                                                                                      \
	"v_add_u32 v2, 1, v2\ns_bcnt1_i32_b64 s30, exec\ns_branch 3\n"                             \
	"v_add_u32 v2, 0x100, v2\ns_bcnt1_i32_b64 s31, exec\n"

static const char *const text[SNIPPETS] = {
	/*
	 * s[20:21] = lanes of the jump; the target in s[22:23] is the second path. s40 = 0 is
	 * the stack depth. The program itself puts EXEC together again.
	 */
	[G_FORK] =
		"s_mov_b64 s[38:39], exec\ns_getpc_b64 s[22:23]\ns_add_u32 s22, s22, 24\ns_addc_u32 s23, s23, 0\n"
		"s_cbranch_g_fork s[20:21], s[22:23]\n" PATHS
		"s_cbranch_join s40\ns_mov_b64 s[28:29], exec\ns_mov_b64 exec, s[38:39]\n",
	[I_FORK] = "s_mov_b64 s[38:39], exec\ns_cbranch_i_fork s[20:21], 3\n" PATHS
		   "s_cbranch_join s40\ns_mov_b64 s[28:29], exec\ns_mov_b64 exec, s[38:39]\n",
	/* The inner fork splits each half of the outer one by s[24:25]. */
	[NESTED] = "s_mov_b64 s[38:39], exec\ns_cbranch_i_fork s[20:21], 0\n"
		   "s_mov_b64 s[28:29], exec\n"
		   "s_getreg_b32 s41, hwreg(HW_REG_MODE, 29, 3)\n"
		   "s_cbranch_i_fork s[24:25], 1\n"
		   "v_add_u32 v2, 1, v2\n"
		   "v_add_u32 v2, 0x100, v2\n"
		   "s_getreg_b32 s26, hwreg(HW_REG_MODE, 29, 3)\n"
		   "s_cbranch_join s41\n"
		   "s_mov_b64 exec, s[28:29]\n"
		   "s_cbranch_join s40\n"
		   "s_mov_b64 exec, s[38:39]\n",
	/* Each fork halves EXEC and falls into the next; the test starts with six entries. */
	[OVERFLOW] = "s_bfm_b64 s[60:61], 32, 0\ns_bfm_b64 s[62:63], 16, 0\n"
		     "s_cbranch_i_fork s[60:61], 0\ns_cbranch_i_fork s[62:63], 0\n",
	[VSKIP] = "s_movk_i32 s20, 0x20\ns_setvskip s20, 5\nv_mov_b32 v2, 7\n"
		  "v_readfirstlane_b32 s24, v3\nds_write_b32 v3, v3\ns_movk_i32 s25, 9\n"
		  "s_getreg_b32 s26, hwreg(HW_REG_MODE, 28, 1)\ns_setvskip s20, 4\n"
		  "v_mov_b32 v4, 8\n",
	[SETKILL_0] = "s_setkill 0\ns_movk_i32 s8, 1",
	[SETKILL_1] = "s_setkill 1\ns_movk_i32 s8, 1",
	[HALT_0] = "s_sethalt 0\ns_movk_i32 s8, 1",
	[HALT_1] = "s_sethalt 1\ns_movk_i32 s8, 1",
	[SENDMSGHALT] = "s_sendmsghalt sendmsg(MSG_INTERRUPT)\ns_movk_i32 s8, 1",
	[RFE] = "s_rfe_b64 s[4:5]",
	[RFE_RESTORE] = "s_rfe_restore_b64 s[4:5], s6",
	[ENDPGM_SAVED] = "s_endpgm_saved\ns_movk_i32 s8, 1",
	[ENDPGM_ORDERED] = "s_endpgm_ordered_ps_done\ns_movk_i32 s8, 1",
	[CDBG] = "s_cbranch_cdbgsys 4\ns_cbranch_cdbguser 3\ns_cbranch_cdbgsys_or_user 2\n"
		 "s_cbranch_cdbgsys_and_user 1\ns_movk_i32 s8, 1",
	[HWREG] = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 5\n"
		  "s_getreg_b32 s8, hwreg(HW_REG_MODE)\n"
		  "s_getreg_b32 s9, hwreg(HW_REG_MODE, 5, 2)\n"
		  "s_mov_b32 s10, 0x3f\ns_setreg_b32 hwreg(HW_REG_TRAPSTS, 3, 4), s10\n"
		  "s_getreg_b32 s11, hwreg(HW_REG_TRAPSTS)\n",
};

static int setup(void **state)
{
	(void)state;
	lab_open(&lab, text, SNIPPETS);
	return 0;
}

static void put64(unsigned int sgpr, uint64_t v)
{
	lab.wave->sgpr[sgpr] = (uint32_t)v;
	lab.wave->sgpr[sgpr + 1] = (uint32_t)(v >> 32);
}

/* Lanes of `mask` take the second path (they count 0x100), the others of EXEC the first. */
static void check_fork(enum snippet n, uint64_t exec, uint64_t mask)
{
	uint64_t pass = exec & mask, fail = exec & ~mask;

	lab_reset(&lab);
	lab.wave->exec = exec;
	put64(20, mask);
	lab_run_to_end(&lab, n);
	assert_true(lab.wave->exec == exec);
	assert_int_equal(lab.wave->mode >> 29, 0);
	for (unsigned int l = 0; l < 64; l++) {
		uint32_t v = lab.wave->vgpr[2][l];

		assert_int_equal(v & 0xff, fail >> l & 1);
		assert_int_equal(v >> 8 & 0xff, pass >> l & 1);
	}
	assert_int_equal(lab.wave->sgpr[30], fail ? __builtin_popcountll(fail) : 0);
	assert_int_equal(lab.wave->sgpr[31], pass ? __builtin_popcountll(pass) : 0);
	if (!pass || !fail)
		return;
	/* The larger set went second: EXEC behind the join. */
	assert_true((lab.wave->sgpr[28] | (uint64_t)lab.wave->sgpr[29] << 32) ==
		    (__builtin_popcountll(fail) < __builtin_popcountll(pass) ? pass : fail));
}

static void test_fork(void **state)
{
	(void)state;
	for (enum snippet n = G_FORK; n <= I_FORK; n++) {
		check_fork(n, ~0ull, 0xff);
		check_fork(n, ~0ull, ~0xffull);
		check_fork(n, 0xf0f0f0f0f0f0f0f0, 0xffffffff);
		check_fork(n, ~0ull, ~0ull);
		check_fork(n, ~0ull, 0);
		check_fork(n, 1, 1);
		for (unsigned int i = 0; i < 100; i++)
			check_fork(n, lab_random() | 1, lab_random());
	}
}

/*
 * Lane by lane: an inner "pass" jumps over the first addition. Only where all four sets are
 * inhabited do both forks push.
 */
static void test_nested(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 50; i++) {
		uint64_t outer = lab_random(), inner = lab_random();

		lab_reset(&lab);
		put64(20, outer);
		put64(24, inner);
		lab_run_to_end(&lab, NESTED);
		assert_int_equal(lab.wave->sgpr[26], 0); /* depth on the last path */
		assert_int_equal(lab.wave->mode >> 29, 0);
		for (unsigned int l = 0; l < 64; l++)
			assert_int_equal(lab.wave->vgpr[2][l], 0x100 + !(inner >> l & 1));
		assert_true(lab.wave->exec == ~0ull);
	}
}

static void test_overflow(void **state)
{
	(void)state;
	lab_reset(&lab);
	lab.wave->mode |= 6u << 29;
	assert_int_equal(lab_run(&lab, OVERFLOW), SIM_STOP_FAULT);
	assert_int_equal(lab.wave->fault.kind, SIM_FAULT_UNKNOWN_OPCODE);
	assert_string_equal(lab.wave->fault.name, "s_cbranch_i_fork");
	assert_int_equal(lab.wave->mode >> 29, 7);
}

static void test_vskip(void **state)
{
	(void)state;
	lab_reset(&lab);
	memset(lab.wave->vgpr[3], 0xff, sizeof(lab.wave->vgpr[3]));
	lab_run_to_end(&lab, VSKIP);
	assert_int_equal(lab.wave->vgpr[2][0], 0);
	assert_int_equal(lab.wave->sgpr[24], 0);
	assert_int_equal(lab.wave->sgpr[25], 9);
	assert_int_equal(lab.wave->sgpr[26], 1);
	assert_int_equal(lab.wave->vgpr[4][0], 8);
}

static void check_end(enum snippet n, uint32_t s8)
{
	lab_reset(&lab);
	lab_run_to_end(&lab, n);
	assert_int_equal(lab.wave->sgpr[8], s8);
}

static void test_ends(void **state)
{
	(void)state;
	check_end(SETKILL_0, 1);
	check_end(SETKILL_1, 0);
	check_end(HALT_0, 1);
	check_end(ENDPGM_SAVED, 0);
	check_end(ENDPGM_ORDERED, 0);
	check_end(CDBG, 1);
}

static void check_refused(enum snippet n, enum sim_fault_kind kind, const char *name)
{
	lab_reset(&lab);
	assert_int_equal(lab_run(&lab, n), SIM_STOP_FAULT);
	assert_int_equal(lab.wave->fault.kind, kind);
	assert_string_equal(lab.wave->fault.name, name);
}

static void test_refused(void **state)
{
	(void)state;
	check_refused(HALT_1, SIM_FAULT_UNIMPLEMENTED, "s_sethalt");
	check_refused(SENDMSGHALT, SIM_FAULT_UNIMPLEMENTED, "s_sendmsghalt");
	check_refused(RFE, SIM_FAULT_UNKNOWN_OPCODE, "s_rfe_b64");
	check_refused(RFE_RESTORE, SIM_FAULT_UNKNOWN_OPCODE, "s_rfe_restore_b64");
}

static void test_hwreg(void **state)
{
	(void)state;
	lab_reset(&lab);
	lab.wave->trapsts = 0xff00;
	lab_run_to_end(&lab, HWREG);
	assert_int_equal(lab.wave->sgpr[8], 0x350);
	assert_int_equal(lab.wave->sgpr[9], 2);
	assert_int_equal(lab.wave->sgpr[11], 0xff78);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fork),	 cmocka_unit_test(test_nested),
		cmocka_unit_test(test_overflow), cmocka_unit_test(test_vskip),
		cmocka_unit_test(test_ends),	 cmocka_unit_test(test_refused),
		cmocka_unit_test(test_hwreg),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
