/* SPDX-License-Identifier: MIT */
/*
 * Per-wave storage of kind `time`. Each wave of a launch writes its time stamps at its end to its
 * own slot (struct probe_wave_storage in wire_device.h) and not to a ring. The slots follow the
 * launch's arguments, so they are valid until the collector has read them.
 */
#ifndef PROBE_HSA_PLUGIN_LAUNCH_WAVE_STORAGE_H
#define PROBE_HSA_PLUGIN_LAUNCH_WAVE_STORAGE_H

#include <stdint.h>

#include <hsa/hsa.h>
#include <probe/wire.h>

/*
 * Number of waves of a launch; 0 = they write into rings, because they are too many or a workgroup
 * is partial.
 */
uint32_t probe_wave_storage_waves(const hsa_kernel_dispatch_packet_t *packet);

/* Bytes for `waves` waves, a multiple of 64. */
uint32_t probe_wave_storage_bytes(uint32_t waves);

/* To be called before the launch. `area`: probe_wave_storage_bytes() long, or NULL. */
void probe_wave_storage_begin(const hsa_kernel_dispatch_packet_t *packet,
			      struct probe_wave_storage *area, struct probe_ctx_wave_storage *ret);

/* Writes the record of a completed launch; returns how many trace records were lost. */
uint64_t probe_wave_storage_put(uint64_t dispatch, const struct probe_wave_storage *area,
				uint32_t waves);

#endif
