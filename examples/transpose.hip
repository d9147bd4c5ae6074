// SPDX-License-Identifier: MIT
// Three ways to transpose a matrix, and what each costs: the naive one writes columns to global
// memory, the tiled one reads columns of an LDS tile, the padded one does neither.
//
//   transpose [N]      N x N floats, a multiple of 32 (default 32: one 32x32 workgroup each)

#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TILE = 32;

__global__ void transpose_naive(float *out, const float *in, int n)
{
	int x = blockIdx.x * TILE + threadIdx.x;
	int y = blockIdx.y * TILE + threadIdx.y;

	out[x * n + y] = in[y * n + x];
}

template <int PITCH> __device__ void transpose_tile(float *out, const float *in, int n)
{
	__shared__ float tile[TILE * PITCH];
	int x = threadIdx.x, y = threadIdx.y;

	tile[y * PITCH + x] = in[(blockIdx.y * TILE + y) * n + blockIdx.x * TILE + x];
	__syncthreads();
	out[(blockIdx.x * TILE + y) * n + blockIdx.y * TILE + x] = tile[x * PITCH + y];
}

__global__ void transpose_lds(float *out, const float *in, int n)
{
	transpose_tile<TILE>(out, in, n);
}

__global__ void transpose_padded(float *out, const float *in, int n)
{
	transpose_tile<TILE + 1>(out, in, n);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : TILE;

	if (n <= 0 || n % TILE || n > 8192) {
		fprintf(stderr, "usage: transpose [N], N a multiple of %d up to 8192\n", TILE);
		return 2;
	}

	struct {
		const char *name;
		void (*kernel)(float *, const float *, int);
	} ways[] = {
		{"naive", transpose_naive}, {"lds", transpose_lds}, {"padded", transpose_padded}};
	size_t count = (size_t)n * n, bytes = count * sizeof(float);
	std::vector<float> in(count), out(count);
	float *dev_in, *dev_out;
	int bad = 0;

	for (size_t i = 0; i < count; i++)
		in[i] = (float)(i % 16777213);
	CHECK(hipMalloc(&dev_in, bytes));
	CHECK(hipMalloc(&dev_out, bytes));
	CHECK(hipMemcpy(dev_in, in.data(), bytes, hipMemcpyHostToDevice));
	for (auto &way : ways) {
		size_t wrong = 0;

		CHECK(hipMemset(dev_out, 0xff, bytes));
		way.kernel<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(dev_out, dev_in, n);
		CHECK(hipGetLastError());
		CHECK(hipMemcpy(out.data(), dev_out, bytes, hipMemcpyDeviceToHost));
		for (int y = 0; y < n; y++)
			for (int x = 0; x < n; x++)
				wrong += out[(size_t)x * n + y] != in[(size_t)y * n + x];
		printf("transpose %-6s %d x %d: %s\n", way.name, n, n, wrong ? "WRONG" : "ok");
		bad |= wrong != 0;
	}
	CHECK(hipFree(dev_in));
	CHECK(hipFree(dev_out));
	return bad;
}
