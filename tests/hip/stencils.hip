// SPDX-License-Identifier: MIT
// Neighbours on a grid: a 5-point and a 7-point stencil, a convolution with a kernel in constant
// memory, transposition through LDS, the game of life.
#include "hip_test.h"

#include <utility>

__constant__ int weights[5][5];

__global__ void heat(const float *in, float *out, int width, int height)
{
	__shared__ float tile[18][18];
	int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
	int cx = min(x, width - 1), cy = min(y, height - 1);

	tile[threadIdx.y + 1][threadIdx.x + 1] = in[cy * width + cx];
	if (!threadIdx.x)
		tile[threadIdx.y + 1][0] = in[cy * width + max(cx - 1, 0)];
	if (threadIdx.x == 15)
		tile[threadIdx.y + 1][17] = in[cy * width + min(cx + 1, width - 1)];
	if (!threadIdx.y)
		tile[0][threadIdx.x + 1] = in[max(cy - 1, 0) * width + cx];
	if (threadIdx.y == 15)
		tile[17][threadIdx.x + 1] = in[min(cy + 1, height - 1) * width + cx];
	__syncthreads();
	if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
		out[y * width + x] = 0.25f * (tile[threadIdx.y][threadIdx.x + 1] +
					      tile[threadIdx.y + 2][threadIdx.x + 1] +
					      tile[threadIdx.y + 1][threadIdx.x] +
					      tile[threadIdx.y + 1][threadIdx.x + 2]);
	else if (x < width && y < height)
		out[y * width + x] = in[y * width + x];
}

__global__ void seven(const double *in, double *out, int n)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
	int at = (z * n + y) * n + x;

	if (x >= n)
		return;
	if (x && y && z && x < n - 1 && y < n - 1 && z < n - 1)
		out[at] = in[at - 1] + in[at + 1] + in[at - n] + in[at + n] + in[at - n * n] +
			  in[at + n * n] - 6 * in[at];
	else
		out[at] = 0;
}

__global__ void convolve(const uint8_t *in, int *out, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	int sum = 0;

	if (x >= width || y >= height)
		return;
	for (int dy = -2; dy <= 2; dy++)
		for (int dx = -2; dx <= 2; dx++)
			if (x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height)
				sum += in[(y + dy) * width + x + dx] * weights[dy + 2][dx + 2];
	out[y * width + x] = sum;
}

__global__ void transpose(const uint16_t *in, uint16_t *out, int width, int height)
{
	__shared__ uint16_t tile[32][33];
	int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;

	for (int row = 0; row < 32; row += 8)
		if (x < width && y + row < height)
			tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * width + x];
	__syncthreads();
	x = blockIdx.y * 32 + threadIdx.x;
	y = blockIdx.x * 32 + threadIdx.y;
	for (int row = 0; row < 32; row += 8)
		if (x < height && y + row < width)
			out[(y + row) * height + x] = tile[threadIdx.x][threadIdx.y + row];
}

__host__ __device__ static int alive(const uint8_t *cells, int n, int x, int y)
{
	int around = 0;

	for (int dy = n - 1; dy <= n + 1; dy++)
		for (int dx = n - 1; dx <= n + 1; dx++)
			if (dx != n || dy != n)
				around += cells[(y + dy) % n * n + (x + dx) % n];
	return around == 3 || (around == 2 && cells[y * n + x]);
}

__global__ void life(const uint8_t *in, uint8_t *out, int n)
{
	out[blockIdx.x * n + threadIdx.x] = alive(in, n, threadIdx.x, blockIdx.x);
}

static void heats()
{
	const int width = 75, height = 50;
	std::vector<float> grid(width * height), next;

	for (int i = 0; i < width * height; i++)
		grid[i] = hash32(i) % 1000;
	device_array<float> a(grid), b(grid.size());
	float *from = a.data, *to = b.data;
	for (int step = 0; step < 6; step++) {
		heat<<<dim3(5, 4), dim3(16, 16)>>>(from, to, width, height);
		std::swap(from, to);
		next = grid;
		for (int y = 1; y < height - 1; y++)
			for (int x = 1; x < width - 1; x++)
				next[y * width + x] =
					0.25f *
					(grid[(y - 1) * width + x] + grid[(y + 1) * width + x] +
					 grid[y * width + x - 1] + grid[y * width + x + 1]);
		grid = next;
	}
	expect_equal("heat", a.host(), grid);
}

int main()
{
	const int n = 20, width = 45, height = 70;
	std::vector<double> cube(n * n * n), laplace(n * n * n, 0);
	std::vector<uint8_t> image(width * height), board(64 * 64), next(64 * 64);
	std::vector<int> blurred(width * height, 0);
	std::vector<uint16_t> matrix(width * height), turned(width * height);
	int w[5][5];

	heats();
	for (int i = 0; i < n * n * n; i++)
		cube[i] = hash32(i) % 4096;
	for (int z = 1; z < n - 1; z++)
		for (int y = 1; y < n - 1; y++)
			for (int x = 1; x < n - 1; x++) {
				int at = (z * n + y) * n + x;

				laplace[at] = cube[at - 1] + cube[at + 1] + cube[at - n] +
					      cube[at + n] + cube[at - n * n] + cube[at + n * n] -
					      6 * cube[at];
			}
	device_array<double> dcube(cube), dlaplace(cube.size());
	seven<<<dim3(1, n, n), 32>>>(dcube.data, dlaplace.data, n);
	expect_equal("seven points", dlaplace.host(), laplace);

	for (int i = 0; i < 25; i++)
		w[i / 5][i % 5] = (int)(hash32(i) % 19) - 9;
	HIP(hipMemcpyToSymbol(HIP_SYMBOL(weights), w, sizeof(w)));
	for (int i = 0; i < width * height; i++) {
		image[i] = hash32(i);
		matrix[i] = hash32(i + 77);
		turned[i % width * height + i / width] = matrix[i];
	}
	for (int at = 0; at < width * height; at++)
		for (int k = 0; k < 25; k++) {
			int x = at % width + k % 5 - 2, y = at / width + k / 5 - 2;

			if (x >= 0 && y >= 0 && x < width && y < height)
				blurred[at] += image[y * width + x] * w[k / 5][k % 5];
		}
	device_array<uint8_t> dimage(image);
	device_array<int> dblurred(blurred.size());
	convolve<<<dim3(3, 9), dim3(16, 8)>>>(dimage.data, dblurred.data, width, height);
	expect_equal("convolution", dblurred.host(), blurred);

	device_array<uint16_t> dmatrix(matrix), dturned(matrix.size());
	transpose<<<dim3(2, 3), dim3(32, 8)>>>(dmatrix.data, dturned.data, width, height);
	expect_equal("transpose", dturned.host(), turned);

	for (int i = 0; i < 64 * 64; i++)
		board[i] = hash32(i) % 3 == 0;
	device_array<uint8_t> a(board), b(board.size());
	for (int step = 0; step < 8; step++) {
		life<<<64, 64>>>(step % 2 ? b.data : a.data, step % 2 ? a.data : b.data, 64);
		for (int i = 0; i < 64 * 64; i++)
			next[i] = alive(board.data(), 64, i % 64, i / 64);
		board = next;
	}
	expect_equal("life", a.host(), board);
	return 0;
}
