/* SPDX-License-Identifier: MIT */
/* Per-wave storage: how many waves a launch has, what the device reads, records and losses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hsa-plugin/launch/wave_storage.h"
#include "tests/unit/hsa/fake_hsa.h"

static hsa_kernel_dispatch_packet_t launch(uint32_t grid_x, uint32_t grid_y, uint16_t group_x,
					   uint16_t group_y)
{
	return (hsa_kernel_dispatch_packet_t){
		.grid_size_x = grid_x,
		.grid_size_y = grid_y,
		.grid_size_z = 1,
		.workgroup_size_x = group_x,
		.workgroup_size_y = group_y,
		.workgroup_size_z = 1,
	};
}

static uint32_t waves(hsa_kernel_dispatch_packet_t packet)
{
	return probe_wave_storage_waves(&packet);
}

static void waves_are_counted(void **state)
{
	hsa_kernel_dispatch_packet_t huge = launch(1u << 31, 1u << 31, 1, 1);

	(void)state;
	assert_int_equal(waves(launch(64, 1, 64, 1)), 1);
	assert_int_equal(waves(launch(65, 1, 65, 1)), 2);
	assert_int_equal(waves(launch(640, 4, 32, 4)), 20 * 2);
	assert_int_equal(waves(launch(64 * 1024, 1, 64, 1)), 1024);
	/* Many waves, a partial workgroup, an empty one: into rings. */
	assert_int_equal(waves(launch(64 * 1025, 1, 64, 1)), 0);
	assert_int_equal(waves(launch(100, 1, 64, 1)), 0);
	assert_int_equal(waves(launch(64, 3, 64, 2)), 0);
	assert_int_equal(waves(launch(64, 1, 0, 1)), 0);
	huge.grid_size_z = 1u << 31;
	assert_int_equal(waves(huge), 0);
	assert_int_equal(probe_wave_storage_bytes(0), 0);
	for (uint32_t i = 1; i <= 1024; i++) {
		assert_int_equal(probe_wave_storage_bytes(i) % 64, 0);
		assert_true(
			probe_wave_storage_bytes(i) >=
			sizeof(struct probe_wave_storage) +
				i * (sizeof(struct probe_wave_slot) + 16 * PROBE_STORED_SPANS));
	}
}

static void device_gets_the_launchs_shape(void **state)
{
	hsa_kernel_dispatch_packet_t packet = launch(640, 4, 32, 4);
	struct probe_wave_storage area;
	struct probe_ctx_wave_storage ctx;

	(void)state;
	memset(&area, 0xee, sizeof(area));
	probe_wave_storage_begin(&packet, &area, &ctx);
	assert_int_equal(area.stride, 0);
	assert_int_equal(ctx.area, (uintptr_t)&area);
	assert_int_equal(ctx.groups_x, 20);
	assert_int_equal(ctx.groups_y, 1);
	assert_int_equal(ctx.items_x, 32);
	assert_int_equal(ctx.items_xy, 128);
	assert_int_equal(ctx.waves, 2);
	probe_wave_storage_begin(&packet, NULL, &ctx);
	assert_int_equal(ctx.area, 0);
}

/* Two waves and two spans each, of which the second wave ran one. */
static struct probe_wave_storage *filled(uint32_t spans)
{
	uint32_t stride = (uint32_t)sizeof(struct probe_wave_slot) + 16 * spans;
	struct probe_wave_storage *area = calloc(1, sizeof(*area) + 2 * stride);
	struct probe_wave_slot wave = {.lanes = 64 | 64 << 8, .begin = 5, .end = 9};

	assert_non_null(area);
	area->stride = stride;
	area->spans = spans;
	memcpy((char *)(area + 1), &wave, sizeof(wave));
	wave.lanes = 64 << 8;
	memcpy((char *)(area + 1) + stride, &wave, sizeof(wave));
	return area;
}

static void waves_become_a_record(void **state)
{
	struct {
		struct probe_hr_wave_storage head;
		struct probe_wave_storage area;
		uint8_t waves[2 * (sizeof(struct probe_wave_slot) + 32)];
	} record;
	struct probe_wave_storage *area;

	(void)state;
	fake_hsa_init(PROBE_KIND_TIME, 1 << 16);
	area = filled(2);
	assert_int_equal(probe_wave_storage_put(3, area, 2), 0);
	assert_true(fake_record(PROBE_HR_WAVE_STORAGE, &record, sizeof(record)));
	assert_int_equal(record.head.dispatch, 3);
	assert_int_equal(record.head.waves, 2);
	assert_memory_equal(&record.area, area, sizeof(*area) + sizeof(record.waves));
	free(area);
	fake_hsa_deinit();
}

static void losses_are_counted_as_trace_records(void **state)
{
	struct probe_wave_storage *area;

	(void)state;
	fake_hsa_init(PROBE_KIND_TIME, 4096);
	area = filled(2);
	while (!probe_wave_storage_put(1, area, 2))
		;
	/* Four stamps of the launch, three records for each wave, two for each span that ran. */
	assert_int_equal(probe_wave_storage_put(1, area, 2), 4 + 2 * 3 + 3 * 2);
	free(area);
	fake_hsa_deinit();
}

/* No wave came by, or the application has overwritten the storage: neither read nor lost. */
static void overwritten_storage_is_not_read(void **state)
{
	struct probe_wave_storage *area;

	(void)state;
	fake_hsa_init(PROBE_KIND_TIME, 1 << 16);
	area = filled(2);
	area->stride = 0;
	assert_int_equal(probe_wave_storage_put(1, area, 2), 0);
	area->stride = UINT32_MAX;
	assert_int_equal(probe_wave_storage_put(1, area, 2), 0);
	area->spans = PROBE_STORED_SPANS + 1;
	area->stride = (uint32_t)sizeof(struct probe_wave_slot) + 16 * area->spans;
	assert_int_equal(probe_wave_storage_put(1, area, 2), 0);
	assert_false(fake_record(PROBE_HR_WAVE_STORAGE, NULL, 0));
	free(area);
	fake_hsa_deinit();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waves_are_counted),
		cmocka_unit_test(device_gets_the_launchs_shape),
		cmocka_unit_test(waves_become_a_record),
		cmocka_unit_test(losses_are_counted_as_trace_records),
		cmocka_unit_test(overwritten_storage_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
