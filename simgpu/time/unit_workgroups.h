/* SPDX-License-Identifier: MIT */
/* Compute units, and the workgroups on them. */
#ifndef PROBE_SIMGPU_TIME_UNIT_WORKGROUPS_H
#define PROBE_SIMGPU_TIME_UNIT_WORKGROUPS_H

#include "simgpu/time/cost_model.h"

struct time_cu *time_cu_acquire(struct sim_dispatch *dispatch, struct sim_time *time,
				uint32_t number);
void time_cu_release(struct time_cu *cu);
/* The trace of the waves in a slot; NULL without memory. */
struct sim_trace *time_slot_trace(struct time_cu *cu, uint32_t slot);
/* Drops workgroups that are left because the dispatch was stopped. */
void time_cu_drop(struct time_cu *cu);
/* True if the unit, with what it holds, can hold one more workgroup. */
bool time_cu_fits(const struct time_cu *cu);
/*
 * Starts as much of the backlog as fits; cu->slots_busy: it would fit, but another queue uses the
 * wave slots.
 */
void time_groups_start(struct time_cu *cu);
/*
 * The first: all waves of the group have executed s_endpgm. The second: they have also ended in
 * simulated time.
 */
void time_group_leave_slot(struct time_cu *cu, struct time_group *group);
void time_group_done(struct time_cu *cu, struct time_group *group);
/* At cu->wake: frees the space of workgroups whose stores are complete. */
void time_cu_wake(struct time_cu *cu);

#endif
