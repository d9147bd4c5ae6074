/* SPDX-License-Identifier: MIT */
/* Wave slots: no two resident waves share one, and HW_ID has gfx9's layout. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simgpu/base/simulated_device.h"
#include "simgpu/group/wave_slots.h"

/* The identity part of HW_ID: wave, simd, cu, se. */
static uint32_t identity(uint32_t hw_id)
{
	uint32_t wave = hw_id & 15, simd = hw_id >> 4 & 3, cu = hw_id >> 8 & 15;
	uint32_t se = hw_id >> 13 & 7;

	assert_in_range(wave, 0, SIM_SIMD_WAVES - 1);
	assert_in_range(cu, 0, sim_device()->cus_per_engine - 1);
	assert_int_equal(hw_id >> 12 & 1, 0);
	return ((se * sim_device()->cus_per_engine + cu) * SIM_SIMDS + simd) * SIM_SIMD_WAVES +
	       wave;
}

/* Fill the device with one kind of workgroup; all are distinct and as many as the capacity. */
static void fill_device(struct sim_place_request want)
{
	static struct sim_place
		places[SIM_CUS_MOST * SIM_CU_WAVES + 1]; /* one for the take that fails */
	static uint8_t taken[SIM_CUS_MOST * SIM_CU_WAVES];
	uint32_t capacity = sim_place_capacity(&want), count = 0;

	memset(taken, 0, sizeof(taken));
	for (want.number = 0; sim_place_acquire(&want, &places[count]); want.number++, count++) {
		for (uint32_t wave = 0; wave < want.waves; wave++) {
			uint32_t id = identity(places[count].hw_id[wave]);

			assert_in_range(id, 0, sizeof(taken) - 1);
			assert_int_equal(taken[id], 0);
			taken[id] = 1;
		}
	}
	assert_int_equal(count, capacity);
	while (count--)
		sim_place_release(&places[count]);
}

static void device_fills_exactly(void **state)
{
	(void)state;
	fill_device((struct sim_place_request){.waves = 1, .vgprs = 64});
	fill_device((struct sim_place_request){.waves = 4, .vgprs = 128});
	fill_device((struct sim_place_request){.waves = 16, .vgprs = 32});
	fill_device((struct sim_place_request){.waves = 4, .vgprs = 512});
	fill_device((struct sim_place_request){.waves = 2, .vgprs = 8, .lds_bytes = 20000});
	fill_device((struct sim_place_request){.waves = 1, .vgprs = 8, .lds_bytes = 65536});
}

static void capacities(void **state)
{
	struct sim_place_request want = {.waves = 16, .vgprs = 256};

	(void)state;
	assert_int_equal(sim_place_capacity(&want), 0); /* 2 waves per SIMD: 8 at most */
	want.vgprs = 128;
	assert_int_equal(sim_place_capacity(&want), sim_device()->cus);
	want = (struct sim_place_request){.waves = 1, .vgprs = 512, .lds_bytes = 32768};
	assert_int_equal(sim_place_capacity(&want), 2 * sim_device()->cus);
}

static void groups_go_round_the_engines(void **state)
{
	struct sim_place_request want = {.waves = 1, .vgprs = 32};

	(void)state;
	for (want.number = 0; want.number < 20; want.number++) {
		struct sim_place place;

		assert_true(sim_place_acquire(&want, &place));
		assert_int_equal(place.hw_id[0] >> 13 & 7, want.number % 8);
		assert_int_equal(place.hw_id[0] >> 8 & 15, want.number / 8);
		sim_place_release(&place);
	}
}

static void mask_is_obeyed(void **state)
{
	uint32_t mask[4] = {0, 1u << 3};
	struct sim_place_request want = {.waves = 16, .vgprs = 32, .cu_mask = mask};
	struct sim_place places[3];

	(void)state;
	assert_int_equal(sim_place_capacity(&want), 2);
	assert_true(sim_place_acquire(&want, &places[0]));
	assert_true(sim_place_acquire(&want, &places[1]));
	assert_false(sim_place_acquire(&want, &places[2]));
	assert_int_equal(places[0].cu, 35);
	sim_place_release(&places[0]);
	sim_place_release(&places[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_fills_exactly),
		cmocka_unit_test(capacities),
		cmocka_unit_test(groups_go_round_the_engines),
		cmocka_unit_test(mask_is_obeyed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
