// SPDX-License-Identifier: MIT
// Accesses of many shapes, launched with workgroups of many shapes: proved and not proved, full and
// partial waves, at every position in a line. The host checks the results.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(hipError_t error)
{
	if (error != hipSuccess) {
		fprintf(stderr, "workgroup_shapes: %s\n", hipGetErrorString(error));
		exit(1);
	}
}

enum { SIDE = 96, TILE = 16 };

// A stencil on rows of any pitch that does not write its borders.
__global__ void stencil(float *out, const float *in, int n, int pitch)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
		return;
	out[y * pitch + x] = in[y * pitch + x - 1] + in[y * pitch + x + 1] + in[(y - 1) * pitch + x] +
			     in[(y + 1) * pitch + x];
}

// Rows in a loop that lanes leave at different times, backwards, and of bytes.
__global__ void rows(int *sum, const int *in, const unsigned char *bytes, long n, int stop)
{
	int t = threadIdx.x + threadIdx.y * blockDim.x, total = 0;

	for (long i = t; i < n - (t & stop); i += blockDim.x * blockDim.y)
		total += in[n - 1 - i] + bytes[i];
	sum[blockIdx.x * blockDim.x * blockDim.y + t] = total;
}

__global__ void tiles(float *out, const float *in, int n)
{
	__shared__ float tile[TILE][TILE + 1];
	int x = blockIdx.x * TILE, y = blockIdx.y * TILE;

	for (unsigned j = threadIdx.y; j < TILE; j += blockDim.y)
		tile[j][threadIdx.x] = in[(y + j) * n + x + threadIdx.x];
	__syncthreads();
	for (unsigned j = threadIdx.y; j < TILE; j += blockDim.y)
		out[(x + j) * n + y + threadIdx.x] = tile[threadIdx.x][j];
}

// Nested conditions that are not true in all waves, nor in all lanes; each is true once in a wave.
__global__ void nested(double2 *out, const double2 *in, const int *flags, int n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < (unsigned)n) {
		double2 v = in[i];

		if (flags[blockIdx.x]) {
			v.x += in[blockIdx.x].y;
			if (i & 1)
				v.y += flags[i];
			else
				v.y -= 1;
		}
		out[i] = v;
	}
}

template <typename T> struct buffer {
	std::vector<T> host;
	T *device;

	explicit buffer(size_t count) : host(count)
	{
		check(hipMalloc(&device, count * sizeof(T)));
		for (size_t i = 0; i < count; i++)
			host[i] = T(i * 7 % 61);
		check(hipMemcpy(device, host.data(), count * sizeof(T), hipMemcpyHostToDevice));
	}
	void fetch()
	{
		check(hipMemcpy(host.data(), device, host.size() * sizeof(T), hipMemcpyDeviceToHost));
	}
};

static bool run_stencils()
{
	static const dim3 groups[] = {{64, 4}, {32, 8}, {16, 16}, {8, 8}, {48, 2}, {7, 5}, {96, 1}};
	bool good = true;

	for (int pitch = SIDE; pitch < SIDE + 40; pitch += 13)
		for (dim3 group : groups) {
			buffer<float> in(SIDE * pitch), out(SIDE * pitch);
			dim3 grid((SIDE + group.x - 1) / group.x, (SIDE + group.y - 1) / group.y);

			hipLaunchKernelGGL(stencil, grid, group, 0, 0, out.device, in.device, SIDE, pitch);
			out.fetch();
			for (int y = 1; y < SIDE - 1; y++)
				for (int x = 1; x < SIDE - 1; x++) {
					const float *at = &in.host[y * pitch + x];

					good &= out.host[y * pitch + x] ==
						at[-1] + at[1] + at[-pitch] + at[pitch];
				}
		}
	return good;
}

static bool run_rows()
{
	static const dim3 groups[] = {{64}, {256}, {100}, {20}, {16, 4}, {24, 3}, {128, 2}};
	const long n = 1000;
	buffer<int> in(n);
	buffer<unsigned char> bytes(n);
	bool good = true;

	for (int stop = 0; stop < 70; stop += 63)
		for (dim3 group : groups) {
			int items = group.x * group.y;
			buffer<int> sum(3 * items);

			hipLaunchKernelGGL(rows, dim3(3), group, 0, 0, sum.device, in.device, bytes.device, n, stop);
			sum.fetch();
			for (int t = 0; t < 3 * items; t++) {
				int total = 0, own = t % items;

				for (long i = own; i < n - (own & stop); i += items)
					total += in.host[n - 1 - i] + bytes.host[i];
				good &= sum.host[t] == total;
			}
		}
	return good;
}

static bool run_tiles()
{
	buffer<float> in(SIDE * SIDE), out(SIDE * SIDE);
	bool good = true;

	for (int rows = 1; rows <= TILE; rows *= 2) {
		hipLaunchKernelGGL(tiles, dim3(SIDE / TILE, SIDE / TILE), dim3(TILE, rows), 0, 0, out.device,
				   in.device, SIDE);
		out.fetch();
		for (int i = 0; i < SIDE * SIDE; i++)
			good &= out.host[i] == in.host[i % SIDE * SIDE + i / SIDE];
	}
	return good;
}

static bool run_nested()
{
	const int n = 1000;
	buffer<int> flags(2048);
	bool good = true;

	for (int size = 32; size <= 256; size += 32) {
		buffer<double> in(4096), out(4096);

		hipLaunchKernelGGL(nested, dim3((n + size - 1) / size), dim3(size), 0, 0, (double2 *)out.device,
				   (const double2 *)in.device, flags.device, n);
		out.fetch();
		for (int i = 0; i < n; i++) {
			double x = in.host[2 * i], y = in.host[2 * i + 1];

			if (flags.host[i / size]) {
				x += in.host[2 * (i / size) + 1];
				y += i & 1 ? flags.host[i] : -1;
			}
			good &= out.host[2 * i] == x && out.host[2 * i + 1] == y;
		}
	}
	return good;
}

int main()
{
	bool good = run_stencils() & run_rows() & run_tiles() & run_nested();

	printf(good ? "right\n" : "wrong\n");
	return !good;
}
