/* SPDX-License-Identifier: MIT */
/* One workgroup in flight: its waves, its LDS, and its state while it runs on host threads. */
#ifndef PROBE_SIMGPU_GROUP_WORKGROUP_H
#define PROBE_SIMGPU_GROUP_WORKGROUP_H

#include "simgpu/group/dispatch_state.h"
#include "simgpu/group/wave_slots.h"

enum wave_state {
	WAVE_READY,
	WAVE_BARRIER,
	WAVE_GWS, /* at a barrier of the whole grid */
	WAVE_ENDED,
};

enum sim_workgroup_state {
	WORKGROUP_DONE,
	WORKGROUP_BUSY, /* its slice is used up */
	WORKGROUP_IDLE, /* every wave sleeps */
	WORKGROUP_STOPPED,
};

/*
 * Workgroups are mapped with mmap and never cleared, so untouched pages of vector registers use no
 * memory.
 */
struct sim_workgroup {
	struct sim_workgroup *next;
	struct sim_group group;
	struct sim_counters counters;
	struct sim_place place;
	uint64_t number;
	uint32_t scratch_slot;
	uint32_t waves, live, waiting;
	bool resumed;
	enum wave_state state[SIM_GROUP_WAVES];
	uint32_t gws_round[SIM_GROUP_WAVES]; /* the round whose end a wave in WAVE_GWS waits for */
	_Alignas(64) uint8_t lds[SIM_CU_LDS];
	struct sim_wave wave[SIM_GROUP_WAVES];
};

/* An unused workgroup; NULL without memory. It still has the contents of its last use. */
struct sim_workgroup *sim_workgroup_alloc(void);
void sim_workgroup_free(struct sim_workgroup *slot);

/* Initialises workgroup slot->number; place and scratch_slot are already set. */
void sim_workgroup_start(const struct sim_dispatch *dispatch, struct sim_workgroup *slot);

/*
 * Runs the workgroup until it ends, sleeps, stops the dispatch or has used up its slice.
 * after_quantum, if not NULL, is called after the quantum of each wave.
 */
enum sim_workgroup_state sim_workgroup_run(struct sim_dispatch *dispatch,
					   struct sim_workgroup *slot,
					   void (*after_quantum)(struct sim_dispatch *dispatch));

/* Handles the request for which a wave stopped. */
void sim_wave_message(const struct sim_wave *wave);
bool sim_wave_trap_returns(const struct sim_wave *wave);
/*
 * False if it is not the grid barrier. Otherwise wave i is in WAVE_GWS, or was the last to arrive.
 */
bool sim_workgroup_sync_grid(struct sim_dispatch *dispatch, struct sim_workgroup *slot, uint32_t i);

#endif
