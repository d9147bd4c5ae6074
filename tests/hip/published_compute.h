/* SPDX-License-Identifier: MIT */
/*
 * Kernels of published.hip that measure the issue of instructions, occupancy, LDS and grid
 * barriers, after the descriptions of their sources: rpc is the documentation of
 * rocprofiler-compute (one die of an MI250), gb te42kyfo/gpu-benches (MI210), pyhip tingqli/pyhip
 * (MI308X), and BabelStream what Azure's AI benchmarking guide ran on an MI300X.
 */
#ifndef PROBE_TESTS_HIP_PUBLISHED_COMPUTE_H
#define PROBE_TESTS_HIP_PUBLISHED_COMPUTE_H

#include "published_rate.h"

#include <algorithm>
#include <hip/hip_cooperative_groups.h>

// ---- rpc: waves of 1000 instructions of one kind ------------------------------------------------

#define THOUSAND(name, condition, text)                                                            \
	__global__ __launch_bounds__(1024) void name()                                             \
	{                                                                                          \
		if (condition)                                                                     \
			asm volatile(".rept 1000\n" text "\n.endr" ::: "v0", "v1", "s0", "s1");    \
	}
THOUSAND(thousand_vmov, true, "v_mov_b32 v0, v1")
THOUSAND(thousand_smov, true, "s_mov_b32 s0, s1")
THOUSAND(thousand_snop, true, "s_nop 0")
THOUSAND(thousand_divergent, threadIdx.x % 64 == 0, "v_mov_b32 v0, v1")

__global__ __launch_bounds__(1024) void thousand_mfma()
{
	asm volatile(
		".rept 1000\nv_mfma_f32_32x32x8bf16_1k v[0:15], v[16:17], v[18:19], v[0:15]\n.endr" ::
			: "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",
			  "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19");
}

static void issue()
{
	auto show = [](const char *name, void (*kernel)(), int groups) {
		groups *= units();
		print(std::string("ipc_") + name + "_ginsts",
		      16000. * groups / ns_of([&] { kernel<<<groups, 1024>>>(); }));
	};

	show("vmov", thousand_vmov, 8);
	show("smov", thousand_smov, 8);
	show("divergent", thousand_divergent, 8);
	show("snop", thousand_snop, 8);
	show("mfma", thousand_mfma, 2);
}

// ---- rpc: waves in flight if registers, LDS or nothing limits them ------------------------------

// As many registers as the clobbered one says.
#define LONG_WAVE(name, last)                                                                      \
	__global__ __launch_bounds__(256) void name()                                              \
	{                                                                                          \
		asm volatile(".rept 200\nv_rcp_f32 v0, v0\n.endr" ::: "v0", last);                 \
	}
LONG_WAVE(long_wave, "v1")
LONG_WAVE(long_wave_128, "v127")

__global__ __launch_bounds__(256) void long_wave_lds(double *out)
{
	__shared__ double cell[8192];

	cell[threadIdx.x] = 1;
	asm volatile(".rept 200\nv_rcp_f32 v0, v0\n.endr" ::: "v0");
	__syncthreads();
	if (cell[8191 - threadIdx.x] == 123.5)
		*out = 1;
}

// Of `groups` more workgroups per unit: the first and last ones are in both launches.
template <typename F> static void occupancy(const std::string &name, int groups, F launch)
{
	probe_sim_counters seen[3];

	for (int k = 0; k < 3; k++) {
		seen[k] = all_counters();
		if (k < 2)
			launch(groups * units() * (k + 1));
	}
#define MORE(name) (double)(seen[2].name - 2 * seen[1].name + seen[0].name)
	print("occupancy_" + name + "_waves", 4 * MORE(sq_wave_cycles) / MORE(cycles));
#undef MORE
}

static void occupancies()
{
	device_array<double> out((size_t)1);

	occupancy("registers", 16, [](int n) { long_wave_128<<<n, 256>>>(); });
	occupancy("lds", 4, [&](int n) { long_wave_lds<<<n, 256>>>(out.data); });
	occupancy("full", 32, [](int n) { long_wave<<<n, 256>>>(); });
}

// ---- rpc: a buffer, larger than the L2, read again and again ------------------------------------

__global__ void read_again(const int *from, size_t n, int rounds, int *out)
{
	int sum = 0;

	for (int k = 0; k < rounds; k++)
		for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
		     i += blockDim.x * (size_t)gridDim.x)
			sum += from[i];
	if (sum != 0)
		*out = sum;
}

static void fabric()
{
	const size_t n = 32 << 20;
	device_array<int> from(n), out((size_t)1);
	probe_sim_counters a, b;

	HIP(hipMemset(from.data, 0, n * 4));
	a = all_counters();
	read_again<<<2048, 256>>>(from.data, n, 2, out.data);
	b = all_counters();
	print("fabric_read_percent",
	      100. * 64. * (double)(b.tcc_ea_rdreq - a.tcc_ea_rdreq) / (2. * 4 * (double)n));
}

// ---- gb gpu-small-kernels with one launch: all workgroups wait for each other after each pass
// ----

