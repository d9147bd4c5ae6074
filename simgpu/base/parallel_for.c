/* SPDX-License-Identifier: MIT */
#include "simgpu/base/parallel_for.h"

#include <pthread.h>
#include <stdatomic.h>

#include "simgpu/base/sim_options.h"
#include "simgpu/base/worker_threads.h"

struct job {
	struct job *next;
	void (*fn)(void *ctx, uint32_t i);
	void *ctx;
	uint32_t count;
	atomic_uint taken;
	uint32_t helpers; /* guarded by the lock */
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t work, left;
	struct job *first;
	uint32_t threads;
} pool = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.work = PTHREAD_COND_INITIALIZER,
	.left = PTHREAD_COND_INITIALIZER,
};

static void take_part(struct job *job)
{
	uint32_t i;

	/* The lock orders the memory accesses of the items. */
	while ((i = atomic_fetch_add_explicit(&job->taken, 1, memory_order_relaxed)) < job->count)
		job->fn(job->ctx, i);
}

/* Under the lock: a job with items left. */
static struct job *open_job(void)
{
	struct job *job = pool.first;

	while (job && atomic_load_explicit(&job->taken, memory_order_relaxed) >= job->count)
		job = job->next;
	return job;
}

static void *help(void *unused)
{
	(void)unused;
	sim_worker_begin("sim-unit");
	pthread_mutex_lock(&pool.lock);
	for (;;) {
		struct job *job = open_job();

		if (!job) {
			pthread_cond_wait(&pool.work, &pool.lock);
			continue;
		}
		job->helpers++;
		pthread_mutex_unlock(&pool.lock);
		take_part(job);
		pthread_mutex_lock(&pool.lock);
		if (!--job->helpers)
			pthread_cond_broadcast(&pool.left);
	}
	return NULL;
}

static void unlist(const struct job *job)
{
	struct job **link = &pool.first;

	while (*link != job)
		link = &(*link)->next;
	*link = job->next;
}

void sim_parallel_for(void (*fn)(void *ctx, uint32_t i), void *ctx, uint32_t count)
{
	struct job job = {.fn = fn, .ctx = ctx, .count = count};

	if (sim_options()->threads < 2 || count < 2) {
		take_part(&job);
		return;
	}
	pthread_mutex_lock(&pool.lock);
	sim_workers_start(&pool.threads, help);
	job.next = pool.first;
	pool.first = &job;
	pthread_cond_broadcast(&pool.work);
	pthread_mutex_unlock(&pool.lock);
	take_part(&job);
	pthread_mutex_lock(&pool.lock);
	unlist(&job);
	while (job.helpers)
		pthread_cond_wait(&pool.left, &pool.lock);
	pthread_mutex_unlock(&pool.lock);
}
