// SPDX-License-Identifier: MIT
// Operations of known numbers, for tests/e2e/mix.sh. No division and no function of the device library: the machine
// has exactly the floating-point operations and accesses of the source.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstring>

typedef float float4_t __attribute__((ext_vector_type(4)));
typedef int int4_t __attribute__((ext_vector_type(4)));
typedef _Float16 half4_t __attribute__((ext_vector_type(4)));
typedef double double4_t __attribute__((ext_vector_type(4)));

__global__ void saxpy(float *y, const float *x, float a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = a * x[i] + y[i];
}

__global__ void tiles(float *c, const float *a, const float *b, int n)
{
	__shared__ float left[16][16], right[16][17];
	int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
	float sum = 0;

	for (int at = 0; at < n; at += 16) {
		left[y][x] = a[row * n + at + x];
		right[y][x] = b[(at + y) * n + column];
		__syncthreads();
		for (int k = 0; k < 16; k++)
			sum += left[y][k] * right[k][x];
		__syncthreads();
	}
	c[row * n + column] = sum;
}

__device__ __attribute__((noinline)) double step(double v)
{
	return v * v - 1.5;
}

__global__ void doubles(double *out, const double *in, int n)
{
	double v = in[threadIdx.x];

	for (int i = 0; i < n; i++)
		v = step(v) + 0.25;
	out[threadIdx.x] = v;
}

__global__ void lanes(float *data)
{
	float v = data[threadIdx.x];

	// Lane l adds l / 8 times.
	for (unsigned i = 0; i < threadIdx.x / 8; i++)
		v += 0.5f;
	data[threadIdx.x] = v;
}

__global__ void matrices(float4_t *floats, double4_t *doubles, int4_t *ints, const half4_t *half)
{
	float4_t f = {0, 0, 0, 0};
	double4_t d = {0, 0, 0, 0};
	int4_t i = {0, 0, 0, 0};

	for (int k = 0; k < 5; k++) {
		f = __builtin_amdgcn_mfma_f32_16x16x16f16(half[threadIdx.x], half[64 + threadIdx.x], f, 0, 0, 0);
		f = __builtin_amdgcn_mfma_f32_4x4x1f32(1.5f, 2.5f, f, 0, 0, 0);
		d = __builtin_amdgcn_mfma_f64_16x16x4f64(0.5, 0.25, d, 0, 0, 0);
		i = __builtin_amdgcn_mfma_i32_16x16x16i8(k, 3, i, 0, 0, 0);
	}
	floats[threadIdx.x] = f;
	doubles[threadIdx.x] = d;
	ints[threadIdx.x] = i;
}

__global__ void updates(int *bins, const int *data)
{
	__shared__ int local[32];

	if (threadIdx.x < 32)
		local[threadIdx.x] = 0;
	__syncthreads();
	atomicAdd(&local[data[blockIdx.x * blockDim.x + threadIdx.x] & 31], 1);
	__syncthreads();
	if (threadIdx.x < 32)
		atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

// A flat address, of LDS.
__global__ void pointers(float *out, int n)
{
	__shared__ float local[64];

	local[threadIdx.x] = threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = (n ? local : out)[threadIdx.x];
}

// 4 * 500 integer operations on each value that is stored.
__global__ void hash(unsigned *out)
{
	unsigned v = blockIdx.x * blockDim.x + threadIdx.x;

	for (int i = 0; i < 500; i++) {
		v = v * 2654435761u + 5;
		v ^= v >> 7;
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

int main()
{
	char *memory[4];

	for (auto &m : memory) {
		// Not hipMemset(), which is a kernel of the runtime.
		hipHostMalloc(&m, 1 << 20);
		memset(m, 0, 1 << 20);
	}
	saxpy<<<100, 256>>>((float *)memory[0], (float *)memory[1], 2, 99 * 256 + 7);
	tiles<<<dim3(8, 8), dim3(16, 16)>>>((float *)memory[0], (float *)memory[1], (float *)memory[2], 128);
	doubles<<<3, 64>>>((double *)memory[0], (double *)memory[1], 20);
	lanes<<<2, 64>>>((float *)memory[0]);
	matrices<<<1, 64>>>((float4_t *)memory[0], (double4_t *)memory[1], (int4_t *)memory[2], (half4_t *)memory[3]);
	updates<<<7, 256>>>((int *)memory[0], (int *)memory[1]);
	pointers<<<1, 64>>>((float *)memory[0], 1);
	hash<<<104, 256>>>((unsigned *)memory[0]);
	printf("%d\n", (int)hipDeviceSynchronize());
}
