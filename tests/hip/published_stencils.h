/* SPDX-License-Identifier: MIT */
/*
 * Kernels of published_unseen.hip: stencils along one direction of a grid of floats after AMD's
 * seismic-stencils notes (parts 1 to 3, one die of an MI250X), and more Laplacians of its
 * finite-difference notes. Planes have 512 x 512 points as in the sources, but there are fewer.
 */
#ifndef PROBE_TESTS_HIP_PUBLISHED_STENCILS_H
#define PROBE_TESTS_HIP_PUBLISHED_STENCILS_H

#include "published_laplacians.h"

// ---- Stencils along x, y or z -------------------------------------------------------------------

enum { SIDE_POINTS = 512, LANES = 64, ROWS = 4 }; // a workgroup of most kernels has 64 x 4 lanes

__constant__ float stencil_weights[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

typedef float floats1 __attribute__((ext_vector_type(1)));
typedef float floats2 __attribute__((ext_vector_type(2)));
typedef float floats4 __attribute__((ext_vector_type(4)));

// Floats from one row or plane to the next, and the points that are computed: x0 to x1, and so on.
struct stencil_grid {
	int row, plane;
	int x0, x1, y0, y1, z0, z1;
};

// Part 1: a point per lane, all its neighbours are loaded.
template <int RADIUS, int DIRECTION>
__global__ __launch_bounds__(256) void stencil_direct(float *__restrict__ out,
						      const float *__restrict__ in, stencil_grid g)
{
	int x = g.x0 + threadIdx.x + blockIdx.x * blockDim.x;
	int y = g.y0 + threadIdx.y + blockIdx.y * blockDim.y;
	int z = g.z0 + threadIdx.z + blockIdx.z * blockDim.z;
	int step = DIRECTION == 0 ? 1 : DIRECTION == 1 ? g.row : g.plane;
	size_t at = x + g.row * y + g.plane * z;
	float sum = 0;

	if (x >= g.x1 || y >= g.y1 || z >= g.z1)
		return;
	in += at - RADIUS * step;
#pragma unroll
	for (int r = 0; r <= 2 * RADIUS; r++)
		sum += in[r * step] * stencil_weights[r];
	out[at] = sum;
}

// Part 3: N points per lane along x, loaded as vectors, as are their neighbours (radius 4).
template <typename V, int N>
__global__ __launch_bounds__(256) void stencil_x_vectors(float *__restrict__ out,
							 const float *__restrict__ in,
							 stencil_grid g)
{
	int x = g.x0 + N * (threadIdx.x + blockIdx.x * blockDim.x);
	int y = g.y0 + threadIdx.y + blockIdx.y * blockDim.y, z = g.z0 + blockIdx.z;
	size_t at = x + g.row * y + g.plane * z;
	const V *from = (const V *)(in + at);
	float near[8 + N];
	V sum = 0;

	if (x >= g.x1 || y >= g.y1 || z >= g.z1)
		return;
#pragma unroll
	for (int r = 0; r < 8 / N + 1; r++) {
		V part = from[r - 4 / N];

#pragma unroll
		for (int c = 0; c < N; c++)
			near[r * N + c] = part[c];
	}
#pragma unroll
	for (int r = 0; r < 9; r++)
#pragma unroll
		for (int c = 0; c < N; c++)
			sum[c] += near[r + c] * stencil_weights[r];
	*(V *)(out + at) = sum;
}

// The same along y.
template <typename V, int N>
__global__ __launch_bounds__(256) void stencil_y_vectors(float *__restrict__ out,
							 const float *__restrict__ in,
							 stencil_grid g)
{
	int x = g.x0 + N * (threadIdx.x + blockIdx.x * blockDim.x);
	int y = g.y0 + threadIdx.y + blockIdx.y * blockDim.y, z = g.z0 + blockIdx.z;
	size_t at = x + g.row * y + g.plane * z;
	const V *from = (const V *)(in + at - 4 * g.row);
	V sum = 0;

	if (x >= g.x1 || y >= g.y1 || z >= g.z1)
		return;
#pragma unroll
	for (int r = 0; r < 9; r++) {
		sum += from[0] * stencil_weights[r];
		from += g.row / N;
	}
	*(V *)(out + at) = sum;
}

// Part 3: the rows of a workgroup and of its neighbours are in LDS, four floats per lane.
__global__ __launch_bounds__(256) void stencil_y_lds(float *__restrict__ out,
						     const float *__restrict__ in, stencil_grid g)
{
	__shared__ floats4 cell[LANES * 3 * ROWS];
	int x = g.x0 + 4 * (threadIdx.x + blockIdx.x * LANES);
	int y = g.y0 + threadIdx.y + blockIdx.y * ROWS, z = g.z0 + blockIdx.z;
	size_t at = x + g.row * y + g.plane * z;
	int mine = threadIdx.x + (ROWS + threadIdx.y) * LANES, row = g.row / 4;
	const floats4 *from = (const floats4 *)(in + at);
	floats4 sum = 0;

	cell[mine - ROWS * LANES] = from[-4 * row];
	cell[mine] = from[0];
	cell[mine + ROWS * LANES] = from[4 * row];
	__syncthreads();
	if (x >= g.x1 || y >= g.y1 || z >= g.z1)
		return;
#pragma unroll
	for (int r = 0; r < 9; r++)
		sum += cell[mine + (r - 4) * LANES] * stencil_weights[r];
	*(floats4 *)(out + at) = sum;
}

// Part 2: each lane goes along z over `deep` planes, with nine of its column in registers.
__global__ __launch_bounds__(256) void stencil_z_window(float *out, const float *in, stencil_grid g,
							int deep)
{
	int x = g.x0 + threadIdx.x + blockIdx.x * blockDim.x;
	int y = g.y0 + threadIdx.y + blockIdx.y * blockDim.y;
	int first = g.z0 + blockIdx.z * deep, end = min(first + deep, g.z1);
	size_t at = x + g.row * y + (size_t)g.plane * first;
	float window[9];

	if (x >= g.x1 || y >= g.y1)
		return;
	in += at - 4 * g.plane;
	out += at;
#pragma unroll
	for (int r = 0; r < 8; r++) {
		window[r] = in[0];
		in += g.plane;
	}
	for (int z = first; z < end; z++) {
		float sum = 0;

		window[8] = in[0];
#pragma unroll
		for (int r = 0; r < 9; r++)
			sum += window[r] * stencil_weights[r];
		out[0] = sum;
#pragma unroll
		for (int r = 0; r < 8; r++)
			window[r] = window[r + 1];
		in += g.plane;
		out += g.plane;
	}
}

// What is measured: a direction, and grids of this many planes. Rows that are aligned have a
// multiple of 64 floats, and their first point is at one.
struct stencil {
	std::string name;
	int radius, direction, planes;
	bool aligned;
};

// The two arrays of all stencils.
struct stencil_data {
	float *in, *out;

	stencil_data()
	{
		const size_t bytes = sizeof(float) * 576 * 520 * 140;

		HIP(hipMalloc(&in, bytes));
		HIP(hipMalloc(&out, bytes));
	}
	~stencil_data()
	{
		HIP(hipFree(in));
		HIP(hipFree(out));
	}
};

// Effective bandwidth as the notes define it: the grid is read with its halo and written once. Then
// the traffic as a multiple of the grid's bytes, of 64 bytes per access or request, and LDS
// instructions per wave. The grids are smaller than on hardware, so that a part of what is written
// is still in the L2: memory's writes are taken as the grid's bytes.
template <typename F>
static void stencil_figures(const stencil_data &data, const stencil &it, F launch)
{
	const int halo = 2 * it.radius, width = SIDE_POINTS + halo;
	const int row = it.aligned ? (width + 63) / 64 * 64 : width;
	const int first = it.aligned ? 64 - it.radius : 0, last = it.radius + SIDE_POINTS;
	const double face = SIDE_POINTS * (it.direction == 2 ? SIDE_POINTS : it.planes);
	const double points = (double)SIDE_POINTS * SIDE_POINTS * it.planes;
	const stencil_grid grid = {row,	      row * width, it.radius, last,
				   it.radius, last,	   it.radius, it.planes + it.radius};
	const std::string head = "seis_" + it.name;
	probe_sim_counters a = all_counters(), b;

	print(head + "_gb",
	      4 * (2 * points + halo * face) /
		      ns_of([&] { launch(data.out + first, data.in + first, grid); }, false));
	b = all_counters();
#define GRIDS(name) (double)(b.name - a.name) * 16 / points
	print(head + "_l1", GRIDS(tcp_total_cache_accesses));
	print(head + "_l2r", GRIDS(tcp_tcc_read_req));
	print(head + "_l2w", GRIDS(tcp_tcc_write_req));
	print(head + "_hbm", GRIDS(tcc_ea_rdreq) + 1);
#undef GRIDS
	print(head + "_insts", (double)(b.sq_insts_lds - a.sq_insts_lds) * LANES * 4 / points);
}

// A point per lane. Part 3 says that workgroups have 256 x 1 lanes, but the published traffic along y
// and z is possible only with 64 x 4.
template <int RADIUS, int DIRECTION>
static void direct_stencil(const stencil_data &data, const std::string &name, bool aligned)
{
	const stencil it = {name, RADIUS, DIRECTION, DIRECTION == 2 ? 48 : 24, aligned};
	const dim3 block = DIRECTION == 0 ? dim3(256) : dim3(LANES, ROWS);
	const dim3 groups(SIDE_POINTS / block.x, SIDE_POINTS / block.y, it.planes);

	stencil_figures(data, it, [&](float *out, const float *in, stencil_grid grid) {
		stencil_direct<RADIUS, DIRECTION><<<groups, block>>>(out, in, grid);
	});
}

template <int RADIUS> static void direct_stencils(const stencil_data &data)
{
	const std::string radius = "_r" + std::to_string(RADIUS);

	direct_stencil<RADIUS, 0>(data, "x" + radius, false);
	direct_stencil<RADIUS, 1>(data, "y" + radius, false);
	direct_stencil<RADIUS, 2>(data, "z" + radius, false);
}

static void stencils()
{
	const dim3 block(LANES, ROWS);
	const int planes = 24, deep = 64;
	stencil_data data;
	auto vectors = [&](const std::string &name, int direction, int n,
			   void (*kernel)(float *, const float *, stencil_grid)) {
		const dim3 groups(SIDE_POINTS / LANES / n, SIDE_POINTS / ROWS, planes);

		stencil_figures(data, {name, 4, direction, planes, true},
				[&](float *out, const float *in, stencil_grid grid) {
					kernel<<<groups, block>>>(out, in, grid);
				});
	};

	direct_stencils<1>(data);
	direct_stencils<2>(data);
	direct_stencils<3>(data);
	direct_stencils<4>(data);
	for (bool aligned : {false, true}) {
		const std::string suffix = aligned ? "_aligned" : "";

		direct_stencil<4, 0>(data, "x" + suffix, aligned);
		direct_stencil<4, 1>(data, "y" + suffix, aligned);
		direct_stencil<4, 2>(data, "z" + suffix, aligned);
	}
	vectors("x_vec1", 0, 1, stencil_x_vectors<floats1, 1>);
	vectors("x_vec2", 0, 2, stencil_x_vectors<floats2, 2>);
	vectors("x_vec4", 0, 4, stencil_x_vectors<floats4, 4>);
	vectors("y_vec1", 1, 1, stencil_y_vectors<floats1, 1>);
	vectors("y_vec2", 1, 2, stencil_y_vectors<floats2, 2>);
	vectors("y_vec4", 1, 4, stencil_y_vectors<floats4, 4>);
	vectors("y_lds4", 1, 4, stencil_y_lds);
	stencil_figures(data, {"z_window", 4, 2, 2 * deep, true},
			[&](float *out, const float *in, stencil_grid grid) {
				dim3 groups(SIDE_POINTS / LANES, SIDE_POINTS / ROWS, 2);

				stencil_z_window<<<groups, block>>>(out, in, grid, deep);
			});
}

// ---- Laplacians: kernels 6 (workgroups in the order y, z, x) and 7 (launches of 256 rows) -------

template <int M, bool Y_FIRST>
__global__ __launch_bounds__(256) void laplacian_ordered(double *f, const double *u, int nx, int ny,
							 int nz, int first, weights w)
{
	int i = threadIdx.x + (Y_FIRST ? blockIdx.z : blockIdx.x) * blockDim.x;
	int j = first + M * (Y_FIRST ? blockIdx.x : blockIdx.y);
	int k = Y_FIRST ? blockIdx.y : blockIdx.z;
	int slice = nx * ny;
	size_t at = i + nx * j + (size_t)slice * k;
	double sum[M] = {};

	if (i == 0 || i >= nx - 1 || k == 0 || k >= nz - 1)
		return;
	by_direction<M>(sum, u + at, nx, slice, j == 0, j >= ny - M, w);
#pragma unroll
	for (int n = 0; n < M; n++)
		if (j + n > 0 && j + n < ny - 1)
			__builtin_nontemporal_store(sum[n], &f[at + n * nx]);
}

static void more_laplacians()
{
	const int wide = 1024, rows = 8;
	const size_t most = (size_t)wide * wide * 48;
	const weights w = {1, 1, 1, -6};
	device_array<double> f(most), u(most);
	auto tile = [&](const std::string &name, int m,
			decltype(&laplacian_tile<2, 2, 1024>) kernel) {
		laplacian_figures(name, 512, [&](int planes) {
			kernel<<<dim3(2, 512 / m, planes), 256>>>(f.data, u.data, 512, 512, planes,
								  w);
		});
	};

	tile("2_2", 2, laplacian_tile<2, 2, 1024>);
	tile("2_4", 4, laplacian_tile<2, 4, 1024>);
	tile("2_16", 16, laplacian_tile<2, 16, 1024>);
	tile("3_4", 4, laplacian_tile<3, 4, 1024>);
	tile("3_16", 16, laplacian_tile<3, 16, 1024>);
	/* Kernel 4 is kernel 3 with launch bounds, so that nothing spills. */
	tile("4_16", 16, laplacian_tile<3, 16, 256>);
	laplacian_figures("6_wide", wide, [&](int planes) {
		laplacian_ordered<rows, true><<<dim3(wide / rows, planes, wide / 256), 256>>>(
			f.data, u.data, wide, wide, planes, 0, w);
	});
	laplacian_figures("7_wide", wide, [&](int planes) {
		for (int first = 0; first < wide; first += 256)
			laplacian_ordered<rows, false>
				<<<dim3(wide / 256, 256 / rows, planes), 256>>>(
					f.data, u.data, wide, wide, planes, first, w);
	});
}

#endif
