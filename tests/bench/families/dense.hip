// SPDX-License-Identifier: MIT
// Dense linear algebra and convolution.
#include "families.h"

// ---- C = A B: one element per work-item, LDS tiles, register blocks, matrix cores -----------------

__global__ void gemm_naive(const float *a, const float *b, float *c, int m, int n, int k)
{
	int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	if (row >= m || column >= n)
		return;
	for (int i = 0; i < k; i++)
		sum += a[row * k + i] * b[i * n + column];
	c[row * n + column] = sum;
}

template <int TILE>
__global__ void gemm_lds(const float *a, const float *b, float *c, int m, int n, int k)
{
	__shared__ float as[TILE][TILE], bs[TILE][TILE];
	int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
	float sum = 0;

	for (int t = 0; t < k; t += TILE) {
		as[threadIdx.y][threadIdx.x] = a[row * k + t + threadIdx.x];
		bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
		__syncthreads();
	}
	c[row * n + column] = sum;
}

// 64 x 64 per workgroup of 256, 4 x 4 per work-item.
__global__ void gemm_blocked(const float *a, const float *b, float *c, int m, int n, int k)
{
	__shared__ float as[16][64 + 1], bs[16][64];
	int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
	int row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
	float sum[4][4] = {};

	for (int t = 0; t < k; t += 16) {
		for (int i = threadIdx.x; i < 64 * 16; i += 256) {
			as[i % 16][i / 16] = a[(row0 + i / 16) * k + t + i % 16];
			bs[i / 64][i % 64] = b[(t + i / 64) * n + column0 + i % 64];
		}
		__syncthreads();
		for (int i = 0; i < 16; i++) {
			float x[4], y[4];

			for (int j = 0; j < 4; j++) {
				x[j] = as[i][ty * 4 + j];
				y[j] = bs[i][tx * 4 + j];
			}
			for (int r = 0; r < 4; r++)
				for (int s = 0; s < 4; s++)
					sum[r][s] += x[r] * y[s];
		}
		__syncthreads();
	}
	for (int r = 0; r < 4; r++)
		for (int s = 0; s < 4; s++)
			c[(size_t)(row0 + ty * 4 + r) * n + column0 + tx * 4 + s] = sum[r][s];
}

typedef float float_quad __attribute__((ext_vector_type(4)));

// A wave computes 16 x 16 by v_mfma_f32_16x16x4f32.
__global__ void gemm_mfma(const float *a, const float *b, float *c, int n, int k, size_t lda)
{
	int lane = threadIdx.x, row = blockIdx.y * 16, column = blockIdx.x * 16;
	float_quad sum = {0, 0, 0, 0};

	for (int t = 0; t < k; t += 4) {
		float x = a[(size_t)(row + lane % 16) * lda + t + lane / 16];
		float y = b[(size_t)(t + lane / 16) * n + column + lane % 16];

		sum = __builtin_amdgcn_mfma_f32_16x16x4f32(x, y, sum, 0, 0, 0);
	}
	for (int i = 0; i < 4; i++)
		c[(size_t)(row + lane / 16 * 4 + i) * n + column + lane % 16] = sum[i];
}

__global__ void gemv(const float *a, const float *x, float *y, int columns)
{
	__shared__ float part[256];
	float sum = 0;

	for (int i = threadIdx.x; i < columns; i += blockDim.x)
		sum += a[(size_t)blockIdx.x * columns + i] * x[i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (unsigned s = blockDim.x >> 1; s; s >>= 1) {
		if (threadIdx.x < s)
			part[threadIdx.x] += part[threadIdx.x + s];
		__syncthreads();
	}
	if (!threadIdx.x)
		y[blockIdx.x] = part[0];
}

static void test_products(random_numbers &random)
{
	const int m = 128, n = 128, k = 64;
	std::vector<float> a = random_floats(m * k, random), b = random_floats(k * n, random), want(m * n),
			   x = random_floats(k, random), y(m);
	device_array<float> da(a), db(b), c(m * n), dx(x), dy(m);

	for (int i = 0; i < m; i++) {
		for (int j = 0; j < n; j++)
			for (int t = 0; t < k; t++)
				want[i * n + j] += a[i * k + t] * b[t * n + j];
		for (int t = 0; t < k; t++)
			y[i] += a[i * k + t] * x[t];
	}
	gemm_naive<<<dim3(n / 32, m / 8), dim3(32, 8)>>>(da.data, db.data, c.data, m, n, k);
	expect_near("naive", c.host(), want, 1e-4f);
	gemm_lds<16><<<dim3(n / 16, m / 16), dim3(16, 16)>>>(da.data, db.data, c.data, m, n, k);
	expect_near("LDS", c.host(), want, 1e-4f);
	gemm_blocked<<<dim3(n / 64, m / 64), 256>>>(da.data, db.data, c.data, m, n, k);
	expect_near("blocked", c.host(), want, 1e-4f);
	gemm_mfma<<<dim3(n / 16, m / 16), 64>>>(da.data, db.data, c.data, n, k, k);
	expect_near("matrix cores", c.host(), want, 1e-4f);
	gemv<<<m, 256>>>(da.data, dx.data, dy.data, k);
	expect_near("gemv", dy.host(), y, 1e-4f);
}

// ---- Convolution ------------------------------------------------------------------------------------

__constant__ float filter[4 * 3 * 3 * 3];

// NCHW, 3 x 3, with a border of zeros.
__global__ void conv2d(const float *in, float *out, int channels, int height, int width)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	int k = blockIdx.z;
	float sum = 0;

	if (x >= width || y >= height)
		return;
	for (int c = 0; c < channels; c++)
		for (int dy = -1; dy <= 1; dy++)
			for (int dx = -1; dx <= 1; dx++) {
				int yy = y + dy, xx = x + dx;

				if (yy >= 0 && yy < height && xx >= 0 && xx < width)
					sum += in[(c * height + yy) * width + xx] *
					       filter[((k * channels + c) * 3 + dy + 1) * 3 + dx + 1];
			}
	out[(k * height + y) * width + x] = sum;
}

