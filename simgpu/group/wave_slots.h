/* SPDX-License-Identifier: MIT */
/*
 * The location of a workgroup on the device: one compute unit, and a wave slot of one of its SIMDs
 * for each wave. No two waves that are resident at the same time share a slot, so HW_ID identifies
 * a wave.
 */
#ifndef PROBE_SIMGPU_GROUP_WAVE_SLOTS_H
#define PROBE_SIMGPU_GROUP_WAVE_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "simgpu/base/device_parameters.h"

struct sim_place_request {
	uint64_t number; /* of the workgroup: determines which unit is tried first */
	uint32_t waves;
	uint32_t lds_bytes;
	uint32_t vgprs;		 /* per lane, both kinds together */
	const uint32_t *cu_mask; /* bit per compute unit, or NULL */
	uint32_t queue;
	uint32_t gpu; /* index from 0 */
};

struct sim_place {
	uint32_t gpu, cu;
	uint64_t held; /* what sim_place_release() returns to the unit */
	uint32_t hw_id[SIM_GROUP_WAVES];
};

/* False if no unit has a free slot now. Thread-safe, lock-free. */
bool sim_place_acquire(const struct sim_place_request *want, struct sim_place *ret);
void sim_place_release(const struct sim_place *place);

/*
 * For the cost model, which places the workgroups of a dispatch as if it had the device to itself.
 * The first function says whether a unit in this state (the sum of what it holds) has free slots
 * for any workgroup, and the second which these are for want->number. The third claims these slots;
 * if another queue uses one of them, *place becomes other free slots, so that HW_ID still
 * identifies one wave. False if there are none.
 */
bool sim_place_fits(const struct sim_place_request *want, uint64_t state);
bool sim_place_fit(const struct sim_place_request *want, uint32_t cu, uint64_t state,
		   struct sim_place *ret);
bool sim_place_claim(const struct sim_place_request *want, struct sim_place *place);

/* Number of workgroups of this kind that fit on the whole, empty device; 0 if not even one fits. */
uint32_t sim_place_capacity(const struct sim_place_request *want);

#endif
