/* SPDX-License-Identifier: MIT */
/* Counting of cache lines: known shapes, the reference over random accesses, closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "rules/distinct.h"
#include "tests/unit/rules/rules_reference.h"

static struct probe_cache_lines_scratch scratch;

static struct probe_cache_lines count(unsigned wave, unsigned unit, uint64_t exec,
				      const uint64_t addr[64])
{
	struct probe_cache_lines lines = probe_cache_lines_count(wave, unit, exec, addr, &scratch);
	struct probe_cache_lines want = ref_lines(wave, unit, exec, addr);

	if (memcmp(&lines, &want, sizeof(want)))
		fail_msg("unit %u exec %llx: quads %u, not %u; 64: %u, not %u; 128: %u, not %u",
			 unit, (unsigned long long)exec, lines.quads, want.quads, lines.used64,
			 want.used64, lines.used128, want.used128);
	return lines;
}

static void shape(unsigned unit, uint64_t base, int64_t stride, uint32_t quads, uint32_t used64,
		  uint32_t used128)
{
	struct probe_cache_lines lines;
	uint64_t addr[64];

	for (unsigned lane = 0; lane < 64; lane++)
		addr[lane] = base + (uint64_t)(stride * lane);
	lines = count(64, unit, ~0ull, addr);
	assert_int_equal(lines.quads, quads);
	assert_int_equal(lines.used64, used64);
	assert_int_equal(lines.used128, used128);
}

static void test_known_shapes(void **state)
{
	const uint64_t base = 0x7f1234560000;

	(void)state;
	shape(4, base, 4, 16, 4, 2);	    /* coalesced */
	shape(4, base + 4, 4, 20, 5, 3);    /* shifted by one element: 4 quads cross a line */
	shape(4, base, 4096, 64, 64, 64);   /* a page each */
	shape(4, base, 0, 16, 1, 1);	    /* uniform */
	shape(4, base, 8, 16, 8, 4);	    /* every other element */
	shape(4, base, 64, 64, 64, 32);	    /* an int in 16 */
	shape(4, base, 128, 64, 64, 64);    /* a line each */
	shape(16, base, 16, 16, 16, 8);	    /* float4 */
	shape(4, base + 252, -4, 16, 4, 2); /* backwards */
	shape(1, base, 1, 16, 1, 1);	    /* bytes */
	shape(8, base + 60, 8, 24, 9, 5);   /* every other quad crosses a line */
	shape(4, UINT64_MAX - 3, 0, 16, 1, 1);
}

static void test_random(void **state)
{
	static const unsigned units[] = {1, 2, 4, 8, 12, 16};
	uint64_t seed = 88172645463325252ull, addr[64];

	(void)state;
	for (int i = 0; i < 4000; i++) {
		unsigned unit = units[ref_random(&seed) % 6], wave = i % 5 ? 64 : 32;
		uint64_t exec = ref_random(&seed) & ref_random(&seed);
		uint64_t range = 1ull << (4 + ref_random(&seed) % 40), at = ref_random(&seed) >> 16;
		unsigned align = i % 2 ? unit : 1;

		if (i % 3)
			exec = ~0ull >> ref_random(&seed) % 64;
		exec &= wave == 64 ? ~0ull : 0xffffffff;
		exec |= exec ? 0 : 1;
		for (unsigned lane = 0; lane < 64; lane++) {
			/* Rising, falling, mixed. */
			at += i % 7 == 0   ? ref_random(&seed) % 100
			      : i % 7 == 1 ? -(ref_random(&seed) % 100)
					   : ref_random(&seed) % range;
			addr[lane] = at - at % align;
			if (i % 7 > 3)
				addr[lane] = range + ref_random(&seed) % range / align * align;
		}
		count(wave, unit, exec, addr);
	}
}

