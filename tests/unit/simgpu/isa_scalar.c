/* SPDX-License-Identifier: MIT */
/* Scalar atomics, scalar scratch and widths, scratch stores, GWS. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/simgpu/program_lab.h"
#include "tests/unit/simgpu/atomic_reference.h"

enum {
	ATOMIC = 0,
	S_SCRATCH_LOAD = ATOMIC + ATOMICS * 4,
	S_SCRATCH_LOAD2,
	S_SCRATCH_LOAD4,
	S_SCRATCH_STORE,
	S_SCRATCH_STORE2,
	S_SCRATCH_STORE4,
	QUIET, /* cache controls */
	S_PLAIN,
	SCRATCH_STORE = S_PLAIN + 11,
	GWS = SCRATCH_STORE + 8,
	SNIPPETS = GWS + 5,
};

static const char *const fixed_text[SNIPPETS - S_SCRATCH_LOAD] = {
	"s_scratch_load_dword s8, s[4:5], s6",
	"s_scratch_load_dwordx2 s[8:9], s[4:5], 0x10",
	"s_scratch_load_dwordx4 s[8:11], s[4:5], 0x20",
	"s_scratch_store_dword s8, s[4:5], s6",
	"s_scratch_store_dwordx2 s[8:9], s[4:5], 0x10",
	"s_scratch_store_dwordx4 s[8:11], s[4:5], 0x20",
	("s_dcache_discard s[4:5], 0x0\ns_dcache_discard_x2 s[4:5], 0x0\n"
	 "s_atc_probe 0, s[4:5], 0x0\ns_atc_probe_buffer 0, s[0:3], 0x0"),
	"s_load_dword s8, s[4:5], 0x40",
	"s_load_dwordx8 s[8:15], s[4:5], 0x40",
	"s_buffer_load_dword s8, s[0:3], 0x40",
	"s_buffer_load_dwordx2 s[8:9], s[0:3], 0x40",
	"s_buffer_load_dwordx8 s[8:15], s[0:3], 0x40",
	"s_buffer_load_dwordx16 s[8:23], s[0:3], 0x40",
	"s_store_dword s8, s[4:5], 0x40",
	"s_store_dwordx4 s[8:11], s[4:5], 0x40",
	"s_buffer_store_dword s8, s[0:3], 0x40",
	"s_buffer_store_dwordx2 s[8:9], s[0:3], 0x40",
	"s_buffer_store_dwordx4 s[8:11], s[0:3], 0x40",
	"scratch_store_byte v2, v8, off offset:4",
	"scratch_store_byte_d16_hi v2, v8, off offset:4",
	"scratch_store_short v2, v8, off offset:4",
	"scratch_store_short_d16_hi v2, v8, off offset:4",
	"scratch_store_dword v2, v8, off offset:4",
	"scratch_store_dwordx2 v2, v[8:9], off offset:4",
	"scratch_store_dwordx3 v2, v[8:10], off offset:4",
	"scratch_store_dwordx4 v2, v[8:11], off offset:4",
	"ds_gws_init v8 offset:3 gds",
	"ds_gws_sema_br v8 offset:3 gds",
	"ds_gws_sema_p offset:3 gds",
	"ds_gws_sema_v offset:3 gds",
	"ds_gws_sema_release_all offset:3 gds",
};

static char texts[SNIPPETS][128];
static const char *text[SNIPPETS];
static void atomic_texts(void)
{
	for (unsigned int a = 0; a < ATOMICS; a++)
		for (unsigned int form = 0; form < 4; form++) {
			bool two = !strcmp(atomics[a].name, "cmpswap"), wide = form & 1;
			unsigned int dwords = (two ? 2 : 1) * (wide ? 2 : 1);

			snprintf(texts[ATOMIC + a * 4 + form], sizeof(texts[0]),
				 "s_%satomic_%s%s %s, s[%s], 0x8 glc", form & 2 ? "buffer_" : "",
				 atomics[a].name, wide ? "_x2" : "",
				 dwords == 1   ? "s8"
				 : dwords == 2 ? "s[8:9]"
					       : "s[8:11]",
				 form & 2 ? "0:3" : "4:5");
		}
}

static int setup(void **state)
{
	(void)state;
	atomic_texts();
	for (unsigned int i = 0; i < SNIPPETS; i++)
		text[i] = i < S_SCRATCH_LOAD ? texts[i] : fixed_text[i - S_SCRATCH_LOAD];
	lab_open(&lab, text, SNIPPETS);
	return 0;
}

/* ---- Scalar memory -------------------------------------------------------------------------- */

