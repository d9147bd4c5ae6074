/* SPDX-License-Identifier: MIT */
/* SDMA commands, built from the field layout of ROCr's sdma_registers.h, against plain loops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/simgpu/gpu_memory.h"
#include "simgpu/queue/sdma.h"
#include "simgpu/mem/gpu_allocations.h"

enum { ARENA = 1 << 20, TICK = 123456 };

static uint8_t *arena;
static const struct sim_sdma_job job = {.tick = TICK, .gpu = SIM_MEM_GPU(SIM_NODE_GPU)};

static int set_up(void **state)
{
	(void)state;
	arena = aligned_alloc(SIM_PAGE, ARENA);
	if (!arena)
		return -1;
	gpu_register(arena, ARENA, SIM_MEM_READ | SIM_MEM_WRITE);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	gpu_deregister(arena);
	free(arena);
	return 0;
}

static void put_address(uint32_t *words, const void *address)
{
	words[0] = (uint32_t)(uintptr_t)address;
	words[1] = (uint32_t)((uint64_t)(uintptr_t)address >> 32);
}

static enum sim_sdma_result run(const uint32_t *words)
{
	struct sim_fault fault = {0};

	assert_true(sim_sdma_length(words[0]) <= SIM_SDMA_MAX_BYTES);
	return sim_sdma_execute(&job, words, &fault);
}

static void fill_random(uint8_t *bytes, size_t size)
{
	unsigned seed = 7;

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)rand_r(&seed);
}

static void linear_copy(void **state)
{
	uint32_t words[7] = {1, 999};

	(void)state;
	fill_random(arena, 4096);
	put_address(&words[3], arena + 1);
	put_address(&words[5], arena + 8193);
	assert_int_equal(sim_sdma_length(words[0]), 28);
	assert_int_equal(run(words), SIM_SDMA_DONE);
	assert_memory_equal(arena + 1, arena + 8193, 1000);
	assert_int_not_equal(arena[8193 + 1000], arena[1001]);
}

static void copy_faults_name_the_first_bad_byte(void **state)
{
	uint32_t words[7] = {1, 99};
	struct sim_fault fault = {0};

	(void)state;
	put_address(&words[3], arena);
	put_address(&words[5], arena + ARENA - 50);
	assert_int_equal(sim_sdma_execute(&job, words, &fault), SIM_SDMA_FAULT);
	assert_int_equal(fault.kind, SIM_FAULT_WRITE);
	assert_int_equal(fault.addr, (uint64_t)(uintptr_t)arena + ARENA);
	put_address(&words[5], arena);
	put_address(&words[3], NULL);
	assert_int_equal(sim_sdma_execute(&job, words, &fault), SIM_SDMA_FAULT);
	assert_int_equal(fault.kind, SIM_FAULT_READ);
	assert_int_equal(fault.addr, 0);
}

struct rect {
	unsigned element;			       /* log2 */
	uint32_t x[2], y[2], z[2], pitch[2], slice[2]; /* source, target; in elements */
	uint32_t width, height, depth;
};

static void check_rect(const struct rect *rect)
{
	uint8_t *base[2] = {arena, arena + ARENA / 2};
	uint8_t *expected = malloc(ARENA / 2);
	uint32_t words[13] = {1 | 4 << 8 | (uint32_t)rect->element << 29};
	size_t size = (size_t)1 << rect->element;

	assert_non_null(expected);
	fill_random(arena, ARENA);
	memcpy(expected, base[1], ARENA / 2);
	for (int side = 0; side < 2; side++) {
		uint32_t *part = &words[1 + side * 5];

		put_address(part, base[side]);
		part[2] = rect->x[side] | rect->y[side] << 16;
		part[3] = rect->z[side] | (rect->pitch[side] - 1) << 13;
		part[4] = rect->slice[side] - 1;
	}
	words[11] = (rect->width - 1) | (rect->height - 1) << 16;
	words[12] = rect->depth - 1;
	for (uint32_t z = 0; z < rect->depth; z++)
		for (uint32_t y = 0; y < rect->height; y++)
			for (uint32_t x = 0; x < rect->width; x++) {
				size_t at[2];

				for (int side = 0; side < 2; side++)
					at[side] =
						((size_t)(rect->z[side] + z) * rect->slice[side] +
						 (size_t)(rect->y[side] + y) * rect->pitch[side] +
						 rect->x[side] + x) *
						size;
				memcpy(expected + at[1], base[0] + at[0], size);
			}
	assert_int_equal(sim_sdma_length(words[0]), 52);
	assert_int_equal(run(words), SIM_SDMA_DONE);
	assert_memory_equal(base[1], expected, ARENA / 2);
	free(expected);
}

