/* SPDX-License-Identifier: MIT */
/*
 * Addresses with a stride in most waves but not in all: mirrored and wrapped at edges, quotients
 * and remainders by numbers that are not powers of two, indices from tables. Where there is no
 * stride, every access must be measured. Also strides from fields of a struct argument.
 */
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

enum { N = 1 << 14, ROW = 128 };

struct shape {
	int width;
	short odd;
	int height;
	long pitch;
};

static void check(hipError_t error)
{
	if (error == hipSuccess)
		return;
	fprintf(stderr, "piecewise_strides: %s\n", hipGetErrorString(error));
	exit(1);
}

__host__ __device__ static int mirrored(const int *in, int x, int y, struct shape s)
{
	int sum = 0;

#pragma unroll 1
	for (int i = -3; i <= 3; i++) {
		int at = x + i;

		if (at < 0)
			at = -at;
		if (at > s.width - 1)
			at = s.width - 1 - i;
		sum += in[y * (s.height + 1) + (at & ROW - 1)] + in[y * s.pitch + 2 * x + s.odd];
	}
	return sum;
}

__host__ __device__ static int divided(const int *in, int i, int n, unsigned m, long far)
{
	int q = i / n, r = i % n, next = r + 1 < n ? r + 1 : 0;
	long wide = (i + far) / n;

	return in[r * 3 + q] + in[q * 40 + next] + in[i / m * 32 + i % m] +
	       in[(wide - far / n) * 16 & N - 1] + in[(int)((i + far) % m) + 100];
}

/* The wave diverges, so that the index is not a select. */
__host__ __device__ static int parted(const int *in, int *out, int i, int n)
{
	long at;

	if (i % n > 0) {
		out[i] = i;
		at = i - 1;
	} else {
		at = i + n - 1;
	}
	return in[at] + in[(i & n | 64) + 2];
}

__global__ void mirror(int *out, const int *in, struct shape s)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < s.width && y < s.height)
		out[y * s.width + x] = mirrored(in, x, y, s);
}

__global__ void divide(int *out, const int *in, int n, unsigned m, long far, int limit)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < limit)
		out[i] = divided(in, i, n, m, far);
}

__global__ void part(int *out, const int *in, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[N / 2 + i] = parted(in, out, i, n);
}

__global__ void look_up(int *out, const int *in, const int *table, int rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

	for (int r = 0; r < rounds; r++)
		sum += in[table[i] + r] + in[table[r * 64]];
	out[i] = sum;
}

/* Rows and planes whose sizes the host can compute from the arguments. */
__host__ __device__ static int boxed(const int *in, int x, int y, int z, struct shape s, unsigned n)
{
	return in[x + s.width * (y + s.height * z)] + in[(n >> 2) * x + (n / 3 - n % 4) * y + s.odd * z] +
	       in[(s.width * s.height - y) * (size_t)s.odd + x];
}

__global__ void box(int *out, const int *in, struct shape s, unsigned n)
{
	int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;

	out[(z * 16 + y) * 64 + x] = boxed(in, x, y, z, s, n);
}

/* Lanes after the first one with lower addresses. */
__host__ __device__ static int remaining(const int *in, unsigned i, unsigned n)
{
	return in[i % n] + in[N / 2 + i / n] + in[(i & 15) + n];
}

__global__ void remain(int *out, const int *in, unsigned n, unsigned first)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (threadIdx.x >= first)
		out[i] = remaining(in, i, n);
}

/* Waves with fewer lanes than a record has addresses. */
__global__ void tiny(int *out, const int *in, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < width && y < height)
		out[y * width + x] = in[y * width + x] + in[x * height + y + 1];
}

struct buffer {
	std::vector<int> host;
	int *device;

	explicit buffer(int times) : host(N)
	{
		check(hipMalloc(&device, N * sizeof(int)));
		for (int i = 0; i < N; i++)
			host[i] = i * times % 61;
		send();
	}
	~buffer()
	{
		check(hipFree(device));
	}
	void send()
	{
		check(hipMemcpy(device, host.data(), N * sizeof(int), hipMemcpyHostToDevice));
	}
	bool holds(const std::vector<int> &want)
	{
		check(hipMemcpy(host.data(), device, N * sizeof(int), hipMemcpyDeviceToHost));
		return host == want;
	}
};

