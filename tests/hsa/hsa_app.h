/* SPDX-License-Identifier: MIT */
/* A small program against HSA itself, without HIP: what its cases share. */
#ifndef PROBE_TESTS_HSA_HSA_APP_H
#define PROBE_TESTS_HSA_HSA_APP_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#define EXPECT(condition)                                                                          \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s is false\n", __FILE__, __LINE__, #condition);   \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)
#define HSA(call) EXPECT((call) == HSA_STATUS_SUCCESS)

struct app_kernel {
	uint64_t object;
	uint32_t kernarg, group, private_size;
};

struct app {
	hsa_agent_t cpu, gpu;
	hsa_amd_memory_pool_t kernargs; /* of the CPU, fine-grained */
	hsa_executable_t executable;
};

/* A launch; members that are 0 are left out. */
struct app_launch {
	const struct app_kernel *kernel;
	const void *args;
	uint32_t args_size, items, group, dynamic_lds;
	hsa_signal_t signal;
	int no_barrier;
};

void app_start(struct app *app, const char *code_object);

/*
 * After hsa_shut_down. ROCr 6.4 and 7.2 refuse a second hsa_init, with and without a tool: they
 * leave the driver open, and take its answer "already open" for an error. There the program ends
 * with status 77.
 */
void app_start_again(struct app *app, const char *code_object);
struct app_kernel app_kernel(const struct app *app, const char *name);
void *app_memory(const struct app *app, size_t size);
hsa_queue_t *app_queue(const struct app *app, uint32_t size, hsa_queue_type32_t type);

/* Write a packet once the read index leaves space for it, and ring the doorbell. */
void app_dispatch(const struct app *app, hsa_queue_t *queue, const struct app_launch *launch);

/* Hold the queue back until the signal is 0. */
void app_wait_for(hsa_queue_t *queue, hsa_signal_t signal);

/* Submit a barrier after all other packets, and wait for it. */
void app_finish(hsa_queue_t *queue);

double app_now(void);

#endif
