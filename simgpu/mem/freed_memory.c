/* SPDX-License-Identifier: MIT */
#include "simgpu/mem/freed_memory.h"

#include <pthread.h>
#include <stdatomic.h>

#include "simgpu/base/backoff.h"

/* Threads enter the current epoch. A waiter makes the other one current and lets this one empty. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint current; /* 0 or 1 */
static atomic_uint inside[2];

unsigned sim_memory_enter(void)
{
	for (;;) {
		unsigned epoch = atomic_load(&current);

		atomic_fetch_add(&inside[epoch], 1);
		/* A waiter that came in between may not have counted this thread. */
		if (atomic_load(&current) == epoch)
			return epoch;
		atomic_fetch_sub(&inside[epoch], 1);
	}
}

void sim_memory_leave(unsigned epoch)
{
	atomic_fetch_sub(&inside[epoch], 1);
}

void sim_memory_wait(void)
{
	struct sim_backoff backoff = {0};
	unsigned epoch;

	pthread_mutex_lock(&lock);
	epoch = atomic_load(&current);
	atomic_store(&current, !epoch);
	while (atomic_load(&inside[epoch]))
		sim_backoff_pause(&backoff);
	pthread_mutex_unlock(&lock);
}
