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
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "dispatch.h"
#include "sim_clock.h"
#include "sim_events.h"
#include "sim_log.h"
#include "sim_options.h"

enum {
	/*
	 * Wave instructions before a workgroup is put aside, the first time and later. The first
	 * is long, because two workgroups in turns are slower than one after the other; later
	 * ones are short, because by then the workgroup probably waits for another.
	 */
	FIRST_SLICE = 500000,
	NEXT_SLICE = 20000,
	PUBLISH_NS = 15000, /* a dispatch this old is offered to the pool */
};

enum wave_state {
	WAVE_READY,
	WAVE_BARRIER,
	WAVE_ENDED,
};

enum slot_state {
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
	_Alignas(64) uint8_t lds[SIM_CU_LDS];
	struct sim_wave wave[SIM_GROUP_WAVES];
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t work;
	struct sim_dispatch *first; /* dispatches that want help */
	uint32_t threads;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER};

static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sim_slot *free_slots;

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
	free(dispatch);
}

/* ---- Slots ---------------------------------------------------------------------------------- */

static struct sim_slot *take_slot(void)
{
	struct sim_slot *slot;

	pthread_mutex_lock(&free_lock);
	slot = free_slots;
	if (slot)
		free_slots = slot->next;
	pthread_mutex_unlock(&free_lock);
	if (slot)
		return slot;
	slot = mmap(NULL, sizeof(*slot), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return slot == MAP_FAILED ? NULL : slot;
}

static void give_slot(struct sim_slot *slot)
{
	pthread_mutex_lock(&free_lock);
	slot->next = free_slots;
	free_slots = slot;
	pthread_mutex_unlock(&free_lock);
}

static void group_id(const struct sim_dispatch *dispatch, uint64_t number, uint32_t id[3])
{
	id[0] = (uint32_t)(number % dispatch->groups[0]);
	number /= dispatch->groups[0];
	id[1] = (uint32_t)(number % dispatch->groups[1]);
	id[2] = (uint32_t)(number / dispatch->groups[1]);
}

/* Not under the lock: everything the workgroup starts with. */
static void fill_slot(const struct sim_dispatch *dispatch, struct sim_slot *slot)
{
	struct sim_wave_start start;
	uint32_t extent[3];

	slot->group = (struct sim_group){
		.lds = slot->lds,
		.lds_size = dispatch->lds_bytes,
		.shared_base_hi = SIM_LDS_APERTURE >> 32,
		.private_base_hi = SIM_SCRATCH_APERTURE >> 32,
		.counters = &slot->counters,
		.machine = slot,
	};
	group_id(dispatch, slot->number, slot->group.id);
	slot->waves = sim_launch_extent(dispatch, slot->group.id, extent);
	slot->live = slot->waves;
	slot->waiting = 0;
	slot->resumed = false;
	slot->counters = (struct sim_counters){.waves = slot->waves};
	memset(slot->lds, (int)(sim_options()->fill & 0xff), dispatch->lds_bytes);
	start = (struct sim_wave_start){.extent = extent, .waves = slot->waves};
	for (uint32_t i = 0; i < slot->waves; i++) {
		slot->state[i] = WAVE_READY;
		slot->wave[i].group = &slot->group;
		slot->wave[i].in_group = i;
		start.scratch_wave = slot->scratch_slot * dispatch->waves + i;
		start.hw_id = slot->place.hw_id[i];
		sim_launch_wave(dispatch, &slot->wave[i], &start);
	}
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
	};
	uint32_t scratch;
	struct sim_slot *slot;

