/* SPDX-License-Identifier: MIT */
/* How published.hip measures on the simulated device, and prints. */
#ifndef PROBE_TESTS_HIP_PUBLISHED_RATE_H
#define PROBE_TESTS_HIP_PUBLISHED_RATE_H

#include "simgpu/probe_sim.h"
#include "hip_test.h"

#include <cstring>
#include <dlfcn.h>
#include <string>

static probe_sim_counters counters(const char *kernel)
{
	static auto read = (decltype(probe_sim_kernel_counters) *)dlsym(
		RTLD_DEFAULT, "probe_sim_kernel_counters");
	probe_sim_counters c = {};

	c.size = sizeof(c);
	EXPECT(read);
	read(kernel, &c);
	return c;
}

static void print(const std::string &name, double value)
{
	printf("%s %.9g\n", name.c_str(), value);
}

static hipDeviceProp_t device()
{
	static hipDeviceProp_t it;

	if (!it.multiProcessorCount)
		HIP(hipGetDeviceProperties(&it, 0));
	return it;
}

static int units()
{
	return device().multiProcessorCount;
}

// Cycles of all dispatches that have ended.
static uint64_t cycles_so_far()
{
	static auto each =
		(decltype(probe_sim_each_kernel) *)dlsym(RTLD_DEFAULT, "probe_sim_each_kernel");
	uint64_t sum = 0;

	EXPECT(each);
	HIP(hipDeviceSynchronize());
	each(
		[](void *ctx, const char *, const probe_sim_counters *c) {
			*(uint64_t *)ctx += c->cycles;
			return 0;
		},
		&sum);
	return sum;
}

// Cycles of the second of two launches; the first warms the caches.
template <typename F> static double cycles_of(F launch, bool warm = true)
{
	uint64_t start;

	if (warm)
		launch();
	start = cycles_so_far();
	launch();
	return (double)(cycles_so_far() - start);
}

template <typename F> static double ns_of(F launch, bool warm = true)
{
	return cycles_of(launch, warm) * 1e6 / device().clockRate;
}

#endif
