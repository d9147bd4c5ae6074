// SPDX-License-Identifier: MIT
// Kernels with regions around their main work, to measure what regions cost.
#include <hip/hip_runtime.h>

#include <probe/device.h>

enum { N = 256, TILE = 16, BODIES = 1024, STEPS = 64, LINE = 4096 };

__global__ void multiply(const float *a, const float *b, float *c)
{
	__shared__ float left[TILE][TILE], right[TILE][TILE];
	unsigned x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * TILE + x,
		 row = blockIdx.y * TILE + y;
	float sum = 0;

	probe_region_begin("tiles");
	for (unsigned tile = 0; tile < N; tile += TILE) {
		left[y][x] = a[row * N + tile + x];
		right[y][x] = b[(tile + y) * N + column];
		__syncthreads();
		for (unsigned k = 0; k < TILE; k++)
			sum += left[y][k] * right[k][x];
		__syncthreads();
	}
	probe_region_end("tiles");
	c[row * N + column] = sum;
}

__global__ void attract(const float4 *body, float4 *force)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	float4 me = body[i], sum = {};

	probe_region_begin("pairs");
	for (unsigned k = 0; k < BODIES; k++) {
		float4 other = body[k];
		float x = other.x - me.x, y = other.y - me.y, z = other.z - me.z;
		float weight = rsqrtf(x * x + y * y + z * z + 0.01f) * other.w;

		sum.x += x * weight, sum.y += y * weight, sum.z += z * weight;
	}
	probe_region_end("pairs");
	force[i] = sum;
}

// Two regions.
__global__ void smooth(const float *in, float *out)
{
	__shared__ float cells[2][256 + 2];
	unsigned i = threadIdx.x + 1;

	probe_region_begin("load");
	cells[0][i] = in[blockIdx.x * 256 + threadIdx.x];
	if (threadIdx.x < 2)
		for (unsigned side = 0; side < 2; side++)
			cells[side][threadIdx.x * 257] = 0;
	__syncthreads();
	probe_region_end("load");
	probe_region_begin("steps");
	for (unsigned step = 0; step < STEPS; step++) {
		const float *from = cells[step % 2];
		float sum = 0;

		for (unsigned k = 0; k < 8; k++)
			sum = sum * 0.25f + (from[i - 1] + 2 * from[i] + from[i + 1]) * (0.25f + k);
		cells[1 - step % 2][i] = sum;
		__syncthreads();
	}
	probe_region_end("steps");
	out[blockIdx.x * 256 + threadIdx.x] = cells[STEPS % 2][i];
}

int main()
{
	float *a, *b, *c;

	if (hipMalloc(&a, N * N * 4) != hipSuccess || hipMalloc(&b, N * N * 4) != hipSuccess ||
	    hipMalloc(&c, N * N * 4) != hipSuccess || hipMemset(a, 1, N * N * 4) != hipSuccess ||
	    hipMemset(b, 1, N * N * 4) != hipSuccess)
		return 1;
	multiply<<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(a, b, c);
	attract<<<BODIES / 256, 256>>>((const float4 *)a, (float4 *)c);
	smooth<<<LINE / 256, 256>>>(a, c);
	return hipDeviceSynchronize() != hipSuccess;
}
