/* SPDX-License-Identifier: MIT */
/* Which accesses an s_waitcnt waits for: in order, by counter, in equal parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "codeobj/disassembly.h"
#include "codeobj/wait_producers.h"

enum { MOST = 80 };

/* Instructions at 0, 8, 16 ... */
static struct probe_waits waits_of(const char *const *text, size_t count)
{
	struct probe_instruction rows[MOST];
	struct probe_waits waits = {0};

	assert_true(count <= MOST);
	for (size_t i = 0; i < count; i++)
		rows[i] = (struct probe_instruction){.address = 8 * i, .size = 8, .text = text[i]};
	assert_true(probe_wait_producers(rows, count, &waits));
	return waits;
}

static void is_wait(const struct probe_wait *wait, uint64_t at, uint64_t producer, double weight)
{
	assert_int_equal(wait->wait, at);
	assert_int_equal(wait->producer, producer);
	assert_true(wait->weight == weight);
}

#define WAITS(...)                                                                                 \
	waits_of((const char *const[]){__VA_ARGS__},                                               \
		 sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void oldest_complete_first(void **state)
{
	struct probe_waits waits =
		WAITS("global_load_dword a", "global_load_dword b", "global_load_dword c",
		      "s_waitcnt vmcnt(1)", "v_nop", "s_waitcnt vmcnt(0)", "s_waitcnt vmcnt(0)");

	(void)state;
	assert_int_equal(waits.count, 3);
	is_wait(&waits.rows[0], 24, 0, 0.5);
	is_wait(&waits.rows[1], 24, 8, 0.5);
	is_wait(&waits.rows[2], 40, 16, 1);
	free(waits.rows);
}

/* LDS and scalar loads count in lgkmcnt, global accesses in vmcnt, flat ones in both. */
static void counters(void **state)
{
	struct probe_waits waits =
		WAITS("global_load_dword a", "ds_read_b32 b", "s_load_dword c", "flat_load_dword d",
		      "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0) lgkmcnt(0)");

	(void)state;
	assert_int_equal(waits.count, 5);
	for (int i = 0; i < 3; i++)
		is_wait(&waits.rows[i], 32, 8 + 8ull * (unsigned)i, 1.0 / 3);
	is_wait(&waits.rows[3], 40, 0, 0.5);
	is_wait(&waits.rows[4], 40, 24, 0.5);
	free(waits.rows);
}

static void nothing_outstanding(void **state)
{
	struct probe_waits waits =
		WAITS("s_waitcnt vmcnt(0)", "global_load_dword a", "s_waitcnt vmcnt(1)",
		      "s_waitcnt lgkmcnt(0)", "s_endpgm", "s_waitcnt vmcnt(0)");

	(void)state;
	assert_int_equal(waits.count, 0);
	free(waits.rows);
	waits = waits_of(NULL, 0);
	assert_null(waits.rows);
}

/* Only the newest 64 are known. */
static void many(void **state)
{
	const char *text[71];
	struct probe_waits waits;

	(void)state;
	for (int i = 0; i < 70; i++)
		text[i] = "global_load_dword";
	text[70] = "s_waitcnt vmcnt(0)";
	waits = waits_of(text, 71);
	assert_int_equal(waits.count, 64);
	is_wait(&waits.rows[0], 8 * 70, 8 * 6, 1.0 / 64);
	is_wait(&waits.rows[63], 8 * 70, 8 * 69, 1.0 / 64);
	free(waits.rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(oldest_complete_first),
		cmocka_unit_test(counters),
		cmocka_unit_test(nothing_outstanding),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
