/* SPDX-License-Identifier: MIT */
/* The host threads that run workgroups for queues: PROBE_SIM_THREADS minus the queue's own. */
#ifndef PROBE_SIMGPU_BASE_WORKER_THREADS_H
#define PROBE_SIMGPU_BASE_WORKER_THREADS_H

#include <stdint.h>

/* Starts the threads that do not run yet; *running, under the caller's lock, counts them. */
void sim_workers_start(uint32_t *running, void *(*help)(void *unused));

/* To be called first in such a thread: sets its name and a short timer slack. */
void sim_worker_begin(const char *name);

#endif
