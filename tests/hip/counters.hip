// SPDX-License-Identifier: MIT
// The simulator's own counters, through the interface for tools: exact numbers of known kernels.
#include "simgpu/probe_sim.h"
#include "hip_test.h"

#include <cerrno>
#include <dlfcn.h>

// One dword per lane, `stride` dwords apart.
__global__ void touch(uint32_t *cells, int stride)
{
	cells[(blockIdx.x * blockDim.x + threadIdx.x) * stride] = 1;
}

// All lanes of a wave in the banks that the stride leaves.
__global__ void banks(uint32_t *out, int stride)
{
	__shared__ uint32_t tile[64 * 32];

	tile[threadIdx.x * stride] = threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = tile[threadIdx.x * stride];
}

// One flat store, to LDS or to global memory.
__global__ void generic(uint32_t *out, bool local)
{
	__shared__ uint32_t cell;
	uint32_t *to = local ? (uint32_t *)&cell : out;

	asm volatile("flat_store_dword %0, %1\ns_waitcnt vmcnt(0) lgkmcnt(0)" ::"v"(to), "v"(1));
}

template <typename F> static F *find(const char *name)
{
	F *function = (F *)dlsym(RTLD_DEFAULT, name);

	EXPECT(function);
	return function;
}

static probe_sim_counters counters(const char *kernel)
{
	static auto read = find<decltype(probe_sim_kernel_counters)>("probe_sim_kernel_counters");
	probe_sim_counters c = {};

	c.size = sizeof(c);
	int err = read(kernel, &c);
	EXPECT(!err || err == -ENOENT);
	return c;
}

// Not those of the runtimes, which copy code to the device when they please.
static int count_kernels(void *ctx, const char *name, const probe_sim_counters *c)
{
	if (name[0] != '(' && strncmp(name, "__amd_rocclr", 12))
		*(uint32_t *)ctx += c->dispatches;
	return 0;
}

int main()
{
	const int blocks = 10;
	device_array<uint32_t> cells((size_t)blocks * 128 * 32);
	const char *name = "_Z5touchPji";
	uint32_t before = 0, after = 0;
	auto each = find<decltype(probe_sim_each_kernel)>("probe_sim_each_kernel");

	EXPECT(find<decltype(probe_sim_version)>("probe_sim_version")() == PROBE_SIM_VERSION);
	HIP(hipDeviceSynchronize());
	each(count_kernels, &before);
	for (int stride : {1, 2, 16, 32}) {
		probe_sim_counters a = counters(name);

		touch<<<blocks, 128>>>(cells.data, stride);
		HIP(hipDeviceSynchronize());
		probe_sim_counters b = counters(name);

		// 64 lanes of 4 bytes: 256 * stride bytes, at most a line for each lane.
		uint64_t waves = 2 * blocks;
		EXPECT(b.dispatches - a.dispatches == 1);
		EXPECT(b.waves - a.waves == waves);
		EXPECT(b.vmem - a.vmem == waves);
		EXPECT(b.lines64 - a.lines64 == waves * std::min(64, 4 * stride));
		EXPECT(b.lines128 - a.lines128 == waves * std::min(64, 2 * stride));
		EXPECT(b.insts - a.insts ==
		       (b.valu - a.valu) + (b.salu - a.salu) + (b.smem - a.smem) + (b.vmem - a.vmem) +
			       (b.flat - a.flat) + (b.lds - a.lds) + (b.branch - a.branch) +
			       (b.other - a.other));
		EXPECT(b.host_ns > a.host_ns);
	}
	uint64_t conflicts[2];
	int at = 0;
	for (int stride : {1, 32}) {
		probe_sim_counters a = counters("_Z5banksPji");

		banks<<<1, 64>>>(cells.data, stride);
		HIP(hipDeviceSynchronize());
		probe_sim_counters b = counters("_Z5banksPji");

		EXPECT(b.lds - a.lds == 2);
		conflicts[at++] = b.lds_conflicts - a.lds_conflicts;
	}
	EXPECT(conflicts[0] == 0 && conflicts[1] >= 2 * 31);
	// As the profiler's examples recorded it: one that reaches LDS counts as both kinds.
	for (bool local : {false, true}) {
		probe_sim_counters a = counters("_Z7genericPjb");

		generic<<<1, 1>>>(cells.data, local);
		HIP(hipDeviceSynchronize());
		probe_sim_counters b = counters("_Z7genericPjb");

		EXPECT(b.sq_insts_flat - a.sq_insts_flat == 1);
		EXPECT(b.sq_insts_lds - a.sq_insts_lds == local);
		EXPECT(b.tcp_tcc_write_req - a.tcp_tcc_write_req == !local);
	}
	each(count_kernels, &after);
	EXPECT(after - before == 8);
	EXPECT(counters("no such kernel").dispatches == 0);
	return 0;
}
