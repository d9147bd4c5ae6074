/* SPDX-License-Identifier: MIT */
/* Call stacks against the compiler's unwinder, through frames of all kinds. */
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include <setjmp.h>

#include <cmocka.h>

#include "hsa-plugin/trace/call_sites.h"
#include "hsa-plugin/trace/frame_decode.h"
#include "hsa-plugin/trace/frame_rules.h"
#include "hsa-plugin/trace/frames.h"

struct expected {
	uintptr_t addresses[PROBE_FRAMES_DEPTH];
	unsigned count, skip;
};

static _Unwind_Reason_Code take(struct _Unwind_Context *context, void *user)
{
	struct expected *expected = user;

	if (expected->skip)
		expected->skip--;
	else if (expected->count < PROBE_FRAMES_DEPTH && _Unwind_GetIP(context))
		expected->addresses[expected->count++] = _Unwind_GetIP(context) - 1;
	return _URC_NO_REASON;
}

static unsigned compared;

/* All frames above this function: the two calls in it have other addresses. */
__attribute__((noinline)) static void compare(void)
{
	struct expected expected = {.skip = 1};
	uintptr_t addresses[PROBE_FRAMES_DEPTH];
	unsigned count = probe_frames_capture(addresses, PROBE_FRAMES_DEPTH, UINT32_MAX);

	_Unwind_Backtrace(take, &expected);
	assert_int_equal(count - 1, expected.count < count ? expected.count : count - 1);
	assert_memory_equal(addresses + 1, expected.addresses, (count - 1) * sizeof(*addresses));
	assert_true(count == PROBE_FRAMES_DEPTH || count == expected.count + 1);
	compared++;
}

typedef void function(unsigned depth);
static void call_next(unsigned depth);

__attribute__((noinline)) static void plain(unsigned depth)
{
	volatile char bytes[24] = {0};

	call_next(depth);
	bytes[0]++;
}

__attribute__((noinline)) static void variable(unsigned depth)
{
	volatile char *bytes = __builtin_alloca(16 + 48 * (depth % 7));

	bytes[0] = 0;
	call_next(depth);
	bytes[0]++;
}

__attribute__((noinline)) static void aligned(unsigned depth)
{
	_Alignas(128) volatile char bytes[128] = {0};

	call_next(depth);
	bytes[0]++;
}

__attribute__((noinline)) static void aligned_variable(unsigned depth)
{
	_Alignas(64) volatile char bytes[64] = {0};
	volatile char *more = __builtin_alloca(16 + 32 * (depth % 5));

	more[0] = 0;
	call_next(depth);
	bytes[0]++;
	more[0]++;
}

__attribute__((noinline)) static void many_registers(unsigned depth)
{
	volatile unsigned long v[6] = {depth, 1, 2, 3, 4, 5};
	unsigned long a = v[0], b = v[1], c = v[2], d = v[3], e = v[4], f = v[5];

	call_next(depth);
	v[0] = a + b + c + d + e + f;
	call_next(0);
	v[1] = a ^ b ^ c ^ d ^ e ^ f;
}

static unsigned sorted_depth;

static int by_number(const void *a, const void *b)
{
	call_next(sorted_depth);
	sorted_depth = 0;
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static void through_library(unsigned depth)
{
	int numbers[2] = {2, 1};

	sorted_depth = depth;
	qsort(numbers, 2, sizeof(*numbers), by_number);
	sorted_depth = 0;
}

static unsigned signal_depth;

static void on_signal(int number)
{
	(void)number;
	call_next(signal_depth);
}

__attribute__((noinline)) static void through_signal(unsigned depth)
{
	signal_depth = depth;
	raise(SIGUSR1);
}

static function *const functions[] = {
	plain,		variable,	 aligned,	aligned_variable,
	many_registers, through_library, through_signal};
static uint32_t state = 1;

static unsigned next_random(unsigned below)
{
	state = state * 1664525 + 1013904223;
	return (state >> 16) % below;
}

static bool signals;

static void call_next(unsigned depth)
{
	unsigned count = sizeof(functions) / sizeof(*functions) - !signals;

	if (!depth)
		compare();
	else
		functions[next_random(count)](depth - 1);
}

static void random_chains(void **unused)
{
	(void)unused;
	signals = false;
	for (unsigned i = 0; i < 3000; i++)
		call_next(next_random(60));
	assert_true(compared >= 3000);
}

static void through_signals(void **unused)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_NODEFER}, before;

	(void)unused;
	sigaction(SIGUSR1, &action, &before);
	signals = true;
	for (unsigned i = 0; i < 300; i++)
		call_next(next_random(8));
	signals = false;
	sigaction(SIGUSR1, &before, NULL);
}

