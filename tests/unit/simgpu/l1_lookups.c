/* SPDX-License-Identifier: MIT */
/*
 * Cycles of L1 lookups, against those that te42kyfo/gpu-benches (commit 1c36d509,
 * gpu-strides/mi210.txt) measured on an MI210: per 32 lanes, mean of eight loads, 0, 4, 8, ... 28
 * elements from where lanes begin. Larger strides of 8 bytes do not fit into the L1.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "simgpu/exec/memory/l1_lookups.h"

#define LENGTH(a) (sizeof(a) / sizeof(*(a)))

static const double stride4[] = {
	2.18, 2.18, 16.1, 8.1,	32.2, 14.1, 16.1, 14.1, 32.2, 14.1, 16.1, 14.1, 32.2,
	14.1, 16.1, 24.2, 32.2, 24.2, 16.1, 14.1, 32.2, 14.1, 16.1, 14.1, 32.2, 14.1,
	16.1, 14.1, 32.2, 14.1, 16.1, 24.2, 32.2, 24.2, 16.1, 14.1, 32.2, 14.1, 16.1,
	14.1, 32.2, 14.1, 16.1, 14.1, 32.2, 14.1, 16.1, 24.2, 32.2, 24.2, 16.1, 14.1,
	32.2, 14.1, 16.1, 14.1, 32.2, 14.1, 16.1, 14.1, 32.2, 14.1, 16.1, 24.2, 32.2,
};
static const double stride8[] = {
	8.1,  8.1,  8.1,  8.1,	16.1, 8.1,  8.1,  8.1,	32.2, 8.1,  12.1, 16.1,
	16.1, 12.1, 16.1, 16.1, 32.2, 16.1, 12.1, 12.1, 16.1, 12.1, 16.1, 12.1,
	32.2, 8.1,  12.1, 16.1, 16.1, 16.1, 24.2, 28.2, 32.2, 32.2,
};

/* Lane l at place(l, by) + offset, in elements: the mean of the offsets, per 32 lanes. */
static double mean_cycles(uint64_t (*place)(unsigned int l, unsigned int by), unsigned int by,
			  unsigned int bytes)
{
	unsigned int sum = 0;

	for (unsigned int offset = 0; offset < 32; offset += 4) {
		uint64_t addr[64];

		for (unsigned int l = 0; l < 64; l++)
			addr[l] = (place(l, by) + offset) * bytes;
		sum += l1_lookup_cycles(addr, ~0ull, bytes);
	}
	return sum / 8. / 2;
}

static uint64_t strided(unsigned int l, unsigned int by)
{
	return (uint64_t)l * by;
}

/* Rows of `width` lanes, 4098 elements apart. */
static uint64_t block(unsigned int l, unsigned int width)
{
	return l % width + (l / width % 32 + 1) * 4098ull;
}

/* Measured times contain what the loop around the loads takes: up to 0.2 cycles. */
static void assert_cycles(double measured, double rule)
{
	if (measured < rule - .01 || measured > rule + .2)
		fail_msg("%g cycles measured, %g by the rule", measured, rule);
}

static void strides(void **state)
{
	(void)state;
	for (unsigned int by = 0; by < LENGTH(stride4); by++)
		assert_cycles(stride4[by], mean_cycles(strided, by, 4));
	for (unsigned int by = 0; by < LENGTH(stride8); by++)
		assert_cycles(stride8[by], mean_cycles(strided, by, 8));
}

/* Of blocks one lane wide, whose rows share few sets, some may not fit into the L1. */
static void blocks(void **state)
{
	(void)state;
	assert_cycles(24.2, mean_cycles(block, 2, 4));
	assert_cycles(4.03, mean_cycles(block, 8, 4));
	assert_cycles(24.2, mean_cycles(block, 1, 8));
	assert_cycles(12.1, mean_cycles(block, 2, 8));
	assert_cycles(8.1, mean_cycles(block, 4, 8));
	assert_cycles(8.1, mean_cycles(block, 16, 8));
}

/* What the measurements do not have: closed forms. */
static void others(void **state)
{
	uint64_t addr[64];

	(void)state;
	for (unsigned int l = 0; l < 64; l++)
		addr[l] = 4096 + l;
	assert_int_equal(l1_lookup_cycles(addr, ~0ull, 1), 4);
	assert_int_equal(l1_lookup_cycles(addr, 0, 1), 0);
	assert_int_equal(l1_lookup_cycles(addr, 1, 1), 1);
	for (unsigned int l = 0; l < 64; l++)
		addr[l] = 4096 + 16ull * l;
	assert_int_equal(l1_lookup_cycles(addr, ~0ull, 16), 16);
	/* Eight dwords of two lines that have one tag bank. */
	for (unsigned int l = 0; l < 64; l++)
		addr[l] = 4096 + l % 2 * 256;
	assert_int_equal(l1_lookup_cycles(addr, ~0ull, 8), 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strides),
		cmocka_unit_test(blocks),
		cmocka_unit_test(others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
