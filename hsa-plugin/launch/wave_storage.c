/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/launch/wave_storage.h"

#include <string.h>

#include "hsa-plugin/process/tool.h"
#include "wire/segment_writer.h"

enum {
	WAVE = 64, /* lanes */
	/* Waves of larger launches would wait for each other's stores. */
	WAVES_MAX = 1024,
	WAVE_BYTES = sizeof(struct probe_wave_slot) + 16 * PROBE_STORED_SPANS,
};

#define WAIT_NS 2000000000ull

static uint32_t group_waves(const hsa_kernel_dispatch_packet_t *packet)
{
	uint32_t items = (uint32_t)packet->workgroup_size_x * packet->workgroup_size_y *
			 packet->workgroup_size_z;

	return (items + WAVE - 1) / WAVE;
}

uint32_t probe_wave_storage_waves(const hsa_kernel_dispatch_packet_t *packet)
{
	const uint32_t grid[] = {packet->grid_size_x, packet->grid_size_y, packet->grid_size_z};
	const uint32_t group[] = {packet->workgroup_size_x, packet->workgroup_size_y,
				  packet->workgroup_size_z};
	uint64_t waves = group_waves(packet);

	for (int i = 0; i < 3; i++) {
		if (!group[i] || grid[i] % group[i])
			return 0;
		waves *= grid[i] / group[i];
		if (waves > WAVES_MAX)
			return 0;
	}
	return (uint32_t)waves;
}

uint32_t probe_wave_storage_bytes(uint32_t waves)
{
	return waves ? ((uint32_t)sizeof(struct probe_wave_storage) + waves * WAVE_BYTES + 63) &
			       ~63u
		     : 0;
}

void probe_wave_storage_begin(const hsa_kernel_dispatch_packet_t *packet,
			      struct probe_wave_storage *area, struct probe_ctx_wave_storage *ret)
{
	*ret = (struct probe_ctx_wave_storage){0};
	if (!area)
		return;
	*area = (struct probe_wave_storage){0};
	*ret = (struct probe_ctx_wave_storage){
		.area = (uint64_t)(uintptr_t)area,
		.groups_x = packet->grid_size_x / packet->workgroup_size_x,
		.groups_y = packet->grid_size_y / packet->workgroup_size_y,
		.items_x = packet->workgroup_size_x,
		.items_xy = (uint32_t)packet->workgroup_size_x * packet->workgroup_size_y,
		.waves = group_waves(packet),
	};
}

/* The number that probe-run counts: WAVE, the kernel's BEGIN, WAVE_END, and two per span. */
static uint64_t records(const struct probe_wave_storage *area, uint32_t waves)
{
	const uint8_t *at = (const uint8_t *)(area + 1);
	uint64_t count = 4;

	for (uint32_t i = 0; i < waves; i++, at += area->stride) {
		uint32_t lanes = ((const struct probe_wave_slot *)(const void *)at)->lanes;

		count += 3;
		for (uint32_t k = 0; k < area->spans; k++)
			count += lanes >> 8 * k & 0xff ? 2 : 0;
	}
	return count;
}

uint64_t probe_wave_storage_put(uint64_t dispatch, const struct probe_wave_storage *area,
				uint32_t waves)
{
	uint64_t patience = probe_tool.config.full.action == PROBE_FULL_BLOCK ? WAIT_NS : 0;
	struct probe_hr_wave_storage head = {.dispatch = dispatch, .waves = waves};
	struct iovec parts[] = {
		{&head, sizeof(head)},
		{(void *)(uintptr_t)area, sizeof(*area) + (size_t)waves * area->stride},
	};

	/* Do not trust these values: the application may have overwritten them. */
	if (!area->stride || area->spans > PROBE_STORED_SPANS ||
	    area->stride != sizeof(struct probe_wave_slot) + 16 * area->spans)
		return 0;
	if (!probe_segment_put_wait(&probe_tool.segment, PROBE_HR_WAVE_STORAGE, parts, 2, patience))
		return 0;
	return records(area, waves);
}
