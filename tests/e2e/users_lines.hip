// SPDX-License-Identifier: MIT
// Accesses and samples whose own line is not the one to show: a struct's implicit copy, vector
// types and functions of headers, code that the compiler moved.
#include <hip/hip_runtime.h>

struct body {
	float4 position, velocity;
	float mass;
};

__global__ void copies(body *to, const body *from)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	to[i] = from[i]; // copy
}

__global__ void computes(float4 *to, const float4 *from, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float4 sum = make_float4(0, 0, 0, 0);
	for (int k = 0; k < 16; k++)
		sum += from[(i * 17 + k * 64) % n] * __expf(sum.x); // sum
	to[i] = sum; // result
}

int main()
{
	const int n = 4096;
	body *a, *b;

	if (hipMalloc(&a, n * sizeof(body)) || hipMalloc(&b, n * sizeof(body)) ||
	    hipMemset(b, 0, n * sizeof(body)))
		return 1;
	copies<<<n / 256, 256>>>(a, b);
	computes<<<n / 256, 256>>>((float4 *)a, (float4 *)b, n);
	return hipDeviceSynchronize() != hipSuccess;
}
