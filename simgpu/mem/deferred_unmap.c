/* SPDX-License-Identifier: MIT */
#include "simgpu/mem/deferred_unmap.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

struct waiting {
	struct waiting *next;
	uint64_t base, size;
};

/*
 * Two epochs, the current one and the previous one. Threads that entered in an epoch or earlier may
 * still use memory freed in it. When all threads of the previous epoch have left, its pages are
 * unmapped and the epochs advance.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned current; /* 0 or 1 */
static uint32_t inside[2];
static struct waiting *lists[2];

static void unmap(uint64_t base, uint64_t size)
{
	munmap((void *)(uintptr_t)base, size);
}

/* Under the lock: returns what can be unmapped now. */
static struct waiting *advance(void)
{
	unsigned before = !current;
	struct waiting *list;

	if (inside[before])
		return NULL;
	list = lists[before];
	lists[before] = NULL;
	if (lists[current])
		current = before;
	return list;
}

static void unmap_all(struct waiting *list)
{
	struct waiting *next;

	for (; list; list = next) {
		next = list->next;
		unmap(list->base, list->size);
		free(list);
	}
}

unsigned sim_reclaim_enter(void)
{
	unsigned epoch;

	pthread_mutex_lock(&lock);
	epoch = current;
	inside[epoch]++;
	pthread_mutex_unlock(&lock);
	return epoch;
}

void sim_reclaim_leave(unsigned epoch)
{
	struct waiting *list[2] = {NULL, NULL};

	pthread_mutex_lock(&lock);
	/* Twice: if no reader is left inside, the pages of both epochs are unmapped. */
	if (!--inside[epoch] && (lists[0] || lists[1])) {
		list[0] = advance();
		list[1] = advance();
	}
	pthread_mutex_unlock(&lock);
	unmap_all(list[0]);
	unmap_all(list[1]);
}

void sim_reclaim_unmap(uint64_t base, uint64_t size)
{
	struct waiting *waiting = NULL;
	bool busy;

	pthread_mutex_lock(&lock);
	busy = inside[0] || inside[1];
	if (busy)
		waiting = malloc(sizeof(*waiting));
	if (waiting) {
		*waiting = (struct waiting){lists[current], base, size};
		lists[current] = waiting;
		/* The memory is released now; only the addresses stay reserved. */
		madvise((void *)(uintptr_t)base, size, MADV_DONTNEED);
	}
	pthread_mutex_unlock(&lock);
	/* Out of memory: the addresses are leaked, which is better than a crash. */
	if (!busy)
		unmap(base, size);
}
