// SPDX-License-Identifier: MIT
// LDS accesses with a stride of the id along x, of every width, behind conditions on data: masks of
// every density that do not repeat. Waves whose work-items are neighbours along x, and others.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(hipError_t error)
{
	if (error != hipSuccess) {
		fprintf(stderr, "lds_masks: %s\n", hipGetErrorString(error));
		exit(1);
	}
}

enum { WORDS = 1 << 14, ROUNDS = 32, LDS = 1 << 15 };

__device__ static unsigned item()
{
	return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

// No lane, a few, most and all of them: the density grows in each round.
__device__ static bool chosen(const unsigned *data, unsigned round)
{
	return data[(item() + 97 * round + 1000 * blockIdx.x) % WORDS] < round * 0x07000000u;
}

// A load, and two stores that have the same counters.
template <typename T, int STEP> __global__ void steps(const unsigned *data, T *out)
{
	__shared__ T s[(STEP ? STEP : 1) * 256 + 16];
	T value = {};

	for (unsigned i = item(); i < 256; i += blockDim.x * blockDim.y * blockDim.z)
		s[i] = value;
	__syncthreads();
	for (unsigned round = 0; round < ROUNDS; round++)
		if (chosen(data, round)) {
			value = s[threadIdx.x * STEP + round % 8];
			s[threadIdx.x * STEP] = value;
			s[threadIdx.x * STEP + 8] = value;
		}
	out[item()] = value;
}

// Backwards, in several blocks of a loop, of which one follows from ids.
__global__ void downwards(const unsigned *data, int *out)
{
	__shared__ int s[600];
	unsigned x = threadIdx.x;

	for (unsigned round = 0; round < ROUNDS; round++) {
		if (x % 3 == round % 3)
			s[500 - x] = (int)round;
		if (chosen(data, round))
			s[500 - x] = s[599 - 2 * x];
		if (chosen(data, 32 - round))
			s[599 - x] = s[3 * (x & 127)];
	}
	out[item()] = s[x];
}

// Atomics: lanes on one dword do not share it.
template <int STEP> __global__ void atomics(const unsigned *data, int *out)
{
	__shared__ int s[STEP * 256 + 256];
	int value = 0;

	s[item()] = 0;
	__syncthreads();
	for (unsigned round = 0; round < ROUNDS; round++)
		if (chosen(data, round))
			atomicAdd(&s[threadIdx.x * STEP + round % 4], 1);
	__syncthreads();
	for (unsigned round = 0; round < ROUNDS; round++)
		if (chosen(data, round) && atomicAdd(&s[threadIdx.x * STEP], 2) > 0)
			value++;
	out[item()] = value;
}

// Addresses from data, of every width: few and many lanes in a bank, with and without equal dwords.
template <typename T> __global__ void gather(const unsigned *data, T *out)
{
	__shared__ T s[LDS / sizeof(T)];
	T value = {};

	for (unsigned round = 0; round < ROUNDS; round++)
		if (chosen(data, round)) {
			unsigned at = data[(item() * 7 + round) % WORDS];

			at = at >> 8 & ((2u << round % 11) - 1);
			at = round % 4 == 1 ? at * 32 : round % 4 == 2 ? at * 4 : at;
			value = s[at % (LDS / sizeof(T))];
			s[(at + 1) % (LDS / sizeof(T))] = value;
		}
	out[item()] = value;
}

static unsigned *in;

template <typename T, int STEP> static void run_steps(void *out, dim3 group)
{
	steps<T, STEP><<<2, group>>>(in, (T *)out);
}

int main()
{
	static const dim3 groups[] = {dim3(256),   dim3(40), dim3(128, 2),
				      dim3(48, 4), dim3(1),  dim3(8, 2, 4)};
	std::vector<unsigned> data(WORDS);
	unsigned seed = 1;
	void *out;

	for (unsigned &word : data) {
		seed = seed * 1664525 + 1013904223;
		word = seed ^ seed >> 15;
	}
	check(hipMalloc(&in, 4 * WORDS));
	check(hipMalloc(&out, 1 << 16));
	check(hipMemcpy(in, data.data(), 4 * WORDS, hipMemcpyHostToDevice));
	for (const dim3 &group : groups) {
		run_steps<char, 1>(out, group);
		run_steps<char, 2>(out, group);
		run_steps<char, 5>(out, group);
		run_steps<short, 1>(out, group);
		run_steps<short, 6>(out, group);
		run_steps<int, 0>(out, group);
		run_steps<int, 1>(out, group);
		run_steps<int, 2>(out, group);
		run_steps<int, 3>(out, group);
		run_steps<int, 4>(out, group);
		run_steps<int, 6>(out, group);
		run_steps<int, 8>(out, group);
		run_steps<int, 16>(out, group);
		run_steps<int, 32>(out, group);
		run_steps<int2, 1>(out, group);
		run_steps<int2, 2>(out, group);
		run_steps<int2, 3>(out, group);
		run_steps<int2, 4>(out, group);
		run_steps<int2, 16>(out, group);
		run_steps<int4, 1>(out, group);
		run_steps<int4, 2>(out, group);
		run_steps<int4, 4>(out, group);
		run_steps<int4, 5>(out, group);
		downwards<<<2, group>>>(in, (int *)out);
		atomics<1><<<2, group>>>(in, (int *)out);
		atomics<2><<<2, group>>>(in, (int *)out);
		atomics<4><<<2, group>>>(in, (int *)out);
		gather<char><<<2, group>>>(in, (char *)out);
		gather<int><<<2, group>>>(in, (int *)out);
		gather<int2><<<2, group>>>(in, (int2 *)out);
		gather<int4><<<2, group>>>(in, (int4 *)out);
	}
	check(hipDeviceSynchronize());
	printf("lds_masks: done\n");
	return 0;
}
