/* SPDX-License-Identifier: MIT */
#include "simgpu/event/interrupt_events.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include "simgpu/base/device_parameters.h"
#include "simgpu/mem/gpu_allocations.h"

struct event {
	bool used, manual, set, has_fault;
	uint32_t type;
	uint64_t age;
	struct sim_memory_fault fault;
};

/* One sleeping caller of a wait function. */
struct waiter {
	struct waiter *next;
	pthread_cond_t wake;
	const uint32_t *ids;
	uint32_t count;
	bool all;
	bool woken; /* its only event, or any of several, was set since it began to wait */
	bool lost;  /* one of its events was destroyed */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct event slots[SIM_EVENTS]; /* by id; 0 is never used */
static uint32_t next_free = 1;
static struct waiter *waiters;
static _Atomic uint64_t no_mailboxes[SIM_EVENTS], *mailboxes = no_mailboxes;

int sim_event_set_mailboxes(void *words)
{
	int err = 0;

	pthread_mutex_lock(&lock);
	if (mailboxes != no_mailboxes)
		err = -EINVAL;
	else
		mailboxes = words;
	pthread_mutex_unlock(&lock);
	return err;
}

/* Under the lock; 0 when all are taken. */
static uint32_t take_slot(void)
{
	for (uint32_t tried = 1; tried < SIM_EVENTS; tried++) {
		uint32_t id = next_free;

		next_free = next_free + 1 < SIM_EVENTS ? next_free + 1 : 1;
		if (!slots[id].used)
			return id;
	}
	return 0;
}

static int create_locked(const struct event *event, uint32_t *ret)
{
	uint32_t id = take_slot();

	if (!id)
		return -ENOSPC;
	slots[id] = *event;
	atomic_store_explicit(&mailboxes[id], 0, memory_order_relaxed);
	*ret = id;
	return 0;
}

int sim_event_create(uint32_t type, bool manual, bool set, uint32_t *ret)
{
	const struct event event = {
		.used = true, .type = type, .manual = manual, .set = set, .age = 1};
	int err;

	pthread_mutex_lock(&lock);
	err = create_locked(&event, ret);
	pthread_mutex_unlock(&lock);
	return err;
}

/* Under the lock. */
static struct event *event_of(uint32_t id)
{
	return id && id < SIM_EVENTS && slots[id].used ? &slots[id] : NULL;
}

static bool waits_for(const struct waiter *waiter, uint32_t id)
{
	for (uint32_t i = 0; i < waiter->count; i++)
		if (waiter->ids[i] == id)
			return true;
	return false;
}

int sim_event_destroy(uint32_t id)
{
	struct event *event;

	pthread_mutex_lock(&lock);
	event = event_of(id);
	if (event)
		event->used = false;
	for (struct waiter *waiter = waiters; event && waiter; waiter = waiter->next) {
		if (!waits_for(waiter, id))
			continue;
		waiter->lost = true;
		pthread_cond_signal(&waiter->wake);
	}
	pthread_mutex_unlock(&lock);
	return event ? 0 : -EINVAL;
}

/* Under the lock. */
static void set_event(uint32_t id)
{
	slots[id].set = true;
	slots[id].age++;
	for (struct waiter *waiter = waiters; waiter; waiter = waiter->next) {
		if (!waits_for(waiter, id))
			continue;
		/*
		 * The driver wakes all waiters of an event, although the event is reset for later
		 * ones: ROCr waits for one event in two threads when a queue is destroyed.
		 */
		waiter->woken = waiter->woken || !waiter->all || waiter->count == 1;
		pthread_cond_signal(&waiter->wake);
	}
}

int sim_event_set(uint32_t id)
{
	struct event *event;

	pthread_mutex_lock(&lock);
	event = event_of(id);
	if (event)
		set_event(id);
	pthread_mutex_unlock(&lock);
	return event ? 0 : -EINVAL;
}

int sim_event_reset(uint32_t id)
{
	struct event *event;

	pthread_mutex_lock(&lock);
	event = event_of(id);
	if (event)
		event->set = false;
	pthread_mutex_unlock(&lock);
	return event ? 0 : -EINVAL;
}

bool sim_event_type(uint32_t id, uint32_t *ret)
{
	struct event *event;

	pthread_mutex_lock(&lock);
	event = event_of(id);
	if (event)
		*ret = event->type;
	pthread_mutex_unlock(&lock);
	return event;
}

bool sim_event_fault(uint32_t id, struct sim_memory_fault *ret)
{
	struct event *event;
	bool found;

	pthread_mutex_lock(&lock);
	event = event_of(id);
	found = event && event->has_fault;
	if (found)
		*ret = event->fault;
	pthread_mutex_unlock(&lock);
	return found;
}

void sim_event_raise(uint32_t id)
{
	pthread_mutex_lock(&lock);
	if (event_of(id)) {
		atomic_store_explicit(&mailboxes[id], 0, memory_order_relaxed);
		set_event(id);
	}
	pthread_mutex_unlock(&lock);
}

void sim_event_interrupt(uint32_t low_bits)
{
	pthread_mutex_lock(&lock);
	for (uint32_t id = low_bits & 0xff; id < SIM_EVENTS; id += 256) {
		if (!event_of(id))
			continue;
		/* Pairs with the device's store of the id before its s_sendmsg. */
		if (atomic_exchange_explicit(&mailboxes[id], 0, memory_order_acq_rel))
			set_event(id);
	}
	pthread_mutex_unlock(&lock);
}

bool sim_event_memory_fault(const struct sim_memory_fault *fault)
{
	bool any = false;

	pthread_mutex_lock(&lock);
	for (uint32_t id = 1; id < SIM_EVENTS; id++) {
		struct event *event = event_of(id);

		if (!event || event->type != SIM_EVENT_MEMORY)
			continue;
		event->fault = *fault;
		event->fault.addr &= ~(uint64_t)(SIM_PAGE - 1);
		event->has_fault = true;
		set_event(id);
		any = true;
	}
	pthread_mutex_unlock(&lock);
	return any;
}

struct wait {
	const uint32_t *ids;
	uint64_t *ages;
	uint32_t count;
	bool all;
};

/* Under the lock. If the wait is met, resets the auto-reset events that satisfied it. */
static int check(const struct wait *wait)
{
	uint32_t ready = 0;

	for (uint32_t i = 0; i < wait->count; i++) {
		const struct event *event = event_of(wait->ids[i]);

		if (!event)
			return -EINVAL;
		ready += event->set || (wait->ages && wait->ages[i] && wait->ages[i] != event->age);
	}
	return (wait->all ? ready == wait->count : ready > 0) ? 0 : -ETIME;
}

/* Under the lock, after a wait has been met. */
static void finish(const struct wait *wait)
{
	for (uint32_t i = 0; i < wait->count; i++) {
		struct event *event = &slots[wait->ids[i]];

		if (event->set && !event->manual)
			event->set = false;
		if (wait->ages && wait->ages[i])
			wait->ages[i] = event->age;
	}
}

static struct timespec deadline_after(uint32_t milliseconds)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += milliseconds / 1000;
	at.tv_nsec += (long)(milliseconds % 1000) * 1000000;
	if (at.tv_nsec >= 1000000000) {
		at.tv_nsec -= 1000000000;
		at.tv_sec++;
	}
	return at;
}