static void innermost_calls(void **unused)
{
	uintptr_t all[PROBE_FRAMES_DEPTH], some[PROBE_FRAMES_DEPTH];
	unsigned count = probe_frames_capture(all, PROBE_FRAMES_DEPTH, UINT32_MAX);

	(void)unused;
	/* This function, and one of cmocka, which is no runtime of HIP. */
	assert_int_equal(probe_frames_capture(some, PROBE_FRAMES_DEPTH, 2), 2);
	assert_int_equal(some[1], all[1]);
	assert_int_equal(probe_frames_capture(some, 3, 100), 3);
	assert_int_equal(some[2], all[2]);
	assert_true(count > 3);
}

__attribute__((noinline)) static size_t site(char text[PROBE_CALL_SITE_MAX])
{
	return probe_call_site(text);
}

static void call_sites(void **unused)
{
	char first[PROBE_CALL_SITE_MAX] = "", again[PROBE_CALL_SITE_MAX] = "",
	     other[PROBE_CALL_SITE_MAX];
	char *volatile texts[] = {first, again}; /* one call in a loop */
	volatile size_t lengths[2];
	size_t length;

	(void)unused;
	for (volatile int i = 0; i < 2; i++)
		lengths[i] = site(texts[i]);
	length = lengths[0];
	assert_true(lengths[1] == length && !memcmp(first, again, length));
	assert_true(length > 0);
	first[length] = 0;
	assert_non_null(strstr(first, "unit_hsa_frames+0x"));
	assert_true(site(other) != length || memcmp(first, other, length) != 0);
}

/* Programs by hand; the two records are joined as in .eh_frame. */
struct records {
	uint32_t common_length, common_id;
	uint8_t common[24];
	uint32_t length, back;
	uint8_t fde[40];
};

static struct probe_frame_rule decode(const uint8_t *instructions, size_t size, uintptr_t offset)
{
	/* version 1, "zR", code factor 1, data factor -8, register 16, one byte: sdata4 of pc;
	 * CFA = rsp + 8, return address at CFA - 8 */
	static const uint8_t common[] = {1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1};
	struct records records = {
		.common_length = 4 + sizeof(records.common),
		.length = 4 + sizeof(records.fde),
		.back = (uint32_t)(offsetof(struct records, back)),
	};

	memcpy(records.common, common, sizeof(common));
	memcpy(records.fde + 9, instructions, size);
	return probe_frame_decode(&records.length, 0x1000, 0x1000 + offset);
}

static void programs(void **unused)
{
	/* push rbp; mov rbp, rsp; ...; pop */
	static const uint8_t with_pointer[] = {0x41, 0x0e, 16,	 0x86, 2, 0x43, 0x0d, 6,
					       0x0a, 0x50, 0x0c, 7,    8, 0x41, 0x0b};
	static const uint8_t expression[] = {0x0f, 2, 0x76, 0x78};
	static const uint8_t outermost[] = {0x07, 16};
	struct probe_frame_rule rule = decode(with_pointer, sizeof(with_pointer), 1);

	(void)unused;
	assert_true(!rule.other && !rule.last && !rule.from_bp && !rule.saves_bp && rule.cfa == 8);
	rule = decode(with_pointer, sizeof(with_pointer), 2);
	assert_true(!rule.other && !rule.from_bp && rule.saves_bp && rule.cfa == 16 &&
		    rule.bp == -16);
	rule = decode(with_pointer, sizeof(with_pointer), 10);
	assert_true(!rule.other && rule.from_bp && rule.saves_bp && rule.cfa == 16 &&
		    rule.bp == -16);
	rule = decode(with_pointer, sizeof(with_pointer), 21);
	assert_true(!rule.other && !rule.from_bp && rule.cfa == 8);
	rule = decode(with_pointer, sizeof(with_pointer), 22);
	assert_true(!rule.other && rule.from_bp && rule.cfa == 16);
	assert_true(decode(expression, sizeof(expression), 1).other);
	rule = decode(outermost, sizeof(outermost), 1);
	assert_true(rule.last && !rule.other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_chains),   cmocka_unit_test(through_signals),
		cmocka_unit_test(innermost_calls), cmocka_unit_test(call_sites),
		cmocka_unit_test(programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
