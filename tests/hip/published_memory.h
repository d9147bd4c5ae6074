/* SPDX-License-Identifier: MIT */
/*
 * Kernels of published.hip that measure the memory system, after the descriptions of their sources:
 * gb is te42kyfo/gpu-benches (MI210), "lab notes" AMD's finite-difference notes (one die of an
 * MI250X), yax the exercises of AMD's HPCTrainingExamples for the profiler (MI210). Data sets are
 * smaller where the figure does not depend on their size.
 */
#ifndef PROBE_TESTS_HIP_PUBLISHED_MEMORY_H
#define PROBE_TESTS_HIP_PUBLISHED_MEMORY_H

#include "published_rate.h"

// ---- gb gpu-l2-cache: workgroups of 1024, each reads one of `run` interleaved pieces of 512 KiB
// --

__global__ __launch_bounds__(1024) void l2_sum(const double *from, int run, double *out)
{
	double sum = 0;

	for (int i = 0; i < 32; i++) {
		size_t at = (size_t)(1024 * run * i + blockIdx.x % run * 1024) * 2 + threadIdx.x;

		sum += from[at] * from[at + 1024];
	}
	if (threadIdx.x > 1233 || sum == 23.12)
		*out = sum;
}

static void l2_sizes(std::initializer_list<int> sizes)
{
	for (int kib : sizes) {
		const int run = kib / 512, groups = 6 * units();
		device_array<double> from((size_t)kib * 128), out((size_t)1);

		print("l2_" + std::to_string(kib) + "k_gb",
		      groups * 524288.0 /
			      ns_of([&] { l2_sum<<<groups, 1024>>>(from.data, run, out.data); },
				    false));
	}
}

// ---- gb gpu-stream: two workgroups per unit, because each takes half of the LDS
// ------------------

#define STREAM(name, ...)                                                                          \
	__global__ void stream_##name(double *a, const double *b, const double *c, size_t n,       \
				      bool never)                                                  \
	{                                                                                          \
		__shared__ double spoiler[4096];                                                   \
		size_t i = threadIdx.x + blockIdx.x * blockDim.x;                                  \
                                                                                                   \
		if (i >= n)                                                                        \
			return;                                                                    \
		if (never)                                                                         \
			spoiler[threadIdx.x] = b[threadIdx.x];                                     \
		__VA_ARGS__;                                                                       \
		if (never)                                                                         \
			a[i] = spoiler[i & 4095];                                                  \
	}
STREAM(init, a[i] = 0.23)
STREAM(read, double x = b[i]; if (x == 123.0) a[i] = x)
STREAM(scale, a[i] = b[i] * 1.2)
STREAM(triad, a[i] = b[i] * 1.2 + c[i])
// Without the ends, which the arrays have beyond n.
STREAM(3point, a[i] = .5 * b[(int)i - 1] - b[i] + .5 * b[i + 1])
STREAM(5point,
       a[i] = .25 * b[(int)i - 2] + .25 * b[(int)i - 1] - b[i] + .5 * b[i + 1] + .5 * b[i + 2])

static void streams()
{
	const struct {
		const char *name;
		void (*kernel)(double *, const double *, const double *, size_t, bool);
		int streams;
	} kernels[] = {{"init", stream_init, 1},     {"read", stream_read, 1},
		       {"scale", stream_scale, 2},   {"triad", stream_triad, 3},
		       {"3point", stream_3point, 2}, {"5point", stream_5point, 2}};
	const size_t n = 2 << 20;
	device_array<double> a(n), b(n + 4), c(n);

	for (int block : {64, 128, 256, 512, 1024})
		for (auto &it : kernels)
			print(std::string("stream_") + it.name + "_" + std::to_string(block) +
				      "_gb",
			      8.0 * n * it.streams /
				      ns_of(
					      [&] {
						      it.kernel<<<n / block, block>>>(
							      a.data, b.data + 2, c.data, n, false);
					      },
					      false));
}

// ---- gb gpu-small-kernels: launches one after the other. The columns of mi210.txt are workgroups
// of 16 to 1024: the program began with 16 when the file was written (commit 5bc3dc6)
// ---------------

__global__ void small_scale(double *__restrict__ a, const double *__restrict__ b, int n)
{
	int i = threadIdx.x + blockIdx.x * blockDim.x;

	if (i < n)
		a[i] = b[i] * 0.25;
}

static void small_kernels()
{
	const int launches = 6;
	device_array<double> a((size_t)1042953), b((size_t)1042953);
	hipEvent_t from, to;

	HIP(hipEventCreate(&from));
	HIP(hipEventCreate(&to));
	for (auto size : {std::pair<int, int>{4096, 128},
			  {16350, 128},
			  {65320, 32},
			  {65320, 128},
			  {261002, 16},
			  {261002, 128},
			  {1042953, 16},
			  {1042953, 32},
			  {1042953, 64},
			  {1042953, 512}}) {
		int groups = size.first / size.second + 1;
		float ms[2];

		// The difference of two numbers of launches has no first launch in it.
		for (int k = 0; k < 2; k++) {
			HIP(hipEventRecord(from));
			for (int i = 0; i < (k + 1) * launches; i += 2) {
				small_scale<<<groups, size.second>>>(a.data, b.data, size.first);
				small_scale<<<groups, size.second>>>(b.data, a.data, size.first);
			}
			HIP(hipEventRecord(to));
			HIP(hipEventSynchronize(to));
			HIP(hipEventElapsedTime(&ms[k], from, to));
		}
		print("small_" + std::to_string(size.first) + "_" + std::to_string(size.second) +
			      "_gb",
		      size.first * 16.0 * launches / ((ms[1] - ms[0]) * 1e6));
	}
}

