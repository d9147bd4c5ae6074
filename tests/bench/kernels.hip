// SPDX-License-Identifier: MIT
// Kernels whose speed on the simulated GPU `make bench` measures. Each run checks its result.
//   kernels saxpy|matmul|transpose|reduction|stencil|histogram|empty REPEATS
// With BENCH_WAIT=sleep the thread that waits for kernels sleeps; HIP spins otherwise.
// Prints "<name> <seconds of all launches>". kernels.cl has the same kernels for OpenCL.

#include "../../examples/check.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

// Width of images; vectors have its square as size (64 MiB), so that no cache holds them.
constexpr int WIDTH = 4096;
constexpr int MATMUL = 512;

__global__ void saxpy(float *y, const float *x, float a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = a * x[i] + y[i];
}

constexpr int TILE = 16;

__global__ void matmul(float *c, const float *a, const float *b, int n)
{
	__shared__ float ta[TILE][TILE], tb[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int col = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
	float sum = 0;

	for (int k = 0; k < n; k += TILE) {
		ta[y][x] = a[row * n + k + x];
		tb[y][x] = b[(k + y) * n + col];
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum += ta[y][i] * tb[i][x];
		__syncthreads();
	}
	c[row * n + col] = sum;
}

__global__ void transpose(float *out, const float *in, int n)
{
	__shared__ float tile[32][33];
	int x = threadIdx.x, y = threadIdx.y;

	tile[y][x] = in[(blockIdx.y * 32 + y) * n + blockIdx.x * 32 + x];
	__syncthreads();
	out[(blockIdx.x * 32 + y) * n + blockIdx.y * 32 + x] = tile[x][y];
}

// One sum per workgroup: eight elements per thread, then a tree in LDS.
__global__ void reduction(float *out, const float *in, int n)
{
	__shared__ float part[256];
	int t = threadIdx.x, stride = gridDim.x * blockDim.x;
	float sum = 0;

	for (int i = blockIdx.x * blockDim.x + t; i < n; i += stride)
		sum += in[i];
	part[t] = sum;
	__syncthreads();
	for (int half = 128; half > 0; half /= 2) {
		if (t < half)
			part[t] += part[t + half];
		__syncthreads();
	}
	if (t == 0)
		out[blockIdx.x] = part[0];
}

// Five points, with the border copied.
__global__ void stencil(float *out, const float *in, int n)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	int at = y * n + x;

	if (x == 0 || y == 0 || x == n - 1 || y == n - 1)
		out[at] = in[at];
	else
		out[at] = 0.5f * in[at] +
			  0.125f * (in[at - 1] + in[at + 1] + in[at - n] + in[at + n]);
}

// 256 bins: counted in LDS per workgroup, then added to the global result.
__global__ void histogram(unsigned int *bins, const unsigned int *in, int n)
{
	__shared__ unsigned int mine[256];
	int t = threadIdx.x, stride = gridDim.x * blockDim.x;

	mine[t] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + t; i < n; i += stride)
		atomicAdd(&mine[in[i] & 255], 1u);
	__syncthreads();
	atomicAdd(&bins[t], mine[t]);
}

__global__ void empty()
{
}

template <typename T> struct buffer {
	std::vector<T> host;
	T *device;

	explicit buffer(size_t n) : host(n)
	{
		CHECK(hipMalloc(&device, n * sizeof(T)));
	}
	void up()
	{
		CHECK(hipMemcpy(device, host.data(), host.size() * sizeof(T),
				hipMemcpyHostToDevice));
	}
	void down()
	{
		CHECK(hipMemcpy(host.data(), device, host.size() * sizeof(T),
				hipMemcpyDeviceToHost));
	}
};

static void timed(const char *name, int repeats, const std::function<void()> &launch)
{
	auto start = std::chrono::steady_clock::now();

	for (int i = 0; i < repeats; i++)
		launch();
	CHECK(hipDeviceSynchronize());
	std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
	printf("%s %.9f\n", name, took.count());
}

static bool run_saxpy(int repeats)
{
	int n = WIDTH * WIDTH;
	buffer<float> x(n), y(n);

	for (int i = 0; i < n; i++)
		x.host[i] = (float)(i % 97), y.host[i] = (float)(i % 31);
	x.up(), y.up();
	timed("saxpy", repeats, [&] { saxpy<<<n / 256, 256>>>(y.device, x.device, 0.5f, n); });
	y.down();
	for (int i = 0; i < n; i++)
		if (y.host[i] != (float)(i % 31) + (float)repeats * 0.5f * (float)(i % 97))
			return false;
	return true;
}

