/* SPDX-License-Identifier: MIT */
/* Compute units, and the workgroups on them. */
#ifndef PROBE_SIMGPU_TIME_UNIT_WORKGROUPS_H
#define PROBE_SIMGPU_TIME_UNIT_WORKGROUPS_H

#include "simgpu/time/cost_model.h"

struct time_cu *time_cu_acquire(struct sim_dispatch *dispatch, struct sim_time *time,
				uint32_t number);
void time_cu_release(struct time_cu *cu);
/* Give up workgroups left when the dispatch was stopped. */
void time_cu_drop(struct time_cu *cu);
/* Whether the unit can hold one more workgroup, by what it holds. */
bool time_cu_fits(const struct time_cu *cu, uint64_t number, struct sim_place *ret);
/* Start as much of the backlog as fits; cu->slots_busy: it fits, but another queue uses the wave
 * slots.
 */
void time_groups_start(struct time_cu *cu);
/* All waves of the group have executed s_endpgm; later: in simulated time as well. */
void time_group_leave_slot(struct time_cu *cu, struct time_group *group);
void time_group_done(struct time_cu *cu, struct time_group *group);

#endif
