/* SPDX-License-Identifier: MIT */
/*
 * Schedules workgroups onto host threads.
 *
 * The queue's thread runs a dispatch, helped by a pool of threads if the dispatch is not tiny. A
 * workgroup in flight occupies a slot. One thread at a time runs it, its waves round robin.
 *
 * A workgroup that runs long, or only sleeps, is parked, so that a workgroup it may wait for can
 * run. The scheduler first tries those already started. When all of them have been tried, it starts
 * as many again, up to the number that the device could hold. So spin locks, look-back scans and
 * grid barriers make progress, while ordinary kernels have few workgroups in flight.
 */
#include "simgpu/group/workgroup_scheduler.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "simgpu/base/backoff.h"
#include "simgpu/group/workgroup.h"
#include "simgpu/base/device_clock.h"
#include "simgpu/base/sim_log.h"
#include "simgpu/base/sim_options.h"
#include "simgpu/base/worker_threads.h"

enum { PUBLISH_NS = 15000 }; /* dispatches that have run this long are offered to the pool */

static struct {
	pthread_mutex_t lock;
	pthread_cond_t work;
	struct sim_dispatch *first; /* dispatches that request help */
	uint32_t threads;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER};

/* ---- Choosing what to run: under the dispatch's lock ---------------------------------------- */

/* A free part of the queue's scratch memory; false if all are in use. */
static bool take_scratch(struct sim_dispatch *dispatch, uint32_t *ret)
{
	*ret = 0;
	if (!dispatch->launch.scratch.wave_bytes)
		return true;
	for (uint32_t i = 0; i < dispatch->schedule.scratch_slots; i++) {
		if (dispatch->schedule.scratch_taken[i])
			continue;
		dispatch->schedule.scratch_taken[i] = 1;
		*ret = i;
		return true;
	}
	return false;
}

static void give_scratch(struct sim_dispatch *dispatch, uint32_t slot)
{
	if (dispatch->launch.scratch.wave_bytes)
		dispatch->schedule.scratch_taken[slot] = 0;
}

/* The next workgroup of the grid, or NULL if the device cannot hold it now. */
static struct sim_workgroup *start_group(struct sim_dispatch *dispatch)
{
	const struct sim_queue *queue = dispatch->queue;
	struct sim_place_request want = {
		.number = dispatch->schedule.next,
		.waves = dispatch->launch.waves,
		.lds_bytes = dispatch->launch.lds_bytes,
		.vgprs = dispatch->launch.kernel.vgprs + dispatch->launch.kernel.agprs,
		.cu_mask = queue->masked ? queue->cu_mask : NULL,
		.queue = queue->id,
		.gpu = queue->node - SIM_NODE_GPU,
	};
	uint32_t scratch;
	struct sim_workgroup *slot;

	if (!take_scratch(dispatch, &scratch))
		return NULL;
	slot = sim_workgroup_alloc();
	if (!slot || !sim_place_acquire(&want, &slot->place)) {
		give_scratch(dispatch, scratch);
		if (slot)
			sim_workgroup_free(slot);
		return NULL;
	}
	slot->scratch_slot = scratch;
	slot->number = dispatch->schedule.next++;
	dispatch->schedule.stalled = 0;
	return slot;
}

static struct sim_workgroup *unpark(struct sim_dispatch *dispatch)
{
	struct sim_workgroup *slot = dispatch->schedule.first_parked;

	if (!slot)
		return NULL;
	dispatch->schedule.first_parked = slot->next;
	if (!slot->next)
		dispatch->schedule.last_parked = NULL;
	dispatch->schedule.parked--;
	return slot;
}

static void park(struct sim_dispatch *dispatch, struct sim_workgroup *slot)
{
	slot->next = NULL;
	slot->resumed = true;
	if (dispatch->schedule.last_parked)
		dispatch->schedule.last_parked->next = slot;
	else
		dispatch->schedule.first_parked = slot;
	dispatch->schedule.last_parked = slot;
	dispatch->schedule.parked++;
	/* All started workgroups have run without progress: start as many again. */
	if (++dispatch->schedule.stalled >=
	    dispatch->schedule.parked + dispatch->schedule.running) {
		dispatch->schedule.stalled = 0;
		dispatch->schedule.allowance =
			dispatch->schedule.parked + dispatch->schedule.running;
	}
}

static bool may_start(const struct sim_dispatch *dispatch)
{
	return dispatch->schedule.next < dispatch->launch.total &&
	       (!dispatch->schedule.first_parked || dispatch->schedule.allowance);
}

