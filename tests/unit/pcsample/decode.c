/* SPDX-License-Identifier: MIT */
/*
 * The record decoder against records put together bit by bit from the published tables, and against
 * its own inverse over random samples.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "pcsample/decode.h"
#include "pcsample/sample_codes.h"

static const struct probe_pcs_layout stochastic = {PROBE_PCS_GFX9, PROBE_PCS_STOCHASTIC, 0};
static const struct probe_pcs_layout gfx12 = {PROBE_PCS_GFX12, PROBE_PCS_STOCHASTIC, 0};
static const struct probe_pcs_layout gfx1250 = {PROBE_PCS_GFX1250, PROBE_PCS_STOCHASTIC, 0};

static void put(uint8_t *record, unsigned at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		record[at + i] = (uint8_t)(value >> 8 * i);
}

/* Common to both methods: offsets and the identity of the wave. */
static void test_record(void **state)
{
	const struct probe_pcs_layout trap = {PROBE_PCS_GFX9, PROBE_PCS_HOST_TRAP, 0};
	uint8_t record[PROBE_PCS_RECORD_SIZE] = {0};
	struct probe_pc_sample s;

	(void)state;
	put(record, 0x00, 0x7f0012345678, 8);
	put(record, 0x08, 0xaaaaaaaaaaaaaaaa, 8);
	put(record, 0x10, 7, 4);
	put(record, 0x14, 8, 4);
	put(record, 0x18, 9, 4);
	/* Chiplet at bits 8.., not at 6 as the C header has it. */
	put(record, 0x1c, 5 << 8 | 13, 4);
	put(record, 0x20,
	    9 | 2 << 4 | 1 << 6 | 11u << 8 | 1 << 12 | 6 << 13 | 10 << 16 | 8 << 20 | 5 << 24 |
		    2u << 30,
	    4);
	put(record, 0x30, 1234567890123, 8);
	put(record, 0x38, 0x1abcdef | 0x2a5ull << 32, 8);
	assert_int_equal(probe_pcs_decode(&trap, record, &s), PROBE_PCS_VALID);
	assert_int_equal(s.pc, 0x7f0012345678);
	assert_int_equal(s.exec, 0xaaaaaaaaaaaaaaaa);
	assert_int_equal(s.workgroup[0] * 100 + s.workgroup[1] * 10 + s.workgroup[2], 789);
	assert_int_equal(s.wave_in_group, 13);
	assert_int_equal(s.chiplet, 5);
	assert_int_equal(s.wave, 9);
	assert_int_equal(s.simd, 2);
	assert_int_equal(s.pipe, 1);
	assert_int_equal(s.cu, 11);
	assert_int_equal(s.shader_array, 1);
	assert_int_equal(s.shader_engine, 6);
	assert_int_equal(s.thread_group, 10);
	assert_int_equal(s.vm, 8);
	assert_int_equal(s.queue, 5);
	assert_int_equal(s.microengine, 2);
	assert_int_equal(s.timestamp, 1234567890123);
	assert_int_equal(probe_pcs_packet(s.correlation), 0x1abcdef);
	assert_int_equal(probe_pcs_doorbell(s.correlation), 0x2a5);
	assert_false(s.issued);
	assert_int_equal(s.reason, PROBE_PCS_REASON_NONE);
}

static enum probe_pcs_verdict gfx9(uint32_t data, uint32_t data1, struct probe_pc_sample *s)
{
	uint8_t record[PROBE_PCS_RECORD_SIZE] = {0};

	put(record, 0x24, data, 4);
	put(record, 0x28, data1, 4);
	return probe_pcs_decode(&stochastic, record, s);
}

static void test_gfx9_codes(void **state)
{
	static const char *const types[16] = {
		"VALU",		"MATRIX", "SCALAR",  "TEX",	"LDS",
		"FLAT",		"EXPORT", "MESSAGE", "BARRIER", "BRANCH_NOT_TAKEN",
		"BRANCH_TAKEN", "JUMP",	  "OTHER",   "NO_INST", "NONE",
		"NONE",
	};
	static const char *const reasons[8] = {
		"NO_INSTRUCTION_AVAILABLE", "ALU_DEPENDENCY", "WAITCNT",
		"INTERNAL_INSTRUCTION",	    "BARRIER_WAIT",   "ARBITER_NOT_WIN",
		"ARBITER_WIN_EX_STALL",	    "OTHER_WAIT",
	};
	struct probe_pc_sample s;

	(void)state;
	for (uint32_t raw = 0; raw < 16; raw++) {
		/* Issued: the reason's bits are left over and mean nothing. */
		assert_int_equal(gfx9(1 | 2 | raw << 3 | 5 << 7, 0, &s), PROBE_PCS_VALID);
		assert_true(s.issued);
		assert_string_equal(probe_pcs_type_name(s.type), types[raw]);
		assert_int_equal(s.reason, PROBE_PCS_REASON_NONE);
	}
	for (uint32_t raw = 0; raw < 8; raw++) {
		assert_int_equal(gfx9(1 | 4 << 3 | raw << 7, 0, &s), PROBE_PCS_VALID);
		assert_false(s.issued);
		assert_string_equal(probe_pcs_reason_name(s.reason), reasons[raw]);
		assert_int_equal(s.type, PROBE_PCS_TYPE_NONE);
	}
}

