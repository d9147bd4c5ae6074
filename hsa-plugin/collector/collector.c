/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/collector/collector.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "hsa-plugin/queue/agent_sampling.h"
#include "hsa-plugin/process/clock.h"
#include "hsa-plugin/collector/collector_wakeup.h"
#include "hsa-plugin/collector/completion.h"
#include "hsa-plugin/collector/packet_relay.h"
#include "hsa-plugin/queue/rings.h"
#include "hsa-plugin/process/supervisor_connection.h"
#include "hsa-plugin/trace/copies.h"

enum {
	POLL_ALL_EVERY = 16, /* every 16th poll tests all dispatches, the others only the oldest */
	STACK = 512 << 10,
};

#define POLL_MIN_NS	    20000u
#define POLL_MAX_NS	    2000000u
#define IDLE_NS		    2000000u   /* time without completions before the thread sleeps */
#define SUPERVISOR_CHECK_NS 100000000u /* time between two checks that the supervisor is alive */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the list of queues */
static struct probe_queue *queues;
static pthread_t thread;
static bool running;
static atomic_bool stopping;

static void pause_for(uint64_t ns)
{
	struct timespec time = {.tv_nsec = (long)ns};

	nanosleep(&time, NULL);
}

static bool busy(const struct probe_queue *queue)
{
	if (atomic_load_explicit(&queue->failed, memory_order_relaxed))
		return false;
	return atomic_load_explicit(&queue->head, memory_order_acquire) !=
		       atomic_load_explicit(&queue->tail, memory_order_relaxed) ||
	       atomic_load_explicit(&queue->stalled, memory_order_acquire);
}

struct poll {
	bool progress, busy;
};

static struct poll poll_queues(bool all)
{
	struct poll poll = {0};

	pthread_mutex_lock(&lock);
	for (struct probe_queue *queue = queues; queue; queue = queue->next_queue) {
		poll.progress |= probe_queue_collect(queue, all);
		probe_sampling_keep_up(queue);
		if (atomic_load_explicit(&queue->stalled, memory_order_acquire))
			probe_relay(queue);
		poll.busy |= busy(queue);
	}
	pthread_mutex_unlock(&lock);
	poll.progress |= probe_copies_collect();
	poll.busy |= probe_copies_in_flight();
	return poll;
}

static bool must_not_sleep(void)
{
	return poll_queues(true).busy || atomic_load(&stopping);
}

static void check_supervisor(uint64_t now, uint64_t *last)
{
	bool gone = atomic_load_explicit(&probe_tool.supervisor_gone, memory_order_relaxed);

	/* Another reader may come (probe-run --recover). */
	if (now - *last > SUPERVISOR_CHECK_NS) {
		*last = now;
		gone = probe_supervisor_gone(&probe_tool.segment, now);
		atomic_store(&probe_tool.supervisor_gone, gone);
	}
	/* Kernels that wait for the dead supervisor to read their rings must be able to end. */
	if (gone)
		probe_rings_discard();
}

static uint64_t poll_interval(uint64_t waited)
{
	uint64_t time = waited / 16;

	if (time < POLL_MIN_NS)
		return POLL_MIN_NS;
	return time > POLL_MAX_NS ? POLL_MAX_NS : time;
}

static void *collector(void *arg)
{
	uint64_t progress = probe_now_ns(), checked = progress;

	(void)arg;
	/* The default timer slack of 50 us would triple the shortest intervals. */
	prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
	prctl(PR_SET_NAME, "probe", 0, 0, 0);
	for (uint32_t i = 0; !atomic_load_explicit(&stopping, memory_order_relaxed); i++) {
		struct poll poll = poll_queues(i % POLL_ALL_EVERY == 0);
		uint64_t now = probe_now_ns();

		if (poll.progress) {
			/*
			 * No sched_yield: behind a busy host thread it would cost whole time
			 * slices.
			 */
			progress = now;
			continue;
		}
		check_supervisor(now, &checked);
		if (!poll.busy && now - progress > IDLE_NS) {
			probe_collector_sleep(must_not_sleep);
			progress = probe_now_ns();
			continue;
		}
		pause_for(poll_interval(now - progress));
	}
	return NULL;
}

/* Signals belong to the application, so the collector's thread blocks them all. */
static int create_thread(void)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	int err;

	err = pthread_attr_init(&attributes);
	if (err)
		return -err;
	pthread_attr_setstacksize(&attributes, STACK);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&thread, &attributes, collector, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return -err;
}

int probe_collector_start(void)
{
	int err = 0;

	pthread_mutex_lock(&lock);
	if (!running) {
		atomic_store(&stopping, false);
		err = create_thread();
		running = !err;
	}
	pthread_mutex_unlock(&lock);
	return err;
}

void probe_collector_add(struct probe_queue *queue)
{
	pthread_mutex_lock(&lock);
	queue->next_queue = queues;
	queues = queue;
	pthread_mutex_unlock(&lock);
}

void probe_collector_remove(struct probe_queue *queue)
{
	pthread_mutex_lock(&lock);
	for (struct probe_queue **at = &queues; *at; at = &(*at)->next_queue) {
		if (*at != queue)
			continue;
		*at = queue->next_queue;
		break;
	}
	pthread_mutex_unlock(&lock);
}

/*
 * A sum that changes with any progress of one queue or of all; for all, copies are included. False
 * if none is busy.
 */
static bool position(const struct probe_queue *one, uint64_t *ret)
{
	bool any = false;

	*ret = 0;
	pthread_mutex_lock(&lock);
	for (struct probe_queue *queue = queues; queue; queue = queue->next_queue) {
		if ((one && queue != one) || !busy(queue))
			continue;
		any = true;
		*ret += atomic_load(&queue->tail) + atomic_load(&queue->head);
	}
	pthread_mutex_unlock(&lock);
	if (!one && probe_copies_in_flight()) {
		any = true;
		*ret += probe_copies_done();
	}
	return any;
}

bool probe_collector_drain(struct probe_queue *queue, uint64_t patience_ns)
{
	uint64_t since = probe_now_ns(), last = 0, at;

	while (position(queue, &at)) {
		uint64_t now = probe_now_ns();

		if (at != last) {
			last = at;
			since = now;
		}
		if (!running || now - since > patience_ns)
			return false;
		probe_collector_wake();
		pause_for(50000);
	}
	return true;
}

void probe_collector_stop(void)
{
	struct timespec until;

	if (!running)
		return;
	atomic_store(&stopping, true);
	probe_collector_wake();
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 2;
	/*
	 * A copy that never ends may block the thread; it is then left running, which does no harm.
	 */
	if (pthread_timedjoin_np(thread, NULL, &until))
		pthread_detach(thread);
	running = false;
}

void probe_collector_forget(void)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

	lock = fresh;
	running = false;
	queues = NULL;
	probe_collector_wakeup_reset();
}