/* A workgroup to run, or NULL. *fresh: it has just been started and needs sim_workgroup_start(). */
static struct sim_workgroup *choose(struct sim_dispatch *dispatch, bool *fresh)
{
	struct sim_workgroup *slot = NULL;

	*fresh = false;
	if (sim_dispatch_stopped(dispatch))
		return NULL;
	if (may_start(dispatch)) {
		slot = start_group(dispatch);
		*fresh = slot != NULL;
		if (slot && dispatch->schedule.allowance)
			dispatch->schedule.allowance--;
	}
	if (!slot)
		slot = unpark(dispatch);
	if (slot)
		dispatch->schedule.running++;
	return slot;
}

/* Sleeps briefly with the lock released. */
static void rest(struct sim_dispatch *dispatch, struct sim_backoff *backoff)
{
	pthread_mutex_unlock(&dispatch->schedule.lock);
	sim_backoff_pause(backoff);
	pthread_mutex_lock(&dispatch->schedule.lock);
}

/*
 * The owner has nothing to run. Either helpers still have work, or workgroups of other queues
 * occupy the device, whose end is not announced.
 */
static void wait_for_change(struct sim_dispatch *dispatch, struct sim_backoff *backoff)
{
	if (!dispatch->schedule.running) {
		rest(dispatch, backoff);
		return;
	}
	dispatch->schedule.owner_waits = true;
	pthread_cond_wait(&dispatch->schedule.changed, &dispatch->schedule.lock);
	dispatch->schedule.owner_waits = false;
}

static void add_counters(struct sim_counters *sum, const struct sim_counters *part)
{
	const uint64_t *from = (const uint64_t *)part;
	uint64_t *to = (uint64_t *)sum;

	for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
}

static void retire(struct sim_dispatch *dispatch, struct sim_workgroup *slot)
{
	add_counters(&dispatch->counters, &slot->counters);
	give_scratch(dispatch, slot->scratch_slot);
	sim_place_release(&slot->place);
	sim_workgroup_free(slot);
	dispatch->schedule.done++;
	dispatch->schedule.stalled = 0;
	dispatch->schedule.allowance = 0;
}

/* ---- The pool ------------------------------------------------------------------------------- */

static void *help(void *unused);

/*
 * On the owner's thread, before any other thread knows the dispatch. Requests help from the pool if
 * workgroups remain and the dispatch has run for longer than waking a thread takes.
 */
static void offer(struct sim_dispatch *dispatch)
{
	if (dispatch->schedule.offered)
		return;
	if (sim_options()->threads < 2 || dispatch->schedule.next == dispatch->launch.total) {
		dispatch->schedule.offered = true;
		return;
	}
	if (sim_clock_ns() - dispatch->timing.host_start_ns < PUBLISH_NS)
		return;
	dispatch->schedule.offered = true;
	pthread_mutex_lock(&pool.lock);
	sim_workers_start(&pool.threads, help);
	dispatch->schedule.next_listed = pool.first;
	pool.first = dispatch;
	dispatch->schedule.listed = true;
	pthread_cond_broadcast(&pool.work);
	pthread_mutex_unlock(&pool.lock);
}

/*
 * Runs workgroups of a dispatch. A helper returns when there is nothing left for it; the owner when
 * all have ended. Counters of a workgroup that was stopped are kept, because its instructions did
 * execute.
 */
static void work(struct sim_dispatch *dispatch, bool owner)
{
	struct sim_backoff backoff = {0};
	uint32_t idle = 0; /* number of consecutive workgroups that only slept */

	pthread_mutex_lock(&dispatch->schedule.lock);
	for (;;) {
		enum sim_workgroup_state state;
		bool fresh;
		struct sim_workgroup *slot = choose(dispatch, &fresh);

		if (!slot) {
			if (!owner || dispatch->schedule.done == dispatch->launch.total ||
			    (sim_dispatch_stopped(dispatch) && !dispatch->schedule.running))
				break;
			wait_for_change(dispatch, &backoff);
			continue;
		}
		pthread_mutex_unlock(&dispatch->schedule.lock);
		if (fresh)
			sim_workgroup_start(dispatch, slot);
		state = sim_workgroup_run(dispatch, slot, owner ? offer : NULL);
		/* It may wait for a kernel of another queue, whose thread needs to run. */
		if (state == WORKGROUP_BUSY)
			sched_yield();
		pthread_mutex_lock(&dispatch->schedule.lock);
		dispatch->schedule.running--;
		if (state == WORKGROUP_DONE || state == WORKGROUP_STOPPED)
			retire(dispatch, slot);
		else
			park(dispatch, slot);
		if (dispatch->schedule.owner_waits)
			pthread_cond_broadcast(&dispatch->schedule.changed);
		idle = state == WORKGROUP_IDLE ? idle + 1 : 0;
		if (!idle)
			backoff.rounds = 0;
		else if (idle > dispatch->schedule.parked + dispatch->schedule.running &&
			 !may_start(dispatch))
			rest(dispatch, &backoff);
	}
	pthread_mutex_unlock(&dispatch->schedule.lock);
}

