// SPDX-License-Identifier: MIT
#include "hip_test.h"

struct totals {
	uint32_t add, sub, min, max, inc, all, any, parity, exchanged, swapped;
	int32_t smin, smax;
	unsigned long long add64, max64;
	float fadd;
	double dadd;
};

__global__ void everything(totals *t, uint32_t *histogram, uint32_t n)
{
	__shared__ uint32_t local[16];
	uint32_t id = blockIdx.x * blockDim.x + threadIdx.x;

	if (threadIdx.x < 16)
		local[threadIdx.x] = 0;
	__syncthreads();
	if (id < n) {
		uint32_t h = hash32(id);

		atomicAdd(&t->add, h);
		atomicSub(&t->sub, id);
		atomicMin(&t->min, h);
		atomicMax(&t->max, h);
		atomicInc(&t->inc, 999);
		atomicAnd(&t->all, h | 0xf0f0f0f0);
		atomicOr(&t->any, h & 0x0f0f0f0f);
		atomicXor(&t->parity, h);
		atomicMin(&t->smin, (int32_t)h);
		atomicMax(&t->smax, (int32_t)h);
		atomicAdd(&t->add64, (unsigned long long)h << 20);
		atomicMax(&t->max64, (unsigned long long)h << 20 | id);
		atomicAdd(&t->fadd, 1.0f);
		atomicAdd(&t->dadd, 0.5);
		atomicAdd(&t->exchanged, atomicExch(&t->swapped, 0) == 1 ? 1u : 0u);
		atomicAdd(&local[h % 16], 1u);
	}
	__syncthreads();
	if (threadIdx.x < 16)
		atomicAdd(&histogram[threadIdx.x], local[threadIdx.x]);
}

// A lock by compare-and-swap around plain memory: one lane of each wave at a time.
__global__ void locked(uint32_t *lock, volatile uint32_t *counter)
{
	for (int lane = 0; lane < 4; lane++) {
		if ((threadIdx.x & 63) != lane)
			continue;
		while (atomicCAS(lock, 0u, 1u))
			;
		__threadfence();
		*counter = *counter + 1;
		__threadfence();
		atomicExch(lock, 0u);
	}
}

int main()
{
	const uint32_t n = 10007;
	totals zero = {}, want = {};
	std::vector<uint32_t> histogram(16, 0);
	device_array<uint32_t> dhistogram((size_t)16), cells((size_t)2);

	zero.min = zero.all = UINT32_MAX;
	zero.smin = INT32_MAX;
	zero.smax = INT32_MIN;
	zero.swapped = 1;
	want = zero;
	for (uint32_t id = 0; id < n; id++) {
		uint32_t h = hash32(id);

		want.add += h;
		want.sub -= id;
		want.min = h < want.min ? h : want.min;
		want.max = h > want.max ? h : want.max;
		want.inc = want.inc >= 999 ? 0 : want.inc + 1;
		want.all &= h | 0xf0f0f0f0;
		want.any |= h & 0x0f0f0f0f;
		want.parity ^= h;
		want.smin = (int32_t)h < want.smin ? (int32_t)h : want.smin;
		want.smax = (int32_t)h > want.smax ? (int32_t)h : want.smax;
		want.add64 += (unsigned long long)h << 20;
		want.max64 = std::max(want.max64, (unsigned long long)h << 20 | id);
		histogram[h % 16]++;
	}
	want.fadd = (float)n;
	want.dadd = 0.5 * n;
	want.exchanged = 1;
	want.swapped = 0;

	device_array<totals> dtotals(std::vector<totals>{zero});
	everything<<<(n + 255) / 256, 256>>>(dtotals.data, dhistogram.data, n);
	HIP(hipGetLastError());
	totals got = dtotals.host()[0];

	EXPECT(got.add == want.add && got.sub == want.sub);
	EXPECT(got.min == want.min && got.max == want.max && got.inc == want.inc);
	EXPECT(got.all == want.all && got.any == want.any && got.parity == want.parity);
	EXPECT(got.smin == want.smin && got.smax == want.smax);
	EXPECT(got.add64 == want.add64 && got.max64 == want.max64);
	EXPECT(got.fadd == want.fadd && got.dadd == want.dadd);
	EXPECT(got.exchanged == 1 && got.swapped == 0);
	expect_equal("histogram in LDS", dhistogram.host(), histogram);

	locked<<<12, 256>>>(cells.data, cells.data + 1);
	HIP(hipGetLastError());
	EXPECT(cells.host()[1] == 12 * 4 * 4);
	return 0;
}
