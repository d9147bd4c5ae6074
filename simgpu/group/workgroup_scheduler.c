/* SPDX-License-Identifier: MIT */
/*
 * Workgroups onto host threads.
 *
 * A dispatch is run by its queue's thread, helped by a pool of threads once it turns out not to be
 * tiny. A workgroup in flight sits in a slot and is run by one thread at a time, its waves in
 * turns. One that runs long, or only sleeps, is put aside ("parked") so that the workgroup it may
 * wait for gets a turn: first among those already started, and when all of those have been tried,
 * as many again are started, up to what the device could hold. So spin locks, look-back scans and
 * grid barriers come to an end, while ordinary kernels have few workgroups in flight.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "simgpu/group/workgroup.h"
#include "simgpu/base/device_clock.h"
#include "simgpu/base/sim_log.h"
#include "simgpu/base/sim_options.h"
#include "simgpu/base/worker_threads.h"
#include "simgpu/time/cost_model.h"

enum { PUBLISH_NS = 15000 }; /* a dispatch this old is offered to the pool */

static struct {
	pthread_mutex_t lock;
	pthread_cond_t work;
	struct sim_dispatch *first; /* dispatches that want help */
	uint32_t threads;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER};

struct sim_dispatch *sim_dispatch_create(struct sim_queue *queue)
{
	struct sim_dispatch *dispatch = calloc(1, sizeof(*dispatch));

	if (!dispatch)
		return NULL;
	dispatch->queue = queue;
	pthread_mutex_init(&dispatch->lock, NULL);
	pthread_cond_init(&dispatch->changed, NULL);
	return dispatch;
}

void sim_dispatch_destroy(struct sim_dispatch *dispatch)
{
	if (!dispatch)
		return;
	pthread_cond_destroy(&dispatch->changed);
	pthread_mutex_destroy(&dispatch->lock);
	free(dispatch->scratch_taken);
	sim_time_destroy(dispatch->time);
	free(dispatch);
}

/* ---- Choosing what to run: under the dispatch's lock ---------------------------------------- */

/* A free part of the queue's scratch memory; false if all are taken. */
static bool take_scratch(struct sim_dispatch *dispatch, uint32_t *ret)
{
	*ret = 0;
	if (!dispatch->scratch.wave_bytes)
		return true;
	for (uint32_t i = 0; i < dispatch->scratch_slots; i++) {
		if (dispatch->scratch_taken[i])
			continue;
		dispatch->scratch_taken[i] = 1;
		*ret = i;
		return true;
	}
	return false;
}

static void give_scratch(struct sim_dispatch *dispatch, uint32_t slot)
{
	if (dispatch->scratch.wave_bytes)
		dispatch->scratch_taken[slot] = 0;
}

/* The next workgroup of the grid, or NULL if the device has no room for it now. */
static struct sim_slot *start_group(struct sim_dispatch *dispatch)
{
	const struct sim_queue *queue = dispatch->queue;
	struct sim_place_want want = {
		.number = dispatch->next,
		.waves = dispatch->waves,
		.lds_bytes = dispatch->lds_bytes,
		.vgprs = dispatch->kernel.vgprs + dispatch->kernel.agprs,
		.cu_mask = queue->masked ? queue->cu_mask : NULL,
		.queue = queue->id,
		.gpu = queue->node - SIM_NODE_GPU,
	};
	uint32_t scratch;
	struct sim_slot *slot;

	if (!take_scratch(dispatch, &scratch))
		return NULL;
	slot = sim_slot_take();
	if (!slot || !sim_place_take(&want, &slot->place)) {
		give_scratch(dispatch, scratch);
		if (slot)
			sim_slot_give(slot);
		return NULL;
	}
	slot->scratch_slot = scratch;
	slot->number = dispatch->next++;
	dispatch->turns = 0;
	return slot;
}

static struct sim_slot *unpark(struct sim_dispatch *dispatch)
{
	struct sim_slot *slot = dispatch->first_parked;

	if (!slot)
		return NULL;
	dispatch->first_parked = slot->next;
	if (!slot->next)
		dispatch->last_parked = NULL;
	dispatch->parked--;
	return slot;
}

static void park(struct sim_dispatch *dispatch, struct sim_slot *slot)
{
	slot->next = NULL;
	slot->resumed = true;
	if (dispatch->last_parked)
		dispatch->last_parked->next = slot;
	else
		dispatch->first_parked = slot;
	dispatch->last_parked = slot;
	dispatch->parked++;
	/* All that were started have had a turn in vain: start as many again. */
	if (++dispatch->turns >= dispatch->parked + dispatch->running) {
		dispatch->turns = 0;
		dispatch->allowance = dispatch->parked + dispatch->running;
	}
}

