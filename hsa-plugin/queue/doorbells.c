/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/queue/doorbells.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

enum { SLOTS = 4096, FULL = SLOTS / 2 };

static struct {
	_Atomic uint64_t signal; /* 0 = never used */
	struct probe_queue *_Atomic queue;
} slots[SLOTS];

static uint32_t used;

/*
 * The slot of a signal, or the free slot where it would be inserted. At most half of the slots are
 * used.
 */
static uint32_t place(uint64_t signal)
{
	/* Signals are 64-byte aligned (amd_hsa_signal.h). */
	uint32_t i = (uint32_t)((signal >> 6) * 0x9e3779b97f4a7c15ull >> 40) % SLOTS;

	for (;; i = (i + 1) % SLOTS) {
		uint64_t there = atomic_load_explicit(&slots[i].signal, memory_order_acquire);

		if (there == signal || !there)
			return i;
	}
}

int probe_doorbell_add(uint64_t signal, struct probe_queue *queue)
{
	uint32_t i = place(signal);

	if (!atomic_load(&slots[i].signal)) {
		if (used == FULL)
			return -ENOSPC;
		used++;
	}
	/* Pairs with the acquires in find(). */
	atomic_store_explicit(&slots[i].queue, queue, memory_order_release);
	atomic_store_explicit(&slots[i].signal, signal, memory_order_release);
	return 0;
}

void probe_doorbell_remove(uint64_t signal)
{
	atomic_store_explicit(&slots[place(signal)].queue, NULL, memory_order_release);
}

struct probe_queue *probe_doorbell_find(uint64_t signal)
{
	return atomic_load_explicit(&slots[place(signal)].queue, memory_order_acquire);
}
