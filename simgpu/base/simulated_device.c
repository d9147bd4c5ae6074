/* SPDX-License-Identifier: MIT */
#include "simgpu/base/simulated_device.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "simgpu/base/sim_log.h"

static const struct sim_device devices[] = {
	{
		.target = "gfx90a",
		.code_name = "aldebaran",
		.marketing_name = "Simulated AMD Instinct MI210",
		.target_version = 90010,
		.device_id = 0x740f,
		.revision = 1,
		.xccs = 1,
		.engines = 8,
		.cus_per_engine = 13,
		.cus = 104,
		.core_mhz = 1700,
		.vram_mib = 65536,
		.sdma_engines = 2,
		.cp_queues = 24,
		.caches = {{1, 16, 64}, {2, 8192, 128}},
	},
	/* One partition of all eight dies ("SPX"). */
	{
		.target = "gfx942",
		.code_name = "ip discovery",
		.marketing_name = "Simulated AMD Instinct MI300X",
		.target_version = 90402,
		.device_id = 0x74a1,
		.revision = 1,
		.xccs = 8,
		.engines = 32,
		.cus_per_engine = 10,
		.cus = 304,
		.core_mhz = 2100,
		.vram_mib = 196608,
		.sdma_engines = 2,
		.cp_queues = 24,
		.caches = {{1, 32, 128}, {2, 4096, 128}, {3, 262144, 64}},
		.stochastic_sampling = true,
		.flat_scratch_register = true,
	},
};

const struct sim_device *_Atomic sim_device_chosen;
static pthread_once_t once = PTHREAD_ONCE_INIT;

const struct sim_device *sim_device_find(const char *target)
{
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		if (!strcmp(devices[i].target, target))
			return &devices[i];
	return NULL;
}

static void choose(void)
{
	/* Read here, because the other options depend on the device. */
	const char *text = getenv("PROBE_SIM_DEVICE"), *wanted = text && *text ? text : NULL;
	const struct sim_device *device = wanted ? sim_device_find(wanted) : &devices[0];

	if (!device) {
		device = &devices[0];
		sim_print("there is no simulated device '%s'; expected gfx90a or gfx942; using %s",
			  wanted, device->target);
	}
	atomic_store_explicit(&sim_device_chosen, device, memory_order_release);
}

const struct sim_device *sim_device_choose(void)
{
	pthread_once(&once, choose);
	return sim_device_chosen;
}
