/* SPDX-License-Identifier: MIT */
/* Argument blocks of clones: explicit by place, hidden by kind, v4 and v5 layouts, refusals. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hsa-plugin/code/kernargs.h"

#define META(list, bytes)                                                                          \
	{                                                                                          \
		.kernarg_size = (bytes), .arg_count = sizeof(list) / sizeof((list)[0]),            \
		.args = (list),                                                                    \
	}

/* Explicit 28 bytes become 40 with a pointer at 32; the hidden part moves from 32 to 40. */
static struct probe_arg v5_original[] = {
	{PROBE_ARG_EXPLICIT, 0, 8},	     {PROBE_ARG_EXPLICIT, 8, 8},
	{PROBE_ARG_EXPLICIT, 16, 8},	     {PROBE_ARG_EXPLICIT, 24, 4},
	{PROBE_ARG_BLOCK_COUNT_X, 32, 4},    {PROBE_ARG_GROUP_SIZE_X, 44, 2},
	{PROBE_ARG_HOSTCALL_BUFFER, 112, 8},
};
static struct probe_arg v5_clone[] = {
	{PROBE_ARG_EXPLICIT, 0, 8},	      {PROBE_ARG_EXPLICIT, 8, 8},
	{PROBE_ARG_EXPLICIT, 16, 8},	      {PROBE_ARG_EXPLICIT, 24, 4},
	{PROBE_ARG_EXPLICIT, 32, 8},	      {PROBE_ARG_BLOCK_COUNT_X, 40, 4},
	{PROBE_ARG_BLOCK_COUNT_Y, 44, 4},     {PROBE_ARG_BLOCK_COUNT_Z, 48, 4},
	{PROBE_ARG_GROUP_SIZE_X, 52, 2},      {PROBE_ARG_GROUP_SIZE_Y, 54, 2},
	{PROBE_ARG_GROUP_SIZE_Z, 56, 2},      {PROBE_ARG_REMAINDER_X, 58, 2},
	{PROBE_ARG_REMAINDER_Y, 60, 2},	      {PROBE_ARG_REMAINDER_Z, 62, 2},
	{PROBE_ARG_GLOBAL_OFFSET_X, 80, 8},   {PROBE_ARG_GRID_DIMS, 104, 2},
	{PROBE_ARG_HOSTCALL_BUFFER, 120, 8},  {PROBE_ARG_HEAP_V1, 136, 8},
	{PROBE_ARG_DYNAMIC_LDS_SIZE, 160, 4}, {PROBE_ARG_PRIVATE_BASE, 232, 4},
	{PROBE_ARG_SHARED_BASE, 236, 4},      {PROBE_ARG_QUEUE_PTR, 240, 8},
};

static const hsa_kernel_dispatch_packet_t packet = {
	.setup = 2,
	.grid_size_x = 1000,
	.grid_size_y = 70,
	.grid_size_z = 1,
	.workgroup_size_x = 64,
	.workgroup_size_y = 16,
	.workgroup_size_z = 1,
	.group_segment_size = 5000,
};

static uint64_t word(const uint8_t *block, uint32_t offset, uint32_t size)
{
	uint64_t value = 0;

	memcpy(&value, block + offset, size);
	return value;
}

static void v5_block_is_rebuilt(void **state)
{
	struct probe_kernel_meta original = META(v5_original, 288), clone = META(v5_clone, 296);
	struct probe_kernarg_launch launch = {&packet, 1000, 0x10000, 0x20000, 0xabcdef00};
	struct probe_kernarg_plan *plan;
	uint8_t from[288], to[296 + 8];

	(void)state;
	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = (uint8_t)(i + 1);
	memset(to, 0xee, sizeof(to));
	assert_int_equal(probe_kernargs_plan(&original, &clone, &plan), 0);
	assert_int_equal(plan->size, 296);
	probe_kernargs_build(plan, from, 0x1122334455667788, &launch, to);
	assert_memory_equal(to, from, 28);
	assert_int_equal(word(to, 32, 8), 0x1122334455667788);
	/* both have it: what the application says */
	assert_int_equal(word(to, 40, 4), word(from, 32, 4));
	assert_int_equal(word(to, 52, 2), word(from, 44, 2));
	assert_int_equal(word(to, 120, 8), word(from, 112, 8));
	/* only the clone: from the packet */
	assert_int_equal(word(to, 44, 4), 70 / 16);
	assert_int_equal(word(to, 48, 4), 1);
	assert_int_equal(word(to, 54, 2), 16);
	assert_int_equal(word(to, 56, 2), 1);
	assert_int_equal(word(to, 58, 2), 1000 % 64);
	assert_int_equal(word(to, 60, 2), 70 % 16);
	assert_int_equal(word(to, 62, 2), 0);
	assert_int_equal(word(to, 80, 8), 0);
	assert_int_equal(word(to, 104, 2), 2);
	assert_int_equal(word(to, 160, 4), 4000);
	assert_int_equal(word(to, 232, 4), 0x20000);
	assert_int_equal(word(to, 236, 4), 0x10000);
	assert_int_equal(word(to, 240, 8), 0xabcdef00);
	/* values that only the application knows, and that its block does not have */
	assert_int_equal(word(to, 136, 8), 0);
	assert_int_equal(word(to, 296, 8), 0xeeeeeeeeeeeeeeee);
	free(plan);
}