static void rect_copies(void **state)
{
	static const struct rect rects[] = {
		{0, {0, 0}, {0, 0}, {0, 0}, {100, 64}, {1000, 1000}, 50, 10, 1},
		{0, {3, 1}, {2, 0}, {0, 0}, {101, 67}, {4040, 2680}, 61, 33, 3},
		{2, {1, 2}, {0, 5}, {1, 0}, {37, 41}, {740, 820}, 30, 12, 4},
		{4, {0, 1}, {1, 1}, {0, 2}, {16, 20}, {128, 100}, 15, 4, 2},
		{3, {0, 0}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, 1, 1, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rects) / sizeof(rects[0]); i++)
		check_rect(&rects[i]);
}

static void constant_fill(void **state)
{
	uint32_t words[5] = {11 | 2u << 30};
	uint32_t value = 0x89abcdef;

	(void)state;
	memset(arena, 0, 4096);
	put_address(&words[1], arena + 64);
	words[3] = value;
	words[4] = (100 - 1) * 4;
	assert_int_equal(run(words), SIM_SDMA_DONE);
	for (int i = 0; i < 100; i++)
		assert_memory_equal(arena + 64 + i * 4, &value, 4);
	assert_int_equal(arena[63], 0);
	assert_int_equal(arena[64 + 400], 0);
}

static void fence_and_atomic(void **state)
{
	uint32_t fence[4] = {5, 0, 0, 1234};
	uint32_t atomic[8] = {10 | 47u << 25, 0, 0, UINT32_MAX, UINT32_MAX};
	uint64_t *cell = (uint64_t *)arena;

	(void)state;
	cell[0] = 1;
	cell[1] = 0xaaaaaaaabbbbbbbb;
	put_address(&atomic[1], &cell[0]);
	put_address(&fence[1], &cell[1]);
	assert_int_equal(run(atomic), SIM_SDMA_DONE);
	assert_int_equal(cell[0], 0);
	assert_int_equal(run(atomic), SIM_SDMA_DONE);
	assert_true(cell[0] == UINT64_MAX);
	assert_int_equal(run(fence), SIM_SDMA_DONE);
	assert_true(cell[1] == 0xaaaaaaaa000004d2);
}

static void polls(void **state)
{
	/* function, value in memory, reference, holds */
	static const uint32_t rows[][4] = {
		{0, 5, 9, 1}, {1, 4, 5, 1}, {1, 5, 5, 0},     {2, 5, 5, 1}, {3, 5, 5, 1},
		{3, 6, 5, 0}, {4, 6, 5, 1}, {4, 5, 5, 0},     {5, 5, 5, 1}, {5, 4, 5, 0},
		{6, 6, 5, 1}, {6, 5, 5, 0}, {3, 0x105, 5, 1}, /* mask hides bit 8 */
	};
	uint32_t flush[6] = {8, 0, 0x80000000};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t words[6] = {8 | rows[i][0] << 28 | 1u << 31, 0, 0, rows[i][2], 0xff};

		memcpy(arena, &rows[i][1], 4);
		put_address(&words[1], arena);
		assert_int_equal(run(words), rows[i][3] ? SIM_SDMA_DONE : SIM_SDMA_WAIT);
	}
	assert_int_equal(run(flush), SIM_SDMA_DONE);
}

static void timestamps_are_ticks(void **state)
{
	uint32_t words[3] = {13 | 2 << 8};
	uint64_t got;

	(void)state;
	put_address(&words[1], arena);
	assert_int_equal(run(words), SIM_SDMA_DONE);
	memcpy(&got, arena, sizeof(got));
	assert_int_equal(got, TICK);
}

static void lengths(void **state)
{
	(void)state;
	assert_int_equal(sim_sdma_length(0), 4);
	assert_int_equal(sim_sdma_length(5u << 16), 24);
	assert_int_equal(sim_sdma_length(6), 8);
	assert_int_equal(sim_sdma_length(1 | 9 << 8), 0);
	assert_int_equal(sim_sdma_length(17), 0);
	assert_int_equal(sim_sdma_length(0xff), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linear_copy),
		cmocka_unit_test(copy_faults_name_the_first_bad_byte),
		cmocka_unit_test(rect_copies),
		cmocka_unit_test(constant_fill),
		cmocka_unit_test(fence_and_atomic),
		cmocka_unit_test(polls),
		cmocka_unit_test(timestamps_are_ticks),
		cmocka_unit_test(lengths),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
