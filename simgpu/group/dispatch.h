/* SPDX-License-Identifier: MIT */
/*
 * A kernel on its way through the machine: what initial_state.c works out once per dispatch, what
 * workgroup_scheduler.c keeps while workgroups run, and the calls between the two, scratch_memory.c
 * and fault_report.c.
 */
#ifndef PROBE_SIMGPU_GROUP_DISPATCH_H
#define PROBE_SIMGPU_GROUP_DISPATCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <hsa/hsa.h>

#include "simgpu/group/wave_slots.h"
#include "simgpu/base/device_parameters.h"
#include "simgpu/base/hardware_queue.h"
#include "simgpu/base/model_counters.h"
#include "simgpu/exec/wave.h"

/* The kernel descriptor, decoded (LLVM "AMDGPU usage", code object v3 kernel descriptor). */
struct sim_kernel {
	uint64_t descriptor, entry;
	uint32_t lds, scratch, kernarg;
	uint32_t rsrc1, rsrc2, rsrc3, properties;
	uint32_t vgprs; /* allocated vector registers, v0... */
	uint32_t agprs; /* and accumulation registers, a0... */
};

/* The queue's scratch memory as this dispatch uses it; wave_bytes 0 means none. */
struct sim_scratch {
	uint64_t base;
	uint32_t wave_bytes, waves;
};

/* How the host codes of an error differ: see fault_report.c. */
enum sim_error {
	SIM_ERROR_NONE,
	SIM_ERROR_DIMENSIONS,
	SIM_ERROR_GROUP_MEMORY,
	SIM_ERROR_CODE,
	SIM_ERROR_PACKET,
	SIM_ERROR_GROUP_SIZE,
	SIM_ERROR_REGISTERS,
	SIM_ERROR_VENDOR_PACKET,
	SIM_ERROR_APERTURE,
	SIM_ERROR_INSTRUCTION,
	SIM_ERROR_TRAP,
	SIM_ERROR_MEMORY, /* reported by event, not by the queue */
};

struct sim_time;
struct sim_slot; /* a workgroup in flight, workgroup_scheduler.c */

struct sim_dispatch {
	struct sim_queue *queue;
	const hsa_kernel_dispatch_packet_t *packet;
	uint64_t index; /* of the packet, never wraps */
	struct sim_kernel kernel;
	struct sim_scratch scratch;
	uint32_t size[3];   /* of a whole workgroup */
	uint32_t groups[3]; /* in the grid, partial ones included */
	uint64_t total;
	uint32_t waves; /* of a whole workgroup */
	uint32_t lds_bytes;

	/* What every wave of the dispatch starts with; initial_state.c fills in the rest. */
	uint32_t sgpr[SIM_SGPRS];
	uint32_t group_sgpr; /* first SGPR of the workgroup ids */
	uint32_t mode, lds_alloc, gpr_alloc, status;
	uint32_t lane_size[3], lane_mask; /* workgroup size and mask lane_ids[] was made for */
	uint32_t lane_ids[SIM_GROUP_WAVES][SIM_LANES]; /* v0: x | y << 10 | z << 20, masked */

	/* The schedule. Everything below is under lock, but for the atomics. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t next;	    /* first workgroup not started */
	uint64_t done;	    /* workgroups finished */
	uint32_t running;   /* workgroups some thread is at */
	uint32_t parked;    /* workgroups started and put aside */
	uint32_t turns;	    /* workgroups put aside since one finished or started */
	uint32_t allowance; /* workgroups that may be started beside the parked ones */
	struct sim_slot *first_parked, *last_parked;
	uint8_t *scratch_taken; /* per group slot of the scratch memory */
	uint32_t scratch_slots;
	bool owner_waits;
	atomic_bool stop; /* a fault, or the queue is going away */
	struct sim_counters counters;
	uint64_t host_start_ns, host_ns;
	/*
	 * Simulated time, in shader cycles: the device's clock when the kernel starts, set by the
	 * packet processor before sim_dispatch_run() (0: unknown, the host's clock is taken), and
	 * what the kernel took, set by that call; 0 if the cost model is off.
	 */
	uint64_t start_cycle, cycles;
	bool upload;	       /* the runtime's, of code: it takes no time and is not sampled */
	struct sim_time *time; /* the cost model's own, kept from one dispatch to the next */
	struct sim_time_counters time_counters;
	uint64_t start_tick, end_tick;
	bool offered;				 /* to the pool; the owner's own */
	_Atomic uint32_t gws_arrived, gws_round; /* global wave sync: the one barrier in use */

	/* Under the pool's lock. */
	struct sim_dispatch *next_listed;
	bool listed;
	uint32_t helpers;
};

struct sim_dispatch *sim_dispatch_create(struct sim_queue *queue);
void sim_dispatch_destroy(struct sim_dispatch *dispatch);

/*
 * initial_state.c: check the packet and work out everything the workgroups share. The reason of a
 * refusal is printed by it.
 */
enum sim_error sim_launch_prepare(struct sim_dispatch *dispatch);

/* Lanes of workgroup id that lie in the grid, by dimension; returns their waves. */
uint32_t sim_launch_extent(const struct sim_dispatch *dispatch, const uint32_t id[3],
			   uint32_t extent[3]);

struct sim_wave_start {
	const uint32_t *extent;
	uint32_t waves;	       /* of this workgroup */
	uint32_t scratch_wave; /* number of the wave in the scratch memory */
	uint32_t hw_id;
};

/* State of wave->in_group of wave->group; vgprs beyond the kernel's are left as they are. */
void sim_launch_wave(const struct sim_dispatch *dispatch, struct sim_wave *wave,
		     const struct sim_wave_start *start);

/*
 * workgroup_scheduler.c: run all workgroups and return. False if it was stopped, by a fault (then
 * reported) or because the queue is being destroyed.
 */
bool sim_dispatch_run(struct sim_dispatch *dispatch);

/* scratch_memory.c: the queue's scratch memory, grown if need be. False if the queue quits
 * meanwhile. */
bool sim_scratch_acquire(struct sim_dispatch *dispatch);
/* After the dispatch: gives back what was granted for once. */
void sim_scratch_release(struct sim_dispatch *dispatch);

/*
 * aql_signals.c: whether every signal a packet names is null or memory of the device. If not, that
 * was reported as the memory fault it is.
 */
bool sim_aql_check_signals(struct sim_queue *queue, const uint8_t *packet, unsigned type);

/* fault_report.c */

/* Tell the runtime of an error of the queue, which is dead from now on. */
void sim_queue_error(struct sim_queue *queue, enum sim_error error);
/* The device touched memory that is not there: the runtime ends the process. */
void sim_memory_error(struct sim_queue *queue, const struct sim_fault *fault);
/* A wave stopped with SIM_STOP_FAULT, _TRAP or _GWS: print, stop the dispatch, report. */
void sim_wave_error(struct sim_dispatch *dispatch, const struct sim_wave *wave, enum sim_stop stop);

/* kernel_name.c: the symbol of a kernel descriptor, else false and its address in hex. */
bool sim_kernel_name(uint64_t descriptor, char *buf, size_t size);

/* statistics.c: counters of a finished dispatch. */
void sim_statistics_add(const struct sim_dispatch *dispatch);

#endif
