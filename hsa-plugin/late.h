/* SPDX-License-Identifier: MIT */
/*
 * What the waves of a launch of the `time` kind leave at their ends, each in a place of its own
 * (wire.h, struct probe_late). The places lie behind the launch's arguments, and so live until the
 * collector is done with it.
 */
#ifndef PROBE_HSA_LATE_H
#define PROBE_HSA_LATE_H

#include <stdint.h>

#include <hsa/hsa.h>
#include <probe/wire.h>

/* Of a launch; 0 = they go into rings: they are many, or not all workgroups are whole. */
uint32_t probe_late_waves(const hsa_kernel_dispatch_packet_t *packet);

/* For that many waves, a multiple of 64. */
uint32_t probe_late_bytes(uint32_t waves);

/* Before the launch. `area`: probe_late_bytes(), or NULL. */
void probe_late_begin(const hsa_kernel_dispatch_packet_t *packet, struct probe_late *area,
		      struct probe_ctx_late *ret);

/* Hand on what a launch that has completed left; returns how many records were lost. */
uint64_t probe_late_put(uint64_t dispatch, const struct probe_late *area, uint32_t waves);

#endif
