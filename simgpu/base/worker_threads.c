/* SPDX-License-Identifier: MIT */
#include "simgpu/base/worker_threads.h"

#include <pthread.h>
#include <sys/prctl.h>

#include "simgpu/base/sim_options.h"

void sim_workers_start(uint32_t *running, void *(*help)(void *unused))
{
	while (*running + 1 < sim_options()->threads) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, help, NULL))
			break;
		pthread_detach(thread);
		(*running)++;
	}
}

void sim_worker_begin(const char *name)
{
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_TIMERSLACK, 1000);
}
