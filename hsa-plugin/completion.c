/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/completion.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hsa-plugin/counters.h"
#include "hsa-plugin/late.h"
#include "hsa-plugin/relay.h"
#include "hsa-plugin/rings.h"
#include "hsa-plugin/sampling.h"
#include "hsa-plugin/session.h"
#include "hsa-plugin/tool.h"

enum {
	SCAN_NEAR = 128, /* entries looked at every time; kernels mostly end in order */
	SCAN_ALL_EVERY = 16,
	STACK = 512 << 10,
};

#define NAP_MIN_NS     20000u
#define NAP_MAX_NS     2000000u
#define LINGER_NS      2000000u	  /* looked on after the last completion before sleeping */
#define LOOK_AROUND_NS 100000000u /* between looks at the supervisor */
#define RECORD_WAIT_NS 2000000000ull
/* A copy of a few megabytes that takes longer than this never ends. */
#define COPY_PATIENCE_NS 10000000000ull

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list of queues */
static struct probe_queue *queues;
static pthread_t thread;
static bool running;
static atomic_bool stopping;
static _Atomic uint32_t sleeping; /* futex word */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void nap(uint64_t ns)
{
	struct timespec time = {.tv_nsec = (long)ns};

	nanosleep(&time, NULL);
}

/*
 * The application's signal gets the kernel's own time stamps before its value changes, so that who
 * waited for it reads the truth (amd_hsa_signal.h: raw ticks in start_ts and end_ts).
 */
static void complete_application(hsa_signal_t signal, const amd_signal_t *ours)
{
	amd_signal_t *theirs = (amd_signal_t *)(uintptr_t)signal.handle;

	if (!theirs)
		return;
	theirs->start_ts = ours->start_ts;
	theirs->end_ts = ours->end_ts;
	probe_tool.hsa.signal_subtract_screlease(signal, 1);
}

static uint64_t to_ns(const struct probe_queue *queue, uint64_t tick)
{
	uint64_t system = 0;

	if (!tick || probe_tool.hsa.convert_tick(queue->agent->handle, tick, &system))
		return 0;
	if (probe_tool.tick_hz == 1000000000u || !probe_tool.tick_hz)
		return system;
	return (uint64_t)((__uint128_t)system * 1000000000u / probe_tool.tick_hz);
}

static void put_complete(struct probe_queue *queue, const struct probe_entry *entry,
			 const amd_signal_t *signal, uint32_t rows, uint64_t dropped)
{
	uint64_t patience = probe_tool.config.full.action == PROBE_FULL_BLOCK ? RECORD_WAIT_NS : 0;
	struct probe_hr_complete row = {
		.id = entry->id,
		.counters = rows,
		.rows_dropped = dropped,
	};
	struct iovec part = {&row, sizeof(row)};

	/* ROCr's own order: the later time first, so that a new fit of the clocks stretches
	 * nothing. */
	row.end = to_ns(queue, signal->end_ts);
	row.start = to_ns(queue, signal->start_ts);
	if (row.start > row.end) {
		uint64_t start = row.end;

		row.end = row.start;
		row.start = start;
		row.flags = 1;
	}
	probe_segment_put_wait(&probe_tool.segment, PROBE_HR_COMPLETE, &part, 1, patience);
	atomic_fetch_add_explicit(&probe_tool.completed, 1, memory_order_relaxed);
}

/* Move an entry on as far as it goes now; true if it moved. */
static bool collect_entry(struct probe_queue *queue, struct probe_entry *entry,
			  const amd_signal_t *signal)
{
	uint64_t dropped = 0;
	uint32_t rows = 0;

	if (entry->state == PROBE_ENTRY_RUNNING) {
		if (probe_signal_get(signal) > 0)
			return false;
		complete_application(entry->application, signal);
		if (entry->replicas) {
			entry->since = now_ns();
			entry->state = PROBE_ENTRY_COPYING;
			probe_counters_begin(queue, entry);
			return true;
		}
		if (entry->late)
			dropped = probe_late_put(entry->id, entry->late, entry->late_waves);
	} else if (entry->state == PROBE_ENTRY_COPYING) {
		bool late = now_ns() - entry->since > COPY_PATIENCE_NS;

		if (!probe_counters_end(queue, entry, late, &rows, &dropped))
			return false;
	}
	put_complete(queue, entry, signal, rows, dropped);
	entry->state = PROBE_ENTRY_DONE;
	return true;
}

