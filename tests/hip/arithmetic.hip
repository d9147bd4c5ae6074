// SPDX-License-Identifier: MIT
// Integer and float division, conversions, double, half: bit for bit where IEEE says so.
#include <hip/hip_fp16.h>

#include "hip_test.h"

struct numbers {
	uint32_t udiv, umod;
	int32_t sdiv, smod;
	uint64_t udiv64;
	int64_t smod64;
	uint64_t mulhi;
	float fdiv, fsqrt, ffma;
	double ddiv, dsqrt, dfma;
	int32_t f2i;
	float i2f;
	double u2d;
	uint16_t half_sum, half_product;
};

static __host__ __device__ float make_float(uint32_t x)
{
	return (float)(int32_t)hash32(x) * 0.00390625f;
}

__global__ void compute(numbers *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	uint32_t a = hash32(i), b = hash32(i + 1000) >> (i % 32) | 1;
	uint64_t a64 = (uint64_t)a << 32 | b, b64 = (uint64_t)hash32(a) << (i % 32) | 3;
	float x = make_float(i), y = make_float(i + 5000);
	__half p = __float2half(x * 1e-5f), q = __float2half(0.37f);
	numbers r;

	r.udiv = a / b;
	r.umod = a % b;
	r.sdiv = (int32_t)a / (int32_t)b;
	r.smod = (int32_t)a % (int32_t)b;
	r.udiv64 = a64 / b64;
	r.smod64 = (int64_t)a64 % (int64_t)b64;
	r.mulhi = __umul64hi(a64, b64);
	r.fdiv = x / y;
	r.fsqrt = sqrtf(fabsf(x));
	r.ffma = fmaf(x, y, 1.5f);
	r.ddiv = (double)x / (double)y;
	r.dsqrt = sqrt(fabs((double)x));
	r.dfma = fma((double)x, (double)y, 0.1);
	r.f2i = (int32_t)(x * 0.01f);
	r.i2f = (float)a;
	r.u2d = (double)a64;
	r.half_sum = __half_as_ushort(__hadd(p, q));
	r.half_product = __half_as_ushort(__hmul(p, q));
	out[i] = r;
}

static uint16_t to_half(float x)
{
	_Float16 half = (_Float16)x;
	uint16_t bits;

	memcpy(&bits, &half, 2);
	return bits;
}

static float from_half(uint16_t bits)
{
	_Float16 half;

	memcpy(&half, &bits, 2);
	return (float)half;
}

int main()
{
	const int n = 4000;
	device_array<numbers> out((size_t)n);

	compute<<<(n + 63) / 64, 64>>>(out.data, n);
	HIP(hipGetLastError());
	std::vector<numbers> got = out.host();

	for (int i = 0; i < n; i++) {
		uint32_t a = hash32(i), b = hash32(i + 1000) >> (i % 32) | 1;
		uint64_t a64 = (uint64_t)a << 32 | b, b64 = (uint64_t)hash32(a) << (i % 32) | 3;
		float x = make_float(i), y = make_float(i + 5000);
		uint16_t p = to_half(x * 1e-5f), q = to_half(0.37f);
		const numbers &r = got[i];

		EXPECT(r.udiv == a / b && r.umod == a % b);
		EXPECT(r.sdiv == (int32_t)a / (int32_t)b && r.smod == (int32_t)a % (int32_t)b);
		EXPECT(r.udiv64 == a64 / b64 && r.smod64 == (int64_t)a64 % (int64_t)b64);
		EXPECT(r.mulhi == (uint64_t)((unsigned __int128)a64 * b64 >> 64));
		EXPECT(r.fdiv == x / y);
		EXPECT(r.fsqrt == sqrtf(fabsf(x)));
		EXPECT(r.ffma == fmaf(x, y, 1.5f));
		EXPECT(r.ddiv == (double)x / (double)y);
		EXPECT(r.dsqrt == sqrt(fabs((double)x)));
		EXPECT(r.dfma == fma((double)x, (double)y, 0.1));
		EXPECT(r.f2i == (int32_t)(x * 0.01f));
		EXPECT(r.i2f == (float)a && r.u2d == (double)a64);
		EXPECT(r.half_sum == to_half(from_half(p) + from_half(q)));
		EXPECT(r.half_product == to_half(from_half(p) * from_half(q)));
	}
	return 0;
}
