/* SPDX-License-Identifier: MIT */
/*
 * The LDS model against published counts (tests/data/lds_oracle.csv), against the values that its
 * rules imply, and its closed forms against counting.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/rules/rules_reference.h"

static struct probe_lds_scratch scratch;

static uint32_t conflicts(const char *arch, unsigned unit, bool write, uint64_t exec,
			  const uint32_t addr[64])
{
	const struct probe_lds_rule rule =
		ref_lds_rule(arch, 64, unit, write ? PROBE_ACCESS_STORE : PROBE_ACCESS_LOAD);
	struct probe_lds_cost cost = probe_lds_count(&rule, exec, addr, &scratch);
	struct probe_lds_cost want = ref_lds(&rule, exec, addr);

	assert_memory_equal(&cost, &want, sizeof(cost));
	return cost.passes - cost.ideal;
}

static uint32_t stride_conflicts(const char *arch, unsigned unit, bool write, unsigned lanes,
				 uint32_t stride)
{
	uint64_t exec = lanes == 64 ? ~0ull : (1ull << lanes) - 1;
	uint32_t addr[64];

	for (uint32_t lane = 0; lane < 64; lane++)
		addr[lane] = lane * stride;
	return conflicts(arch, unit, write, exec, addr);
}

static uint32_t tile_conflicts(const char *arch, unsigned unit, bool write, uint32_t pitch)
{
	uint32_t addr[64];

	for (uint32_t lane = 0; lane < 64; lane++)
		addr[lane] = lane % 16 * pitch + lane / 16 * 16;
	return conflicts(arch, unit, write, ~0ull, addr);
}

static void check_row(const char *line)
{
	char arch[16], direction[16], pattern[80];
	unsigned width, want, got, lanes = 64, stride, pitch;
	bool write;

	assert_int_equal(sscanf(line, "%15[^,],%u,%15[^,],%79[^,],%u", arch, &width, direction,
				pattern, &want),
			 5);
	write = !strcmp(direction, "write");
	if (sscanf(pattern, "tile16x4;addr=(lane%%16)*%u+(lane/16)*16", &pitch) == 1) {
		got = tile_conflicts(arch, width / 8, write, pitch);
	} else {
		assert_true(sscanf(pattern, "stride_bytes=%u", &stride) == 1 ||
			    sscanf(pattern, "active_lanes=%u;stride_bytes=%u", &lanes, &stride) ==
				    2);
		got = stride_conflicts(arch, width / 8, write, lanes, stride);
	}
	if (got != want)
		fail_msg("%s: %u conflicts", line, got);
}

static void test_oracle(void **state)
{
	FILE *file = fopen(TEST_DATA "/lds_oracle.csv", "r");
	unsigned rows = 0;
	char line[512];

	(void)state;
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	for (; fgets(line, sizeof(line), file); rows++)
		check_row(line);
	fclose(file);
	assert_int_equal(rows, 54);
}

/* 4-byte and 16-byte reads by stride: measured gfx942; gfx950 and gfx90a by their tables. */
static void test_strides(void **state)
{
	static const struct {
		const char *arch;
		unsigned unit;
		uint32_t strides[7], want[7];
	} rows[] = {
		{"gfx942", 4, {4, 8, 16, 64, 128, 256, 132}, {0, 2, 6, 30, 62, 62, 0}},
		{"gfx90a", 4, {4, 8, 16, 64, 128, 256, 132}, {0, 2, 6, 30, 62, 62, 0}},
		{"gfx950", 4, {4, 8, 16, 64, 128, 256, 132}, {0, 1, 3, 15, 31, 63, 0}},
		{"gfx942", 16, {16, 32, 64, 128, 256, 144, 272}, {0, 8, 24, 56, 56, 0, 0}},
		{"gfx950", 16, {16, 32, 64, 128, 144, 144, 144}, {0, 4, 12, 28, 0, 0, 0}},
		{"gfx942", 8, {8, 16, 32, 64, 128, 136, 264}, {0, 4, 12, 28, 60, 0, 0}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (size_t k = 0; k < 7; k++)
			assert_int_equal(stride_conflicts(rows[i].arch, rows[i].unit, false, 64,
							  rows[i].strides[k]),
					 rows[i].want[k]);
}

/* 32 x 32 workgroup, 16 waves of 2 rows: conflicts of reading columns and of writing rows. */
static void check_tile(const char *arch, uint32_t pitch, uint32_t want_read, uint32_t want_write)
{
	uint32_t read[64], write[64], reads = 0, writes = 0;

	for (uint32_t wave = 0; wave < 16; wave++) {
		for (uint32_t lane = 0; lane < 64; lane++) {
			uint32_t x = lane % 32, y = wave * 2 + lane / 32;

			read[lane] = 4 * (x * pitch + y);
			write[lane] = 4 * (y * pitch + x);
		}
		reads += conflicts(arch, 4, false, ~0ull, read);
		writes += conflicts(arch, 4, true, ~0ull, write);
	}
	assert_int_equal(reads, want_read);
	assert_int_equal(writes, want_write);
}

static void test_transpose_tile(void **state)
{
	(void)state;
	check_tile("gfx90a", 32, 992, 0);
	check_tile("gfx942", 32, 992, 0);
	check_tile("gfx90a", 33, 0, 0);
	check_tile("gfx942", 34, 32, 0);
	check_tile("gfx950", 32, 240, 0);
	check_tile("gfx950", 33, 16, 0);
	check_tile("gfx950", 34, 0, 0);
}

/* A 16-byte write that only contiguous groups of 8 serve without conflict. */
static void test_write_groups(void **state)
{
	uint32_t addr[64];

	(void)state;
	for (uint32_t lane = 0; lane < 64; lane++)
		addr[lane] = (lane % 8 + lane / 8) % 8 * 16 + lane / 8 * 128;
	assert_int_equal(conflicts("gfx942", 16, true, ~0ull, addr), 0);
	assert_int_equal(conflicts("gfx942", 16, false, ~0ull, addr), 8);
}

/* Lanes of an atomic operation take turns on one dword. */
static void test_atomics(void **state)
{
	struct probe_lds_rule rule = ref_lds_rule("gfx90a", 64, 4, PROBE_ACCESS_ATOMIC);
	uint64_t seed = 0x9e3779b97f4a7c15ull;
	struct probe_lds_cost cost, want;
	uint32_t addr[64] = {0};

	(void)state;
	cost = probe_lds_count(&rule, ~0ull, addr, &scratch);
	assert_int_equal(cost.passes, 64);
	assert_int_equal(cost.way, 32);
	/* Half of the lanes of each phase on one word, the others on words of their own. */
	for (uint32_t lane = 0; lane < 64; lane++)
		addr[lane] = lane % 2 ? 4 * lane : 0;
	cost = probe_lds_count(&rule, ~0ull, addr, &scratch);
	assert_int_equal(cost.passes, 32);
	for (int i = 0; i < 2000; i++) {
		unsigned unit = i & 1 ? 8 : 4;
		uint64_t exec = ref_random(&seed);

		rule = ref_lds_rule("gfx90a", 64, unit, PROBE_ACCESS_ATOMIC);
		for (unsigned lane = 0; lane < 64; lane++)
			addr[lane] = (uint32_t)(ref_random(&seed) % (16u << i % 8)) * unit;
		cost = probe_lds_count(&rule, exec, addr, &scratch);
		want = ref_lds(&rule, exec, addr);
		assert_memory_equal(&cost, &want, sizeof(cost));
	}
}

/* 12-byte, unaligned and sub-dword accesses: every dword counts. */
static void test_odd_accesses(void **state)
{
	uint32_t addr[64];

	(void)state;
	/* Lanes 0-3 and 20-23 at 16 B: dwords 0-14 and 80-94, banks 0-14 and 16-30. */
	assert_int_equal(stride_conflicts("gfx90a", 12, false, 64, 16), 0);
	/* All lanes at one place: broadcast. */
	assert_int_equal(stride_conflicts("gfx90a", 12, false, 64, 0), 0);
	assert_int_equal(stride_conflicts("gfx90a", 4, false, 64, 0), 0);
	/* Bytes and halves side by side share dwords. */
	assert_int_equal(stride_conflicts("gfx90a", 1, false, 64, 1), 0);
	assert_int_equal(stride_conflicts("gfx90a", 2, true, 64, 2), 0);
	/* Two bytes over a dword's end at 128 B: two banks, each 32 ways. */
	for (uint32_t lane = 0; lane < 64; lane++)
		addr[lane] = lane * 128 + 3;
	assert_int_equal(conflicts("gfx90a", 2, false, ~0ull, addr), 62);
	/* Only the second dwords of two lanes meet: 4 + 4 B at 4 and at 132. */
	addr[0] = 4;
	addr[1] = 136;
	assert_int_equal(conflicts("gfx90a", 8, false, 3, addr), 1);
	/* Addresses that no LDS has do not harm. */
	for (uint32_t lane = 0; lane < 64; lane++)
		addr[lane] = 0x80000000u + lane % 2 * 0x10000000u;
	assert_int_equal(conflicts("gfx90a", 4, false, ~0ull, addr), 2);
}

static void check_affine(const char *arch, const struct probe_lds_rule *rule, uint32_t base,
			 int64_t stride, unsigned *closed)
{
	unsigned wave = rule->wave;
	uint64_t exec = wave == 64 ? ~0ull : 0xffffffffull;
	struct probe_lds_cost cost, want;
	uint32_t addr[64];

	if (!probe_lds_count_affine(rule, base, stride, &cost))
		return;
	++*closed;
	for (unsigned lane = 0; lane < wave; lane++)
		addr[lane] = base + (uint32_t)(stride * lane);
	want = ref_lds(rule, exec, addr);
	if (memcmp(&cost, &want, sizeof(cost)))
		fail_msg("%s wave %u unit %u%s base %u stride %lld: %u passes, not %u", arch, wave,
			 rule->unit, rule->share ? "" : " atomic", base, (long long)stride,
			 cost.passes, want.passes);
}

static void check_strides(const char *arch, unsigned unit, enum probe_access_kind access,
			  unsigned *closed)
{
	const struct probe_lds_rule rule = ref_lds_rule(arch, 64, unit, access);
	const struct probe_lds_rule half = ref_lds_rule(arch, 32, unit, access);
	bool rdna = probe_lds_model_find(arch)->wave == 32;

	for (int64_t stride = -272; stride <= 1056; stride += stride < 20 ? 1 : 4)
		for (uint32_t base = 0; base < 8; base += 1 + (base > 1) * 2) {
			check_affine(arch, &rule, 1 << 17 | base, stride, closed);
			if (rdna)
				check_affine(arch, &half, 1 << 17 | base, stride, closed);
		}
}

static void test_closed_forms(void **state)
{
	static const char *const archs[] = {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"};
	static const unsigned units[] = {1, 2, 4, 8, 12, 16};
	static const enum probe_access_kind accesses[] = {PROBE_ACCESS_LOAD, PROBE_ACCESS_STORE,
							  PROBE_ACCESS_ATOMIC};
	unsigned closed = 0;

	(void)state;
	for (size_t a = 0; a < 5; a++)
		for (size_t u = 0; u < 6; u++)
			for (int access = 0; access < 3; access++)
				check_strides(archs[a], units[u], accesses[access], &closed);
	/* The forms are worth having: most of the aligned cases. */
	assert_true(closed > 4000);
}

static void test_random(void **state)
{
	static const unsigned units[] = {1, 2, 4, 8, 12, 16};
	static const char *const archs[] = {"gfx90a", "gfx950", "gfx1100"};
	uint64_t seed = 88172645463325252ull;
	uint32_t addr[64];

	(void)state;
	for (int i = 0; i < 6000; i++) {
		unsigned unit = units[ref_random(&seed) % 6];
		uint64_t exec = ref_random(&seed) | (i % 3 ? 1 : ~0ull);
		uint32_t range = 1u << (4 + ref_random(&seed) % 13);
		uint32_t align = i % 4 < 2 && unit < 8 ? unit : 1;

		for (unsigned lane = 0; lane < 64; lane++)
			addr[lane] = (uint32_t)ref_random(&seed) % range / align * align;
		conflicts(archs[i % 3], unit, i & 1, exec, addr);
	}
	/* The stamp of the scratch table may run over. */
	scratch.stamp = UINT32_MAX - 1;
	assert_int_equal(stride_conflicts("gfx90a", 4, false, 64, 128), 62);
}

static void test_find(void **state)
{
	(void)state;
	assert_string_equal(probe_lds_model_find("gfx90a:sramecc+:xnack-")->arch, "gfx90a");
	assert_string_equal(probe_lds_model_find("gfx941")->arch, "gfx942");
	assert_string_equal(probe_lds_model_find("gfx906")->arch, "gfx90a");
	assert_string_equal(probe_lds_model_find("gfx1030")->arch, "gfx1100");
	assert_string_equal(probe_lds_model_find("gfx1200")->arch, "gfx1201");
	assert_string_equal(probe_lds_model_find("")->arch, "gfx90a");
	assert_string_equal(probe_lds_model_find("gfx90")->arch, "gfx90a");
	assert_non_null(strstr(probe_lds_model_note("gfx90a"), "derived from gfx942"));
	assert_non_null(strstr(probe_lds_model_note("gfx906"), "derived"));
	assert_non_null(strstr(probe_lds_model_note("sm_90"), "unknown"));
}

/* Direction and sharing follow from the kind of access. */
static void test_rule(void **state)
{
	static const enum probe_access_kind accesses[] = {PROBE_ACCESS_LOAD, PROBE_ACCESS_STORE,
							  PROBE_ACCESS_ATOMIC};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct probe_lds_rule rule =
			probe_lds_rule(probe_lds_model_find("gfx942"), 64, 16, accesses[i]);
		struct probe_lds_rule want = ref_lds_rule("gfx942", 64, 16, accesses[i]);

		assert_ptr_equal(rule.phases, want.phases);
		assert_int_equal(rule.phase_wave, 64);
		assert_int_equal(rule.wave, 64);
		assert_int_equal(rule.unit, 16);
		assert_int_equal(rule.share, want.share);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_oracle),	       cmocka_unit_test(test_strides),
		cmocka_unit_test(test_transpose_tile), cmocka_unit_test(test_write_groups),
		cmocka_unit_test(test_atomics),	       cmocka_unit_test(test_odd_accesses),
		cmocka_unit_test(test_closed_forms),   cmocka_unit_test(test_random),
		cmocka_unit_test(test_find),	       cmocka_unit_test(test_rule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
