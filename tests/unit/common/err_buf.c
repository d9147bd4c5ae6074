/* SPDX-License-Identifier: MIT */
/* Errors and bounded reading: every read at every length, and what the messages say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/buf.h"
#include "common/err.h"

static void says(struct probe_err *err, const char *want)
{
	char text[256];

	assert_non_null(err);
	probe_err_format(err, text, sizeof(text));
	assert_string_equal(text, want);
	probe_err_destroy(err);
}

static void test_err_text(void **state)
{
	struct probe_err *err;
	char small[8];

	(void)state;
	says(probe_err_create("cannot %s", "open"), "cannot open");
	says(probe_err_at("a.co", 64, "no table"), "a.co, offset 0x40: no table");
	says(probe_err_at("a.co", PROBE_ERR_NO_OFFSET, "no table"), "a.co: no table");
	says(probe_err_wrap(probe_err_at("a.co", 1, "x"), "no sites"),
	     "no sites: a.co, offset 0x1: x");
	says(probe_err_oom(),
	     "out of memory: free some, or raise its limit (ulimit -v, or that of the container)");
	probe_err_destroy(NULL);

	err = probe_err_create("a long message");
	assert_int_equal(probe_err_format(err, small, sizeof(small)), 7);
	assert_string_equal(small, "a long ");
	small[0] = 'x';
	assert_int_equal(probe_err_format(err, small, 0), 0);
	assert_int_equal(small[0], 'x');
	assert_int_equal(probe_err_format(err, small, 1), 0);
	assert_string_equal(small, "");
	probe_err_destroy(err);
}

static void test_reads(void **state)
{
	static const uint8_t data[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 'h', 'i', 0, 'x'};
	struct probe_buf buf;
	const char *text;
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;
	uint8_t u8;

	(void)state;
	probe_buf_init(&buf, "t", data, sizeof(data));
	assert_null(probe_buf_u8(&buf, &u8));
	assert_int_equal(u8, 1);
	assert_null(probe_buf_u64(&buf, &u64));
	assert_int_equal(u64, 0x0908070605040302ull);
	assert_null(probe_buf_string(&buf, &text));
	assert_string_equal(text, "hi");
	says(probe_buf_error(&buf, "odd"), "t, offset 0x9: odd");
	says(probe_buf_string(&buf, &text),
	     "t, offset 0xc: string of 1 bytes or more without an end");
	u16 = 77;
	says(probe_buf_u16(&buf, &u16), "t, offset 0xc: 2 bytes expected, 1 left");
	assert_int_equal(u16, 77);
	assert_int_equal(probe_buf_left(&buf), 1);
	says(probe_buf_skip(&buf, UINT64_MAX),
	     "t, offset 0xc: 18446744073709551615 bytes expected, 1 left");
	assert_null(probe_buf_skip(&buf, 1));

	probe_buf_init(&buf, "t", data, 6);
	assert_null(probe_buf_u16(&buf, &u16));
	assert_int_equal(u16, 0x201);
	assert_null(probe_buf_u32(&buf, &u32));
	assert_int_equal(u32, 0x06050403);
	probe_buf_init(&buf, "t", NULL, 0);
	says(probe_buf_u32(&buf, &u32), "t, offset 0x0: 4 bytes expected, 0 left");
}

static void test_short(void **state)
{
	(void)state;
	for (size_t size = 0; size < 8; size++) {
		/* An exact heap block: the sanitizer sees a byte too many. */
		uint8_t *data = calloc(1, size ? size : 1), out[8];
		uint32_t u32;
		struct probe_buf buf;
		struct probe_err *err;

		probe_buf_init(&buf, "t", data, size);
		err = probe_buf_u32(&buf, &u32);
		assert_int_equal(!err, size >= 4);
		probe_err_destroy(err);
		probe_buf_init(&buf, "t", data, size);
		err = probe_buf_copy(&buf, out, 7);
		assert_int_equal(!err, size >= 7);
		probe_err_destroy(err);
		free(data);
	}
}

static void test_window(void **state)
{
	static const uint8_t data[16] = {[10] = 42};
	struct probe_buf buf, part;
	uint8_t u8;

	(void)state;
	probe_buf_init(&buf, "t", data, sizeof(data));
	assert_null(probe_buf_window(&buf, 8, 4, &part));
	assert_null(probe_buf_skip(&part, 2));
	assert_null(probe_buf_u8(&part, &u8));
	assert_int_equal(u8, 42);
	says(probe_buf_error(&part, "x"), "t, offset 0xa: x");
	assert_null(probe_buf_window(&buf, 16, 0, &part));
	says(probe_buf_window(&buf, 9, 8, &part),
	     "t, offset 0x0: part of 8 bytes at 0x9 reaches past the end at 0x10");
	says(probe_buf_window(&buf, 8, UINT64_MAX, &part),
	     "t, offset 0x0: part of 18446744073709551615 bytes at 0x8 reaches past the end at "
	     "0x10");
	says(probe_buf_window(&buf, UINT64_MAX, 1, &part),
	     "t, offset 0x0: part of 1 bytes at 0xffffffffffffffff reaches past the end at 0x10");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_err_text),
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