/* Entries that completed since the last look, in any order; true if there were some. */
static bool collect(struct probe_queue *queue, bool all)
{
	uint64_t tail = atomic_load_explicit(&queue->tail, memory_order_relaxed);
	/* Pairs with the release in begin_entry(). */
	uint64_t head = atomic_load_explicit(&queue->head, memory_order_acquire);
	uint64_t end = all || head - tail < SCAN_NEAR ? head : tail + SCAN_NEAR;
	bool progress = false;

	for (uint64_t i = tail; i < end; i++) {
		struct probe_entry *entry = &queue->entries[i & (PROBE_ENTRIES - 1)];
		amd_signal_t *signal = probe_queue_completion(queue, i);

		if (entry->state != PROBE_ENTRY_DONE)
			progress |= collect_entry(queue, entry, signal);
	}
	while (tail < head &&
	       queue->entries[tail & (PROBE_ENTRIES - 1)].state == PROBE_ENTRY_DONE) {
		uint64_t end_of_block = queue->entries[tail & (PROBE_ENTRIES - 1)].kernarg_end;

		/* Pair with the acquires in take_block() and has_entry(). */
		atomic_store_explicit(&queue->kernarg_tail, end_of_block, memory_order_release);
		atomic_store_explicit(&queue->tail, ++tail, memory_order_release);
	}
	return progress;
}

static bool busy(const struct probe_queue *queue)
{
	if (atomic_load_explicit(&queue->failed, memory_order_relaxed))
		return false;
	return atomic_load_explicit(&queue->head, memory_order_acquire) !=
		       atomic_load_explicit(&queue->tail, memory_order_relaxed) ||
	       atomic_load_explicit(&queue->stalled, memory_order_acquire);
}

struct look {
	bool progress, busy;
};

static struct look look_at_all(bool all)
{
	struct look look = {0};

	pthread_mutex_lock(&lock);
	for (struct probe_queue *queue = queues; queue; queue = queue->next_queue) {
		look.progress |= collect(queue, all);
		probe_sampling_follow(queue);
		if (atomic_load_explicit(&queue->stalled, memory_order_acquire))
			probe_relay(queue);
		look.busy |= busy(queue);
	}
	pthread_mutex_unlock(&lock);
	return look;
}

/* Nothing in flight: sleep until probe_collector_wake(). */
static void sleep_for_good(void)
{
	atomic_store_explicit(&sleeping, 1, memory_order_seq_cst);
	/* Pairs with the fence in probe_collector_wake(): one of us sees the other. */
	atomic_thread_fence(memory_order_seq_cst);
	if (!look_at_all(true).busy && !atomic_load(&stopping))
		syscall(SYS_futex, &sleeping, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
	atomic_store_explicit(&sleeping, 0, memory_order_seq_cst);
}

static void look_around(uint64_t now, uint64_t *last)
{
	bool gone = atomic_load_explicit(&probe_tool.supervisor_gone, memory_order_relaxed);

	if (!gone && now - *last > LOOK_AROUND_NS) {
		*last = now;
		gone = probe_session_gone();
		if (gone)
			atomic_store(&probe_tool.supervisor_gone, true);
	}
	/* Kernels that wait for a reader who is dead must come to an end. */
	if (gone)
		probe_rings_discard();
}

static uint64_t nap_time(uint64_t waited)
{
	uint64_t time = waited / 16;

	if (time < NAP_MIN_NS)
		return NAP_MIN_NS;
	return time > NAP_MAX_NS ? NAP_MAX_NS : time;
}

static void *collector(void *arg)
{
	uint64_t progress = now_ns(), around = progress;

	(void)arg;
	/* Naps are short on purpose: the default slack of 50 us would triple them. */
	prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
	prctl(PR_SET_NAME, "probe", 0, 0, 0);
	for (uint32_t turn = 0; !atomic_load_explicit(&stopping, memory_order_relaxed); turn++) {
		struct look look = look_at_all(turn % SCAN_ALL_EVERY == 0);
		uint64_t now = now_ns();

		if (look.progress) {
			/* No sched_yield: behind a busy host thread it costs whole time slices. */
			progress = now;
			continue;
		}
		look_around(now, &around);
		if (!look.busy && now - progress > LINGER_NS) {
			sleep_for_good();
			progress = now_ns();
			continue;
		}
		nap(nap_time(now - progress));
	}
	return NULL;
}

/* Signals are the application's: none is delivered to our thread. */
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

void probe_collector_wake(void)
{
	atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&sleeping, memory_order_relaxed))
		return;
	atomic_store_explicit(&sleeping, 0, memory_order_seq_cst);
	syscall(SYS_futex, &sleeping, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
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

/* Sum of what moves while there is progress, over one queue or all; false if nothing is busy. */
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
	return any;
}

bool probe_collector_drain(struct probe_queue *queue, uint64_t patience_ns)
{
	uint64_t since = now_ns(), last = 0, at;

	while (position(queue, &at)) {
		uint64_t now = now_ns();

		if (at != last) {
			last = at;
			since = now;
		}
		if (!running || now - since > patience_ns)
			return false;
		probe_collector_wake();
		nap(50000);
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
	/* It may sit in a copy that never ends; then it stays, it does no harm. */
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
	atomic_store(&sleeping, 0);
}
