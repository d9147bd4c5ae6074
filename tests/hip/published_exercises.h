/* SPDX-License-Identifier: MIT */
/*
 * Kernels of published.hip after AMD's exercises and lab notes: "lab notes" are its jacobi and
 * finite-difference notes (one die of an MI250 or MI250X), yax and transpose those of
 * HPCTrainingExamples (MI210). Parts of the data are left out where the figure does not depend on
 * them.
 */
#ifndef PROBE_TESTS_HIP_PUBLISHED_EXERCISES_H
#define PROBE_TESTS_HIP_PUBLISHED_EXERCISES_H

#include "published_laplacians.h"

// ---- Transposes of 8192 x 8192 doubles, of which the first 1024 rows or columns -----------------

enum { SIDE = 8192, TILE = 32 };

__global__ __launch_bounds__(1024) void transpose_read_rows(double *to, const double *from)
{
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;

	to[x * SIDE + y] = from[y * SIDE + x];
}

__global__ __launch_bounds__(1024) void transpose_write_rows(double *to, const double *from)
{
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;

	to[y * SIDE + x] = from[x * SIDE + y];
}

__global__ __launch_bounds__(1024) void transpose_tiled(double *to, const double *from)
{
	__shared__ double tile[TILE][TILE + 1];
	int column = blockIdx.x * TILE, row = blockIdx.y * TILE;

	tile[threadIdx.y][threadIdx.x] = from[(row + threadIdx.y) * SIDE + column + threadIdx.x];
	__syncthreads();
	to[(column + threadIdx.y) * SIDE + row + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

static void transposes()
{
	const dim3 grid(SIDE / TILE, 1024 / TILE), block(TILE, TILE);
	const double bytes = 16.0 * SIDE * 1024;
	device_array<double> a((size_t)SIDE * SIDE), b((size_t)SIDE * SIDE);
	auto show = [&](const char *name, void (*kernel)(double *, const double *)) {
		print(name, bytes / ns_of([&] { kernel<<<grid, block>>>(a.data, b.data); }, false));
	};

	show("transpose_read_rows_gb", transpose_read_rows);
	show("transpose_write_rows_gb", transpose_write_rows);
	show("transpose_tiled_gb", transpose_tiled);
}

// ---- Jacobi: 4096 x 4096 doubles, 1024 rows of them where nothing is reused from row to row -----

__global__ __launch_bounds__(256) void jacobi_update(int n, double factor, const double *rhs,
						     const double *au, double *res, double *u)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		double r = rhs[i] - au[i];

		res[i] = r;
		u[i] += r * factor;
	}
}

__global__ __launch_bounds__(256) void jacobi_laplacian(int nx, int ny, double xx, double yy,
							const double *u, double *au)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % nx;

	if (i < nx || i >= nx * (ny - 1) || x == 0 || x == nx - 1)
		return;
	au[i] = (2 * u[i] - u[i - 1] - u[i + 1]) * xx + (2 * u[i] - u[i - nx] - u[i + nx]) * yy;
}

__global__ __launch_bounds__(512) void jacobi_norm(const double *a, double *sum, int n)
{
	__shared__ double part[512];
	int me = threadIdx.x;

	part[me] = 0;
	for (int i = blockIdx.x * 512 + me; i < n; i += gridDim.x * 512)
		part[me] += a[i] * a[i];
	for (int half = 256; half > 0; half /= 2) {
		__syncthreads();
		if (me < half)
			part[me] += part[me + half];
	}
	if (me == 0)
		sum[blockIdx.x] = part[0];
}

static void jacobi()
{
	const int nx = 4096, ny = 1024, n = nx * ny;
	device_array<double> u((size_t)nx * nx), au((size_t)n), rhs((size_t)n), res((size_t)n);
	device_array<double> sum((size_t)256);

	print("jacobi_update_gb",
	      40.0 * n /
		      ns_of(
			      [&] {
				      jacobi_update<<<n / 256, 256>>>(n, .5, rhs.data, au.data,
								      res.data, u.data);
			      },
			      false));
	print("jacobi_laplacian_gb",
	      16.0 * n /
		      ns_of(
			      [&] {
				      jacobi_laplacian<<<n / 256, 256>>>(nx, ny, 1., 1., u.data,
									 au.data);
			      },
			      false));
	print("jacobi_norm_gb",
	      8.0 * nx * nx /
		      ns_of([&] { jacobi_norm<<<256, 512>>>(u.data, sum.data, nx * nx); }, false));
}

// ---- Laplacians of columns of grid points -------------------------------------------------------

