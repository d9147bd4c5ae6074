// SPDX-License-Identifier: MIT
// One kernel, launched in two shapes, each with a different problem.
#include <hip/hip_runtime.h>
__global__ void columns(float *out, const float *in, int n)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

	out[x * n + y] = in[y * n + x];
}
int main()
{
	float *a, *b;

	hipMalloc(&a, 1 << 20);
	hipMalloc(&b, 1 << 20);
	hipMemset(b, 0, 1 << 20);
	columns<<<dim3(8, 8), dim3(32, 8)>>>(a, b, 256);
	columns<<<dim3(1, 4), dim3(1, 64)>>>(a, b, 256);
	columns<<<dim3(8, 8), dim3(32, 8)>>>(a, b, 256);
	return hipDeviceSynchronize();
}
