// SPDX-License-Identifier: MIT
// Strides that are signed arguments, positive and negative, in global memory and LDS, and an
// unsigned one; and gathers through pointers that are not aligned to their types.
#include <cstdio>
#include <hip/hip_runtime.h>

__global__ void axpy(int n, const float *x, int incx, float *y, int incy)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i * incy] += x[i * incx];
}

__global__ void from_end(int n, const float *x, int incx, float *y, int incy)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[(i - n) * incy] += x[(i - n) * incx];
}

__global__ void tile(float *out, int inc)
{
	__shared__ float t[4096];
	int i = threadIdx.x;

	t[2048 + i * inc] = i;
	__syncthreads();
	out[i] = t[2048 + (i ^ 1) * inc];
}

__global__ void unsigned_rows(const float *x, unsigned pitch, float *y)
{
	size_t i = threadIdx.x;

	y[i] = x[i * pitch] + x[(size_t)blockIdx.x * pitch + i];
}

__global__ void gather(const float4 *p, const double *q, int step, float *out)
{
	int i = threadIdx.x, at = i * step % 61;
	float4 v = p[at];

	out[i] = v.x + v.w + (float)q[at];
}

// Rows up to the largest distance that proofs support, and beyond.
__global__ void far_rows(const float *x, int pitch, float *y)
{
	y[16 * threadIdx.y + threadIdx.x] = x[(int)threadIdx.y * pitch + (int)threadIdx.x];
}

int main()
{
	const int n = 1000;
	float *x, *y, *far;

	if (hipMalloc(&x, 1 << 20) || hipMalloc(&y, 1 << 20) || hipMemset(x, 0, 1 << 20) || hipMemset(y, 0, 1 << 20))
		return 1;
	for (int inc = -3; inc <= 3; inc++) {
		float *xm = x + (1 << 17), *ym = y + (1 << 17);

		axpy<<<4, 256>>>(n, xm, inc, ym, -inc);
		axpy<<<1, 37>>>(n, xm + 1, 2 * inc, ym, inc);
		from_end<<<4, 256>>>(n, xm, inc, ym, inc);
		tile<<<2, 64>>>(y, inc * 8);
		unsigned_rows<<<4, 64>>>(x, (unsigned)(inc + 4), y);
	}
	for (int step = 1; step < 9; step += 3)
		gather<<<1, 64>>>((const float4 *)((char *)x + 13), (const double *)((char *)x + 60), step, y);
	if (hipMalloc(&far, 4 << 20) || hipMemset(far, 0, 4 << 20))
		return 1;
	for (int pitch = (1 << 17) - 2; pitch < (1 << 17) + 3; pitch++)
		far_rows<<<1, dim3(16, 4)>>>(far, pitch, y);
	puts("done");
	return hipDeviceSynchronize() != hipSuccess;
}
