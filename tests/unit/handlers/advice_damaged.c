/* SPDX-License-Identifier: MIT */
/*
 * Advice of the memory handler on what a damaged site table or a program that writes its own
 * counters may say: it ends in time, and divides by no 0.
 */
#include "tests/unit/handlers/send_records.h"

static uint32_t add_lds(uint16_t bytes, uint32_t row, uint32_t element)
{
	uint32_t site =
		add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS, bytes, bytes < 16 ? bytes : 16);

	host_state.sites[site].variable = 7;
	host_state.sites[site].row = row;
	host_state.sites[site].element = element;
	return site;
}

/* Counters of executions with conflicts, whose lanes are `stride` bytes apart. */
static void send_stride(uint32_t site, int64_t stride)
{
	struct probe_counter_row row = {.site = site};
	uint64_t *c = row.value;

	c[PROBE_C_EXECUTIONS] = c[PROBE_C_AFFINE] = 10;
	c[PROBE_C_LANES] = 640;
	c[PROBE_C_IDEAL_PASSES] = 40;
	c[PROBE_C_PASSES] = 640;
	c[PROBE_C_MAX_WAY] = 16;
	c[PROBE_C_STRIDE_HI] = PROBE_STRIDE_BIAS + (uint64_t)stride;
	c[PROBE_C_STRIDE_LO] = PROBE_STRIDE_BIAS - (uint64_t)stride;
	send_counter_rows(&row, 1);
}

/* One access to a variable, or several: all are added first. */
static void run(unsigned accesses, uint16_t bytes, uint32_t row, uint32_t element, int64_t stride)
{
	start(NULL);
	for (unsigned n = 0; n < accesses; n++) {
		uint32_t site = add_lds(bytes, row, element);

		host_state.sites[site].near_distance = (int32_t)(n * 16);
	}
	for (unsigned n = 0; n < accesses; n++)
		send_stride(n, stride);
	finish();
}

/* No multiple of a dword is whole elements, in 32 bits; and LDS of an unknown size is no excuse. */
static void test_elements(void **state)
{
	static const uint32_t elements[] = {(1u << 30) + 1, UINT32_MAX, 1u << 31, 262143};

	(void)state;
	for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++)
		for (unsigned accesses = 1; accesses <= 3; accesses++) {
			run(accesses, 4, 128, elements[i], 128);
			assert_null(strstr(host_text(&host_state, 0, "fix"), "pad "));
		}
}

/* An access that is wider than all banks. */
static void test_wide(void **state)
{
	(void)state;
	for (unsigned accesses = 1; accesses <= 3; accesses++) {
		run(accesses, 512, 0, 512, 1024);
		assert_null(strstr(host_text(&host_state, 0, "fix"), "column c"));
	}
}

/* Lanes nearer than two dwords, between which there can be no rows. */
static void test_near_lanes(void **state)
{
	(void)state;
	for (uint16_t bytes = 1; bytes <= 2; bytes++)
		for (int64_t stride = 1; stride <= 8; stride++)
			run(3, bytes, 0, bytes, stride);
}

/* A term without a step, of the lanes and of nothing else. */
static void test_steps(void **state)
{
	static const struct probe_site_term terms[] = {
		{.of = PROBE_TERM_ITEM, .step = 0}, {.of = PROBE_TERM_GROUP, .step = 128}, {0}};

	(void)state;
	for (unsigned kind = 0; kind <= PROBE_ADDRESS_COMPUTED + 4; kind++) {
		uint32_t site;

		start(state);
		site = add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
		set_terms(site, terms);
		host_state.sites[site].address_class = (uint8_t)kind;
		host_state.sites[site].address = "in + 4*threadIdx.x";
		dispatch.grid[0] = 1024;
		for (uint64_t i = 0; i < 8; i++)
			send_affine(site, ~0ull, 1 << 20, 256);
		dispatch.grid[0] = 0;
		finish();
	}
}

/* Strides that sums over a wave's lanes, or their absolute values, are too large for. */
static void test_strides(void **state)
{
	static const int64_t strides[] = {INT64_MIN, INT64_MAX, INT64_MIN + 1, 1ll << 62};

	(void)state;
	for (size_t i = 0; i < sizeof(strides) / sizeof(strides[0]); i++) {
		run(1, 4, 0, 4, strides[i]);
		assert_null(strstr(host_text(&host_state, 0, "cause"), "-"));
		run(3, 4, 0, 4, strides[i]);
		start(NULL);
		send_stride(add_site(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4), strides[i]);
		finish();
	}
}

/* A launch without workgroups along an axis. */
static void test_no_workgroups(void **state)
{
	start(state);
	dispatch.group[2] = 0;
	dispatch.grid[0] = 640;
	dispatch.grid[1] = 1;
	send_stride(add_lds(4, 0, 4), 128);
	memset(dispatch.grid, 0, sizeof(dispatch.grid));
	finish();
	assert_string_equal(host_text(&host_state, 0, "launch_shape"), "10x1x1 groups of 64x1x0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elements),   cmocka_unit_test(test_wide),
		cmocka_unit_test(test_near_lanes), cmocka_unit_test(test_steps),
		cmocka_unit_test(test_strides),	   cmocka_unit_test(test_no_workgroups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
