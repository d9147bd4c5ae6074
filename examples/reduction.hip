// SPDX-License-Identifier: MIT
// Sum of an array by two tree reductions in LDS: with interleaved addresses, whose stride doubles
// at each step and causes bank conflicts, and with sequential addresses, which causes none.

#include "check.h"

#include <cstdio>
#include <vector>

constexpr int BLOCK = 256;
constexpr int COUNT = 64 * BLOCK;

__global__ void sum_interleaved(unsigned *out, const unsigned *in)
{
	__shared__ unsigned part[BLOCK];
	unsigned t = threadIdx.x;

	part[t] = in[blockIdx.x * BLOCK + t];
	for (unsigned s = 1; s < BLOCK; s *= 2) {
		unsigned i = 2 * s * t;

		__syncthreads();
		if (i < BLOCK)
			part[i] += part[i + s];
	}
	if (t == 0)
		out[blockIdx.x] = part[0];
}

__global__ void sum_sequential(unsigned *out, const unsigned *in)
{
	__shared__ unsigned part[BLOCK];
	unsigned t = threadIdx.x;

	part[t] = in[blockIdx.x * BLOCK + t];
	for (unsigned s = BLOCK / 2; s > 0; s /= 2) {
		__syncthreads();
		if (t < s)
			part[t] += part[t + s];
	}
	if (t == 0)
		out[blockIdx.x] = part[0];
}

int main()
{
	std::vector<unsigned> in(COUNT), out(COUNT / BLOCK);
	void (*kernels[])(unsigned *, const unsigned *) = {sum_interleaved, sum_sequential};
	const char *names[] = {"interleaved", "sequential"};
	unsigned *dev_in, *dev_out, want = 0;
	int bad = 0;

	for (int i = 0; i < COUNT; i++)
		want += in[i] = i * 2654435761u;
	CHECK(hipMalloc(&dev_in, in.size() * sizeof(unsigned)));
	CHECK(hipMalloc(&dev_out, out.size() * sizeof(unsigned)));
	CHECK(hipMemcpy(dev_in, in.data(), in.size() * sizeof(unsigned), hipMemcpyHostToDevice));
	for (int k = 0; k < 2; k++) {
		unsigned got = 0;

		kernels[k]<<<COUNT / BLOCK, BLOCK>>>(dev_out, dev_in);
		CHECK(hipGetLastError());
		CHECK(hipMemcpy(out.data(), dev_out, out.size() * sizeof(unsigned),
				hipMemcpyDeviceToHost));
		for (unsigned v : out)
			got += v;
		printf("sum %-11s: %s\n", names[k], got == want ? "ok" : "WRONG");
		bad |= got != want;
	}
	return bad;
}
