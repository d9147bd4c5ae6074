/* SPDX-License-Identifier: MIT */
/*
 * The memory shared between a traced process and probe-run is small, however many rings the process
 * requests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "common/err.h"
#include "cmds/record/segment_size.h"
#include "wire/segment_reader_file.h"

/*
 * 64 MiB less a queue's arguments, and its counter tables or the states of rings, which are not
 * needed by the same kinds.
 */
#define MOST ((64ull - 6) << 20)

static void segments_are_bounded(void **state)
{
	static const uint32_t wanted[] = {0,	1,    3,     2048,  3328,
					  4096, 8192, 26624, 65536, UINT32_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		struct segment_reader seg;
		uint32_t rings;

		assert_null(segment_create(wanted[i], &seg));
		rings = seg.ring_count - seg.large_count;
		assert_true(!seg.large_count == !rings);
		assert_true(seg.size <= MOST);
		assert_true(rings >= (wanted[i] < 8192 ? wanted[i] : 8192));
		assert_true(!rings || seg.ring_size >= PROBE_RING_SIZE_MIN);
		assert_int_equal(rings & (rings - 1), 0);
		segment_reader_unlink(&seg);
		segment_reader_destroy(&seg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(segments_are_bounded)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
