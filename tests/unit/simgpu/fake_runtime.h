/* SPDX-License-Identifier: MIT */
/*
 * Plays the runtime for the tests of the machine: memory for the GPU, one queue in it, a fake
 * kernel, packets and signals. set_up() and tear_down() surround each test.
 */
#ifndef PROBE_TESTS_UNIT_SIMGPU_FAKE_RUNTIME_H
#define PROBE_TESTS_UNIT_SIMGPU_FAKE_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa_ext_amd.h>

#include "tests/unit/simgpu/fake_isa.h"
#include "tests/unit/simgpu/gpu_memory.h"
#include "simgpu/queue/queue_threads.h"

enum {
	PACKETS = 64,
	CODE_OFFSET = 0x1000, /* of the fake kernel's entry from its descriptor */
};

/* Everything the GPU sees, in one allocation. */
struct arena {
	uint8_t code[3 * 4096]; /* kernel descriptor, entry one page later */
	uint8_t ring[PACKETS * 64];
	amd_queue_t queue;
	amd_signal_t inactive, done, gate, other;
	uint32_t data[4096];
};

extern struct arena *arena;
extern struct sim_queue *queue;

void put32(unsigned offset, uint32_t value);
struct sim_queue *make_queue(struct arena *at);
int set_up(void **state);
int tear_down(void **state);
hsa_signal_t handle(const amd_signal_t *signal);
int64_t value(const amd_signal_t *signal);
void store(amd_signal_t *signal, int64_t to);
void submit_to(struct arena *at, struct sim_queue *to, const void *packet, uint16_t header);
void submit(const void *packet, uint16_t header);
bool comes_true(bool (*condition)(void));
/* Returns when another queue has processed many packets: this one could have gone on, too. */
void let_machine_work(void);
bool is_done(void);
bool is_inactive(void);
hsa_kernel_dispatch_packet_t kernel_packet(uint32_t grid, uint16_t group);
void start(hsa_kernel_dispatch_packet_t packet, fake_program program);
void run(hsa_kernel_dispatch_packet_t packet, fake_program program);

/* A program of one wave: after three steps, adds its lanes to arena->data[group]. */
enum sim_stop count_lanes(struct sim_wave *wave, uint64_t step);

#define MACHINE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