static bool run_mirror()
{
	static const dim3 groups[] = {{64, 4}, {16, 16}, {8, 8}, {128}, {24, 3}};
	static const struct shape shapes[] = {{128, 1, 4, 130}, {100, 3, 5, 0}, {64, 2, 8, 128}};
	bool good = true;

	for (dim3 group : groups)
		for (const struct shape &s : shapes) {
			buffer in(7), out(0);
			std::vector<int> want(N);
			dim3 grid((s.width + group.x - 1) / group.x, (s.height + group.y - 1) / group.y);

			hipLaunchKernelGGL(mirror, grid, group, 0, 0, out.device, in.device, s);
			for (int y = 0; y < s.height; y++)
				for (int x = 0; x < s.width; x++)
					want[y * s.width + x] = mirrored(in.host.data(), x, y, s);
			good &= out.holds(want);
		}
	return good;
}

static bool run_divide()
{
	static const int numbers[] = {3, 48, 64, 100, 192, 1000};
	bool good = true;

	for (int n : numbers)
		for (int limit = 1000; limit <= 1024; limit += 24) {
			buffer in(11), out(0);
			std::vector<int> want(N);

			hipLaunchKernelGGL(divide, dim3(8), dim3(128), 0, 0, out.device, in.device, n, n + 7u,
					   n * 5000000000l, limit);
			for (int i = 0; i < limit; i++)
				want[i] = divided(in.host.data(), i, n, n + 7u, n * 5000000000l);
			good &= out.holds(want);
		}
	return good;
}

static bool run_part()
{
	bool good = true;

	for (int n = 16; n <= 256; n *= 2) {
		buffer in(13), out(0);
		std::vector<int> want(N);

		hipLaunchKernelGGL(part, dim3(4), dim3(192), 0, 0, out.device, in.device, n);
		for (int i = 0; i < 4 * 192; i++)
			want[N / 2 + i] = parted(in.host.data(), want.data(), i, n);
		good &= out.holds(want);
	}
	return good;
}

static bool run_look_up()
{
	buffer in(17), out(0), table(0);
	std::vector<int> want(N);

	for (int i = 0; i < 512; i++)
		table.host[i] = i < 192 ? i + 5 : i < 320 ? 77 : i * 37 % 509;
	table.send();
	hipLaunchKernelGGL(look_up, dim3(4), dim3(128), 0, 0, out.device, in.device, table.device, 3);
	for (int i = 0; i < 512; i++)
		for (int r = 0; r < 3; r++)
			want[i] += in.host[table.host[i] + r] + in.host[table.host[r * 64]];
	return out.holds(want);
}

static bool run_box()
{
	static const dim3 groups[] = {{64, 4}, {16, 8, 2}, {4, 4, 8}, {33, 3, 2}};
	bool good = true;

	for (dim3 group : groups)
		for (int width = 20; width < 90; width += 23) {
			struct shape s = {width, (short)(width % 3), 7 + width % 5, 0};
			buffer in(5), out(0);
			std::vector<int> want(N);

			hipLaunchKernelGGL(box, dim3(1), group, 0, 0, out.device, in.device, s, width + 9u);
			for (unsigned z = 0; z < group.z; z++)
				for (unsigned y = 0; y < group.y; y++)
					for (unsigned x = 0; x < group.x; x++)
						want[(z * 16 + y) * 64 + x] =
							boxed(in.host.data(), x, y, z, s, width + 9u);
			good &= out.holds(want);
		}
	return good;
}

static bool run_remain()
{
	bool good = true;

	for (unsigned n : {1u, 3u, 7u, 33u, 64u, 100u, 300u})
		for (unsigned first : {0u, 5u}) {
			buffer in(3), out(0);
			std::vector<int> want(N);

			hipLaunchKernelGGL(remain, dim3(3), dim3(200), 0, 0, out.device, in.device, n, first);
			for (unsigned i = 0; i < 600; i++)
				want[i] = i % 200 < first ? 0 : remaining(in.host.data(), i, n);
			good &= out.holds(want);
		}
	return good;
}

static bool run_tiny()
{
	static const dim3 groups[] = {{1, 1}, {2, 1}, {1, 2}, {3, 1}};
	bool good = true;

	for (dim3 group : groups) {
		buffer in(7), out(0);
		std::vector<int> want(N);

		hipLaunchKernelGGL(tiny, dim3(6, 6), group, 0, 0, out.device, in.device, 5, 6);
		for (int y = 0; y < 6; y++)
			for (int x = 0; x < 5; x++)
				want[y * 5 + x] = in.host[y * 5 + x] + in.host[x * 6 + y + 1];
		good &= out.holds(want);
	}
	return good;
}

int main()
{
	bool good = run_remain() & run_tiny() & run_mirror() & run_divide() & run_part() & run_look_up() & run_box();

	printf(good ? "right\n" : "wrong\n");
	return !good;
}
