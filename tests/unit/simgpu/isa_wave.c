/* SPDX-License-Identifier: MIT */
/*
 * A wave as the machine sees it: stops, budgets, faults, counters per class and per instruction,
 * code that crosses pages or changes.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/simgpu/flat_address_space.h"
#include "tests/unit/simgpu/program_lab.h"
#include "simgpu/exec/decode/code_cache.h"
#include "simgpu/exec/instruction_trace.h"
#include "simgpu/mem/code_generation.h"

enum snippet {
	BARRIER,
	SLEEP,
	SENDMSG,
	TRAP,
	LOOP,
	UNIMPLEMENTED,
	LOGGED,
	CLASSES,
	INDEX,
	OLD,
	NEW,
	SNIPPETS,
};

static const char *const text[SNIPPETS] = {
	[BARRIER] = "s_barrier\ns_mov_b32 s8, 1",
	[SLEEP] = "s_sleep 5\ns_mov_b32 s8, 2",
	[SENDMSG] = "s_movk_i32 m0, 0x77\ns_sendmsg sendmsg(MSG_INTERRUPT)\ns_mov_b32 s8, 3",
	[TRAP] = "s_trap 2\ns_mov_b32 s8, 4",
	/* 100 rounds; s_cbranch_scc1 -4 */
	[LOOP] = "s_movk_i32 s8, 0\nv_mov_b32 v2, 0\ns_addk_i32 s8, 1\nv_add_u32 v2, 3, v2\n"
		 "s_cmp_lt_u32 s8, 0x64\ns_cbranch_scc1 65531",
	[LOGGED] = "s_mov_b32 s8, 5\nv_mov_b32 v1, s8",
	[UNIMPLEMENTED] = "s_mov_b32 s8, 5\nimage_load v[0:3], v4, s[8:15] dmask:0xf unorm",
	[CLASSES] = "s_mov_b32 s8, 0\nv_mov_b32 v2, 0\nv_fma_f64 v[4:5], v[4:5], v[4:5], v[4:5]\n"
		    "ds_read_b32 v3, v2\ns_nop 0\ns_branch 0\ns_memtime s[4:5]\n"
		    "global_load_dword v6, v2, s[12:13]\nflat_load_dword v6, v[8:9]",
	[INDEX] = "s_mov_b32 s20, 2\ns_set_gpr_idx_on s20, 1\ns_set_gpr_idx_idx s20\n"
		  "v_mov_b32 v8, v2\ns_set_gpr_idx_off",
	[OLD] = "s_mov_b32 s8, 10",
	[NEW] = "s_mov_b32 s8, 20",
};

static int setup(void **state)
{
	(void)state;
	sim_pc_counting(true);
	lab_open(&lab, text, SNIPPETS);
	return 0;
}

static uint64_t address(enum snippet n, unsigned int dword)
{
	return (uint64_t)(lab.code + lab.start[n] + dword);
}

static void check_stop(enum snippet n, enum sim_stop why, uint32_t arg, unsigned int behind,
		       uint32_t result)
{
	lab_reset(&lab);
	assert_int_equal(lab_run(&lab, n), why);
	assert_int_equal(lab.wave->stop_arg, arg);
	assert_true(lab.wave->pc == address(n, behind));
	assert_int_equal(lab.wave->sgpr[8], 0);
	assert_int_equal(sim_wave_run(lab.wave, 100), SIM_STOP_END);
	assert_int_equal(lab.wave->sgpr[8], result);
}

static void test_stops(void **state)
{
	(void)state;
	check_stop(BARRIER, SIM_STOP_BARRIER, 0, 1, 1);
	check_stop(SLEEP, SIM_STOP_SLEEP, 5, 1, 2);
	check_stop(SENDMSG, SIM_STOP_SENDMSG, 1, 2, 3);
	check_stop(TRAP, SIM_STOP_TRAP, 2, 1, 4);
}

/* Any budget gives the same result and the same counts. */
static void test_budgets(void **state)
{
	(void)state;
	for (uint32_t budget = 1; budget < 500; budget += budget < 5 ? 1 : 97) {
		unsigned int calls = 1;

		lab_reset(&lab);
		lab.wave->exec = 0xff;
		lab.wave->pc = address(LOOP, 0);
		while (sim_wave_run(lab.wave, budget) == SIM_STOP_QUANTUM)
			calls++;
		assert_int_equal(lab.wave->stop, SIM_STOP_END);
		assert_int_equal(lab.wave->vgpr[2][3], 300);
		assert_int_equal(lab.wave->vgpr[2][8], 0);
		assert_int_equal(lab.counters.insts, 2 + 4 * 100 + 1);
		assert_int_equal(lab.counters.valu, 101);
		assert_int_equal(lab.counters.lane_ops, 101 * 8);
		assert_in_range(calls, 403 / budget, 403 / budget + 3);
	}
}

