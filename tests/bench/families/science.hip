// SPDX-License-Identifier: MIT
// Particles, grids, transforms, random numbers.
#include "families.h"

#include <complex>

// ---- Particles ----------------------------------------------------------------------------------------

__global__ void n_body(const float4 *position, float4 *force, int n)
{
	__shared__ float4 tile[128];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float4 me = position[i], sum = make_float4(0, 0, 0, 0);

	for (int t = 0; t < n; t += blockDim.x) {
		tile[threadIdx.x] = position[t + threadIdx.x];
		__syncthreads();
		for (unsigned j = 0; j < blockDim.x; j++) {
			float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
			float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = tile[j].w * r * r * r;

			sum.x += dx * f;
			sum.y += dy * f;
			sum.z += dz * f;
		}
		__syncthreads();
	}
	force[i] = sum;
}

// Neighbours of each particle, from a list of fixed length.
__global__ void neighbour_forces(const float4 *position, const int *neighbours, const int *counts, float *energy,
				 int n, int most)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	if (i >= n)
		return;
	float4 me = position[i];

	for (int k = 0; k < counts[i]; k++) {
		float4 other = position[neighbours[i * most + k]];
		float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
		float r2 = 1.0f / (dx * dx + dy * dy + dz * dz + 0.1f), r6 = r2 * r2 * r2;

		sum += r6 * (r6 - 1.0f);
	}
	energy[i] = sum;
}

static void test_particles(random_numbers &random)
{
	const int n = 256, most = 24;
	std::vector<float4> p(n);
	std::vector<float> want(n * 4), energy(n);
	std::vector<int> list(n * most), counts(n);

	for (float4 &one : p)
		one = make_float4(random.real(), random.real(), random.real(), random.real());
	for (int i = 0; i < n; i++) {
		double x = 0, y = 0, z = 0;

		for (int j = 0; j < n; j++) {
			double dx = p[j].x - p[i].x, dy = p[j].y - p[i].y, dz = p[j].z - p[i].z;
			double r = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01), f = p[j].w * r * r * r;

			x += dx * f;
			y += dy * f;
			z += dz * f;
		}
		want[4 * i] = (float)x;
		want[4 * i + 1] = (float)y;
		want[4 * i + 2] = (float)z;
		counts[i] = random.below(most + 1);
		for (int k = 0; k < counts[i]; k++) {
			int j = list[i * most + k] = random.below(n);
			double dx = p[j].x - p[i].x, dy = p[j].y - p[i].y, dz = p[j].z - p[i].z;
			double r2 = 1 / (dx * dx + dy * dy + dz * dz + 0.1), r6 = r2 * r2 * r2;

			energy[i] += (float)(r6 * (r6 - 1));
		}
	}
	device_array<float4> dp(p);
	device_array<float> force(4 * n), denergy(n);
	device_array<int> dlist(list), dcounts(counts);

	n_body<<<n / 128, 128>>>(dp.data, (float4 *)force.data, n);
	expect_near("n-body", force.host(), want, 2e-3f);
	neighbour_forces<<<(n + 63) / 64, 64>>>(dp.data, dlist.data, dcounts.data, denergy.data, n, most);
	expect_near("neighbours", denergy.host(), energy, 1e-2f);
}

// ---- Grids ------------------------------------------------------------------------------------------------

__global__ void stencil7(const float *in, float *out, int nx, int ny, int nz)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
		return;
	for (int z = 1; z < nz - 1; z++) {
		int i = (z * ny + y) * nx + x;

		out[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] +
						in[i - nx * ny] + in[i + nx * ny]);
	}
}

// Red and black points alternate, one colour per launch.
__global__ void red_black(float *u, const float *f, int n, int colour)
{
	int row = blockIdx.y * blockDim.y + threadIdx.y + 1, half = blockIdx.x * blockDim.x + threadIdx.x;
	int column = 2 * half + 1 + ((row + colour) & 1);

	if (row >= n - 1 || column >= n - 1)
		return;
	u[row * n + column] = 0.25f * (u[(row - 1) * n + column] + u[(row + 1) * n + column] +
				       u[row * n + column - 1] + u[row * n + column + 1] - f[row * n + column]);
}

