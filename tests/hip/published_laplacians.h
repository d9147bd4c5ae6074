/* SPDX-License-Identifier: MIT */
/*
 * Kernels of published.hip and published_unseen.hip: the Laplacian of a grid, after AMD's
 * finite-difference notes (one die of an MI250X).
 */
#ifndef PROBE_TESTS_HIP_PUBLISHED_LAPLACIANS_H
#define PROBE_TESTS_HIP_PUBLISHED_LAPLACIANS_H

#include "published_rate.h"

// ---- Laplacians of columns of M grid points, by point (kernel 2) or by direction (3 to 5) -------

struct weights {
	double x, y, z, centre;
};

template <int M>
__device__ void by_point(double *sum, const double *u, int nx, int slice, weights w)
{
#pragma unroll
	for (int n = 0; n < M; n++) {
		const double *at = u + n * nx;
		double centre = at[0];

		sum[n] += centre * w.centre + (at[-1] + at[1]) * w.x;
		if (n == 0)
			sum[n] += at[-nx] * w.y;
		else
			sum[n - 1] += centre * w.y;
		if (n == M - 1)
			sum[n] += at[nx] * w.y;
		else
			sum[n + 1] += centre * w.y;
		sum[n] += (at[-slice] + at[slice]) * w.z;
	}
}

template <int M>
__device__ void by_direction(double *sum, const double *u, int nx, int slice, bool first, bool last,
			     weights w)
{
#pragma unroll
	for (int n = 0; n < M; n++)
		sum[n] += u[n * nx - slice] * w.z;
	sum[0] += first ? 0 : u[-nx] * w.y;
#pragma unroll
	for (int n = 0; n < M; n++) {
		double centre;

		sum[n] += u[n * nx - 1] * w.x;
		centre = u[n * nx];
		sum[n] += centre * w.centre;
		sum[n] += u[n * nx + 1] * w.x;
		if (n > 0)
			sum[n - 1] += centre * w.y;
		if (n < M - 1)
			sum[n + 1] += centre * w.y;
	}
	sum[M - 1] += last ? 0 : u[M * nx] * w.y;
#pragma unroll
	for (int n = 0; n < M; n++)
		sum[n] += u[n * nx + slice] * w.z;
}

// KERNEL is the notes' number; the first without tile stores around the caches here.
template <int KERNEL, int M, int BOUND>
__global__ __launch_bounds__(BOUND) void laplacian_tile(double *f, const double *u, int nx, int ny,
							int nz, weights w)
{
	int i = threadIdx.x + blockIdx.x * blockDim.x;
	int j = M * (threadIdx.y + blockIdx.y * blockDim.y);
	int k = threadIdx.z + blockIdx.z * blockDim.z;
	int slice = nx * ny;
	size_t at = i + nx * j + (size_t)slice * k;
	double sum[M] = {};

	if (i == 0 || i >= nx - 1 || k == 0 || k >= nz - 1)
		return;
	if (KERNEL <= 2)
		by_point<M>(sum, u + at, nx, slice, w);
	else
		by_direction<M>(sum, u + at, nx, slice, j == 0, j >= ny - M, w);
#pragma unroll
	for (int n = 0; n < M; n++) {
		if (j + n == 0 || j + n >= ny - 1)
			continue;
		if (KERNEL == 1 || KERNEL == 5)
			__builtin_nontemporal_store(sum[n], &f[at + n * nx]);
		else
			f[at + n * nx] = sum[n];
	}
}

// Bandwidth of what must be fetched and written at least, hit rate of the L2, and what must be
// fetched as a part of what is. `launch` has the number of planes of side x side points.
template <typename F> static void laplacian_figures(const std::string &name, int side, F launch)
{
	/* Where each plane is fetched three times, the first and last ones must not count. */
	const int planes = side == 512 ? 24 : 48;
	const double nx = side, nz = planes;
	const double fetched = 8.0 * (nx * nx * nz - 8 - 8 * (nx - 2) - 4 * (nz - 2));
	const double written = 8.0 * (nx - 2) * (nx - 2) * (nz - 2);
	probe_sim_counters a = all_counters(), b;

	print("laplacian" + name + "_gb",
	      (fetched + written) / ns_of([&] { launch(planes); }, false));
	b = all_counters();
	print("laplacian" + name + "_l2_hit",
	      percent(b.tcc_hit - a.tcc_hit, b.tcc_req - a.tcc_req));
	print("laplacian" + name + "_fetch_efficiency",
	      100. * fetched / (64. * (double)(b.tcc_ea_rdreq - a.tcc_ea_rdreq)));
}

#endif
