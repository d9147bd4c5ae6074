// SPDX-License-Identifier: MIT
// Data-dependent conditions before accesses to adjacent words: masks of every density that do not
// repeat, in rows of several shapes, at every position in a line.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(hipError_t error)
{
	if (error != hipSuccess) {
		fprintf(stderr, "data_dependent_masks: %s\n", hipGetErrorString(error));
		exit(1);
	}
}

enum { WORDS = 1 << 18 };

// Two arrays at possibly different positions, and a word for all.
__global__ void sparse(const unsigned *data, int *a, int *b, const int *one, unsigned limit)
{
	unsigned at = blockIdx.x * blockDim.x + threadIdx.x;

	if (data[at] < limit) {
		a[at] += *one;
		b[at] = a[at + 32];
	}
}

// Rows of a matrix, whose distance may be 0.
__global__ void rows(const unsigned *data, int *a, unsigned pitch, unsigned limit)
{
	unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned y = blockIdx.y * blockDim.y + threadIdx.y;

	if (data[y * 1024 + x] < limit)
		a[y * pitch + x] += 1;
}

// In a loop, in which whole waves also occur.
__global__ void rounds(const unsigned *data, int *a, unsigned step, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (data[threadIdx.x + 64 * i] < i << 28)
			a[threadIdx.x + step * i] += i;
}

int main()
{
	static const dim3 groups[] = {dim3(16, 16), dim3(32, 8),   dim3(64, 2), dim3(8, 8),
				      dim3(48, 4),  dim3(16, 2),   dim3(4, 16), dim3(40),
				      dim3(128),    dim3(16, 4, 2)};
	static const unsigned pitches[] = {0, 8, 16, 32, 48, 64, 100, 256};
	std::vector<unsigned> data(WORDS);
	unsigned *in, seed = 1;
	int *a, *b;

	for (unsigned &word : data) {
		seed = seed * 1664525 + 1013904223;
		word = seed ^ seed >> 15;
	}
	check(hipMalloc(&in, 4 * WORDS));
	check(hipMalloc(&a, 4 * WORDS));
	check(hipMalloc(&b, 4 * WORDS));
	check(hipMemcpy(in, data.data(), 4 * WORDS, hipMemcpyHostToDevice));
	check(hipMemset(a, 0, 4 * WORDS));
	check(hipMemset(b, 0, 4 * WORDS));
	for (unsigned bits = 24; bits < 32; bits++)
		for (unsigned off = 0; off < 36; off += bits % 2 ? 16 : 5) {
			sparse<<<4, 256>>>(in, a + off, b + (bits & 16), a, 3u << bits);
			sparse<<<3, 40>>>(in, a + off, b + off, a, 3u << bits);
		}
	for (const dim3 &group : groups)
		for (unsigned pitch : pitches)
			rows<<<dim3(2, 3), group>>>(in, a + (pitch & 16), pitch,
						    0x30000000u + (pitch << 22));
	for (unsigned step : {0, 1, 16, 32, 48, 64}) {
		rounds<<<2, 64>>>(in, a, step, 40);
		rounds<<<1, dim3(32, 8)>>>(in, a, step, 40);
	}
	check(hipDeviceSynchronize());
	printf("data_dependent_masks: done\n");
	return 0;
}
