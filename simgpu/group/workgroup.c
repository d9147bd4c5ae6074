/* SPDX-License-Identifier: MIT */
#include "simgpu/group/workgroup.h"
#include "simgpu/base/simulated_device.h"

#include <string.h>
#include <sys/mman.h>

#include "simgpu/event/interrupt_events.h"
#include "simgpu/mem/freed_memory.h"
#include "simgpu/mem/gpu_allocations.h"
#include "simgpu/base/sim_options.h"

enum {
	/*
	 * Wave instructions before a workgroup is parked, the first time and later. The first slice
	 * is long, because two interleaved workgroups are slower than one after the other. Later
	 * ones are short, because the workgroup then probably waits for another.
	 */
	FIRST_SLICE = 500000,
	NEXT_SLICE = 20000,
	/* Unused slots beyond this number are unmapped. Units rarely hold more workgroups. */
	KEEP_SLOTS = 1024,
};

static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sim_workgroup *free_slots;
static uint32_t free_count;

struct sim_workgroup *sim_workgroup_alloc(void)
{
	struct sim_workgroup *slot;

	pthread_mutex_lock(&free_lock);
	slot = free_slots;
	if (slot) {
		free_slots = slot->next;
		free_count--;
	}
	pthread_mutex_unlock(&free_lock);
	if (slot)
		return slot;
	slot = mmap(NULL, sizeof(*slot), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return slot == MAP_FAILED ? NULL : slot;
}

void sim_workgroup_free(struct sim_workgroup *slot)
{
	bool keep;

	pthread_mutex_lock(&free_lock);
	keep = free_count < KEEP_SLOTS;
	if (keep) {
		slot->next = free_slots;
		free_slots = slot;
		free_count++;
	}
	pthread_mutex_unlock(&free_lock);
	if (!keep)
		munmap(slot, sizeof(*slot));
}

static void group_id(const struct sim_dispatch *dispatch, uint64_t number, uint32_t id[3])
{
	id[0] = (uint32_t)(number % dispatch->launch.groups[0]);
	number /= dispatch->launch.groups[0];
	id[1] = (uint32_t)(number % dispatch->launch.groups[1]);
	id[2] = (uint32_t)(number / dispatch->launch.groups[1]);
}

void sim_workgroup_start(const struct sim_dispatch *dispatch, struct sim_workgroup *slot)
{
	struct sim_wave_start start;
	uint32_t extent[3];

	slot->group = (struct sim_group){
		.lds = slot->lds,
		.lds_size = dispatch->launch.lds_bytes,
		.shared_base_hi = SIM_LDS_APERTURE >> 32,
		.private_base_hi = SIM_SCRATCH_APERTURE >> 32,
		.counters = &slot->counters,
		.gpu = SIM_MEM_GPU(dispatch->queue->node),
	};
	group_id(dispatch, slot->number, slot->group.id);
	slot->waves = sim_launch_extent(dispatch, slot->group.id, extent);
	slot->live = slot->waves;
	slot->waiting = 0;
	slot->resumed = false;
	slot->counters = (struct sim_counters){.waves = slot->waves};
	if (dispatch->launch.lds_bytes)
		memset(slot->lds, (int)(sim_options()->fill & 0xff), dispatch->launch.lds_bytes);
	start = (struct sim_wave_start){.extent = extent, .waves = slot->waves};
	for (uint32_t i = 0; i < slot->waves; i++) {
		slot->state[i] = WAVE_READY;
		slot->wave[i].group = &slot->group;
		slot->wave[i].in_group = i;
		start.scratch_wave = slot->scratch_slot * dispatch->launch.waves + i;
		start.hw_id = slot->place.hw_id[i];
		start.xcc = slot->place.cu % sim_device()->xccs;
		sim_wave_init(dispatch, &slot->wave[i], &start);
	}
}

/* A message of a wave: the runtime's device code sends only the interrupt, 1. */
void sim_wave_message(const struct sim_wave *wave)
{
	enum { MESSAGE_INTERRUPT = 1, MESSAGE_MASK = 0xf };

	if ((wave->stop_arg & MESSAGE_MASK) == MESSAGE_INTERRUPT)
		sim_event_interrupt(wave->sgpr[SIM_M0] & 0xff);
}

/*
 * Trap 3 is llvm.debugtrap: without a debugger the handler returns at once. All others, in
 * particular trap 2 (llvm.trap), end the queue.
 */
bool sim_wave_trap_returns(const struct sim_wave *wave)
{
	return wave->stop_arg == 3;
}

/*
 * Global wave sync, the barrier behind grid.sync(): one wave of each workgroup arrives, and the
 * operand is the number of workgroups minus one. HIP initialises it in a kernel of its own, with
 * the same operand. Semaphores, and resources other than 0, are not supported.
 */
bool sim_workgroup_sync_grid(struct sim_dispatch *dispatch, struct sim_workgroup *slot, uint32_t i)
{
	enum { GWS_INIT = 153, GWS_BARRIER = 157 }; /* opcodes of ds_gws_*; the offset is above */
	const struct sim_wave *wave = &slot->wave[i];
	uint8_t operand = *(const uint8_t *)sim_mem_pointer(wave->pc - 4);
	uint32_t round = atomic_load_explicit(&dispatch->grid_sync.round, memory_order_acquire);
	uint32_t last;

	if (wave->stop_arg == GWS_INIT)
		return true;
	if (wave->stop_arg != GWS_BARRIER || !wave->exec)
		return false;
	last = wave->vgpr[operand][__builtin_ctzll(wave->exec)];
	if (atomic_fetch_add_explicit(&dispatch->grid_sync.arrived, 1, memory_order_acq_rel) <
	    last) {
		slot->state[i] = WAVE_GWS;
		slot->gws_round[i] = round;
		return true;
	}
	/* No wave arrives for the next round before this one has ended. */
	atomic_store_explicit(&dispatch->grid_sync.arrived, 0, memory_order_relaxed);
	atomic_store_explicit(&dispatch->grid_sync.round, round + 1, memory_order_release);
	return true;
}

static void leave_grid_sync(const struct sim_dispatch *dispatch, struct sim_workgroup *slot,
			    uint32_t i)
{
	uint32_t round = atomic_load_explicit(&dispatch->grid_sync.round, memory_order_acquire);

	if (slot->state[i] == WAVE_GWS && slot->gws_round[i] != round)
		slot->state[i] = WAVE_READY;
}

/* Runs one quantum of one wave. False if it stopped the dispatch; *used: it did more than sleep. */
static bool run_quantum(struct sim_dispatch *dispatch, struct sim_workgroup *slot, uint32_t i,
			bool *used)
{
	uint32_t quantum = (uint32_t)sim_options()->quantum;

	for (;;) {
		unsigned epoch = sim_memory_enter();
		enum sim_stop stop = sim_wave_run(&slot->wave[i], quantum);

		sim_memory_leave(epoch);
		switch (stop) {
		case SIM_STOP_QUANTUM:
			*used = true;
			return true;
		case SIM_STOP_SLEEP:
			return true;
		case SIM_STOP_END:
			slot->state[i] = WAVE_ENDED;
			slot->live--;
			*used = true;
			return true;
		case SIM_STOP_BARRIER:
			slot->state[i] = WAVE_BARRIER;
			slot->waiting++;
			*used = true;
			return true;
		case SIM_STOP_SENDMSG:
			sim_wave_message(&slot->wave[i]);
			continue;
		case SIM_STOP_TRAP:
			if (sim_wave_trap_returns(&slot->wave[i]))
				continue;
			break;
		case SIM_STOP_GWS:
			*used = true;
			if (sim_workgroup_sync_grid(dispatch, slot, i))
				return true;
			break;
		case SIM_STOP_FAULT:
		case SIM_STOP_HOLD: /* only traced waves stop for this reason */
			break;
		}
		dispatch->wave_failed(dispatch, &slot->wave[i], stop);
		return false;
	}
}

/* A wave that has ended counts as arrived: the barrier waits for the remaining waves. */
static void release_barrier(struct sim_workgroup *slot)
{
	if (!slot->waiting || slot->waiting < slot->live)
		return;
	for (uint32_t i = 0; i < slot->waves; i++)
		if (slot->state[i] == WAVE_BARRIER)
			slot->state[i] = WAVE_READY;
	slot->waiting = 0;
}

enum sim_workgroup_state sim_workgroup_run(struct sim_dispatch *dispatch,
					   struct sim_workgroup *slot,
					   void (*after_quantum)(struct sim_dispatch *dispatch))
{
	int64_t budget = slot->resumed ? NEXT_SLICE : FIRST_SLICE;

	while (budget > 0) {
		bool used = false;

		for (uint32_t i = 0; i < slot->waves; i++) {
			uint64_t before = slot->counters.insts;

			leave_grid_sync(dispatch, slot, i);
			if (slot->state[i] != WAVE_READY)
				continue;
			if (!run_quantum(dispatch, slot, i, &used))
				return WORKGROUP_STOPPED;
			budget -= (int64_t)(slot->counters.insts - before);
			if (after_quantum)
				after_quantum(dispatch);
			release_barrier(slot);
		}
		if (!slot->live)
			return WORKGROUP_DONE;
		if (sim_dispatch_stopped(dispatch))
			return WORKGROUP_STOPPED;
		if (!used)
			return WORKGROUP_IDLE;
	}
	return WORKGROUP_BUSY;
}
