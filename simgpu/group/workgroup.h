/* SPDX-License-Identifier: MIT */
/* One workgroup in flight: its waves, its LDS, its turns on a host thread. */
#ifndef PROBE_SIMGPU_GROUP_WORKGROUP_H
#define PROBE_SIMGPU_GROUP_WORKGROUP_H

#include "simgpu/group/dispatch.h"

enum wave_state {
	WAVE_READY,
	WAVE_BARRIER,
	WAVE_GWS, /* at a barrier of the whole grid */
	WAVE_ENDED,
};

enum sim_slot_state {
	SLOT_DONE,
	SLOT_BUSY, /* out of its slice */
	SLOT_IDLE, /* every wave sleeps */
	SLOT_STOPPED,
};

/* Untouched pages of the vector registers cost nothing: slots are mapped, never written whole. */
struct sim_slot {
	struct sim_slot *next;
	struct sim_group group;
	struct sim_counters counters;
	struct sim_place place;
	uint64_t number;
	uint32_t scratch_slot;
	uint32_t waves, live, waiting;
	bool resumed;
	enum wave_state state[SIM_GROUP_WAVES];
	uint32_t gws_round[SIM_GROUP_WAVES]; /* the round a wave in WAVE_GWS waits for the end of */
	_Alignas(64) uint8_t lds[SIM_CU_LDS];
	struct sim_wave wave[SIM_GROUP_WAVES];
};

/* An unused slot; NULL when out of memory. Contents are those of its last use. */
struct sim_slot *sim_slot_take(void);
void sim_slot_give(struct sim_slot *slot);

/* Everything workgroup slot->number starts with; place and scratch_slot are set. */
void sim_slot_fill(const struct sim_dispatch *dispatch, struct sim_slot *slot);

/*
 * Run the workgroup until it ends, sleeps, stops the dispatch or has used up its slice. owner: on
 * the queue's own thread, which offers the dispatch to the pool when it gets old.
 */
enum sim_slot_state sim_slot_run(struct sim_dispatch *dispatch, struct sim_slot *slot, bool owner);

/* What a wave stopped for, carried out. */
void sim_wave_message(const struct sim_wave *wave);
bool sim_wave_trap_returns(const struct sim_wave *wave);
/* False if it is not the grid barrier; else wave i is in WAVE_GWS, or was the last to come. */
bool sim_slot_sync_grid(struct sim_dispatch *dispatch, struct sim_slot *slot, uint32_t i);

/* A fault was reported, or the queue is going away. */
bool sim_dispatch_stopped(const struct sim_dispatch *dispatch);

/* workgroup_scheduler.c: ask the pool for help if that is worth it. On the owner's thread only. */
void sim_dispatch_offer(struct sim_dispatch *dispatch);

#endif
