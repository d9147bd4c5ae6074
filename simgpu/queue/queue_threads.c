/* SPDX-License-Identifier: MIT */
/*
 * A doorbell is plain memory that the runtime stores to, so a thread has to poll it. A queue's own
 * thread polls for a short time after its last packet; then it sleeps. One watcher thread polls the
 * doorbells of all sleeping queues, less often the longer none rings.
 */
#include "simgpu/queue/queue_threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "simgpu/base/backoff.h"
#include "simgpu/base/device_clock.h"
#include "simgpu/base/sim_log.h"
#include "simgpu/base/sim_options.h"
#include "simgpu/mem/gpu_allocations.h"
#include "simgpu/queue/aql_packets.h"
#include "simgpu/queue/dispatch_run.h"
#include "simgpu/queue/sdma.h"

enum {
	QUEUES = 1024,	       /* doorbell slots: ROCr indexes by (address >> 3) & 0x3ff */
	DOORBELL_BYTES = 8192, /* the page must therefore be aligned to its size */
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t table_changed = PTHREAD_COND_INITIALIZER;
static struct sim_queue *queues[QUEUES];
static uint32_t queue_count;
static uint32_t queue_limit; /* no queue at or above this slot */
static _Atomic uint64_t *doorbells;
static bool watching;

/* True if something in the ring can be processed now. */
static bool queue_ready(const struct sim_queue *queue)
{
	return sim_queue_runs(queue) && (queue->aql ? sim_aql_ready(queue) : sim_sdma_ready(queue));
}

/*
 * How long the watcher sleeps between two polls: a fixed part of the time since it last woke a
 * queue, so that a launch is never delayed by more than that part of the time before it. A poll
 * costs some 10 us of host time: 50 % of a core for a moment and 1 % permanently.
 */
static uint64_t watch_period_us(uint64_t idle_us)
{
	enum { LEAST_US = 20, MOST_US = 1000, PART = 64 };
	uint64_t period = idle_us / PART;

	if (period < LEAST_US)
		return LEAST_US;
	return period < MOST_US ? period : MOST_US;
}

/* Under table_lock: wakes each sleeping queue that has work. */
static bool wake_ready(void)
{
	bool any = false;

	for (uint32_t i = 0; i < queue_limit; i++) {
		struct sim_queue *queue = queues[i];

		/* Pairs with the release in sleep_until_woken(). */
		if (!queue || !atomic_load_explicit(&queue->asleep, memory_order_acquire) ||
		    !queue_ready(queue))
			continue;
		pthread_mutex_lock(&queue->lock);
		atomic_store_explicit(&queue->asleep, false, memory_order_relaxed);
		pthread_cond_signal(&queue->wake);
		pthread_mutex_unlock(&queue->lock);
		any = true;
	}
	return any;
}

static void name_thread(const char *name)
{
	prctl(PR_SET_NAME, name);
	/* The default slack of 50 us would double every short sleep. */
	prctl(PR_SET_TIMERSLACK, 1000);
}

static void *watch(void *unused)
{
	uint64_t last = sim_clock_ns();

	(void)unused;
	name_thread("sim-doorbells");
	pthread_mutex_lock(&table_lock);
	for (;;) {
		while (!queue_count)
			pthread_cond_wait(&table_changed, &table_lock);
		if (wake_ready())
			last = sim_clock_ns();
		pthread_mutex_unlock(&table_lock);
		sim_sleep_us(watch_period_us((sim_clock_ns() - last) / 1000));
		pthread_mutex_lock(&table_lock);
	}
	return NULL;
}

static void sleep_until_woken(struct sim_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	atomic_store_explicit(&queue->asleep, true, memory_order_release);
	while (atomic_load_explicit(&queue->asleep, memory_order_relaxed) &&
	       !atomic_load_explicit(&queue->quit, memory_order_relaxed))
		pthread_cond_wait(&queue->wake, &queue->lock);
	atomic_store_explicit(&queue->asleep, false, memory_order_relaxed);
	pthread_mutex_unlock(&queue->lock);
}

/* Polls its own doorbell for a while, so that back-to-back launches never wait for the watcher. */
static bool spin_for_work(struct sim_queue *queue)
{
	uint64_t end = sim_clock_ns() + sim_options()->spin_us * 1000;

	do {
		for (int i = 0; i < 16; i++) {
			if (queue_ready(queue))
				return true;
			__builtin_ia32_pause();
		}
	} while (sim_clock_ns() < end && !atomic_load_explicit(&queue->quit, memory_order_relaxed));
	return false;
}

static void *run_queue(void *arg)
{
	struct sim_queue *queue = arg;

	name_thread(queue->aql ? "sim-compute" : "sim-sdma");
	while (!atomic_load_explicit(&queue->quit, memory_order_acquire)) {
		if (!spin_for_work(queue)) {
			sleep_until_woken(queue);
			continue;
		}
		(queue->aql ? sim_aql_process : sim_sdma_process)(queue);
	}
	return NULL;
}

void sim_queue_set_doorbells(void *page)
{
	pthread_mutex_lock(&table_lock);
	doorbells = page;
	pthread_mutex_unlock(&table_lock);
}

/* Under table_lock. */
static int start_watching(void)
{
	pthread_t thread;
	int err;

	if (!doorbells) {
		/* Twice the size, so that it contains an aligned part. */
		void *pages = mmap(NULL, 2 * DOORBELL_BYTES, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		uintptr_t start = (uintptr_t)pages;

		if (pages == MAP_FAILED)
			return -ENOMEM;
		start = (start + DOORBELL_BYTES - 1) & ~(uintptr_t)(DOORBELL_BYTES - 1);
		doorbells = (_Atomic uint64_t *)start;
	}
	if (watching)
		return 0;
	err = pthread_create(&thread, NULL, watch, NULL);
	if (err)
		return -err;
	pthread_detach(thread);
	watching = true;
	return 0;
}

/* Under table_lock: takes a slot; 0 or -errno. */
static int enter_table(struct sim_queue *queue)
{
	uint32_t slot = 0;
	int err = start_watching();

	if (err)
		return err;
	while (slot < QUEUES && queues[slot])
		slot++;
	if (slot == QUEUES)
		return -EBUSY;
	queue->id = slot + 1;
	queue->doorbell = &doorbells[slot];
	/* ~0 means "no packet yet" for an AQL doorbell; SDMA doorbells count bytes from 0. */
	atomic_store_explicit(queue->doorbell, queue->aql ? UINT64_MAX : 0, memory_order_release);
	err = pthread_create(&queue->thread, NULL, run_queue, queue);
	if (err)
		return -err;
	queues[slot] = queue;
	queue_count++;
	if (slot >= queue_limit)
		queue_limit = slot + 1;
	pthread_cond_signal(&table_changed);
	return 0;
}

/*
 * Protects packets and indices from being freed by the runtime. The real driver protects a queue's
 * ring in the same way.
 */
static bool pin_queue(struct sim_queue *queue)
{
	uint64_t ring = (uint64_t)(uintptr_t)queue->ring, amd = (uint64_t)(uintptr_t)queue->amd;

	if (sim_mem_pin(ring, queue->ring_size))
		return false;
	if (!queue->aql ||
	    ((uint64_t)(uintptr_t)queue->write % sizeof(uint64_t) == 0 &&
	     sim_mem_allows((uint64_t)(uintptr_t)queue->write, sizeof(uint64_t),
			    SIM_MEM_READ | SIM_MEM_WRITE, NULL) &&
	     amd % sizeof(uint64_t) == 0 && !sim_mem_pin(amd, sizeof(*queue->amd)))) {
		queue->pinned = true;
		return true;
	}
	sim_mem_unpin(ring);
	return false;
}

static void free_queue(struct sim_queue *queue)
{
	if (queue->pinned) {
		sim_mem_unpin((uint64_t)(uintptr_t)queue->ring);
		if (queue->aql)
			sim_mem_unpin((uint64_t)(uintptr_t)queue->amd);
	}
	sim_dispatch_destroy(queue->dispatch);
	pthread_cond_destroy(&queue->wake);
	pthread_mutex_destroy(&queue->lock);
	free(queue);
}

static struct sim_queue *new_queue(const struct sim_queue_request *want)
{
	struct sim_queue *queue = calloc(1, sizeof(*queue));

	if (!queue)
		return NULL;
	queue->node = want->node;
	queue->aql = want->aql;
	queue->ring = want->ring;
	queue->ring_size = want->ring_size;
	queue->exceptions = want->exceptions;
	queue->exception_event = want->exception_event;
	sim_timeline_init(&queue->time);
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->wake, NULL);
	if (want->aql) {
		queue->read = (_Atomic uint64_t *)want->read;
		queue->write = (_Atomic uint64_t *)want->write;
		queue->amd = (amd_queue_t *)((char *)want->read -
					     offsetof(amd_queue_t, read_dispatch_id));
		queue->dispatch = sim_dispatch_create(queue);
	} else {
		queue->read = want->read ? (_Atomic uint64_t *)want->read : &queue->own_read;
		queue->write = want->write ? (_Atomic uint64_t *)want->write : &queue->own_write;
	}
	if (want->aql && !queue->dispatch) {
		free_queue(queue);
		return NULL;
	}
	return queue;
}

int sim_queue_create(const struct sim_queue_request *want, struct sim_queue **ret)
{
	struct sim_queue *queue = new_queue(want);
	int err;

	if (!queue)
		return -ENOMEM;
	if (!pin_queue(queue)) {
		free_queue(queue);
		return -EFAULT;
	}
	pthread_mutex_lock(&table_lock);
	err = enter_table(queue);
	pthread_mutex_unlock(&table_lock);
	if (err) {
		free_queue(queue);
		return -EBUSY;
	}
	*ret = queue;
	return 0;
}

/* Under table_lock. */
static struct sim_queue *find_queue(uint32_t id)
{
	return id && id <= QUEUES ? queues[id - 1] : NULL;
}

bool sim_queue_exists(uint32_t id)
{
	bool found;

	pthread_mutex_lock(&table_lock);
	found = find_queue(id);
	pthread_mutex_unlock(&table_lock);
	return found;
}

int sim_queue_suspend(uint32_t id, bool suspend)
{
	struct sim_queue *queue;

	pthread_mutex_lock(&table_lock);
	queue = find_queue(id);
	if (queue)
		atomic_store_explicit(&queue->suspended, suspend, memory_order_release);
	pthread_mutex_unlock(&table_lock);
	return queue ? 0 : -ENOENT;
}

int sim_queue_destroy(uint32_t id)
{
	struct sim_queue *queue;

	pthread_mutex_lock(&table_lock);
	queue = find_queue(id);
	if (queue) {
		queues[id - 1] = NULL;
		queue_count--;
	}
	pthread_mutex_unlock(&table_lock);
	if (!queue)
		return -ENOENT;
	pthread_mutex_lock(&queue->lock);
	atomic_store_explicit(&queue->quit, true, memory_order_release);
	pthread_cond_signal(&queue->wake);
	pthread_mutex_unlock(&queue->lock);
	pthread_join(queue->thread, NULL);
	sim_debug(1, "queue %u destroyed", queue->id);
	free_queue(queue);
	return 0;
}

int sim_queue_set_cu_mask(uint32_t id, const uint32_t *mask, uint32_t words)
{
	struct sim_queue *queue;

	pthread_mutex_lock(&table_lock);
	queue = find_queue(id);
	if (queue) {
		bool any = false;

		memset(queue->cu_mask, 0, sizeof(queue->cu_mask));
		for (uint32_t i = 0; i < words && i < (SIM_CUS_MOST + 31) / 32; i++) {
			queue->cu_mask[i] = mask[i];
			any = any || mask[i];
		}
		queue->masked = any;
	}
	pthread_mutex_unlock(&table_lock);
	return queue ? 0 : -ENOENT;
}
