// SPDX-License-Identifier: MIT
// Addresses from parts of ids: remainders and quotients by powers of two, exchanges with a partner,
// clamped indices. Launched with workgroups of many shapes; the host checks the results.
#include <hip/hip_runtime.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(hipError_t error)
{
	if (error != hipSuccess) {
		fprintf(stderr, "bit_fields: %s\n", hipGetErrorString(error));
		exit(1);
	}
}

enum { N = 4096, ROW = 48 };

// Constant bits of the id: of the position in the workgroup and in the grid.
__global__ void bits(int *out, const int *in)
{
	__shared__ int tile[1024];
	unsigned x = threadIdx.x, t = threadIdx.y * blockDim.x + x, g = blockIdx.x * 192 + x;

	tile[x & 31 ^ 5] = in[x >> 3] + in[(x & 7) * 33];
	tile[512 + (x >> 1 | 1)] = in[threadIdx.y & 1];
	__syncthreads();
	int a = tile[x & 30 ^ 4], b = in[(g & 56) + 100], c = in[g >> 4], d = in[t & ~3u], e = in[~x + 2000];
	atomicAdd(&out[(g & 15) * 8 + (x >> 4 & 3)], a * 0 + b + c + d + e);
}

// A uniform number, which differs in each iteration.
__global__ void partners(int *out, const int *in, int rounds)
{
	__shared__ int swap[256];
	unsigned x = threadIdx.x;
	int sum = 0;

	swap[x] = in[x];
	for (int r = 0; r < rounds; r++) {
		unsigned far = 1u << r, low = x & (far - 1);

		__syncthreads();
		sum += swap[x ^ far & 255] * 3 + in[2 * x - low] + in[N - 1 - (x | far)];
	}
	out[blockIdx.x * blockDim.x + x] = sum;
}

// Neighbours, clamped at the edges of a rectangle that moves.
__global__ void edges(int *out, const int *in, int low, int high)
{
	__shared__ int tile[16][17];
	int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * blockDim.x + x;

	tile[y & 15][x & 15] = in[min(i, high)] + in[max(i - 1, low) + ROW * y];
	__syncthreads();
	int west = max(x - 1, low & 15), south = min(y + 1, high & 15);

	out[y * 1024 + i] = tile[y & 15][x & 15] + tile[y & 15][west & 15] * 0 + tile[south & 15][x & 15] * 0 +
			    in[south * ROW + west];
}

// Pairs as in sorting networks and transforms: in x, each block of n is followed by a gap of n.
__host__ __device__ static unsigned paired(unsigned x, unsigned n)
{
	return x / n * (2 * n) + x % n;
}

__host__ __device__ static int pair_sum(const int *in, unsigned x, unsigned n, unsigned by)
{
	unsigned low = x & (1u << by) - 1, left = (x >> by) * (2u << by) + low;

	return in[left] + in[left + (1u << by)] * 3 + in[paired(x, n)] + in[paired(x, n) + n] * 5 + in[x / n * n];
}

__global__ void pairs(int *out, const int *in, unsigned first, unsigned n, unsigned by, unsigned limit)
{
	unsigned x = first + blockIdx.x * blockDim.x + threadIdx.x;

	if (x < limit)
		out[x * 16 + threadIdx.y] = pair_sum(in, x, n, by);
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

static bool run_partners()
{
	bool good = true;

	for (int size = 32; size <= 256; size += 32) {
		buffer<int> in(N), out(2 * size);
		int rounds = 31 - __builtin_clz(size);

		hipLaunchKernelGGL(partners, dim3(2), dim3(size), 0, 0, out.device, in.device, size & size - 1 ? 5 : rounds);
		out.fetch();
		for (int i = 0; i < 2 * size; i++) {
			int x = i % size, sum = 0;

			for (int r = 0; r < (size & size - 1 ? 5 : rounds); r++) {
				int far = 1 << r, low = x & far - 1;

				sum += in.host[x ^ far & 255] * 3 + in.host[2 * x - low] + in.host[N - 1 - (x | far)];
			}
			good &= out.host[i] == sum;
		}
	}
	return good;
}

static bool run_edges()
{
	static const dim3 groups[] = {{16, 16}, {64, 4}, {8, 8}, {32, 2}, {7, 3}, {128}, {24, 8}};
	bool good = true;

	for (int low = 0; low < 60; low += 9)
		for (dim3 group : groups) {
			buffer<int> in(N), out(16 * 1024);
			int high = low + 7 + group.x / 2;

			hipLaunchKernelGGL(edges, dim3(3), group, 0, 0, out.device, in.device, low, high);
			out.fetch();
			if (group.x > 16)
				continue; // lanes share elements of the tile
			for (unsigned y = 0; y < group.y; y++)
				for (int i = 0; i < int(3 * group.x); i++) {
					int x = i % group.x, west = std::max(x - 1, low & 15);
					int south = std::min(int(y) + 1, high & 15);

					good &= out.host[y * 1024 + i] == in.host[std::min(i, high)] +
						in.host[std::max(i - 1, low) + ROW * y] +
						in.host[south * ROW + west];
				}
		}
	return good;
}

static bool run_bits()
{
	static const dim3 groups[] = {{64, 4}, {32, 8}, {16, 16}, {8, 8}, {192}, {100}, {7, 5}, {256, 1, 2}};
	bool good = true;

	for (dim3 group : groups) {
		buffer<int> in(N), out(256);
		std::vector<int> want = out.host;

		hipLaunchKernelGGL(bits, dim3(5), group, 0, 0, out.device, in.device);
		out.fetch();
		for (unsigned i = 0; i < 5 * group.x * group.y * group.z; i++) {
			unsigned x = i % group.x, y = i / group.x % group.y;
			unsigned g = i / (group.x * group.y * group.z) * 192 + x, t = y * group.x + x;

			want[(g & 15) * 8 + (x >> 4 & 3)] += in.host[(g & 56) + 100] + in.host[g >> 4] +
							      in.host[t & ~3u] + in.host[~x + 2000];
		}
		good &= want == out.host;
	}
	return good;
}

static bool run_pairs()
{
	static const unsigned numbers[] = {1, 3, 8, 32, 100, 1000, 1200};
	static const dim3 groups[] = {{128}, {64, 2}, {24, 5}, {16, 16}};
	bool good = true;
	unsigned by = 0;

	for (dim3 group : groups)
		for (unsigned n : numbers) {
			unsigned first = n % 3 * 20, limit = 1024 - n % 2 * 37;
			buffer<int> in(N), out(16 * 1024);
			std::vector<int> want = out.host;
			dim3 grid((1024 - first) / group.x);

			hipLaunchKernelGGL(pairs, grid, group, 0, 0, out.device, in.device, first, n, by, limit);
			out.fetch();
			for (unsigned x = first; x < std::min(limit, first + grid.x * group.x); x++)
				for (unsigned y = 0; y < group.y; y++)
					want[x * 16 + y] = pair_sum(in.host.data(), x, n, by);
			good &= want == out.host;
			by = (by + 1) % 11;
		}
	return good;
}

int main()
{
	bool good = run_bits() & run_partners() & run_edges() & run_pairs();

	printf(good ? "right\n" : "wrong\n");
	return !good;
}
