/* SPDX-License-Identifier: MIT */
/* CRC-32C against the published check value and against itself cut in pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "common/crc32.h"

/* RFC 3720, appendix B.4: 32 bytes of zeros, of ones, ascending, descending. */
static void known_values(void **state)
{
	uint8_t bytes[32];

	(void)state;
	assert_int_equal(probe_crc32(0, "123456789", 9), 0xe3069283);
	assert_int_equal(probe_crc32(0, "", 0), 0);
	memset(bytes, 0, sizeof(bytes));
	assert_int_equal(probe_crc32(0, bytes, 32), 0x8a9136aa);
	memset(bytes, 0xff, sizeof(bytes));
	assert_int_equal(probe_crc32(0, bytes, 32), 0x62a8ab43);
	for (int i = 0; i < 32; i++)
		bytes[i] = (uint8_t)i;
	assert_int_equal(probe_crc32(0, bytes, 32), 0x46dd794e);
	for (int i = 0; i < 32; i++)
		bytes[i] = (uint8_t)(31 - i);
	assert_int_equal(probe_crc32(0, bytes, 32), 0x113fdb5c);
}

static void pieces_and_paths_agree(void **state)
{
	uint8_t bytes[300];
	uint32_t whole;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 37 + 11);
	whole = probe_crc32(0, bytes, sizeof(bytes));
	assert_int_equal(probe_crc32_portable(0, bytes, sizeof(bytes)), whole);
	for (size_t cut = 0; cut <= sizeof(bytes); cut++) {
		uint32_t front = probe_crc32(0, bytes, cut);

		assert_int_equal(probe_crc32(front, bytes + cut, sizeof(bytes) - cut), whole);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_values),
		cmocka_unit_test(pieces_and_paths_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