static bool may_start(const struct sim_dispatch *dispatch)
{
	return dispatch->next < dispatch->total && (!dispatch->first_parked || dispatch->allowance);
}

/* Something to run, or NULL. *fresh: it was just started and needs sim_slot_fill(). */
static struct sim_slot *choose(struct sim_dispatch *dispatch, bool *fresh)
{
	struct sim_slot *slot = NULL;

	*fresh = false;
	if (sim_dispatch_stopped(dispatch))
		return NULL;
	if (may_start(dispatch)) {
		slot = start_group(dispatch);
		*fresh = slot != NULL;
		if (slot && dispatch->allowance)
			dispatch->allowance--;
	}
	if (!slot)
		slot = unpark(dispatch);
	if (slot)
		dispatch->running++;
	return slot;
}

/* Sleep a little with the lock released. */
static void rest(struct sim_dispatch *dispatch, struct sim_backoff *backoff)
{
	pthread_mutex_unlock(&dispatch->lock);
	sim_backoff_pause(backoff);
	pthread_mutex_lock(&dispatch->lock);
}

/*
 * The owner has nothing to run. Either helpers still have something, or the device is full of
 * other queues' workgroups, which nobody tells us the end of.
 */
static void wait_for_change(struct sim_dispatch *dispatch, struct sim_backoff *backoff)
{
	if (!dispatch->running) {
		rest(dispatch, backoff);
		return;
	}
	dispatch->owner_waits = true;
	pthread_cond_wait(&dispatch->changed, &dispatch->lock);
	dispatch->owner_waits = false;
}

static void add_counters(struct sim_counters *sum, const struct sim_counters *part)
{
	const uint64_t *from = (const uint64_t *)part;
	uint64_t *to = (uint64_t *)sum;

	for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
}

static void retire(struct sim_dispatch *dispatch, struct sim_slot *slot)
{
	add_counters(&dispatch->counters, &slot->counters);
	give_scratch(dispatch, slot->scratch_slot);
	sim_place_give(&slot->place);
	sim_slot_give(slot);
	dispatch->done++;
	dispatch->turns = 0;
	dispatch->allowance = 0;
}

/* ---- The pool ------------------------------------------------------------------------------- */

/*
 * Run workgroups of a dispatch. A helper returns when there is none left for it; the owner when
 * all have ended. Counters of a workgroup that was stopped are kept: it did execute that much.
 */
static void work(struct sim_dispatch *dispatch, bool owner)
{
	struct sim_backoff backoff = {0};
	uint32_t idle = 0; /* workgroups in a row that only slept */

	pthread_mutex_lock(&dispatch->lock);
	for (;;) {
		enum sim_slot_state state;
		bool fresh;
		struct sim_slot *slot = choose(dispatch, &fresh);

		if (!slot) {
			if (!owner || dispatch->done == dispatch->total ||
			    (sim_dispatch_stopped(dispatch) && !dispatch->running))
				break;
			wait_for_change(dispatch, &backoff);
			continue;
		}
		pthread_mutex_unlock(&dispatch->lock);
		if (fresh)
			sim_slot_fill(dispatch, slot);
		state = sim_slot_run(dispatch, slot, owner);
		/* It may wait for a kernel of another queue, whose thread is to have its turn. */
		if (state == SLOT_BUSY)
			sched_yield();
		pthread_mutex_lock(&dispatch->lock);
		dispatch->running--;
		if (state == SLOT_DONE || state == SLOT_STOPPED)
			retire(dispatch, slot);
		else
			park(dispatch, slot);
		if (dispatch->owner_waits)
			pthread_cond_broadcast(&dispatch->changed);
		idle = state == SLOT_IDLE ? idle + 1 : 0;
		if (!idle)
			backoff.rounds = 0;
		else if (idle > dispatch->parked + dispatch->running && !may_start(dispatch))
			rest(dispatch, &backoff);
	}
	pthread_mutex_unlock(&dispatch->lock);
}

/* Under the pool's lock. */
static void unlist(struct sim_dispatch *dispatch)
{
	struct sim_dispatch **link = &pool.first;

	if (!dispatch->listed)
		return;
	while (*link != dispatch)
		link = &(*link)->next_listed;
	*link = dispatch->next_listed;
	dispatch->next_listed = NULL;
	dispatch->listed = false;
}

