/* SPDX-License-Identifier: MIT */
/*
 * Loads and stores of dwords whose lanes are at the same distances as in the last execution, for
 * which the simulator has a fast path: data and counts of lines against plain copies and recounts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simgpu/exec/memory/next_access.h"
#include "tests/unit/simgpu/program_lab.h"

enum { VDATA = 8, VADDR = 2, FORMS = 3, SHAPES = 8 };
enum form { LOAD, LOAD_SADDR, STORE };

static int setup(void **state)
{
	static const char *const dwords[] = {"dword", "dwordx2", "dwordx3", "dwordx4"};
	static const char *const formats[FORMS] = {
		"global_load_%s v[8:%u], v[2:3], off offset:-12",
		"global_load_%s v[8:%u], v2, s[4:5] offset:4",
		"global_store_%s v[2:3], v[8:%u], off offset:20",
	};
	static char texts[4 * FORMS][80];
	static const char *text[4 * FORMS];

	(void)state;
	for (unsigned int i = 0; i < 4 * FORMS; i++) {
		snprintf(texts[i], sizeof(texts[i]), formats[i / 4], dwords[i % 4], 8 + i % 4);
		text[i] = texts[i];
	}
	lab_open(&lab, text, 4 * FORMS);
	for (unsigned int i = 0; i < LAB_MEMORY; i += 8)
		*(uint64_t *)(lab.memory + i) = lab_random();
	return 0;
}

/* Lane l's distance in bytes from lane 0. */
static int32_t distance(unsigned int shape, unsigned int l)
{
	switch (shape) {
	case 0: /* rows of a tile */
		return (int32_t)(l / 16 * 2048 + l % 16 * 4);
	case 1: /* one place per row */
		return (int32_t)(l / 16 * 2048);
	case 2: /* adjacent, but of 12 bytes each */
		return (int32_t)l * 12;
	case 3: /* below lane 0, and overlapping */
		return (int32_t)(l % 24) * -4;
	case 4: /* a mixture */
		return (int32_t)(l < 16 ? 4 * l : l < 40 ? 64 : 0xff00 - l * l * 4);
	default:
		return l ? (int32_t)(lab_random() % 0x10000) - 0x8000 : 0;
	}
}

static void put_address(unsigned int lane, uint64_t addr)
{
	lab.wave->vgpr[VADDR][lane] = (uint32_t)addr;
	lab.wave->vgpr[VADDR + 1][lane] = (uint32_t)(addr >> 32);
}

/* Distinct lines of 2^shift bytes, the slow way. */
static unsigned int count_lines(const uint64_t *addr, unsigned int bytes, unsigned int shift)
{
	uint64_t seen[128] = {0};
	unsigned int n = 0;

	for (unsigned int l = 0; l < 64; l++)
		for (unsigned int b = 0; b < bytes; b++) {
			uint64_t line = (addr[l] + b) >> shift;
			unsigned int i = 0;

			while (i < n && seen[i] != line)
				i++;
			if (i == n)
				seen[n++] = line;
		}
	return n;
}

static void prepare(enum form form, unsigned int n, const int32_t *diff, uint32_t first,
		    uint64_t *target)
{
	uint64_t base = (uint64_t)lab.memory;

	lab_reset(&lab);
	lab.wave->sgpr[4] = (uint32_t)base;
	lab.wave->sgpr[5] = (uint32_t)(base >> 32);
	for (unsigned int l = 0; l < 64; l++) {
		target[l] = base + first + (uint64_t)(int64_t)diff[l];
		put_address(l, target[l] + (form == STORE ? -20ull : 12));
		if (form == LOAD_SADDR)
			lab.wave->vgpr[VADDR][l] = first + (uint32_t)diff[l] - 4;
		for (unsigned int i = 0; i < n; i++)
			lab.wave->vgpr[VDATA + i][l] = (uint32_t)lab_random();
	}
}

