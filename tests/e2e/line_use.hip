// SPDX-License-Identifier: MIT
// Accesses that use bytes of the same cache lines; see line_use.sh.
#include <hip/hip_runtime.h>

#define T (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void filter(float *out, const float *in)
{
	out[T] = in[2 * T] + in[2 * T + 1]
		+ in[2 * T + 2]; // filter
}

extern "C" __global__ void apart(float *out, const float *in)
{
	out[T] = in[4 * T]
		+ in[4 * T + 7]; // apart
}

extern "C" __global__ void far(double *out, const double *in, int k)
{
	out[T] = in[2 * T + k]
		+ in[2 * T + k + 2049]; // far
}

extern "C" __global__ void idle(int *out, const int *in)
{
	if (in[T])
		out[3 * T] = 1; // idle
}

extern "C" __global__ void twice(float *out, const float *in, int pitch)
{
	float sum = 0;

#pragma unroll 1
	for (int k = 0; k < 2; k++)
		sum += in[T * pitch + k]; // twice
	out[T] = sum;
}

int main()
{
	static int flags[128];
	float *in, *out;

	for (int i = 0; i < 128; i++)
		flags[i] = i % 3;
	if (hipMalloc(&in, 1 << 20) != hipSuccess || hipMalloc(&out, 1 << 20) != hipSuccess ||
	    hipMemcpy(in, flags, sizeof(flags), hipMemcpyHostToDevice) != hipSuccess)
		return 1;
	filter<<<2, 64>>>(out, in);
	apart<<<2, 64>>>(out, in);
	far<<<2, 64>>>((double *)out, (const double *)in, 0);
	idle<<<2, 64>>>((int *)out, (const int *)in);
	twice<<<2, 64>>>(out, in, 300);
	return hipDeviceSynchronize() != hipSuccess;
}