static void test_faults(void **state)
{
	static uint32_t stray[1024] __attribute__((aligned(4096)));

	(void)state;
	lab_reset(&lab);
	assert_int_equal(lab_run(&lab, UNIMPLEMENTED), SIM_STOP_FAULT);
	assert_int_equal(lab.wave->fault.kind, SIM_FAULT_UNIMPLEMENTED);
	assert_string_equal(lab.wave->fault.name, "image_load");
	assert_true(lab.wave->pc == address(UNIMPLEMENTED, 1));
	assert_int_equal(lab.wave->fault.word[0], lab.code[lab.start[UNIMPLEMENTED] + 1]);
	lab.wave->pc = (uint64_t)stray; /* not the GPU's */
	assert_int_equal(sim_wave_run(lab.wave, 10), SIM_STOP_FAULT);
	assert_int_equal(lab.wave->fault.kind, SIM_FAULT_FETCH);
	assert_true(lab.wave->fault.addr == (uint64_t)stray);
	lab.wave->pc = (uint64_t)lab.memory; /* the GPU's, but not code */
	assert_int_equal(sim_wave_run(lab.wave, 10), SIM_STOP_FAULT);
	assert_int_equal(lab.wave->fault.kind, SIM_FAULT_FETCH);
	lab.wave->pc = address(OLD, 0) + 2;
	assert_int_equal(sim_wave_run(lab.wave, 10), SIM_STOP_FAULT);
	assert_int_equal(lab.wave->fault.kind, SIM_FAULT_FETCH);
	assert_int_equal(sim_code_prepare((uint64_t)stray), -EFAULT);
	stray[0] = 0xffffffff;
	stray[1] = lab.code[lab.start[UNIMPLEMENTED] + 1]; /* first half of two, at the end */
	host_memory_add(stray, 8, SIM_MEM_READ | SIM_MEM_EXEC);
	sim_code_changed();
	assert_int_equal(sim_code_prepare((uint64_t)stray), 0);
	lab.wave->pc = (uint64_t)stray;
	assert_int_equal(sim_wave_run(lab.wave, 10), SIM_STOP_FAULT);
	assert_int_equal(lab.wave->fault.kind, SIM_FAULT_UNKNOWN_OPCODE);
	assert_int_equal(lab.wave->fault.word[0], 0xffffffff);
	lab.wave->pc = (uint64_t)(stray + 1);
	assert_int_equal(sim_wave_run(lab.wave, 10), SIM_STOP_FAULT);
	assert_int_equal(lab.wave->fault.kind, SIM_FAULT_FETCH);
}

static void test_classes(void **state)
{
	const struct sim_counters *c = &lab.counters;

	(void)state;
	lab_reset(&lab);
	lab.wave->sgpr[12] = (uint32_t)(uint64_t)lab.memory;
	lab.wave->sgpr[13] = (uint32_t)((uint64_t)lab.memory >> 32);
	for (unsigned int l = 0; l < 64; l++) {
		lab.wave->vgpr[8][l] = (uint32_t)(uint64_t)lab.memory;
		lab.wave->vgpr[9][l] = (uint32_t)((uint64_t)lab.memory >> 32);
	}
	lab_run_to_end(&lab, CLASSES);
	assert_int_equal(c->salu, 1);
	assert_int_equal(c->valu, 2);
	assert_int_equal(c->lds, 1);
	assert_int_equal(c->branch, 1);
	assert_int_equal(c->smem, 1);
	assert_int_equal(c->vmem, 1);
	assert_int_equal(c->flat, 1);
	assert_int_equal(c->other, 2); /* s_nop, s_endpgm */
	assert_int_equal(c->insts, 10);
	assert_int_equal(c->lane_ops, 5 * 64);
	assert_int_equal(c->lines64, 2);
	assert_int_equal(c->lds_passes, 2);
	/* Index mode with the index set again. */
	lab_reset(&lab);
	lab.wave->vgpr[4][0] = 99;
	lab_run_to_end(&lab, INDEX);
	assert_int_equal(lab.wave->vgpr[8][0], 99);
}

static int count_visit(void *ctx, uint64_t pc, const struct sim_pc_counters *c)
{
	unsigned int *n = ctx;

	assert_in_range(pc, address(LOOP, 0), address(LOOP, 10));
	assert_in_range(c->execs, 1, UINT64_MAX);
	return ++*n == 5 ? 77 : 0;
}