/* Under the pool's lock: the first dispatch, which goes to the end so that queues take turns. */
static struct sim_dispatch *next_listed(void)
{
	struct sim_dispatch *dispatch = pool.first;
	struct sim_dispatch **link = &pool.first;

	if (!dispatch)
		return NULL;
	pool.first = dispatch->next_listed;
	while (*link)
		link = &(*link)->next_listed;
	*link = dispatch;
	dispatch->next_listed = NULL;
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
		dispatch->helpers++;
		pthread_mutex_unlock(&pool.lock);
		work(dispatch, false);
		/* The owner frees the dispatch when it has both locks and sees no helper. */
		pthread_mutex_lock(&dispatch->lock);
		pthread_mutex_lock(&pool.lock);
		unlist(dispatch);
		dispatch->helpers--;
		pthread_cond_broadcast(&dispatch->changed);
		pthread_mutex_unlock(&dispatch->lock);
	}
	return NULL;
}

/*
 * On the owner's thread, while nobody else knows the dispatch: ask the pool for help if there are
 * workgroups left and the dispatch has run for longer than waking a thread costs.
 */
void sim_dispatch_offer(struct sim_dispatch *dispatch)
{
	if (sim_options()->threads < 2 || dispatch->next == dispatch->total) {
		dispatch->offered = true;
		return;
	}
	if (sim_clock_ns() - dispatch->host_start_ns < PUBLISH_NS)
		return;
	dispatch->offered = true;
	pthread_mutex_lock(&pool.lock);
	sim_workers_start(&pool.threads, help);
	dispatch->next_listed = pool.first;
	pool.first = dispatch;
	dispatch->listed = true;
	pthread_cond_broadcast(&pool.work);
	pthread_mutex_unlock(&pool.lock);
}

/* After work(): no helper may touch the dispatch any more. Drops what a stop left parked. */
static void finish(struct sim_dispatch *dispatch)
{
	struct sim_slot *slot;

	pthread_mutex_lock(&dispatch->lock);
	pthread_mutex_lock(&pool.lock);
	unlist(dispatch);
	while (dispatch->helpers) {
		pthread_mutex_unlock(&pool.lock);
		pthread_cond_wait(&dispatch->changed, &dispatch->lock);
		pthread_mutex_lock(&pool.lock);
	}
	pthread_mutex_unlock(&pool.lock);
	while ((slot = unpark(dispatch)))
		retire(dispatch, slot);
	pthread_mutex_unlock(&dispatch->lock);
}

/* Scratch memory in parts of a whole workgroup; 0 or -errno. */
static int divide_scratch(struct sim_dispatch *dispatch)
{
	uint32_t slots = dispatch->scratch.waves / dispatch->waves;
	uint8_t *taken;

	if (!dispatch->scratch.wave_bytes)
		return 0;
	if (!slots)
		return -ENOSPC;
	taken = realloc(dispatch->scratch_taken, slots);
	if (!taken)
		return -ENOMEM;
	memset(taken, 0, slots);
	dispatch->scratch_taken = taken;
	dispatch->scratch_slots = slots;
	return 0;
}

bool sim_dispatch_run(struct sim_dispatch *dispatch)
{
	int err = divide_scratch(dispatch);

	if (err) {
		sim_print("scratch memory of %u waves cannot hold one workgroup of %u waves: %s",
			  dispatch->scratch.waves, dispatch->waves, strerror(-err));
		sim_queue_error(dispatch->queue, SIM_ERROR_GROUP_MEMORY);
		return false;
	}
	dispatch->next = 0;
	dispatch->done = 0;
	dispatch->running = 0;
	dispatch->turns = 0;
	dispatch->allowance = 0;
	dispatch->offered = false;
	dispatch->owner_waits = false;
	dispatch->gws_arrived = 0;
	dispatch->counters = (struct sim_counters){0};
	dispatch->host_start_ns = sim_clock_ns();
	atomic_store_explicit(&dispatch->stop, false, memory_order_relaxed);
	dispatch->cycles = 0;
	dispatch->time_counters = (struct sim_time_counters){0};
	if (sim_options()->model) {
		sim_time_run(dispatch);
	} else {
		work(dispatch, true);
		if (dispatch->offered)
			finish(dispatch);
	}
	dispatch->host_ns = sim_clock_ns() - dispatch->host_start_ns;
	return !sim_dispatch_stopped(dispatch);
}