/* Good iff bit 0 is set and bit 26 is not. */
static void test_gfx9_validity(void **state)
{
	struct probe_pc_sample s;

	(void)state;
	assert_int_equal(gfx9(0, 0, &s), PROBE_PCS_INVALID);
	assert_int_equal(gfx9(1, 0, &s), PROBE_PCS_VALID);
	assert_int_equal(gfx9(1 | 1 << 26, 0, &s), PROBE_PCS_INVALID);
	assert_int_equal(gfx9(1u | 0xf8000000u, 0, &s), PROBE_PCS_VALID);
}

static void test_gfx9_arbiter(void **state)
{
	static const uint16_t pipes[8] = {
		PROBE_PCS_PIPE_MISC,   PROBE_PCS_PIPE_EXPORT,	PROBE_PCS_PIPE_FLAT,
		PROBE_PCS_PIPE_LDS,    PROBE_PCS_PIPE_VMEM_TEX, PROBE_PCS_PIPE_SCALAR,
		PROBE_PCS_PIPE_MATRIX, PROBE_PCS_PIPE_VALU,
	};
	struct probe_pc_sample s;

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		gfx9(1 | 1u << (10 + i), 33, &s);
		assert_int_equal(s.arb_issue, pipes[i]);
		assert_int_equal(s.arb_stall, 0);
		assert_int_equal(s.wave_count, 33);
		gfx9(1 | 1u << (18 + i), 0, &s);
		assert_int_equal(s.arb_issue, 0);
		assert_int_equal(s.arb_stall, pipes[i]);
	}
	gfx9(1 | 2 | 4, 0, &s);
	assert_true(s.dual);
}

static void test_mid_macro(void **state)
{
	struct probe_pcs_layout layout;
	uint8_t record[PROBE_PCS_RECORD_SIZE] = {0};
	struct probe_pc_sample s;

	(void)state;
	put(record, 0x00, 0x1008, 8);
	put(record, 0x24, 1, 4);
	put(record, 0x28, 1u << 31, 4);
	assert_true(probe_pcs_layout("gfx950:sramecc+", PROBE_PCS_STOCHASTIC, &layout));
	probe_pcs_decode(&layout, record, &s);
	assert_int_equal(s.pc, 0x1000);
	assert_true(probe_pcs_layout("gfx942", PROBE_PCS_STOCHASTIC, &layout));
	probe_pcs_decode(&layout, record, &s);
	assert_int_equal(s.pc, 0x1008);
}

static void test_gfx12(void **state)
{
	static const char *const types[16] = {
		"VALU",		"SCALAR",     "TEX",
		"LDS",		"LDS_DIRECT", "EXPORT",
		"MESSAGE",	"BARRIER",    "BRANCH_NOT_TAKEN",
		"BRANCH_TAKEN", "JUMP",	      "OTHER",
		"NO_INST",	"DUAL_VALU",  "FLAT",
		"MATRIX",
	};
	static const char *const reasons[8] = {
		"NO_INSTRUCTION_AVAILABLE",
		"ALU_DEPENDENCY",
		"WAITCNT",
		"ARBITER_NOT_WIN",
		"SLEEP_WAIT",
		"BARRIER_WAIT",
		"OTHER_WAIT",
		"INTERNAL_INSTRUCTION",
	};
	uint8_t record[PROBE_PCS_RECORD_SIZE] = {0};
	struct probe_pc_sample s;

	(void)state;
	put(record, 0x20, 17 | 9 << 5 | 12 << 10 | 3u << 14 | 1 << 17 | 2 << 18 | 30 << 23, 4);
	put(record, 0x28, 15 | 0x29u << 6 | 0x52u << 14, 4);
	put(record, 0x2c, 33 | 20 << 6 | 5 << 12 | 21 << 15 | 34 << 21 | 30u << 27, 4);
	for (uint32_t raw = 0; raw < 16; raw++) {
		put(record, 0x24, 1 | 2 | raw << 2, 4);
		assert_int_equal(probe_pcs_decode(&gfx12, record, &s), PROBE_PCS_VALID);
		assert_string_equal(probe_pcs_type_name(s.type), types[raw]);
	}
	for (uint32_t raw = 0; raw < 8; raw++) {
		put(record, 0x24, 1 | raw << 6, 4);
		assert_int_equal(probe_pcs_decode(&gfx12, record, &s), PROBE_PCS_VALID);
		assert_string_equal(probe_pcs_reason_name(s.reason), reasons[raw]);
	}
	assert_int_equal(s.wave, 17);
	assert_int_equal(s.queue, 9);
	assert_int_equal(s.cu, 12);
	assert_int_equal(s.simd, 3);
	assert_int_equal(s.microengine, 1);
	assert_int_equal(s.shader_engine, 2);
	assert_int_equal(s.thread_group, 30);
	assert_int_equal(s.wave_count, 15);
	/* brmsg, lds, scalar issue; exp, vmem, valu stall */
	assert_int_equal(s.arb_issue,
			 PROBE_PCS_PIPE_MISC | PROBE_PCS_PIPE_LDS | PROBE_PCS_PIPE_SCALAR);
	assert_int_equal(s.arb_stall,
			 PROBE_PCS_PIPE_EXPORT | PROBE_PCS_PIPE_VMEM_TEX | PROBE_PCS_PIPE_VALU);
	assert_true(s.has_counts);
	assert_int_equal(s.load, 33);
	assert_int_equal(s.store, 20);
	assert_int_equal(s.bvh, 5);
	assert_int_equal(s.texture, 21);
	assert_int_equal(s.ds, 34);
	assert_int_equal(s.km, 30);
}