static bool run_matmul(int repeats)
{
	int n = MATMUL;
	buffer<float> a(n * n), b(n * n), c(n * n);

	for (int i = 0; i < n * n; i++)
		a.host[i] = (float)(i % 7), b.host[i] = (float)(i % 5);
	a.up(), b.up();
	timed("matmul", repeats, [&] {
		matmul<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(c.device, a.device, b.device,
								       n);
	});
	c.down();
	for (int i = 0; i < n * n; i += 1237) {
		float sum = 0;

		for (int k = 0; k < n; k++)
			sum += a.host[i / n * n + k] * b.host[k * n + i % n];
		if (c.host[i] != sum)
			return false;
	}
	return true;
}

static bool run_transpose(int repeats)
{
	int n = WIDTH;
	buffer<float> in(n * n), out(n * n);

	for (int i = 0; i < n * n; i++)
		in.host[i] = (float)i;
	in.up();
	timed("transpose", repeats,
	      [&] { transpose<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(out.device, in.device, n); });
	out.down();
	for (int i = 0; i < n * n; i++)
		if (out.host[i % n * n + i / n] != in.host[i])
			return false;
	return true;
}

static bool run_reduction(int repeats)
{
	int n = WIDTH * WIDTH, groups = n / 256 / 8;
	buffer<float> in(n), out(groups);
	double want = 0, sum = 0;

	for (int i = 0; i < n; i++)
		in.host[i] = (float)(i % 13), want += i % 13;
	in.up();
	timed("reduction", repeats, [&] { reduction<<<groups, 256>>>(out.device, in.device, n); });
	out.down();
	for (float part : out.host)
		sum += part;
	return sum == want;
}

static bool run_stencil(int repeats)
{
	int n = WIDTH;
	buffer<float> in(n * n), out(n * n);
	const float *v = in.host.data();

	for (int i = 0; i < n * n; i++)
		in.host[i] = (float)(i % 61);
	in.up();
	timed("stencil", repeats,
	      [&] { stencil<<<dim3(n / 64, n / 4), dim3(64, 4)>>>(out.device, in.device, n); });
	out.down();
	for (int i = 0; i < n * n; i++) {
		int x = i % n, y = i / n;
		bool border = x == 0 || y == 0 || x == n - 1 || y == n - 1;

		if (out.host[i] !=
		    (border ? v[i]
			    : 0.5f * v[i] + 0.125f * (v[i - 1] + v[i + 1] + v[i - n] + v[i + n])))
			return false;
	}
	return true;
}

static bool run_histogram(int repeats)
{
	int n = WIDTH * WIDTH;
	buffer<unsigned int> in(n), bins(256);
	std::vector<unsigned int> want(256);
	unsigned int seed = 1;

	for (int i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		in.host[i] = seed >> 20;
		want[in.host[i] & 255] += (unsigned int)repeats;
	}
	in.up(), bins.up();
	timed("histogram", repeats,
	      [&] { histogram<<<n / 256 / 16, 256>>>(bins.device, in.device, n); });
	bins.down();
	return bins.host == want;
}

static bool run_empty(int repeats)
{
	timed("empty", repeats, [] { empty<<<1, 64>>>(); });
	return true;
}

int main(int argc, char **argv)
{
	struct {
		const char *name;
		bool (*run)(int repeats);
	} runs[] = {{"saxpy", run_saxpy},	  {"matmul", run_matmul},
		    {"transpose", run_transpose}, {"reduction", run_reduction},
		    {"stencil", run_stencil},	  {"histogram", run_histogram},
		    {"empty", run_empty}};

	if (getenv("BENCH_WAIT") && !strcmp(getenv("BENCH_WAIT"), "sleep"))
		CHECK(hipSetDeviceFlags(hipDeviceScheduleBlockingSync));
	for (auto &it : runs) {
		if (argc != 3 || strcmp(argv[1], it.name))
			continue;
		if (it.run(atoi(argv[2])))
			return 0;
		fprintf(stderr, "kernels %s: wrong result\n", it.name);
		return 1;
	}
	fprintf(stderr, "usage: kernels NAME REPEATS\n");
	return 2;
}
