/* SPDX-License-Identifier: MIT */
#include "simgpu/base/hardware_queue.h"
#include "simgpu/base/backoff.h"

bool sim_queue_runs(const struct sim_queue *queue)
{
	return !atomic_load_explicit(&queue->dead, memory_order_relaxed) &&
	       !atomic_load_explicit(&queue->suspended, memory_order_acquire);
}

bool sim_queue_pause(const struct sim_queue *queue, struct sim_backoff *backoff)
{
	sim_backoff_pause(backoff);
	while (atomic_load_explicit(&queue->suspended, memory_order_acquire) &&
	       !atomic_load_explicit(&queue->quit, memory_order_acquire))
		sim_sleep_us(100);
	return !atomic_load_explicit(&queue->quit, memory_order_acquire);
}