static void v4_block_is_rebuilt(void **state)
{
	struct probe_arg before[] = {
		{PROBE_ARG_EXPLICIT, 0, 1},
		{PROBE_ARG_EXPLICIT, 2, 2},
		{PROBE_ARG_EXPLICIT, 4, 13},
		{PROBE_ARG_GLOBAL_OFFSET_X, 24, 8},
		{PROBE_ARG_GLOBAL_OFFSET_Y, 32, 8},
		{PROBE_ARG_GLOBAL_OFFSET_Z, 40, 8},
		{PROBE_ARG_HOSTCALL_BUFFER, 48, 8},
		{PROBE_ARG_NONE, 56, 8},
		{PROBE_ARG_NONE, 64, 8},
		{PROBE_ARG_MULTIGRID_SYNC_ARG, 72, 8},
	};
	struct probe_arg after[] = {
		{PROBE_ARG_EXPLICIT, 0, 1},
		{PROBE_ARG_EXPLICIT, 2, 2},
		{PROBE_ARG_EXPLICIT, 4, 13},
		{PROBE_ARG_EXPLICIT, 24, 8},
		{PROBE_ARG_GLOBAL_OFFSET_X, 32, 8},
		{PROBE_ARG_GLOBAL_OFFSET_Y, 40, 8},
		{PROBE_ARG_GLOBAL_OFFSET_Z, 48, 8},
		{PROBE_ARG_HOSTCALL_BUFFER, 56, 8},
		{PROBE_ARG_DEFAULT_QUEUE, 64, 8},
		{PROBE_ARG_NONE, 72, 8},
		{PROBE_ARG_MULTIGRID_SYNC_ARG, 80, 8},
	};
	struct probe_kernel_meta original = META(before, 80), clone = META(after, 88);
	struct probe_kernarg_launch launch = {&packet, 0, 0, 0, 0};
	struct probe_kernarg_plan *plan;
	uint8_t from[80], to[88];

	(void)state;
	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = (uint8_t)(i + 1);
	assert_int_equal(probe_kernargs_plan(&original, &clone, &plan), 0);
	probe_kernargs_build(plan, from, 42, &launch, to);
	assert_int_equal(to[0], 1);
	assert_memory_equal(to + 2, from + 2, 15);
	assert_int_equal(word(to, 17, 7), 0);
	assert_int_equal(word(to, 24, 8), 42);
	assert_memory_equal(to + 32, from + 24, 32);
	assert_int_equal(word(to, 64, 8), 0);
	assert_int_equal(word(to, 80, 8), word(from, 72, 8));
	free(plan);
}

/* A kernel without any argument gets its first. */
static void no_arguments(void **state)
{
	struct probe_arg after[] = {{PROBE_ARG_EXPLICIT, 0, 8}};
	struct probe_kernel_meta original = {0}, clone = META(after, 8);
	struct probe_kernarg_launch launch = {&packet, 0, 0, 0, 0};
	struct probe_kernarg_plan *plan;
	uint64_t to = 0;

	(void)state;
	assert_int_equal(probe_kernargs_plan(&original, &clone, &plan), 0);
	probe_kernargs_build(plan, NULL, 77, &launch, &to);
	assert_int_equal(to, 77);
	free(plan);
}

/* Change one field of one argument of the clone or the original: no plan. */
static void mismatches_are_refused(void **state)
{
	struct probe_arg before[7], after[22];
	static const struct {
		int in_clone, index;
		struct probe_arg arg;
	} bad[] = {
		{1, 4, {PROBE_ARG_EXPLICIT, 32, 4}},	     /* context is no pointer */
		{1, 4, {PROBE_ARG_BLOCK_COUNT_X, 32, 8}},    /* no context */
		{1, 3, {PROBE_ARG_EXPLICIT, 24, 8}},	     /* sizes differ */
		{1, 0, {PROBE_ARG_EXPLICIT, 292, 8}},	     /* beyond the block */
		{1, 0, {PROBE_ARG_EXPLICIT, 0xfffffffc, 8}}, /* far beyond */
		{1, 8, {PROBE_ARG_UNKNOWN, 52, 2}},	     /* an unknown kind */
		{1, 8, {PROBE_ARG_EXPLICIT, 52, 2}},	     /* explicit behind hidden */
		{0, 0, {PROBE_ARG_EXPLICIT, 284, 8}},
		{0, 4, {PROBE_ARG_BLOCK_COUNT_X, 288, 4}},
	};
	struct probe_kernarg_plan *plan;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct probe_kernel_meta original = META(before, 288), clone = META(after, 296);

		memcpy(before, v5_original, sizeof(before));
		memcpy(after, v5_clone, sizeof(after));
		if (bad[i].in_clone)
			after[bad[i].index] = bad[i].arg;
		else
			before[bad[i].index] = bad[i].arg;
		assert_int_equal(probe_kernargs_plan(&original, &clone, &plan), -EINVAL);
	}
}

static void kinds_by_name(void **state)
{
	(void)state;
	assert_int_equal(probe_arg_kind_of("by_value"), PROBE_ARG_EXPLICIT);
	assert_int_equal(probe_arg_kind_of("dynamic_shared_pointer"), PROBE_ARG_EXPLICIT);
	assert_int_equal(probe_arg_kind_of("hidden_none"), PROBE_ARG_NONE);
	assert_int_equal(probe_arg_kind_of("hidden_queue_ptr"), PROBE_ARG_QUEUE_PTR);
	assert_int_equal(probe_arg_kind_of("hidden_of_tomorrow"), PROBE_ARG_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(v5_block_is_rebuilt), cmocka_unit_test(v4_block_is_rebuilt),
		cmocka_unit_test(no_arguments),	       cmocka_unit_test(mismatches_are_refused),
		cmocka_unit_test(kinds_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