// ---- lab notes: the Laplacian of a grid, kernels 1 and 3 (tile of one)
// ---------------------------

extern "C" __global__ __launch_bounds__(256) void laplacian1(double *f, const double *u, int nx,
							     int ny, int nz, double ix, double iy,
							     double iz, double ic)
{
	int i = threadIdx.x + blockIdx.x * blockDim.x, j = blockIdx.y, k = blockIdx.z;
	int slice = nx * ny;
	size_t at = i + nx * j + (size_t)slice * k;

	if (i == 0 || i >= nx - 1 || j == 0 || j >= ny - 1 || k == 0 || k >= nz - 1)
		return;
	f[at] = u[at] * ic + (u[at - 1] + u[at + 1]) * ix + (u[at - nx] + u[at + nx]) * iy +
		(u[at - slice] + u[at + slice]) * iz;
}

extern "C" __global__ __launch_bounds__(256) void laplacian3(double *f, const double *u, int nx,
							     int ny, int nz, double ix, double iy,
							     double iz, double ic)
{
	int i = threadIdx.x + blockIdx.x * blockDim.x, j = blockIdx.y, k = blockIdx.z;
	int slice = nx * ny;
	size_t at = i + nx * j + (size_t)slice * k;
	double sum;

	if (i == 0 || i >= nx - 1 || k == 0 || k >= nz - 1)
		return;
	sum = u[at - slice] * iz;
	sum += j > 0 ? u[at - nx] * iy : 0;
	sum += u[at - 1] * ix;
	sum += u[at] * ic;
	sum += u[at + 1] * ix;
	sum += j < ny - 1 ? u[at + nx] * iy : 0;
	sum += u[at + slice] * iz;
	if (j > 0 && j < ny - 1)
		f[at] = sum;
}

static void laplacians()
{
	const size_t nx = 512, ny = 512, nz = 24;
	const double fetched =
		8.0 * (nx * ny * nz - 8 - 4 * (nx - 2) - 4 * (ny - 2) - 4 * (nz - 2));
	const double written = 8.0 * ((nx - 2) * (ny - 2) * (nz - 2));
	device_array<double> f(nx * ny * nz), u(nx * ny * nz);
	auto show = [&](const char *name, decltype(&laplacian1) kernel) {
		probe_sim_counters a, b;
		auto launch = [&] {
			a = counters(name);
			kernel<<<dim3(nx / 256, ny, nz), 256>>>(f.data, u.data, nx, ny, nz, 1., 1.,
								1., -6.);
		};
		std::string head = std::string("laplacian") + (name[9] == '1' ? "1" : "3_1");

		print(head + "_gb", (fetched + written) / ns_of(launch, false));
		b = counters(name);
		print(head + "_l2_hit",
		      100. * (double)(b.tcc_hit - a.tcc_hit) / (double)(b.tcc_req - a.tcc_req));
		print(head + "_fetch_efficiency",
		      100. * fetched / (64. * (double)(b.tcc_ea_rdreq - a.tcc_ea_rdreq)));
	};

	show("laplacian1", laplacian1);
	show("laplacian3", laplacian3);
}

// ---- yax: rows of 32768 doubles, a lane per row or per column
// -------------------------------------

extern "C" __global__ __launch_bounds__(256) void yax_rows(const double *a, const double *x, int n,
							   int m, size_t pitch, double *out)
{
	double sum = 0;

	for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		double part = 0;

		for (int j = 0; j < m; j++)
			part += a[i * pitch + j] * x[j];
		sum += part;
	}
	unsafeAtomicAdd(out, sum);
}

__global__ __launch_bounds__(256) void yax_columns(const double *a, const double *x, int n, int m,
						   size_t pitch, double *out)
{
	double sum = 0;

	for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		double part = 0;

		for (int j = 0; j < m; j++)
			part += a[j * pitch + i] * x[j];
		sum += part;
	}
	unsafeAtomicAdd(out, sum);
}

static void yax()
{
	const size_t n = 32768;
	const int columns = 128, rows = 256, few = 1024;
	device_array<double> x(n), out((size_t)1);
	probe_sim_counters before, after, all;
	double *a;

	/* Only the first columns are touched, so most pages are never used. */
	HIP(hipMalloc(&a, n * n * 8));
	print("yax_strided_gb",
	      n * columns * 8.0 /
		      ns_of(
			      [&] {
				      before = counters("yax_rows");
				      yax_rows<<<2048, 64>>>(a, x.data, n, columns, n, out.data);
			      },
			      false));
	after = counters("yax_rows");
	print("yax_strided_l2_hit", 100. * (double)(after.tcc_hit - before.tcc_hit) /
					    (double)(after.tcc_req - before.tcc_req));
	print("yax_strided_waves", 4. * (double)(after.sq_wave_cycles - before.sq_wave_cycles) /
					   (double)(after.cycles - before.cycles));
	print("yax_four_waves_gb",
	      few * columns * 8.0 /
		      ns_of([&] { yax_rows<<<4, 64>>>(a, x.data, few, columns, n, out.data); }));
	all = all_counters();
	print("yax_coalesced_gb",
	      n * rows * 8.0 /
		      ns_of([&] { yax_columns<<<2048, 64>>>(a, x.data, n, rows, n, out.data); },
			    false));
	after = all_counters();
	print("yax_coalesced_l1_hit", l1_hit_rate(all, after));
	HIP(hipFree(a));
}

#endif