static void test_scalar_atomics(void **state)
{
	(void)state;
	for (unsigned int a = 0; a < ATOMICS; a++)
		for (unsigned int i = 0; i < 4 * 20; i++) {
			unsigned int form = i % 4, dwords = form & 1 ? 2 : 1;
			uint64_t mask = form & 1 ? ~0ull : 0xffffffff;
			uint64_t m = lab_edge64() & mask, x = lab_edge64() & mask;
			uint64_t y = i & 8 ? m : lab_edge64() & mask, got = 0, want;

			lab_fill(&lab, 0, 4096, 4, 4);
			memcpy(lab.memory + 8, &m, 4 * dwords);
			memcpy(&lab.wave->sgpr[8], &x, 4 * dwords);
			if (!strcmp(atomics[a].name, "cmpswap"))
				memcpy(&lab.wave->sgpr[8 + dwords], &y, 4 * dwords);
			lab_run_to_end(&lab, ATOMIC + a * 4 + form);
			want = atomics[a].next(m, x, y, form & 1) & mask;
			memcpy(&got, lab.memory + 8, 4 * dwords);
			if (got != want)
				fail_msg("%s: memory %llx, should be %llx",
					 text[ATOMIC + a * 4 + form], (unsigned long long)got,
					 (unsigned long long)want);
			got = 0;
			memcpy(&got, &lab.wave->sgpr[8], 4 * dwords);
			assert_true(got == m);
		}
	/* Beyond the end of the buffer nothing happens. */
	lab_fill(&lab, 0, 8, 4, 4);
	lab.wave->sgpr[8] = 5;
	*(uint32_t *)(lab.memory + 8) = 77;
	lab_run_to_end(&lab, ATOMIC + 2 * 4 + 2);
	assert_int_equal(*(uint32_t *)(lab.memory + 8), 77);
}

/* Scratch of a wave: scalar offsets count 64 times. */
static void test_scalar_scratch(void **state)
{
	(void)state;
	lab_fill(&lab, 0, 4096, 4, 4);
	lab.wave->sgpr[6] = 12;
	lab_run_to_end(&lab, S_SCRATCH_LOAD);
	assert_memory_equal(&lab.wave->sgpr[8], lab.memory + 64 * 12, 4);
	lab_run_to_end(&lab, S_SCRATCH_LOAD2);
	assert_memory_equal(&lab.wave->sgpr[8], lab.memory + 16, 8);
	lab_run_to_end(&lab, S_SCRATCH_LOAD4);
	assert_memory_equal(&lab.wave->sgpr[8], lab.memory + 32, 16);
	for (unsigned int i = 0; i < 4; i++)
		lab.wave->sgpr[8 + i] = 0x1000 + i;
	lab_run_to_end(&lab, S_SCRATCH_STORE);
	lab_run_to_end(&lab, S_SCRATCH_STORE2);
	lab_run_to_end(&lab, S_SCRATCH_STORE4);
	assert_int_equal(*(uint32_t *)(lab.memory + 64 * 12), 0x1000);
	assert_memory_equal(lab.memory + 16, &lab.wave->sgpr[8], 8);
	assert_memory_equal(lab.memory + 32, &lab.wave->sgpr[8], 16);
	lab_run_to_end(&lab, QUIET);
}

/* Loads, then stores, of so many dwords at offset 64. */
static void test_scalar_widths(void **state)
{
	static const unsigned int dwords[] = {1, 8, 1, 2, 8, 16, 1, 4, 1, 2, 4};

	(void)state;
	for (unsigned int i = 0; i < sizeof(dwords) / sizeof(dwords[0]); i++) {
		uint32_t old;

		lab_fill(&lab, 0, 4096, 4, 4);
		for (unsigned int r = 8; r < 32; r++)
			lab.wave->sgpr[r] = (uint32_t)lab_random();
		old = i < 6 ? lab.wave->sgpr[8 + dwords[i]]
			    : *(uint32_t *)(lab.memory + 64 + 4 * dwords[i]);
		lab_run_to_end(&lab, S_PLAIN + i);
		assert_memory_equal(&lab.wave->sgpr[8], lab.memory + 64, 4 * dwords[i]);
		assert_int_equal(i < 6 ? lab.wave->sgpr[8 + dwords[i]]
				       : *(uint32_t *)(lab.memory + 64 + 4 * dwords[i]),
				 old);
	}
}

static void test_scratch_stores(void **state)
{
	static const struct {
		unsigned int bytes, shift;
	} cases[] = {{1, 0}, {1, 16}, {2, 0}, {2, 16}, {4, 0}, {8, 0}, {12, 0}, {16, 0}};

	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		lab_fill(&lab, 0, 4096, 4, 4);
		memset(lab.scratch, 0x5a, LAB_SCRATCH_LANE * SIM_LANES);
		lab_run_to_end(&lab, SCRATCH_STORE + i);
		for (unsigned int l = 0; l < 64; l++)
			for (unsigned int b = 0; b < 20; b++) {
				unsigned int at = 63 - l + 4 + b;
				uint32_t v = lab.wave->vgpr[LAB_VDATA + b / 4][l] >> cases[i].shift;
				uint8_t got = lab.scratch[at / 4 * 256 + 4 * l + at % 4];

				assert_int_equal(got, b < cases[i].bytes ? (uint8_t)(v >> b % 4 * 8)
									 : 0x5a);
			}
	}
}

/* The machine executes their requests: they stop with their opcode and offset. */
static void test_gws(void **state)
{
	static const unsigned int opcodes[] = {153, 155, 156, 154, 152};

	(void)state;
	for (unsigned int i = 0; i < 5; i++) {
		lab_fill(&lab, 0, 4096, 4, 4);
		assert_int_equal(lab_run(&lab, GWS + i), SIM_STOP_GWS);
		assert_int_equal(lab.wave->stop_arg & 0xff,
				 lab.code[lab.start[GWS + i]] >> 17 & 0xff);
		assert_int_equal(lab.wave->stop_arg & 0xff, opcodes[i]);
		assert_int_equal(lab.wave->stop_arg >> 8, 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scalar_atomics),
		cmocka_unit_test(test_scalar_scratch),
		cmocka_unit_test(test_scalar_widths),
		cmocka_unit_test(test_scratch_stores),
		cmocka_unit_test(test_gws),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