// D2Q9 streaming with periodic edges: nine planes, each pulled from its own neighbour.
__global__ void lattice_stream(const float *in, float *out, int nx, int ny)
{
	const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;

	if (x >= nx)
		return;
	for (int q = 0; q < 9; q++) {
		int from_x = (x - ex[q] + nx) % nx, from_y = (y - ey[q] + ny) % ny;

		out[(q * ny + y) * nx + x] = in[(q * ny + from_y) * nx + from_x];
	}
}

static void test_grids(random_numbers &random)
{
	const int nx = 40, ny = 24, nz = 12, n = 66, lx = 75, ly = 20;
	std::vector<float> in = random_floats(nx * ny * nz, random), want(in.size()), u = random_floats(n * n, random),
			   f = random_floats(n * n, random), lattice = random_floats(9 * lx * ly, random),
			   streamed(lattice.size());
	const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};

	for (int z = 1; z < nz - 1; z++)
		for (int y = 1; y < ny - 1; y++)
			for (int x = 1; x < nx - 1; x++) {
				int i = (z * ny + y) * nx + x;

				want[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] +
								 in[i - nx * ny] + in[i + nx * ny]);
			}
	device_array<float> din(in), out(in.size()), du(u), df(f), dl(lattice), dout(lattice.size());

	stencil7<<<dim3((nx + 31) / 32, (ny + 3) / 4), dim3(32, 4)>>>(din.data, out.data, nx, ny, nz);
	expect_near("stencil", out.host(), want, 1e-5f);
	for (int colour = 0; colour < 2; colour++) {
		red_black<<<dim3(1, n / 4), dim3(32, 4)>>>(du.data, df.data, n, colour);
		for (int r = 1; r < n - 1; r++)
			for (int c = 1 + ((r + colour) & 1); c < n - 1; c += 2)
				u[r * n + c] = 0.25f * (u[(r - 1) * n + c] + u[(r + 1) * n + c] + u[r * n + c - 1] +
							u[r * n + c + 1] - f[r * n + c]);
	}
	expect_near("red and black", du.host(), u, 1e-5f);
	for (int q = 0; q < 9; q++)
		for (int y = 0; y < ly; y++)
			for (int x = 0; x < lx; x++)
				streamed[(q * ly + y) * lx + x] =
					lattice[(q * ly + (y - ey[q] + ly) % ly) * lx + (x - ex[q] + lx) % lx];
	lattice_stream<<<dim3((lx + 63) / 64, ly), 64>>>(dl.data, dout.data, lx, ly);
	expect_equal("lattice", dout.host(), streamed);
}

// ---- Fourier transform of 256 points per workgroup, in LDS -----------------------------------------------

__global__ void fft256(const float2 *in, float2 *out)
{
	__shared__ float2 s[256];
	int id = threadIdx.x, base = blockIdx.x * 256;

	for (int i = id; i < 256; i += 128)
		s[__brev(i) >> 24] = in[base + i];
	for (int half = 1; half < 256; half *= 2) {
		__syncthreads();
		int k = id & (half - 1), a = (id / half) * 2 * half + k, b = a + half;
		float sine, cosine;

		__sincosf(-3.14159265f * k / half, &sine, &cosine);
		float2 x = s[a], y = s[b];
		float2 t = make_float2(y.x * cosine - y.y * sine, y.x * sine + y.y * cosine);

		s[a] = make_float2(x.x + t.x, x.y + t.y);
		s[b] = make_float2(x.x - t.x, x.y - t.y);
	}
	__syncthreads();
	for (int i = id; i < 256; i += 128)
		out[base + i] = s[i];
}

