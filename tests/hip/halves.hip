// SPDX-License-Identifier: MIT
// Half and bfloat16: arithmetic whose results are exact, packed forms, conversions of every bit
// pattern both ways.
#include "hip_test.h"

#include <hip/hip_fp16.h>

__global__ void convert(float *wide, uint16_t *back)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
	uint16_t bits = (uint16_t)i;
	_Float16 half;

	memcpy(&half, &bits, 2);
	wide[i] = (float)half;
	half = (_Float16)wide[i];
	memcpy(&back[i], &half, 2);
}

// Independent of the compiler's own conversion.
static float host_half(uint16_t bits)
{
	int exponent = bits >> 10 & 31, mantissa = bits & 1023;
	float value = exponent == 31 ? (mantissa ? NAN : INFINITY)
		      : exponent     ? ldexpf((float)(1024 + mantissa), exponent - 25)
				     : ldexpf((float)mantissa, -24);

	return bits >> 15 ? -value : value;
}

// Round to nearest even from float, by its bits: bfloat16 is its upper half.
__host__ __device__ static uint16_t to_bfloat(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, 4);
	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

__host__ __device__ static float from_bfloat(uint16_t bits)
{
	uint32_t wide = (uint32_t)bits << 16;
	float value;

	memcpy(&value, &wide, 4);
	return value;
}

__global__ void bfloats(const float *in, uint16_t *out)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = to_bfloat(from_bfloat(to_bfloat(in[i])) * from_bfloat(to_bfloat(in[i ^ 1])));
}

__global__ void packed(const __half2 *a, const __half2 *b, __half2 *out)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = __hadd2(__hfma2(a[i], b[i], a[i]),
			 __hmul2(__low2half2(b[i]), __lowhigh2highlow(a[i])));
}

__global__ void scalars(const __half *a, float *out)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
	__half x = a[i], y = a[i ^ 1];

	out[4 * i] = __half2float(__hmul(x, y));
	out[4 * i + 1] = __half2float(__hsub(x, y));
	out[4 * i + 2] = __hlt(x, y) ? 1 : __heq(x, y) ? 2 : 3;
	out[4 * i + 3] = __half2float(hsqrt(__hmul(x, x)));
}

int main()
{
	const uint32_t all = 1 << 16, n = 256;
	device_array<float> wide((size_t)all);
	device_array<uint16_t> back((size_t)all);

	convert<<<all / 256, 256>>>(wide.data, back.data);
	std::vector<float> got = wide.host();
	std::vector<uint16_t> bits = back.host();
	for (uint32_t i = 0; i < all; i++) {
		float want = host_half((uint16_t)i);

		if (want != want) {
			EXPECT(got[i] != got[i] && (bits[i] & 0x7c00) == 0x7c00 && bits[i] & 1023);
			continue;
		}
		EXPECT(!memcmp(&got[i], &want, 4) && bits[i] == i);
	}

	/* Integers up to 15: every intermediate result is exact in half. */
	std::vector<__half2> a(n), b(n);
	std::vector<float> ab(2 * n), values(4 * 2 * n);
	for (uint32_t i = 0; i < n; i++) {
		a[i] = __floats2half2_rn((float)(i % 16), (float)(i / 16));
		b[i] = __floats2half2_rn((float)(int)(i % 7) - 3, (float)(int)(i % 5) - 2);
	}
	device_array<__half2> da(a), db(b), dout((size_t)n);
	packed<<<n / 64, 64>>>(da.data, db.data, dout.data);
	std::vector<__half2> out = dout.host();
	for (uint32_t i = 0; i < n; i++) {
		float ax = i % 16, ay = i / 16, bx = (float)(int)(i % 7) - 3,
		      by = (float)(int)(i % 5) - 2;

		EXPECT(__low2float(out[i]) == ax * bx + ax + bx * ay);
		EXPECT(__high2float(out[i]) == ay * by + ay + bx * ax);
	}
	for (uint32_t i = 0; i < 2 * n; i++)
		ab[i] = i % 2 ? i / 2 / 16 : i / 2 % 16;
	for (uint32_t i = 0; i < 2 * n; i++) {
		float x = ab[i], y = ab[i ^ 1];

		values[4 * i] = x * y;
		values[4 * i + 1] = x - y;
		values[4 * i + 2] = x < y ? 1 : x == y ? 2 : 3;
		values[4 * i + 3] = x;
	}
	device_array<float> dvalues(values.size());
	scalars<<<2 * n / 64, 64>>>((const __half *)da.data, dvalues.data);
	expect_equal("scalars", dvalues.host(), values);

	std::vector<float> floats(n);
	std::vector<uint16_t> products(n);
	for (uint32_t i = 0; i < n; i++)
		floats[i] = ldexpf((float)(hash32(i) >> 8) - (1 << 23), (int)(i % 40) - 40);
	for (uint32_t i = 0; i < n; i++)
		products[i] = to_bfloat(from_bfloat(to_bfloat(floats[i])) *
					from_bfloat(to_bfloat(floats[i ^ 1])));
	device_array<float> dfloats(floats);
	device_array<uint16_t> dproducts((size_t)n);
	bfloats<<<n / 64, 64>>>(dfloats.data, dproducts.data);
	expect_equal("bfloat16", dproducts.host(), products);
	return 0;
}