static void check_closed(unsigned wave, unsigned unit, unsigned first, unsigned lanes,
			 uint64_t base, int64_t stride, unsigned *closed)
{
	const struct probe_affine_lanes run = {first, lanes, base, stride};
	uint64_t exec = (lanes == 64 ? ~0ull : (1ull << lanes) - 1) << first;
	struct probe_cache_lines lines, want;
	uint64_t addr[64];

	if (!probe_cache_lines_count_affine(wave, unit, &run, &lines))
		return;
	++*closed;
	for (unsigned lane = first; lane < first + lanes; lane++)
		addr[lane] = base + (uint64_t)(stride * (lane - first));
	want = ref_lines(wave, unit, exec, addr);
	if (memcmp(&lines, &want, sizeof(want)))
		fail_msg("unit %u lanes %u+%u base %llx stride %lld: quads %u, not %u; 64: %u, "
			 "not %u; 128: %u, not %u",
			 unit, first, lanes, (unsigned long long)base, (long long)stride,
			 lines.quads, want.quads, lines.used64, want.used64, lines.used128,
			 want.used128);
}

static void test_closed_forms(void **state)
{
	static const unsigned units[] = {1, 2, 4, 8, 12, 16};
	uint64_t seed = 88172645463325252ull;
	unsigned closed = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		unsigned unit = units[i % 6], wave = i % 4 ? 64 : 32;
		unsigned first = i % 3 ? 0 : (unsigned)(ref_random(&seed) % wave);
		unsigned lanes = i % 3 ? wave : 1 + (unsigned)(ref_random(&seed) % (wave - first));
		int64_t stride = (int64_t)(ref_random(&seed) % 600) - 300;
		uint64_t base = 0x100000 + ref_random(&seed) % 512;

		if (i % 2) {
			stride -= stride % unit;
			base -= base % unit;
		}
		check_closed(wave, unit, first, lanes, base, stride, &closed);
	}
	assert_true(closed > 10000);
}

/* ---- Numbers that are the same --------------------------------------------------------------- */

static void check_distinct(const uint64_t *number, unsigned count)
{
	static struct distinct room;
	uint8_t first[DISTINCT_MAX];
	unsigned different;

	memset(first, 255, sizeof(first));
	different = distinct_find(&room, number, count, first);
	for (unsigned i = 0; i < count; i++) {
		unsigned k = 0;

		while (number[k] != number[i])
			k++;
		assert_int_equal(first[i], k);
		different -= k == i;
	}
	assert_int_equal(different, 0);
}

/* Of few numbers, of many, and of those that differ where the hash does not look. */
static void test_distinct(void **state)
{
	uint64_t seed = 88172645463325252ull, number[DISTINCT_MAX];

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		uint64_t range = 1ull << ref_random(&seed) % 40;
		unsigned shift = i % 3 ? 0 : 20 + i % 30;

		for (unsigned k = 0; k < DISTINCT_MAX; k++)
			number[k] = ref_random(&seed) % range << shift;
		check_distinct(number, 1 + i % DISTINCT_MAX);
	}
}

/* Narrow and wide vectors tell the same. */
static bool all_different(const uint64_t *number)
{
	bool ret = distinct_all(number);

#ifdef __x86_64__
	if (__builtin_cpu_supports("avx512bw") && number[0] != number[1] &&
	    number[62] != number[63])
		assert_int_equal(distinct_all_avx2(number), ret);
#endif
	return ret;
}

/* Any two that are the same are seen, wherever they are; mostly it is seen if there are none. */
static void test_all_different(void **state)
{
	uint64_t seed = 88172645463325252ull, number[64];
	unsigned known = 0, all = 0;

	(void)state;
	for (unsigned i = 0; i < 64; i++)
		for (unsigned k = i + 1; k < 64; k++) {
			for (unsigned n = 0; n < 64; n++)
				number[n] = ref_random(&seed) << 6 | n;
			known += all_different(number);
			all++;
			number[k] = number[i];
			assert_false(all_different(number));
		}
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2"))
		assert_in_range(known, all * 9 / 10, all);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_shapes),  cmocka_unit_test(test_random),
		cmocka_unit_test(test_closed_forms),  cmocka_unit_test(test_distinct),
		cmocka_unit_test(test_all_different),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
