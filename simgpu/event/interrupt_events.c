/* SPDX-License-Identifier: MIT */
#include "simgpu/event/interrupt_events.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "simgpu/base/device_parameters.h"
#include "simgpu/mem/gpu_allocations.h"
#include "simgpu/base/hsakmt_export.h"

enum { SLOTS = 4096 };

struct event {
	HsaEvent *handle; /* NULL: free slot */
	HSA_EVENTTYPE type;
	bool manual, set;
	HsaMemoryAccessFault fault;
};

/* One sleeping caller of a wait. */
struct waiter {
	struct waiter *next;
	pthread_cond_t wake;
	HsaEvent **events;
	uint32_t count;
	bool all;
	bool woken; /* its one event, or any of several, was set since it began to wait */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct event slots[SLOTS]; /* by id; 0 is never used */
static uint32_t next_free = 1;
static struct waiter *waiters;
static _Atomic uint64_t *mailboxes;

/* Under the lock. */
static int make_mailboxes(void)
{
	struct sim_block block = {
		.kind = SIM_BLOCK_OWN,
		.size = SLOTS * sizeof(*mailboxes),
		.access = SIM_MEM_READ | SIM_MEM_WRITE,
		.mapped = 1,
	};
	void *pages;

	if (mailboxes)
		return 0;
	pages = mmap(NULL, block.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return -ENOMEM;
	block.base = (uint64_t)(uintptr_t)pages;
	if (sim_mem_register(&block)) {
		munmap(pages, block.size);
		return -ENOMEM;
	}
	mailboxes = pages;
	return 0;
}

/* Under the lock; 0 when all are taken. */
static uint32_t take_slot(void)
{
	for (uint32_t tried = 1; tried < SLOTS; tried++) {
		uint32_t id = next_free;

		next_free = next_free + 1 < SLOTS ? next_free + 1 : 1;
		if (!slots[id].handle)
			return id;
	}
	return 0;
}

HSAKMT_STATUS hsaKmtCreateEvent(HsaEventDescriptor *descriptor, bool manual, bool set,
				HsaEvent **ret)
{
	HsaEvent *handle = calloc(1, sizeof(*handle));
	uint32_t id;

	if (!handle)
		return HSAKMT_STATUS_NO_MEMORY;
	pthread_mutex_lock(&lock);
	id = make_mailboxes() ? 0 : take_slot();
	if (!id) {
		pthread_mutex_unlock(&lock);
		free(handle);
		return HSAKMT_STATUS_NO_MEMORY;
	}
	handle->EventId = id;
	handle->EventData.EventType = descriptor->EventType;
	handle->EventData.EventData.SyncVar = descriptor->SyncVar;
	if (descriptor->EventType == HSA_EVENTTYPE_SIGNAL)
		handle->EventData.HWData2 = (uint64_t)(uintptr_t)&mailboxes[id];
	handle->EventData.HWData3 = id;
	slots[id] = (struct event){
		.handle = handle, .type = descriptor->EventType, .manual = manual, .set = set};
	atomic_store_explicit(&mailboxes[id], 0, memory_order_relaxed);
	pthread_mutex_unlock(&lock);
	*ret = handle;
	return HSAKMT_STATUS_SUCCESS;
}

/* Under the lock: the slot of a handle, or NULL if it is not one of ours. */
static struct event *slot_of(const HsaEvent *handle)
{
	uint32_t id = handle ? handle->EventId : 0;

	return id && id < SLOTS && slots[id].handle == handle ? &slots[id] : NULL;
}

HSAKMT_STATUS hsaKmtDestroyEvent(HsaEvent *handle)
{
	struct event *event;

	pthread_mutex_lock(&lock);
	event = slot_of(handle);
	if (event)
		event->handle = NULL;
	pthread_mutex_unlock(&lock);
	if (!event)
		return HSAKMT_STATUS_INVALID_HANDLE;
	free(handle);
	return HSAKMT_STATUS_SUCCESS;
}

/* Under the lock. */
static void set_event(struct event *event)
{
	event->set = true;
	for (struct waiter *waiter = waiters; waiter; waiter = waiter->next) {
		for (uint32_t i = 0; i < waiter->count; i++) {
			if (waiter->events[i] != event->handle)
				continue;
			/*
			 * The driver wakes everybody who waits for an event, although it is reset
			 * for those who come later: ROCr waits for one in two threads when a queue
			 * is destroyed.
			 */
			waiter->woken = waiter->woken || !waiter->all || waiter->count == 1;
			pthread_cond_signal(&waiter->wake);
			break;
		}
	}
}

HSAKMT_STATUS hsaKmtSetEvent(HsaEvent *handle)
{
	struct event *event;

	pthread_mutex_lock(&lock);
	event = slot_of(handle);
	if (event)
		set_event(event);
	pthread_mutex_unlock(&lock);
	return event ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_HANDLE;
}

HSAKMT_STATUS hsaKmtResetEvent(HsaEvent *handle)
{
	struct event *event;

	pthread_mutex_lock(&lock);
	event = slot_of(handle);
	if (event)
		event->set = false;
	pthread_mutex_unlock(&lock);
	return event ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_HANDLE;
}

HSAKMT_STATUS hsaKmtQueryEventState(HsaEvent *handle)
{
	return hsaKmtWaitOnEvent(handle, HSA_EVENTTIMEOUT_IMMEDIATE);
}

void sim_event_raise(uint32_t id)
{
	if (!id || id >= SLOTS)
		return;
	pthread_mutex_lock(&lock);
	if (slots[id].handle) {
		atomic_store_explicit(&mailboxes[id], 0, memory_order_relaxed);
		set_event(&slots[id]);
	}
	pthread_mutex_unlock(&lock);
}

void sim_event_interrupt(uint32_t low_bits)
{
	pthread_mutex_lock(&lock);
	for (uint32_t id = low_bits & 0xff; id < SLOTS && mailboxes; id += 256) {
		if (!slots[id].handle)
			continue;
		/* Pairs with the device's store of the id before its s_sendmsg. */
		if (atomic_exchange_explicit(&mailboxes[id], 0, memory_order_acq_rel))
			set_event(&slots[id]);
	}
	pthread_mutex_unlock(&lock);
}

bool sim_event_memory_fault(const struct sim_memory_fault *fault)
{
	bool any = false;

	pthread_mutex_lock(&lock);
	for (uint32_t id = 1; id < SLOTS; id++) {
		struct event *event = &slots[id];
		HsaMemoryAccessFault *report;

		if (!event->handle || event->type != HSA_EVENTTYPE_MEMORY)
			continue;
		event->fault = (HsaMemoryAccessFault){
			.NodeId = fault->node,
			.VirtualAddress = fault->addr & ~(uint64_t)(SIM_PAGE - 1),
			.Failure.NotPresent = !fault->read_only && !fault->no_execute,
			.Failure.ReadOnly = fault->read_only,
			.Failure.NoExecute = fault->no_execute,
			.Flags = HSA_EVENTID_MEMORY_FATAL_PROCESS,
		};
		/*
		 * Into the handle at once, not only when a wait ends: while one of its signals has
		 * no event, ROCr's thread for asynchronous events polls and never calls us. Flags
		 * is the field it checks, so it is written last.
		 */
		report = &event->handle->EventData.EventData.MemoryAccessFault;
		report->NodeId = event->fault.NodeId;
		report->VirtualAddress = event->fault.VirtualAddress;
		report->Failure = event->fault.Failure;
		__atomic_store_n(&report->Flags, event->fault.Flags, __ATOMIC_RELEASE);
		set_event(event);
		any = true;
	}
	pthread_mutex_unlock(&lock);
	return any;
}

enum wait_state { WAIT_MET, WAIT_UNMET, WAIT_INVALID };

/* Under the lock. When met, auto-reset events that satisfied the wait are reset. */
static enum wait_state check(HsaEvent **events, uint32_t count, bool all)
{
	uint32_t ready = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct event *event = slot_of(events[i]);

		if (!event)
			return WAIT_INVALID;
		ready += event->set;
	}
	if (all ? ready < count : !ready)
		return WAIT_UNMET;
	for (uint32_t i = 0; i < count; i++) {
		struct event *event = slot_of(events[i]);

		if (!event->set)
			continue;
		if (event->type == HSA_EVENTTYPE_MEMORY)
			events[i]->EventData.EventData.MemoryAccessFault = event->fault;
		if (!event->manual)
			event->set = false;
	}
	return WAIT_MET;
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

HSAKMT_STATUS hsaKmtWaitOnMultipleEvents(HsaEvent *events[], HSAuint32 count, bool all,
					 HSAuint32 milliseconds)
{
	/* ROCr passes 0xfffffffe for waits it means to last. */
	bool forever = milliseconds >= 0xfffffffe;
	struct waiter waiter = {.events = events, .count = count, .all = all};
	struct timespec deadline = {0};
	enum wait_state state;
	int timed_out = 0;

	if (!events || !count)
		return HSAKMT_STATUS_INVALID_HANDLE;
	pthread_mutex_lock(&lock);
	state = check(events, count, all);
	if (state == WAIT_UNMET && milliseconds) {
		if (!forever)
			deadline = deadline_after(milliseconds);
		init_wake(&waiter.wake);
		waiter.next = waiters;
		waiters = &waiter;
		while (state == WAIT_UNMET && timed_out != ETIMEDOUT) {
			timed_out =
				forever ? pthread_cond_wait(&waiter.wake, &lock)
					: pthread_cond_timedwait(&waiter.wake, &lock, &deadline);
			state = check(events, count, all);
			if (state == WAIT_UNMET && waiter.woken)
				state = WAIT_MET;
		}
		remove_waiter(&waiter);
		pthread_cond_destroy(&waiter.wake);
	}
	pthread_mutex_unlock(&lock);
	switch (state) {
	case WAIT_MET:
		return HSAKMT_STATUS_SUCCESS;
	case WAIT_UNMET:
		return HSAKMT_STATUS_WAIT_TIMEOUT;
	default:
		return HSAKMT_STATUS_INVALID_HANDLE;
	}
}

HSAKMT_STATUS hsaKmtWaitOnEvent(HsaEvent *event, HSAuint32 milliseconds)
{
	return hsaKmtWaitOnMultipleEvents(&event, 1, true, milliseconds);
}