// The same with a tile and its halo in LDS.
__global__ void conv2d_tile(const float *in, float *out, int channels, int height, int width)
{
	__shared__ float tile[10][34];
	int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8, k = blockIdx.z;
	int id = threadIdx.y * 32 + threadIdx.x;
	float sum = 0;

	for (int c = 0; c < channels; c++) {
		for (int i = id; i < 10 * 34; i += 256) {
			int yy = y0 + i / 34 - 1, xx = x0 + i % 34 - 1;
			bool inside = yy >= 0 && yy < height && xx >= 0 && xx < width;

			tile[i / 34][i % 34] = inside ? in[(c * height + yy) * width + xx] : 0;
		}
		__syncthreads();
		for (int dy = 0; dy < 3; dy++)
			for (int dx = 0; dx < 3; dx++)
				sum += tile[threadIdx.y + dy][threadIdx.x + dx] *
				       filter[((k * channels + c) * 3 + dy) * 3 + dx];
		__syncthreads();
	}
	if (x0 + (int)threadIdx.x < width && y0 + (int)threadIdx.y < height)
		out[(k * height + y0 + threadIdx.y) * width + x0 + threadIdx.x] = sum;
}

__global__ void im2col(const float *in, float *columns, int channels, int height, int width)
{
	int total = channels * 9 * height * width;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
		int p = i % (height * width), tap = i / (height * width);
		int c = tap / 9, yy = p / width + tap % 9 / 3 - 1, xx = p % width + tap % 3 - 1;

		columns[i] = yy < 0 || yy >= height || xx < 0 || xx >= width
				     ? 0
				     : in[(c * height + yy) * width + xx];
	}
}

__global__ void max_pool(const float *in, float *out, int height, int width)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, c = blockIdx.z;

	if (x >= width / 2)
		return;
	const float *p = in + (size_t)c * height * width + 2 * y * width + 2 * x;

	out[((size_t)c * (height / 2) + y) * (width / 2) + x] =
		fmaxf(fmaxf(p[0], p[1]), fmaxf(p[width], p[width + 1]));
}

static void test_convolution(random_numbers &random)
{
	const int channels = 3, filters = 4, height = 30, width = 50;
	std::vector<float> in = random_floats(channels * height * width, random),
			   f = random_floats(filters * channels * 9, random), want(filters * height * width),
			   flat(channels * 9 * height * width), pooled(channels * height / 2 * (width / 2));

	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			for (int tap = 0; tap < channels * 9; tap++) {
				int c = tap / 9, yy = y + tap % 9 / 3 - 1, xx = x + tap % 3 - 1;

				if (yy < 0 || yy >= height || xx < 0 || xx >= width)
					continue;
				float v = in[(c * height + yy) * width + xx];

				flat[(tap * height + y) * width + x] = v;
				for (int k = 0; k < filters; k++)
					want[(k * height + y) * width + x] += v * f[k * channels * 9 + tap];
			}
	for (int c = 0; c < channels; c++)
		for (int y = 0; y < height / 2; y++)
			for (int x = 0; x < width / 2; x++) {
				const float *p = &in[(c * height + 2 * y) * width + 2 * x];

				pooled[(c * (height / 2) + y) * (width / 2) + x] =
					std::fmax(std::fmax(p[0], p[1]), std::fmax(p[width], p[width + 1]));
			}
	HIP(hipMemcpyToSymbol(HIP_SYMBOL(filter), f.data(), f.size() * sizeof(float)));
	device_array<float> din(in), out(want.size()), columns(flat.size()), small(pooled.size());
	dim3 grid((width + 31) / 32, (height + 7) / 8, filters);

	conv2d<<<grid, dim3(32, 8)>>>(din.data, out.data, channels, height, width);
	expect_near("convolution", out.host(), want, 1e-4f);
	conv2d_tile<<<grid, dim3(32, 8)>>>(din.data, out.data, channels, height, width);
	expect_near("tiled convolution", out.host(), want, 1e-4f);
	im2col<<<16, 256>>>(din.data, columns.data, channels, height, width);
	expect_equal("im2col", columns.host(), flat);
	max_pool<<<dim3(1, height / 2, channels), 64>>>(din.data, small.data, height, width);
	expect_equal("max pool", small.host(), pooled);
}

int main()
{
	random_numbers random;

	test_products(random);
	test_convolution(random);
	return 0;
}