static void test_fourier(random_numbers &random)
{
	std::vector<float> in = random_floats(4 * 512, random), want(in.size());

	for (int b = 0; b < 4; b++)
		for (int k = 0; k < 256; k++) {
			std::complex<double> sum = 0;

			for (int i = 0; i < 256; i++)
				sum += std::complex<double>(in[b * 512 + 2 * i], in[b * 512 + 2 * i + 1]) *
				       std::polar(1.0, -2 * 3.14159265358979 * i * k / 256);
			want[b * 512 + 2 * k] = (float)sum.real();
			want[b * 512 + 2 * k + 1] = (float)sum.imag();
		}
	device_array<float> din(in), out(in.size());

	fft256<<<4, 128>>>((float2 *)din.data, (float2 *)out.data);
	expect_near("FFT", out.host(), want, 2e-3f);
}

// ---- No or few accesses: options, fractals, random walks ---------------------------------------------------

__device__ static float normal(float x)
{
	return 0.5f * erfcf(-x * 0.70710678f);
}

__global__ void black_scholes(const float *price, const float *strike, const float *years, float *call, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
		float root = 0.3f * sqrtf(years[i]);
		float d = (__logf(price[i] / strike[i]) + 0.065f * years[i]) / root;

		call[i] = price[i] * normal(d) - strike[i] * __expf(-0.02f * years[i]) * normal(d - root);
	}
}

__global__ void mandelbrot(int *out, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, n = 0;
	float cr = 3.0f * x / width - 2.0f, ci = 2.0f * y / height - 1.0f, r = 0, i = 0;

	if (x >= width || y >= height)
		return;
	while (n < 100 && r * r + i * i < 4) {
		float t = r * r - i * i + cr;

		i = 2 * r * i + ci;
		r = t;
		n++;
	}
	out[y * width + x] = n;
}

__global__ void random_walk(const unsigned *seeds, unsigned *visits, int steps, int cells)
{
	unsigned state = seeds[blockIdx.x * blockDim.x + threadIdx.x], at = state % cells;

	for (int i = 0; i < steps; i++) {
		state = state * 1664525u + 1013904223u;
		at = (at + (state >> 30) + cells - 1) % cells;
		atomicAdd(&visits[at], 1u);
	}
}

static void test_others(random_numbers &random)
{
	const int n = 1100, steps = 20, cells = 600, walkers = 256;
	std::vector<float> price(n), strike(n), years(n), call(n);
	std::vector<unsigned> seeds(walkers), visits(cells);

	for (int i = 0; i < n; i++) {
		price[i] = 20 + 60 * random.real();
		strike[i] = 20 + 60 * random.real();
		years[i] = 0.2f + 3 * random.real();
		double root = 0.3 * std::sqrt((double)years[i]);
		double d = (std::log((double)price[i] / strike[i]) + 0.065 * years[i]) / root;

		call[i] = (float)(price[i] * 0.5 * std::erfc(-d * std::sqrt(0.5)) -
				  strike[i] * std::exp(-0.02 * years[i]) * 0.5 * std::erfc(-(d - root) * std::sqrt(0.5)));
	}
	device_array<float> dprice(price), dstrike(strike), dyears(years), dcall(n);

	black_scholes<<<2, 256>>>(dprice.data, dstrike.data, dyears.data, dcall.data, n);
	expect_near("options", dcall.host(), call, 1e-2f);

	device_array<int> picture(70 * 50);

	mandelbrot<<<dim3(5, 7), dim3(16, 8)>>>(picture.data, 70, 50);
	EXPECT(picture.host()[25 * 70 + 40] == 100 && picture.host()[0] == 1);
	for (unsigned &s : seeds)
		s = random.next();
	for (unsigned s : seeds) {
		unsigned at = s % cells;

		for (int i = 0; i < steps; i++) {
			s = s * 1664525u + 1013904223u;
			at = (at + (s >> 30) + cells - 1) % cells;
			visits[at]++;
		}
	}
	device_array<unsigned> dseeds(seeds), dvisits(cells);

	random_walk<<<walkers / 64, 64>>>(dseeds.data, dvisits.data, steps, cells);
	expect_equal("random walks", dvisits.host(), visits);
}

int main()
{
	random_numbers random;

	test_particles(random);
	test_grids(random);
	test_fourier(random);
	test_others(random);
	return 0;
}