/* Under the pool's lock. */
static void unlist(struct sim_dispatch *dispatch)
{
	struct sim_dispatch **link = &pool.first;

	if (!dispatch->schedule.listed)
		return;
	while (*link != dispatch)
		link = &(*link)->schedule.next_listed;
	*link = dispatch->schedule.next_listed;
	dispatch->schedule.next_listed = NULL;
	dispatch->schedule.listed = false;
}

/*
 * Under the pool's lock: the first dispatch, which moves to the end so that queues are served round
 * robin.
 */
static struct sim_dispatch *next_listed(void)
{
	struct sim_dispatch *dispatch = pool.first;
	struct sim_dispatch **link = &pool.first;

	if (!dispatch)
		return NULL;
	pool.first = dispatch->schedule.next_listed;
	while (*link)
		link = &(*link)->schedule.next_listed;
	*link = dispatch;
	dispatch->schedule.next_listed = NULL;
	return dispatch;
}

static void *help(void *unused)
{
	(void)unused;
	sim_worker_begin("sim-worker");
	pthread_mutex_lock(&pool.lock);
	for (;;) {
		struct sim_dispatch *dispatch = next_listed();

		if (!dispatch) {
			pthread_cond_wait(&pool.work, &pool.lock);
			continue;
		}
		dispatch->schedule.helpers++;
		pthread_mutex_unlock(&pool.lock);
		work(dispatch, false);
		/* The owner frees the dispatch once it has both locks and there are no helpers. */
		pthread_mutex_lock(&dispatch->schedule.lock);
		pthread_mutex_lock(&pool.lock);
		unlist(dispatch);
		dispatch->schedule.helpers--;
		pthread_cond_broadcast(&dispatch->schedule.changed);
		pthread_mutex_unlock(&dispatch->schedule.lock);
	}
	return NULL;
}

/*
 * After work(): no helper may use the dispatch any more. Frees workgroups that are still parked
 * because of a stop.
 */
static void finish(struct sim_dispatch *dispatch)
{
	struct sim_workgroup *slot;

	pthread_mutex_lock(&dispatch->schedule.lock);
	pthread_mutex_lock(&pool.lock);
	unlist(dispatch);
	while (dispatch->schedule.helpers) {
		pthread_mutex_unlock(&pool.lock);
		pthread_cond_wait(&dispatch->schedule.changed, &dispatch->schedule.lock);
		pthread_mutex_lock(&pool.lock);
	}
	pthread_mutex_unlock(&pool.lock);
	while ((slot = unpark(dispatch)))
		retire(dispatch, slot);
	pthread_mutex_unlock(&dispatch->schedule.lock);
}

void sim_schedule_init(struct sim_schedule *schedule)
{
	*schedule = (struct sim_schedule){.next = 0};
	pthread_mutex_init(&schedule->lock, NULL);
	pthread_cond_init(&schedule->changed, NULL);
}

void sim_schedule_deinit(struct sim_schedule *schedule)
{
	pthread_cond_destroy(&schedule->changed);
	pthread_mutex_destroy(&schedule->lock);
	free(schedule->scratch_taken);
}

/* Divides scratch memory into parts for whole workgroups; 0 or -errno. */
static int divide_scratch(struct sim_dispatch *dispatch)
{
	uint32_t slots = dispatch->launch.scratch.waves / dispatch->launch.waves;
	uint8_t *taken;

	if (!dispatch->launch.scratch.wave_bytes)
		return 0;
	if (!slots)
		return -ENOSPC;
	taken = realloc(dispatch->schedule.scratch_taken, slots);
	if (!taken)
		return -ENOMEM;
	memset(taken, 0, slots);
	dispatch->schedule.scratch_taken = taken;
	dispatch->schedule.scratch_slots = slots;
	return 0;
}

int sim_schedule_reset(struct sim_dispatch *dispatch)
{
	struct sim_schedule *schedule = &dispatch->schedule;

	schedule->next = 0;
	schedule->done = 0;
	schedule->running = 0;
	schedule->stalled = 0;
	schedule->allowance = 0;
	schedule->offered = false;
	schedule->owner_waits = false;
	return divide_scratch(dispatch);
}

void sim_schedule_run(struct sim_dispatch *dispatch)
{
	work(dispatch, true);
	if (dispatch->schedule.offered)
		finish(dispatch);
}
