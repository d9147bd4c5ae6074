// SPDX-License-Identifier: MIT
// Dense linear algebra: products by LDS tiles in float and double and by matrix instructions in
// half, float, double and int8; a Cholesky factor; small integers, so that sums are exact.
#include "hip_test.h"

#include <hip/hip_fp16.h>

typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef float float4_ __attribute__((ext_vector_type(4)));
typedef double double4_ __attribute__((ext_vector_type(4)));
typedef int int4_ __attribute__((ext_vector_type(4)));

template <typename T> __global__ void tiled(const T *a, const T *b, T *c, int n)
{
	__shared__ T ta[16][17], tb[16][17];
	int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
	T sum = 0;

	for (int k = 0; k < n; k += 16) {
		ta[y][x] = row < n && k + x < n ? a[row * n + k + x] : 0;
		tb[y][x] = k + y < n && col < n ? b[(k + y) * n + col] : 0;
		__syncthreads();
		for (int i = 0; i < 16; i++)
			sum += ta[y][i] * tb[i][x];
		__syncthreads();
	}
	if (row < n && col < n)
		c[row * n + col] = sum;
}

// 16 x 16 of C by one wave; lane l has row or column l % 16, and a part of k.
__global__ void matrix_half(const _Float16 *a, const _Float16 *b, float *c, int n)
{
	int lane = threadIdx.x, part = lane / 16, row = blockIdx.y * 16, col = blockIdx.x * 16;
	float4_ sum = {0, 0, 0, 0};

	for (int k = 0; k < n; k += 16) {
		half4 va, vb;

		for (int i = 0; i < 4; i++) {
			va[i] = a[(row + lane % 16) * n + k + part * 4 + i];
			vb[i] = b[(k + part * 4 + i) * n + col + lane % 16];
		}
		sum = __builtin_amdgcn_mfma_f32_16x16x16f16(va, vb, sum, 0, 0, 0);
	}
	for (int i = 0; i < 4; i++)
		c[(row + part * 4 + i) * n + col + lane % 16] = sum[i];
}

__global__ void matrix_float(const float *a, const float *b, float *c, int n)
{
	int lane = threadIdx.x, part = lane / 16, row = blockIdx.y * 16, col = blockIdx.x * 16;
	float4_ sum = {0, 0, 0, 0};

	for (int k = 0; k < n; k += 4)
		sum = __builtin_amdgcn_mfma_f32_16x16x4f32(a[(row + lane % 16) * n + k + part],
							   b[(k + part) * n + col + lane % 16], sum,
							   0, 0, 0);
	for (int i = 0; i < 4; i++)
		c[(row + part * 4 + i) * n + col + lane % 16] = sum[i];
}

__global__ void matrix_double(const double *a, const double *b, double *c, int n)
{
	int lane = threadIdx.x, part = lane / 16, row = blockIdx.y * 16, col = blockIdx.x * 16;
	double4_ sum = {0, 0, 0, 0};

	for (int k = 0; k < n; k += 4)
		sum = __builtin_amdgcn_mfma_f64_16x16x4f64(a[(row + lane % 16) * n + k + part],
							   b[(k + part) * n + col + lane % 16], sum,
							   0, 0, 0);
	/* The double form has its rows interleaved: 4 * i + part. */
	for (int i = 0; i < 4; i++)
		c[(row + 4 * i + part) * n + col + lane % 16] = sum[i];
}

