/* SPDX-License-Identifier: MIT */
/*
 * Accesses of all waves at addresses that can be derived from the launch: rows of odd widths,
 * shifted sizes, ids with mixed bits, structs as arguments, variables, bases that are not multiples
 * of 4 or are negative.
 */
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

enum { N = 1 << 16 };

struct view {
	int *data;
	short odd;
	unsigned width;
	long skip;
};

__device__ __attribute__((aligned(256))) int table[N];

static void check(hipError_t error)
{
	if (error == hipSuccess)
		return;
	fprintf(stderr, "launch_expressions: %s\n", hipGetErrorString(error));
	exit(1);
}

/* A border to the left of the first row: its index is negative in one wave. */
__global__ void rows(const int *in, int *out, int width, unsigned height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	int left = y * width + x - 1;

	out[y * width + x] = in[left] + in[left + 2] + in[(y + height / 2) * width + x];
}

__global__ void mixed(const int *in, int *out, int n)
{
	unsigned i = (blockIdx.x ^ 3) * blockDim.x + (threadIdx.x ^ 37);
	unsigned half = (unsigned)n >> 3;

	out[i + half] = in[i | n] + in[(blockIdx.x & 21) * 5 + threadIdx.x * 2];
}

__global__ void viewed(struct view from, long long *to)
{
	unsigned i = blockIdx.z * gridDim.y * blockDim.x + blockIdx.y * blockDim.x + threadIdx.x;

	to[i + from.odd] = from.data[i * from.width + from.skip] + table[i + 9];
}

/* Bytes, and unaligned words. */
__global__ void bytes(const char *in, char *out, int shift)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i * 5 + shift] = in[i + blockIdx.x * 3];
	*(int *)(out + N + i * 4 + shift) = *(const int *)(in + i * 4 + shift);
}

int main()
{
	const dim3 groups[] = {dim3(64), dim3(256), dim3(96), dim3(16, 16), dim3(8, 4), dim3(32, 2, 2)};
	int *in, *out, sum = 0, *host = (int *)malloc(N * sizeof(int));

	check(hipMalloc((void **)&in, 4 * N * sizeof(int)));
	check(hipMalloc((void **)&out, 4 * N * sizeof(int)));
	check(hipMemset(in, 1, 4 * N * sizeof(int)));
	check(hipMemset(out, 0, 4 * N * sizeof(int)));
	for (int i = 0; i < 6; i++) {
		dim3 size = groups[i];
		struct view view = {in + 3, (short)(i + 1), 3u + i, 11 * i};

		rows<<<dim3(3, 7), size>>>(in + 64 + i, out, 3 * size.x + 5 * i, 20 + i);
		mixed<<<dim3(9), size>>>(in + i, out, 40 * i + 8);
		viewed<<<dim3(1, 3, 2), size>>>(view, (long long *)out);
		bytes<<<dim3(5), size>>>((char *)in + i, (char *)out, i);
		/* Partial workgroups. */
		rows<<<dim3(2, 3), dim3(40, 3)>>>(in + 64, out, 101 + i, 8);
	}
	check(hipDeviceSynchronize());
	check(hipMemcpy(host, out, N * sizeof(int), hipMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		sum = sum * 31 + host[i];
	printf("launch_expressions: %08x\n", (unsigned)sum);
	free(host);
	return 0;
}
