/* SPDX-License-Identifier: MIT */
#include "simgpu/group/wave_slots.h"

#include <stdatomic.h>

#include "simgpu/base/simulated_device.h"

/*
 * The state of a compute unit in one word: wave slot w of SIMD s is bit 8 * s + w; the LDS in use,
 * in allocation units, begins at bit 32.
 */
enum {
	LDS_UNIT = 512, /* bytes: granularity of gfx9, 128 dwords */
	LDS_SHIFT = 32,
	LDS_UNITS = SIM_CU_LDS / LDS_UNIT,
};

static _Atomic uint64_t units[SIM_GPUS][SIM_CUS_MOST];

static uint32_t lds_units(uint32_t bytes)
{
	return (bytes + LDS_UNIT - 1) / LDS_UNIT;
}

/* Number of waves of one SIMD that fit in the register file. */
static uint32_t waves_per_simd(uint32_t vgprs)
{
	uint32_t waves = vgprs ? SIM_SIMD_VGPRS / vgprs : SIM_SIMD_WAVES;

	return waves < SIM_SIMD_WAVES ? waves : SIM_SIMD_WAVES;
}

bool sim_place_fits(const struct sim_place_request *want, uint64_t state)
{
	uint32_t limit = waves_per_simd(want->vgprs), free = 0;

	for (uint32_t simd = 0; simd < SIM_SIMDS; simd++) {
		uint32_t taken = state >> (simd * SIM_SIMD_WAVES) & 0xff;
		uint32_t count = (uint32_t)__builtin_popcount(taken);

		free += count < limit ? limit - count : 0;
	}
	return free >= want->waves &&
	       (state >> LDS_SHIFT) + lds_units(want->lds_bytes) <= LDS_UNITS;
}

/*
 * HW_ID of gfx9, without the SIMD and the slot: wave 3..0, simd 5..4, pipe 7..6, cu 11..8, sh 12,
 * se 15..13, tg 19..16, vm 23..20, queue 26..24, state 29..27, me 31..30. Workgroups are
 * distributed to the shader engines in turn, so the engine is the low part of the unit's number; to
 * the dies before that.
 */
static uint32_t make_hw_id(const struct sim_place_request *want, uint32_t cu)
{
	uint32_t engines = sim_device()->engines / sim_device()->xccs;
	uint32_t in_die = cu / sim_device()->xccs;

	return (want->queue >> 3 & 3) << 6 | in_die / engines << 8 | in_die % engines << 13 |
	       (uint32_t)(want->number & 15) << 16 | 8u << 20 | (want->queue & 7) << 24 | 1u << 30;
}

/* A free slot of a SIMD, searched cyclically from `first`; -1 if there is none. */
static int free_slot(uint64_t state, uint32_t simd, uint32_t first, uint32_t limit)
{
	uint32_t taken = state >> (simd * SIM_SIMD_WAVES) & 0xff;

	if ((uint32_t)__builtin_popcount(taken) >= limit)
		return -1;
	for (uint32_t i = 0; i < SIM_SIMD_WAVES; i++) {
		uint32_t slot = (first + i) % SIM_SIMD_WAVES;

		if (!(taken >> slot & 1))
			return (int)slot;
	}
	return -1;
}

/* Bits of a unit that the group would occupy, or 0 if it does not fit. */
static uint64_t fit(const struct sim_place_request *want, uint64_t state, uint32_t cu,
		    struct sim_place *ret)
{
	uint32_t limit = waves_per_simd(want->vgprs), hw_id;
	uint32_t rows = (want->waves + SIM_SIMDS - 1) / SIM_SIMDS;
	/* The unit's next workgroup begins where the last one of the same size ends. */
	uint64_t round = want->number / sim_device()->cus;
	uint32_t first = (uint32_t)(round * rows % SIM_SIMD_WAVES);
	uint32_t first_simd = (uint32_t)(round * want->waves % SIM_SIMDS);
	uint64_t held = 0;

	ret->gpu = want->gpu;
	if (!sim_place_fits(want, state))
		return 0;
	hw_id = make_hw_id(want, cu);
	for (uint32_t wave = 0; wave < want->waves; wave++) {
		uint32_t simd = 0;
		int slot = -1;

		for (uint32_t i = 0; i < SIM_SIMDS && slot < 0; i++) {
			simd = (first_simd + wave + i) % SIM_SIMDS;
			slot = free_slot(state | held, simd, first, limit);
		}
		if (slot < 0)
			return 0;
		held |= (uint64_t)1 << (simd * SIM_SIMD_WAVES + (uint32_t)slot);
		ret->hw_id[wave] = hw_id | (uint32_t)slot | simd << 4;
	}
	return held | (uint64_t)lds_units(want->lds_bytes) << LDS_SHIFT;
}

bool sim_place_fit(const struct sim_place_request *want, uint32_t cu, uint64_t state,
		   struct sim_place *ret)
{
	ret->cu = cu;
	ret->held = fit(want, state, cu, ret);
	return ret->held != 0;
}

bool sim_place_claim(const struct sim_place_request *want, struct sim_place *place)
{
	_Atomic uint64_t *unit = &units[place->gpu][place->cu];
	uint64_t state = atomic_load_explicit(unit, memory_order_relaxed);
	uint64_t slots = (uint32_t)place->held;

	while (!(state & slots) && (state >> LDS_SHIFT) + (place->held >> LDS_SHIFT) <= LDS_UNITS)
		if (atomic_compare_exchange_weak_explicit(unit, &state, state + place->held,
							  memory_order_relaxed,
							  memory_order_relaxed))
			return true;
	return sim_place_acquire(want, place);
}

bool sim_place_acquire(const struct sim_place_request *want, struct sim_place *ret)
{
	uint32_t cus = sim_device()->cus;

	for (uint32_t i = 0; i < cus; i++) {
		uint32_t cu = (uint32_t)((want->number + i) % cus);
		uint64_t state = atomic_load_explicit(&units[want->gpu][cu], memory_order_relaxed);

		if (want->cu_mask && !(want->cu_mask[cu / 32] >> (cu % 32) & 1))
			continue;
		for (;;) {
			uint64_t held = fit(want, state, cu, ret);

			if (!held)
				break;
			/* Slots are only identities: they order no memory accesses. */
			if (atomic_compare_exchange_weak_explicit(
				    &units[want->gpu][cu], &state, state + held,
				    memory_order_relaxed, memory_order_relaxed)) {
				ret->cu = cu;
				ret->held = held;
				return true;
			}
		}
	}
	return false;
}

void sim_place_release(const struct sim_place *place)
{
	atomic_fetch_sub_explicit(&units[place->gpu][place->cu], place->held, memory_order_relaxed);
}

uint32_t sim_place_capacity(const struct sim_place_request *want)
{
	uint64_t lds = lds_units(want->lds_bytes);
	uint32_t by_waves = waves_per_simd(want->vgprs) * SIM_SIMDS / want->waves;
	uint32_t by_lds = lds ? (uint32_t)(LDS_UNITS / lds) : by_waves;
	uint32_t cus = 0;

	for (uint32_t cu = 0; cu < sim_device()->cus; cu++)
		cus += !want->cu_mask || (want->cu_mask[cu / 32] >> (cu % 32) & 1);
	return (by_lds < by_waves ? by_lds : by_waves) * cus;
}