static void run_case(enum form form, unsigned int n, const int32_t *diff, uint32_t first)
{
	static uint8_t want[LAB_MEMORY];
	uint64_t target[64];

	prepare(form, n, diff, first, target);
	memcpy(want, lab.memory, LAB_MEMORY);
	for (unsigned int l = 0; form == STORE && l < 64; l++)
		for (unsigned int i = 0; i < n; i++)
			memcpy(want + (target[l] - (uint64_t)lab.memory) + 4 * i,
			       &lab.wave->vgpr[VDATA + i][l], 4);
	lab_run_to_end(&lab, form * 4 + n - 1);
	for (unsigned int l = 0; form != STORE && l < 64; l++)
		for (unsigned int i = 0; i < n; i++)
			assert_memory_equal(&lab.wave->vgpr[VDATA + i][l],
					    (uint8_t *)target[l] + 4 * i, 4);
	assert_memory_equal(lab.memory, want, LAB_MEMORY);
	assert_int_equal(lab.counters.lines64, count_lines(target, 4 * n, 6));
	assert_int_equal(lab.counters.lines128, count_lines(target, 4 * n, 7));
}

/* The pattern returns at other places, then differs in one lane. */
static void test_repeated(void **state)
{
	static const uint32_t firsts[] = {0x10000, 0x10000 + 128, 0x20000, 0x10000 + 5, 0x10000};
	int32_t diff[64];

	(void)state;
	for (unsigned int i = 0; i < 4 * FORMS * SHAPES; i++) {
		enum form form = (enum form)(i / 4 % FORMS);
		unsigned int n = i % 4 + 1;

		for (unsigned int l = 0; l < 64; l++)
			diff[l] = distance(i / (4 * FORMS), l);
		for (unsigned int k = 0; k < sizeof(firsts) / sizeof(firsts[0]); k++)
			run_case(form, n, diff, firsts[k]);
		diff[37] += 4;
		run_case(form, n, diff, firsts[0]);
		run_case(form, n, diff, firsts[1]);
	}
}

/* A known pattern whose lanes 48 and later are outside of the memory, or wrap around in 32 bits. */
static void test_outside(void **state)
{
	uint64_t target[64];
	int32_t diff[64];

	(void)state;
	for (unsigned int l = 0; l < 64; l++)
		diff[l] = (int32_t)(8 * l);
	for (enum form form = LOAD; form <= STORE; form++) {
		run_case(form, 1, diff, 128);
		prepare(form, 1, diff, LAB_MEMORY - 8 * 48, target);
		assert_int_equal(lab_run(&lab, form * 4), SIM_STOP_FAULT);
		assert_true(lab.wave->fault.addr == (uint64_t)lab.memory + LAB_MEMORY);
		assert_int_equal(lab.wave->fault.lane, 48);
	}
	/* The offset is not signed: lane 0's is 4 GiB - 4, so the others begin 4 GiB lower. */
	prepare(LOAD_SADDR, 1, diff, 0, target);
	assert_int_equal(lab.wave->vgpr[VADDR][0], UINT32_MAX - 3);
	assert_int_equal(lab_run(&lab, LOAD_SADDR * 4), SIM_STOP_FAULT);
	assert_true(lab.wave->fault.addr == (uint64_t)lab.memory + (1ull << 32));
	assert_int_equal(lab.wave->fault.lane, 0);
}

/* Expected of each wave of a workgroup: as far again as from its last access to this one. */
static void test_next_access(void **state)
{
	enum { GROUPS = 4, GROUP_BYTES = 104 * 1024, WAVE_BYTES = 256 };
	const struct sim_inst inst = {.memo = 6}, other = {.memo = 8};

	(void)state;
	lab.wave->memo = sim_memo_table();
	assert_non_null(lab.wave->memo);
	for (uint64_t group = 0; group < GROUPS; group++) {
		for (uint32_t i = 0; i < SIM_LAST_WAVES; i++) {
			uint64_t at = 0x7f0000000000 + group * GROUP_BYTES + i * WAVE_BYTES, next;

			lab.wave->in_group = i;
			next = next_access(lab.wave, &inst, at);
			next_access(lab.wave, &other, ~at);
			if (group)
				assert_true(next == at + GROUP_BYTES);
		}
	}
	lab.wave->in_group = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_repeated),
		cmocka_unit_test(test_outside),
		cmocka_unit_test(test_next_access),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
