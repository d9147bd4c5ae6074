/* SPDX-License-Identifier: MIT */
/* The state of a dispatch's workgroups while workgroup_scheduler.c runs them. */
#ifndef PROBE_SIMGPU_GROUP_SCHEDULE_H
#define PROBE_SIMGPU_GROUP_SCHEDULE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct sim_dispatch;
struct sim_workgroup; /* a workgroup in flight, workgroup.h */

struct sim_schedule {
	pthread_mutex_t lock; /* protects the fields up to `offered` */
	pthread_cond_t changed;
	uint64_t next;	    /* first workgroup that has not started */
	uint64_t done;	    /* workgroups finished */
	uint32_t running;   /* workgroups that a thread is running */
	uint32_t parked;    /* workgroups that were started and then parked */
	uint32_t stalled;   /* workgroups parked since one finished or started */
	uint32_t allowance; /* workgroups that may be started in addition to the parked ones */
	struct sim_workgroup *first_parked, *last_parked;
	uint8_t *scratch_taken; /* one per workgroup's part of the scratch memory */
	uint32_t scratch_slots;
	bool owner_waits;
	bool offered; /* to the pool; only the owner uses it */

	/* Under the pool's lock. */
	struct sim_dispatch *next_listed;
	bool listed;
	uint32_t helpers;
};

#endif