__global__ void matrix_int8(const int8_t *a, const int8_t *b, int *c, int n)
{
	int lane = threadIdx.x, part = lane / 16, row = blockIdx.y * 16, col = blockIdx.x * 16;
	int4_ sum = {0, 0, 0, 0};

#if defined(__gfx940__) || defined(__gfx942__)
	// A lane has eight elements, and the last step may be past the end.
	for (int k = 0; k < n; k += 32) {
		uint64_t va = 0, vb = 0;

		for (int i = 0; i < 8 && k + part * 8 + i < n; i++) {
			int at = k + part * 8 + i;

			va |= (uint64_t)(uint8_t)a[(row + lane % 16) * n + at] << 8 * i;
			vb |= (uint64_t)(uint8_t)b[at * n + col + lane % 16] << 8 * i;
		}
		sum = __builtin_amdgcn_mfma_i32_16x16x32_i8(va, vb, sum, 0, 0, 0);
	}
#else
	for (int k = 0; k < n; k += 16) {
		int va = 0, vb = 0;

		for (int i = 0; i < 4; i++) {
			va |= (a[(row + lane % 16) * n + k + part * 4 + i] & 255) << 8 * i;
			vb |= (b[(k + part * 4 + i) * n + col + lane % 16] & 255) << 8 * i;
		}
		sum = __builtin_amdgcn_mfma_i32_16x16x16i8(va, vb, sum, 0, 0, 0);
	}
#endif
	for (int i = 0; i < 4; i++)
		c[(row + part * 4 + i) * n + col + lane % 16] = sum[i];
}

// In place, one group, column by column.
__global__ void cholesky(double *a, int n)
{
	for (int k = 0; k < n; k++) {
		if (threadIdx.x == 0)
			a[k * n + k] = sqrt(a[k * n + k]);
		__syncthreads();
		for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x)
			a[i * n + k] /= a[k * n + k];
		__syncthreads();
		for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x)
			for (int j = k + 1; j <= i; j++)
				a[i * n + j] -= a[i * n + k] * a[j * n + k];
		__syncthreads();
	}
}

template <typename T, typename R>
static void product(const char *what, void (*kernel)(const T *, const T *, R *, int), int n,
		    dim3 groups, dim3 items)
{
	std::vector<T> a(n * n), b(n * n);
	std::vector<R> c(n * n, 0);

	for (int i = 0; i < n * n; i++) {
		a[i] = (T)((int)(hash32(i) % 17) - 8);
		b[i] = (T)((int)(hash32(i + 9999) % 15) - 7);
	}
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			for (int k = 0; k < n; k++)
				c[i * n + j] += (R)a[i * n + k] * (R)b[k * n + j];
	device_array<T> da(a), db(b);
	device_array<R> dc(c.size());
	kernel<<<groups, items>>>(da.data, db.data, dc.data, n);
	HIP(hipGetLastError());
	expect_equal(what, dc.host(), c);
}

static void factor()
{
	const int n = 24;
	std::vector<double> lower(n * n, 0), a(n * n, 0);

	for (int i = 0; i < n; i++)
		for (int j = 0; j <= i; j++)
			lower[i * n + j] = i == j ? 1 + i % 3 : (int)(hash32(i * n + j) % 5) - 2;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			for (int k = 0; k < n; k++)
				a[i * n + j] += lower[i * n + k] * lower[j * n + k];
	device_array<double> da(a);
	cholesky<<<1, 64>>>(da.data, n);
	a = da.host();
	for (int i = 0; i < n; i++)
		for (int j = 0; j <= i; j++)
			EXPECT(fabs(a[i * n + j] - lower[i * n + j]) < 1e-9);
}

int main()
{
	product<float, float>("tiled float", tiled<float>, 50, dim3(4, 4), dim3(16, 16));
	product<double, double>("tiled double", tiled<double>, 37, dim3(3, 3), dim3(16, 16));
	product<int, int>("tiled int", tiled<int>, 48, dim3(3, 3), dim3(16, 16));
	product<_Float16, float>("matrix half", matrix_half, 48, dim3(3, 3), dim3(64));
	product<float, float>("matrix float", matrix_float, 48, dim3(3, 3), dim3(64));
	product<double, double>("matrix double", matrix_double, 48, dim3(3, 3), dim3(64));
	product<int8_t, int>("matrix int8", matrix_int8, 48, dim3(3, 3), dim3(64));
	factor();
	return 0;
}