static void laplacian_tiles()
{
	const size_t most = (size_t)1024 * 1024 * 48;
	device_array<double> f(most), u(most);
	auto show = [&](const std::string &name, decltype(&laplacian_tile<1, 1, 1024>) kernel,
			int rows, int side, dim3 block) {
		laplacian_figures(name, side, [&](int planes) {
			kernel<<<dim3(side / block.x, side / rows, planes / block.z), block>>>(
				f.data, u.data, side, side, planes, {1, 1, 1, -6});
		});
	};

	show("1_nontemporal", laplacian_tile<1, 1, 1024>, 1, 512, dim3(256));
	show("2_8", laplacian_tile<2, 8, 1024>, 8, 512, dim3(256));
	show("3_2", laplacian_tile<3, 2, 1024>, 2, 512, dim3(256));
	show("3_8", laplacian_tile<3, 8, 1024>, 8, 512, dim3(256));
	show("3_16", laplacian_tile<3, 16, 1024>, 16, 512, dim3(256));
	show("5_8", laplacian_tile<5, 8, 256>, 8, 512, dim3(256));
	show("5_wide", laplacian_tile<5, 8, 256>, 8, 1024, dim3(256));
	show("5_deep", laplacian_tile<5, 8, 1024>, 8, 1024, dim3(128, 1, 8));
}

// ---- yax: more of its variants. The matrix has rows of 32768 doubles ----------------------------

// A lane per row; of the vector, the first CELLS values come from LDS.
template <int CELLS>
__global__ __launch_bounds__(256) void yax_lds(const double *a, const double *x, const double *y,
					       int n, int from, int to, double *out)
{
	__shared__ double cell[CELLS];
	double sum = 0;

	for (int i = threadIdx.x; i < CELLS; i += blockDim.x)
		cell[i] = x[i];
	__syncthreads();
	for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		double part = 0;

		for (int j = from; j < to; j++)
			part += a[(size_t)i * n + j] * (j < CELLS ? cell[j] : x[j]);
		sum += y[i] * part;
	}
	unsafeAtomicAdd(out, sum);
}

// A workgroup per row.
__global__ __launch_bounds__(256) void yax_groups(const double *a, const double *x, const double *y,
						  int rows, int n, double *out)
{
	__shared__ double sum;

	if (threadIdx.x == 0)
		sum = 0;
	for (int i = blockIdx.x; i < rows; i += gridDim.x) {
		double part = 0;

		for (int j = threadIdx.x; j < n; j += blockDim.x)
			part += a[(size_t)i * n + j] * x[j];
		unsafeAtomicAdd(&sum, part);
		if (threadIdx.x == 0)
			sum *= y[i];
	}
	if (threadIdx.x == 0)
		unsafeAtomicAdd(out, sum);
}

// Columns on both sides of the end of the part in LDS, with the shares of the whole matrix. The
// difference of two launches has no start in it.
template <int CELLS>
static void yax_lds_figures(const std::string &name, const double *a, double *x)
{
	const int n = 32768, quarter = CELLS == 8192 ? 16 : 0;
	device_array<double> out((size_t)1);
	probe_sim_counters seen[3];
	double cycles;

	for (int k = 0; k < 3; k++) {
		seen[k] = all_counters();
		if (k < 2)
			yax_lds<CELLS><<<2048, 64>>>(a, x, x, n, CELLS - quarter * (2 * k + 1),
						     CELLS + (64 - quarter) * (2 * k + 1),
						     out.data);
	}
#define MORE(name) (double)(seen[2].name - 2 * seen[1].name + seen[0].name)
	cycles = MORE(cycles);
	print("yax_" + name + "_gb", 128. * n * 8 * device().clockRate * 1e-6 / cycles);
	print("yax_" + name + "_waves", 4 * MORE(sq_wave_cycles) / cycles);
#undef MORE
}

static void yax_variants()
{
	const int n = 32768, rows = 2048;
	device_array<double> x((size_t)n), out((size_t)1);
	probe_sim_counters before, after;
	double *a;

	HIP(hipMalloc(&a, (size_t)n * n * 8));
	yax_lds_figures<8192>("lds64k", a, x.data);
	yax_lds_figures<256>("lds2k", a, x.data);
	before = all_counters();
	print("yax_groups_gb",
	      8. * rows * n /
		      ns_of([&] { yax_groups<<<2048, 64>>>(a, x.data, x.data, rows, n, out.data); },
			    false));
	after = all_counters();
	print("yax_groups_l1_hit", l1_hit_rate(before, after));
	print("yax_groups_l2_hit",
	      percent(after.tcc_hit - before.tcc_hit, after.tcc_req - before.tcc_req));
	HIP(hipFree(a));
}

#endif