static void test_pc_counters(void **state)
{
	struct sim_pc_counters before = {0}, after;
	unsigned int n = 0;

	(void)state;
	assert_int_equal(sim_pc_counters_get(address(LOOP, 3), &before), 0);
	lab_reset(&lab);
	lab.wave->exec = 7;
	lab_run_to_end(&lab, LOOP);
	assert_int_equal(sim_pc_counters_get(address(LOOP, 3), &after), 0);
	assert_int_equal(after.execs - before.execs, 100);
	assert_int_equal(after.lanes - before.lanes, 300);
	assert_int_equal(sim_pc_counters_get(address(NEW, 40), &after), -ENOENT);
	assert_int_equal(
		sim_pc_counters_each(address(LOOP, 0), address(UNIMPLEMENTED, 0), count_visit, &n),
		77);
	/* A memory instruction: two lines of 64 bytes at the stack of CLASSES. */
	assert_int_equal(sim_pc_counters_get(address(CLASSES, 4), &after), 0); /* ds_read_b32 */
	assert_int_equal(after.lds_passes, 2 * after.execs);
}

/* Instructions run on over the end of a page, also one that lies across it. */
static void test_page_seam(void **state)
{
	uint32_t nop = 0xbf800000, page = 1024, *code = lab.code + 16 * page - 4;
	uint32_t literal[2] = {0xbe8800ff, 0x12345678}; /* s_mov_b32 s8, 0x12345678 */

	(void)state;
	for (unsigned int at = 0; at < 6; at++) {
		for (unsigned int i = 0; i < 12; i++)
			code[i] = nop;
		code[at] = literal[0];
		code[at + 1] = literal[1];
		code[12] = 0xbf810000; /* s_endpgm */
		sim_code_changed();
		lab_reset(&lab);
		lab.wave->pc = (uint64_t)code;
		assert_int_equal(sim_wave_run(lab.wave, 1000), SIM_STOP_END);
		assert_int_equal(lab.wave->sgpr[8], 0x12345678);
		assert_int_equal(lab.counters.insts, 12);
	}
}

static void test_changed_code(void **state)
{
	(void)state;
	lab_reset(&lab);
	lab_run_to_end(&lab, OLD);
	assert_int_equal(lab.wave->sgpr[8], 10);
	lab.code[lab.start[OLD]] = lab.code[lab.start[NEW]];
	sim_code_changed();
	lab_run_to_end(&lab, OLD);
	assert_int_equal(lab.wave->sgpr[8], 20);
}

static void test_describe(void **state)
{
	char line[64];

	(void)state;
	sim_code_describe(address(BARRIER, 0), line, sizeof(line));
	assert_non_null(strstr(line, "s_barrier"));
	sim_code_describe(address(UNIMPLEMENTED, 1), line, sizeof(line));
	assert_non_null(strstr(line, "image_load"));
	sim_code_describe(0x1000, line, sizeof(line));
	assert_non_null(strstr(line, "0x1000"));
}

/* The instruction trace: a line for each, with what it changed. */
static void test_log(void **state)
{
	char line[512];
	unsigned int lines = 0;
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	lab_reset(&lab);
	lab.wave->exec = 0xff;
	sim_traced_wave = lab.wave;
	sim_instruction_trace_to(file);
	lab_run_to_end(&lab, LOGGED);
	assert_null(sim_traced_wave);
	sim_instruction_trace_to(NULL);
	rewind(file);
	for (; fgets(line, sizeof(line), file); lines++) {
		char want[64];

		snprintf(want, sizeof(want), "0x%llx ",
			 (unsigned long long)address(LOGGED, 0) + 4ull * lines);
		assert_memory_equal(line, want, strlen(want));
		assert_non_null(strstr(line, "exec=00000000000000ff"));
		if (lines == 0)
			assert_non_null(strstr(line, "s_mov_b32 s8, 5 "));
		if (lines == 0)
			assert_non_null(strstr(line, " s8=5\n"));
		if (lines == 1)
			assert_non_null(strstr(line, "v_mov_b32_e32 v1, s8 "));
		if (lines == 1)
			assert_non_null(strstr(line, " v1={0..7:00000005}\n"));
		if (lines == 2)
			assert_non_null(strstr(line, "s_endpgm"));
	}
	assert_int_equal(lines, 3);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stops),	     cmocka_unit_test(test_budgets),
		cmocka_unit_test(test_faults),	     cmocka_unit_test(test_classes),
		cmocka_unit_test(test_pc_counters),  cmocka_unit_test(test_page_seam),
		cmocka_unit_test(test_changed_code), cmocka_unit_test(test_describe),
		cmocka_unit_test(test_log),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