static void init_wake(pthread_cond_t *wake)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(wake, &attr);
	pthread_condattr_destroy(&attr);
}

static void remove_waiter(struct waiter *waiter)
{
	struct waiter **link = &waiters;

	while (*link != waiter)
		link = &(*link)->next;
	*link = waiter->next;
}

/* Under the lock: sleeps until the wait is met, lost or timed out. */
static int sleep_until_met(const struct wait *wait, uint32_t milliseconds)
{
	struct waiter waiter = {.ids = wait->ids, .count = wait->count, .all = wait->all};
	bool forever = milliseconds >= SIM_EVENT_FOREVER;
	struct timespec deadline = {0};
	int state = -ETIME, timed_out = 0;

	if (!forever)
		deadline = deadline_after(milliseconds);
	init_wake(&waiter.wake);
	waiter.next = waiters;
	waiters = &waiter;
	while (state == -ETIME && timed_out != ETIMEDOUT) {
		timed_out = forever ? pthread_cond_wait(&waiter.wake, &lock)
				    : pthread_cond_timedwait(&waiter.wake, &lock, &deadline);
		state = waiter.lost ? -EIO : check(wait);
		if (state == -ETIME && waiter.woken)
			state = 0;
	}
	remove_waiter(&waiter);
	pthread_cond_destroy(&waiter.wake);
	return state;
}

int sim_event_wait(const uint32_t *ids, uint64_t *ages, uint32_t count, bool all,
		   uint32_t milliseconds)
{
	const struct wait wait = {ids, ages, count, all};
	int state;

	pthread_mutex_lock(&lock);
	state = check(&wait);
	if (state == -ETIME && milliseconds)
		state = sleep_until_met(&wait, milliseconds);
	if (!state)
		finish(&wait);
	pthread_mutex_unlock(&lock);
	return state;
}
