// SPDX-License-Identifier: MIT
// Copies every s-th element for s = 1, 2, 4, ... 32: the further apart lanes are, the more cache
// lines a wave touches for the same bytes.

#include "check.h"

#include <cstdio>
#include <vector>

constexpr int COUNT = 4096;

template <int STRIDE> __global__ void copy_stride(float *out, const float *in)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = in[i * STRIDE];
}

static std::vector<float> in(COUNT * 32), out(COUNT);
static float *dev_in, *dev_out;

template <int STRIDE> static int run()
{
	int wrong = 0;

	copy_stride<STRIDE><<<COUNT / 256, 256>>>(dev_out, dev_in);
	CHECK(hipGetLastError());
	CHECK(hipMemcpy(out.data(), dev_out, COUNT * sizeof(float), hipMemcpyDeviceToHost));
	for (int i = 0; i < COUNT; i++)
		wrong += out[i] != in[i * STRIDE];
	printf("stride %2d: %s\n", STRIDE, wrong ? "WRONG" : "ok");
	return wrong != 0;
}

int main()
{
	for (size_t i = 0; i < in.size(); i++)
		in[i] = (float)i;
	CHECK(hipMalloc(&dev_in, in.size() * sizeof(float)));
	CHECK(hipMalloc(&dev_out, COUNT * sizeof(float)));
	CHECK(hipMemcpy(dev_in, in.data(), in.size() * sizeof(float), hipMemcpyHostToDevice));
	return run<1>() | run<2>() | run<4>() | run<8>() | run<16>() | run<32>();
}
