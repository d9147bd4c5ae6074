/* SPDX-License-Identifier: MIT */
/* How published.hip and published_unseen.hip measure on the simulated device, and print. */
#ifndef PROBE_TESTS_HIP_PUBLISHED_RATE_H
#define PROBE_TESTS_HIP_PUBLISHED_RATE_H

#include "simgpu/probe_sim.h"
#include "hip_test.h"

#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <string>

static inline probe_sim_counters counters(const char *kernel)
{
	static auto read = (decltype(probe_sim_kernel_counters) *)dlsym(
		RTLD_DEFAULT, "probe_sim_kernel_counters");
	probe_sim_counters c = {};

	c.size = sizeof(c);
	EXPECT(read);
	read(kernel, &c);
	return c;
}

// The same of all kernels together, and after all dispatches have ended.
static probe_sim_counters all_counters()
{
	static auto each =
		(decltype(probe_sim_each_kernel) *)dlsym(RTLD_DEFAULT, "probe_sim_each_kernel");
	const size_t first = offsetof(probe_sim_counters, host_ns) / 8;
	probe_sim_counters sum = {};

	EXPECT(each);
	HIP(hipDeviceSynchronize());
	each(
		[](void *ctx, const char *, const probe_sim_counters *c) {
			for (size_t i = first; i < sizeof(*c) / 8; i++)
				((uint64_t *)ctx)[i] += ((const uint64_t *)c)[i];
			return 0;
		},
		&sum);
	return sum;
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

static double percent(uint64_t part, uint64_t whole)
{
	return 100. * (double)part / (double)whole;
}

// As the profiler defines it: the part of the accesses for which the L2 was not asked.
static inline double l1_hit_rate(const probe_sim_counters &a, const probe_sim_counters &b)
{
	uint64_t asked = b.tcp_tcc_read_req - a.tcp_tcc_read_req + b.tcp_tcc_write_req -
			 a.tcp_tcc_write_req + b.tcp_tcc_atomic_req - a.tcp_tcc_atomic_req;

	return 100 - percent(asked, b.tcp_total_cache_accesses - a.tcp_total_cache_accesses);
}

// Cycles of the second of two launches; the first warms the caches.
template <typename F> static double cycles_of(F launch, bool warm = true)
{
	uint64_t start;

	if (warm)
		launch();
	start = all_counters().cycles;
	launch();
	return (double)(all_counters().cycles - start);
}

template <typename F> static double ns_of(F launch, bool warm = true)
{
	return cycles_of(launch, warm) * 1e6 / device().clockRate;
}

#endif
