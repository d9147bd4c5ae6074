/* SPDX-License-Identifier: MIT */
/* The host threads that help queues with their kernels: PROBE_SIM_THREADS less the queue's own. */
#ifndef PROBE_SIMGPU_BASE_WORKER_THREADS_H
#define PROBE_SIMGPU_BASE_WORKER_THREADS_H

#include <stdint.h>

/* Start what is missing of them; *running, under the caller's lock, counts them. */
void sim_workers_start(uint32_t *running, void *(*help)(void *unused));

/* First thing in such a thread: its name, and sleeps that end when they should. */
void sim_worker_begin(const char *name);

#endif