__device__ void quarter(double *a, const double *b, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		a[i] = b[i] * .25;
}

__global__ void scale_polled(volatile int *arrived, double *a, double *b, int n, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		quarter(a, b, n);
		__syncthreads();
		__threadfence();
		if (threadIdx.x == 0) {
			atomicAdd((int *)&arrived[i], 1);
			while (arrived[i] != (int)gridDim.x) {
			}
		}
		__syncthreads();
	}
}

__global__ void scale_gridsync(double *a, double *b, int n, int rounds)
{
	cooperative_groups::grid_group grid = cooperative_groups::this_grid();

	for (int i = 0; i < rounds; i++) {
		quarter(a, b, n);
		grid.sync();
	}
}

// Of n elements; the difference of two launches has no start in it.
template <typename F> static void passes(const std::string &name, int n, F launch)
{
	const int most = 24;
	device_array<int> arrived((size_t)most);
	double cycles[2];

	for (int k = 0; k < 2; k++) {
		HIP(hipMemset(arrived.data, 0, 4 * most));
		cycles[k] = cycles_of([&] { launch(arrived.data, k ? most : most / 3); }, false);
	}
	print(name + "_" + std::to_string(n) + "_256_gb",
	      16. * n * (most - most / 3) / ((cycles[1] - cycles[0]) * 1e6 / device().clockRate));
}

static void grid_barriers()
{
	const int block = 256;
	device_array<double> a((size_t)1036569), b((size_t)1036569);

	for (int n : {4096, 16562, 1036569}) {
		int groups = std::min(n / block, units() * 8);
		double *to = a.data, *from = b.data;

		passes("polled", n, [&](int *arrived, int rounds) {
			scale_polled<<<groups, block>>>(arrived, to, from, n, rounds);
		});
		passes("gridsync", n, [&](int *, int rounds) {
			void *args[] = {&to, &from, &n, &rounds};

			HIP(hipLaunchCooperativeKernel((const void *)scale_gridsync, dim3(groups),
						       dim3(block), args, 0, nullptr));
		});
	}
}

// ---- pyhip: 16 waves read LDS, lanes `stride` dwords apart --------------------------------------

__global__ __launch_bounds__(1024) void lds_stride(unsigned *data, int stride, int rounds, int zero)
{
	__shared__ unsigned cell[16384];
	unsigned sum = 0;
	int at = threadIdx.x % 64 * stride;

	for (int i = threadIdx.x; i < 16384; i += 1024)
		cell[i] = data[i];
	__syncthreads();
	for (int i = 0; i < rounds; i++)
		sum += cell[at + (i & zero)];
	if (threadIdx.x == 0)
		data[0] = sum;
}

static void lds_strides(const std::string &head)
{
	device_array<unsigned> data((size_t)16384);
	const int rounds = 2000;

	for (int stride : {1, 2, 4, 8, 32})
		print(head + "lds_stride" + std::to_string(stride) + "_cycles",
		      cycles_of([&] { lds_stride<<<1, 1024>>>(data.data, stride, rounds, 0); }) /
			      (16. * rounds));
}

// ---- BabelStream: arrays of 2^25 doubles --------------------------------------------------------

#define BABEL(name, ...)                                                                           \
	__global__ __launch_bounds__(1024) void name(double *a, const double *b, const double *c)  \
	{                                                                                          \
		size_t i = blockIdx.x * 1024ul + threadIdx.x;                                      \
                                                                                                   \
		a[i] = __VA_ARGS__;                                                                \
	}
BABEL(babel_copy, b[i])
BABEL(babel_mul, .4 * b[i])
BABEL(babel_add, b[i] + c[i])
BABEL(babel_triad, b[i] + .4 * c[i])

__global__ __launch_bounds__(1024) void babel_dot(const double *a, const double *b, double *sum,
						  size_t n)
{
	__shared__ double part[1024];
	unsigned me = threadIdx.x;

	part[me] = 0;
	for (size_t i = blockIdx.x * 1024ul + me; i < n; i += gridDim.x * 1024ul)
		part[me] += a[i] * b[i];
	for (unsigned half = 512; half > 0; half /= 2) {
		__syncthreads();
		if (me < half)
			part[me] += part[me + half];
	}
	if (me == 0)
		sum[blockIdx.x] = part[0];
}

static void babel(const std::string &head)
{
	const size_t n = 1 << 25;
	device_array<double> a(n), b(n), c(n), sum(n / 2048);
	auto show = [&](const char *name, decltype(&babel_copy) kernel, int arrays) {
		print(head + "babel_" + name + "_gb",
		      8. * arrays * n /
			      ns_of([&] { kernel<<<n / 1024, 1024>>>(a.data, b.data, c.data); },
				    false));
	};

	show("copy", babel_copy, 2);
	show("mul", babel_mul, 2);
	show("add", babel_add, 3);
	show("triad", babel_triad, 3);
	print(head + "babel_dot_gb",
	      16. * n /
		      ns_of([&] { babel_dot<<<n / 2048, 1024>>>(a.data, b.data, sum.data, n); },
			    false));
}

#endif