	if (!take_scratch(dispatch, &scratch))
		return NULL;
	slot = take_slot();
	if (!slot || !sim_place_take(&want, &slot->place)) {
		give_scratch(dispatch, scratch);
		if (slot)
			give_slot(slot);
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

static bool stopped(const struct sim_dispatch *dispatch)
{
	return atomic_load_explicit(&dispatch->stop, memory_order_acquire) ||
	       atomic_load_explicit(&dispatch->queue->quit, memory_order_acquire);
}

static bool may_start(const struct sim_dispatch *dispatch)
{
	return dispatch->next < dispatch->total && (!dispatch->first_parked || dispatch->allowance);
}

/* Something to run, or NULL. *fresh: it was just started and needs fill_slot(). */
static struct sim_slot *choose(struct sim_dispatch *dispatch, bool *fresh)
{
	struct sim_slot *slot = NULL;

	*fresh = false;
	if (stopped(dispatch))
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
	give_slot(slot);
	dispatch->done++;
	dispatch->turns = 0;
	dispatch->allowance = 0;
}

/* ---- Running one workgroup ------------------------------------------------------------------ */

static void offer(struct sim_dispatch *dispatch);

/* A message of a wave: the only one the runtime's device code sends is the interrupt, 1. */
static void send_message(const struct sim_wave *wave)
{
	enum { MESSAGE_INTERRUPT = 1, MESSAGE_MASK = 0xf };

	if ((wave->stop_arg & MESSAGE_MASK) == MESSAGE_INTERRUPT)
		sim_event_interrupt(wave->sgpr[SIM_M0] & 0xff);
}

/*
 * Trap 3 is llvm.debugtrap: without a debugger the handler returns at once. Anything else, first
 * of all trap 2 (llvm.trap), ends the queue.
 */
static bool trap_returns(const struct sim_wave *wave)
{
	return wave->stop_arg == 3;
}

/* One turn of one wave. Returns false if it stopped the dispatch; *used: it did not just sleep. */
static bool turn(struct sim_dispatch *dispatch, struct sim_slot *slot, uint32_t i, bool *used)
{
	uint32_t quantum = (uint32_t)sim_options()->quantum;

	for (;;) {
		enum sim_stop stop = sim_wave_run(&slot->wave[i], quantum);

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
			send_message(&slot->wave[i]);
			continue;
		case SIM_STOP_TRAP:
			if (trap_returns(&slot->wave[i]))
				continue;
			break;
		case SIM_STOP_GWS:
		case SIM_STOP_FAULT:
			break;
		}
		sim_wave_error(dispatch, &slot->wave[i], stop);
		return false;
	}
}

/* A wave that has ended counts as arrived: the barrier is for those still there. */
static void release_barrier(struct sim_slot *slot)
{
	if (!slot->waiting || slot->waiting < slot->live)
		return;
	for (uint32_t i = 0; i < slot->waves; i++)
		if (slot->state[i] == WAVE_BARRIER)
			slot->state[i] = WAVE_READY;
	slot->waiting = 0;
}

/* owner: the queue's own thread, which offers the dispatch to the pool when it gets old. */
static enum slot_state run_slot(struct sim_dispatch *dispatch, struct sim_slot *slot, bool owner)
{
	int64_t budget = slot->resumed ? NEXT_SLICE : FIRST_SLICE;

	while (budget > 0) {
		bool used = false;

		for (uint32_t i = 0; i < slot->waves; i++) {
			uint64_t before = slot->counters.insts;

			if (slot->state[i] != WAVE_READY)
				continue;
			if (!turn(dispatch, slot, i, &used))
				return SLOT_STOPPED;
			budget -= (int64_t)(slot->counters.insts - before);
			if (owner && !dispatch->offered)
				offer(dispatch);
			release_barrier(slot);
		}
		if (!slot->live)
			return SLOT_DONE;
		if (stopped(dispatch))
			return SLOT_STOPPED;
		if (!used)
			return SLOT_IDLE;
	}
	return SLOT_BUSY;
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
		enum slot_state state;
		bool fresh;
		struct sim_slot *slot = choose(dispatch, &fresh);

		if (!slot) {
			if (!owner || dispatch->done == dispatch->total ||
			    (stopped(dispatch) && !dispatch->running))
				break;
			wait_for_change(dispatch, &backoff);
			continue;
		}
		pthread_mutex_unlock(&dispatch->lock);
		if (fresh)
			fill_slot(dispatch, slot);
		state = run_slot(dispatch, slot, owner);
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
	prctl(PR_SET_NAME, "sim-worker");
	prctl(PR_SET_TIMERSLACK, 1000);
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

/* Under the pool's lock. */
static void start_threads(void)
{
	while (pool.threads + 1 < sim_options()->threads) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, help, NULL))
			break;
		pthread_detach(thread);
		pool.threads++;
	}
}

/*
 * On the owner's thread, while nobody else knows the dispatch: ask the pool for help if there are
 * workgroups left and the dispatch has run for longer than waking a thread costs.
 */
static void offer(struct sim_dispatch *dispatch)
{
	if (sim_options()->threads < 2 || dispatch->next == dispatch->total) {
		dispatch->offered = true;
		return;
	}
	if (sim_clock_ns() - dispatch->host_start_ns < PUBLISH_NS)
		return;
	dispatch->offered = true;
	pthread_mutex_lock(&pool.lock);
	start_threads();
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
	dispatch->counters = (struct sim_counters){0};
	dispatch->host_start_ns = sim_clock_ns();
	atomic_store_explicit(&dispatch->stop, false, memory_order_relaxed);
	work(dispatch, true);
	if (dispatch->offered)
		finish(dispatch);
	dispatch->host_ns = sim_clock_ns() - dispatch->host_start_ns;
	return !stopped(dispatch);
}
