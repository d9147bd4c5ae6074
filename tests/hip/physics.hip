// SPDX-License-Identifier: MIT
// Floating point that cannot be compared bit by bit: n-body, a Fourier transform there and back,
// Black-Scholes; against double on the host within a stated error. The Walsh transform is exact.
#include "hip_test.h"

#include <complex>

static void expect_near(const char *what, const std::vector<float> &got,
			const std::vector<double> &want, double error)
{
	for (size_t i = 0; i < want.size(); i++) {
		if (fabs(got[i] - want[i]) <= error * (1 + fabs(want[i])))
			continue;
		fprintf(stderr, "%s: element %zu is %.9g, should be %.9g\n", what, i, got[i],
			want[i]);
		exit(1);
	}
}

__global__ void attract(const float4 *bodies, float4 *force, int n)
{
	__shared__ float4 tile[64];
	int at = blockIdx.x * 64 + threadIdx.x;
	float4 own = bodies[at], sum = {0, 0, 0, 0};

	for (int from = 0; from < n; from += 64) {
		tile[threadIdx.x] = bodies[from + threadIdx.x];
		__syncthreads();
		for (int i = 0; i < 64; i++) {
			float dx = tile[i].x - own.x, dy = tile[i].y - own.y,
			      dz = tile[i].z - own.z;
			float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
			float scale = tile[i].w * inverse * inverse * inverse;

			sum.x += dx * scale;
			sum.y += dy * scale;
			sum.z += dz * scale;
		}
		__syncthreads();
	}
	force[at] = sum;
}

static void bodies()
{
	const int n = 256;
	std::vector<float4> body(n);
	std::vector<float> got;
	std::vector<double> want;

	for (int i = 0; i < n; i++)
		body[i] = make_float4(hash32(i) % 1000 / 500.0f - 1,
				      hash32(i + n) % 1000 / 500.0f - 1,
				      hash32(i + 2 * n) % 1000 / 500.0f - 1, 1 + i % 5);
	device_array<float4> dbody(body), force(body.size());
	attract<<<n / 64, 64>>>(dbody.data, force.data, n);
	for (const float4 &f : force.host()) {
		got.push_back(f.x);
		got.push_back(f.y);
		got.push_back(f.z);
	}
	for (int i = 0; i < n; i++) {
		double sum[3] = {0, 0, 0};

		for (int j = 0; j < n; j++) {
			double d[3] = {(double)body[j].x - body[i].x, (double)body[j].y - body[i].y,
				       (double)body[j].z - body[i].z};
			double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.01);

			for (int k = 0; k < 3; k++)
				sum[k] += d[k] * body[j].w / (r * r * r);
		}
		want.insert(want.end(), sum, sum + 3);
	}
	expect_near("n-body", got, want, 1e-4);
}

// Radix 2 in LDS, decimation in time; 512 points per group of 256.
__global__ void fft(float2 *cells, float sign)
{
	__shared__ float2 tile[512];
	float2 *own = cells + blockIdx.x * 512;

	for (int half = 0; half < 2; half++) {
		uint32_t i = threadIdx.x + 256 * half;

		tile[__brev(i) >> 23] = own[i];
	}
	for (int length = 1; length < 512; length *= 2) {
		int at = threadIdx.x / length * 2 * length + threadIdx.x % length;
		float angle = sign * 3.14159265f * (threadIdx.x % length) / length, s, c;
		float2 a, b;

		__syncthreads();
		sincosf(angle, &s, &c);
		a = tile[at];
		b = tile[at + length];
		b = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
		tile[at] = make_float2(a.x + b.x, a.y + b.y);
		tile[at + length] = make_float2(a.x - b.x, a.y - b.y);
	}
	__syncthreads();
	for (int half = 0; half < 2; half++)
		own[threadIdx.x + 256 * half] = tile[threadIdx.x + 256 * half];
}

static std::vector<float> flat(const std::vector<float2> &from)
{
	std::vector<float> to;

	for (const float2 &f : from) {
		to.push_back(f.x);
		to.push_back(f.y);
	}
	return to;
}

static void fourier()
{
	const int n = 512;
	std::vector<float2> signal(2 * n);
	std::vector<double> want, back;

	for (int i = 0; i < 2 * n; i++) {
		signal[i] =
			make_float2(hash32(i) % 200 / 100.0f - 1, hash32(~i) % 200 / 100.0f - 1);
		back.push_back((double)signal[i].x * n);
		back.push_back((double)signal[i].y * n);
	}
	for (int i = 0; i < 2 * n; i++) {
		std::complex<double> sum;

		for (int j = 0; j < n; j++) {
			const float2 &x = signal[i / n * n + j];

			sum += std::complex<double>(x.x, x.y) *
			       std::polar(1.0, -2 * M_PI * (i % n * j % n) / n);
		}
		want.push_back(sum.real());
		want.push_back(sum.imag());
	}
	device_array<float2> cells(signal);
	fft<<<2, 256>>>(cells.data, -1);
	expect_near("fourier", flat(cells.host()), want, 1e-4);
	fft<<<2, 256>>>(cells.data, 1);
	expect_near("and back", flat(cells.host()), back, 1e-4);
}

__global__ void walsh(int *cells, int length)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, at = i / length * 2 * length + i % length;
	int a = cells[at], b = cells[at + length];

	cells[at] = a + b;
	cells[at + length] = a - b;
}

static void walshes()
{
	const int n = 1024;
	std::vector<int> cells(n), want(n, 0);

	for (int i = 0; i < n; i++)
		cells[i] = (int)(hash32(i) % 100) - 50;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			want[i] += __builtin_popcount(i & j) % 2 ? -cells[j] : cells[j];
	device_array<int> d(cells);
	for (int length = 1; length < n; length *= 2)
		walsh<<<n / 2 / 128, 128>>>(d.data, length);
	expect_equal("walsh", d.host(), want);
}

__global__ void price(const float *spot, float *call, float strike, float years)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	const float rate = 0.02f, sigma = 0.3f;
	float root = sigma * sqrtf(years);
	float d1 = (logf(spot[i] / strike) + (rate + 0.5f * sigma * sigma) * years) / root;

	call[i] = spot[i] * normcdff(d1) - strike * expf(-rate * years) * normcdff(d1 - root);
}

static void options()
{
	std::vector<float> spot(256);
	std::vector<double> want;

	for (int i = 0; i < 256; i++) {
		double s = spot[i] = 20 + i, root = 0.3 * sqrt(2.0);
		double d1 = (log(s / 100) + (0.02 + 0.045) * 2) / root;

		want.push_back(s * erfc(-d1 * M_SQRT1_2) / 2 -
			       100 * exp(-0.04) * erfc(-(d1 - root) * M_SQRT1_2) / 2);
	}
	device_array<float> dspot(spot), call((size_t)256);
	price<<<2, 128>>>(dspot.data, call.data, 100, 2);
	expect_near("options", call.host(), want, 1e-4);
}

int main()
{
	bodies();
	fourier();
	walshes();
	options();
	return 0;
}