/* gfx1250: the snapshot repeats the wave's number; and says when a wave was locked out. */
static void test_gfx1250(void **state)
{
	uint8_t record[PROBE_PCS_RECORD_SIZE] = {0};
	struct probe_pc_sample s;

	(void)state;
	put(record, 0x20, 6, 4);
	put(record, 0x24, 1 | 6 << 9, 4);
	assert_int_equal(probe_pcs_decode(&gfx1250, record, &s), PROBE_PCS_VALID);
	put(record, 0x24, 1 | 7 << 9, 4);
	assert_int_equal(probe_pcs_decode(&gfx1250, record, &s), PROBE_PCS_INVALID);
	put(record, 0x24, 1 | 6 << 9 | 1 << 14, 4);
	assert_int_equal(probe_pcs_decode(&gfx1250, record, &s), PROBE_PCS_SKIPPED);
}

static void test_targets(void **state)
{
	struct probe_pcs_layout layout;

	(void)state;
	assert_true(probe_pcs_layout("gfx90a:sramecc+:xnack-", PROBE_PCS_HOST_TRAP, &layout));
	assert_int_equal(layout.family, PROBE_PCS_GFX9);
	assert_true(probe_pcs_layout("gfx1201", PROBE_PCS_HOST_TRAP, &layout));
	assert_int_equal(layout.family, PROBE_PCS_GFX12);
	assert_false(probe_pcs_layout("gfx1201", PROBE_PCS_STOCHASTIC, &layout));
	assert_false(probe_pcs_layout("gfx908", PROBE_PCS_HOST_TRAP, &layout));
	assert_false(probe_pcs_layout("gfx90", PROBE_PCS_HOST_TRAP, &layout));
	assert_false(probe_pcs_layout("", PROBE_PCS_HOST_TRAP, &layout));
	layout = (struct probe_pcs_layout){.family = (enum probe_pcs_family)77};
	assert_int_equal(probe_pcs_decode(&layout, (uint8_t[64]){0}, &(struct probe_pc_sample){0}),
			 PROBE_PCS_BAD_FAMILY);
}

static uint64_t random64(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Random bytes, decoded, encoded and decoded again: the same sample. */
static void test_inverse(void **state)
{
	const struct probe_pcs_layout *const layouts[] = {&stochastic, &gfx12, &gfx1250};
	uint64_t seed = 0x9e3779b97f4a7c15u;

	(void)state;
	for (int i = 0; i < 300000; i++) {
		const struct probe_pcs_layout *layout = layouts[i % 3];
		uint8_t record[PROBE_PCS_RECORD_SIZE], again[PROBE_PCS_RECORD_SIZE];
		struct probe_pc_sample first, second;

		for (int k = 0; k < 8; k++) {
			uint64_t word = random64(&seed);

			memcpy(record + 8 * k, &word, 8);
		}
		memset(&first, 0, sizeof(first));
		memset(&second, 0, sizeof(second));
		if (probe_pcs_decode(layout, record, &first) != PROBE_PCS_VALID)
			continue;
		/* Codes that no family has cannot be written. */
		if (first.issued && first.type == PROBE_PCS_TYPE_NONE)
			continue;
		probe_pcs_encode(layout, &first, again);
		assert_int_equal(probe_pcs_decode(layout, again, &second), PROBE_PCS_VALID);
		assert_memory_equal(&first, &second, sizeof(first));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record),	      cmocka_unit_test(test_gfx9_codes),
		cmocka_unit_test(test_gfx9_validity), cmocka_unit_test(test_gfx9_arbiter),
		cmocka_unit_test(test_mid_macro),     cmocka_unit_test(test_gfx12),
		cmocka_unit_test(test_gfx1250),	      cmocka_unit_test(test_targets),
		cmocka_unit_test(test_inverse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
