// SPDX-License-Identifier: MIT
// Kernels whose speed on the simulated GPU `make bench` measures. Each run checks its result.
//   kernels saxpy|matmul|transpose|empty REPEATS
// Prints "<name> <seconds of all launches>".

#include "../../examples/check.h"

#include <chrono>
#include <cstring>
#include <functional>
#include <vector>

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

__global__ void empty()
{
}

struct buffer {
	std::vector<float> host;
	float *device;

	explicit buffer(size_t n) : host(n)
	{
		CHECK(hipMalloc(&device, n * sizeof(float)));
	}
	void up()
	{
		CHECK(hipMemcpy(device, host.data(), host.size() * sizeof(float),
				hipMemcpyHostToDevice));
	}
	void down()
	{
		CHECK(hipMemcpy(host.data(), device, host.size() * sizeof(float),
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
	int n = 1 << 20;
	buffer x(n), y(n);

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
	int n = 256;
	buffer a(n * n), b(n * n), c(n * n);

	for (int i = 0; i < n * n; i++)
		a.host[i] = (float)(i % 7), b.host[i] = (float)(i % 5);
	a.up(), b.up();
	timed("matmul", repeats, [&] {
		matmul<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(c.device, a.device, b.device, n);
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
	int n = 1024;
	buffer in(n * n), out(n * n);

	for (int i = 0; i < n * n; i++)
		in.host[i] = (float)i;
	in.up();
	timed("transpose", repeats, [&] {
		transpose<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(out.device, in.device, n);
	});
	out.down();
	for (int i = 0; i < n * n; i++)
		if (out.host[i % n * n + i / n] != in.host[i])
			return false;
	return true;
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
	} runs[] = {{"saxpy", run_saxpy},
		    {"matmul", run_matmul},
		    {"transpose", run_transpose},
		    {"empty", run_empty}};

	for (auto &it : runs) {
		if (argc != 3 || strcmp(argv[1], it.name))
			continue;
		if (it.run(atoi(argv[2])))
			return 0;
		fprintf(stderr, "kernels %s: wrong result\n", it.name);
		return 1;
	}
	fprintf(stderr, "usage: kernels saxpy|matmul|transpose|empty REPEATS\n");
	return 2;
}
