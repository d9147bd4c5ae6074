/* SPDX-License-Identifier: MIT */
/*
 * Kernels of published.hip and published_unseen.hip that measure caches, after the descriptions of
 * their sources: gb is te42kyfo/gpu-benches (MI210), mt4g caps-tum/mt4g (MI210 and MI300X).
 */
#ifndef PROBE_TESTS_HIP_PUBLISHED_CACHES_H
#define PROBE_TESTS_HIP_PUBLISHED_CACHES_H

#include "published_rate.h"

#include <algorithm>

// ---- gb gpu-strides: eight loads per iteration from L1, lanes `stride` elements apart -----------

template <typename T> __device__ void eight_loads(const T *at, int rounds, int zero, T *out)
{
	T sum = 0;

#pragma unroll 1
	for (int i = 0; i < rounds; i++) {
		at += zero;
		sum += at[0] * at[4];
		sum += at[8] * at[12];
		sum += at[20] * at[16];
		sum += at[24] * at[28];
	}
	if (sum == T(123123.23))
		*out = sum;
}

template <typename T> __global__ void l1_stride(const T *from, T *out, int rounds, int zero, int by)
{
	eight_loads(from + threadIdx.x % 64 * by, rounds, zero, out);
}

template <typename T> __global__ void l1_block(const T *from, T *out, int rounds, int zero, int by)
{
	eight_loads(from + threadIdx.x % 64 + threadIdx.y % 32 * by + by, rounds, zero, out);
}

template <typename T>
static void strides(const char *type, std::initializer_list<int> strides,
		    std::initializer_list<int> widths)
{
	const int rounds = 200, pitch = 4098, waves = 16;
	device_array<T> from((size_t)64 * pitch), out((size_t)1);
	char name[64];
	auto show = [&](void (*kernel)(const T *, T *, int, int, int), dim3 block, int by) {
		print(name, cycles_of([&] {
				    kernel<<<1, block>>>(from.data, out.data, rounds, 0, by);
			    }) / (rounds * 8.0 * waves));
	};

	for (int stride : strides) {
		snprintf(name, sizeof(name), "l1_%s_stride%d_cycles", type, stride);
		show(l1_stride<T>, dim3(1024), stride);
	}
	for (int width : widths) {
		snprintf(name, sizeof(name), "l1_%s_block%d_cycles", type, width);
		show(l1_block<T>, dim3(width, 1024 / width), pitch);
	}
}

// ---- gb gpu-cache: a workgroup per unit, all read one buffer again and again --------------------

template <int KIB>
__global__ __launch_bounds__(256) void cache_sum(const float4 *from, int rounds, int zero,
						 float4 *out)
{
	constexpr int steps = KIB / 4;
	float4 sum = {};

	from += threadIdx.x;
#pragma unroll steps> 32 ? 1 : 32 / steps
	for (int i = 0; i < rounds; i++) {
		from += zero;
#pragma unroll steps> 64 ? 32 : steps
		for (int k = 0; k < steps; k++) {
			float4 x = from[k * 256];

			sum.x += x.x, sum.y += x.y, sum.z += x.z, sum.w += x.w;
		}
	}
	if (sum.x == 1233)
		*out = sum;
}

template <int KIB> static void cache_size()
{
	device_array<float4> from((size_t)KIB << 6), out((size_t)1);
	int rounds = std::max(2, 2048 / KIB);

	print("cache_" + std::to_string(KIB) + "k_gb",
	      (double)KIB * 1024 * units() * rounds /
		      ns_of(
			      [&] {
				      cache_sum<KIB>
					      <<<units(), 256>>>(from.data, rounds, 0, out.data);
			      },
			      KIB < 1024));
}

// ---- gb gpu-latency: a wave follows a random cycle through all 64-byte pieces of a buffer -------

__global__ void random_chase(uint64_t p, int steps, uint64_t *end)
{
	for (int i = 0; i < steps; i += 32)
		asm volatile(".rept 32\nglobal_load_dwordx2 %0, %0, off\ns_waitcnt vmcnt(0)\n.endr"
			     : "+v"(p));
	*end = p;
}

static void latencies(std::initializer_list<int> sizes)
{
	for (int kib : sizes) {
		const size_t n = (size_t)kib * 16;
		const int steps = (int)std::min(std::max(n + 31 & ~(size_t)31, (size_t)16384),
						(size_t)1 << 18);
		device_array<uint64_t> ring(n * 8), end((size_t)1);
		std::vector<uint64_t> host(n * 8), order(n);
		uint64_t random = 1;

		for (size_t i = 0; i < n; i++)
			order[i] = i;
		for (size_t i = n - 1; i > 0; i--) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			std::swap(order[i], order[(random >> 33) % i]);
		}
		for (size_t i = 0; i < n; i++)
			host[order[i] * 8] = (uint64_t)ring.data + order[(i + 1) % n] * 64;
		HIP(hipMemcpy(ring.data, host.data(), n * 64, hipMemcpyHostToDevice));
		print("latency_" + std::to_string(kib) + "k_cycles",
		      cycles_of(
			      [&] {
				      random_chase<<<1, 64>>>((uint64_t)ring.data, steps, end.data);
			      },
			      kib < 12288) /
			      steps);
	}
}

// ---- mt4g: pointer chases by one lane, cycles per step of the second of two passes --------------

extern "C" __global__ void vector_chase(uint64_t p, int steps, uint64_t *cycles)
{
	for (int pass = 0; pass < 2; pass++) {
		uint64_t start = clock64();

		for (int i = 0; i < steps; i += 32)
			asm volatile(
				".rept 32\nglobal_load_dwordx2 %0, %0, off\ns_waitcnt vmcnt(0)\n.endr"
				: "+v"(p));
		cycles[0] = (uint64_t)(clock64() - start);
	}
}

static double chase(void (*kernel)(uint64_t, int, uint64_t *), size_t bytes, size_t stride = 256)
{
	/* A power of two of places, so that an odd step meets all. */
	const size_t n = bytes / stride;
	device_array<uint64_t> ring(bytes / 8), cycles((size_t)1);
	std::vector<uint64_t> host(bytes / 8);
	size_t step = n * 5 / 13 | 1;

	for (size_t i = 0; i < n; i++)
		host[i * stride / 8] = (uint64_t)ring.data + (i + step) % n * stride;
	HIP(hipMemcpy(ring.data, host.data(), bytes, hipMemcpyHostToDevice));
	kernel<<<1, 1>>>((uint64_t)ring.data, (int)n, cycles.data);
	HIP(hipDeviceSynchronize());
	return (double)cycles.host()[0] / (double)n;
}

extern "C" __global__ void scalar_chase(uint64_t p, int steps, uint64_t *cycles)
{
	for (int pass = 0; pass < 2; pass++) {
		uint64_t start = clock64();

		for (int i = 0; i < steps; i += 32)
			asm volatile(
				".rept 32\ns_load_dwordx2 %0, %0, 0\ns_waitcnt lgkmcnt(0)\n.endr"
				: "+s"(p));
		cycles[0] = (uint64_t)(clock64() - start);
	}
}

extern "C" __global__ void lds_chase(int steps, uint64_t *cycles)
{
	__shared__ uint32_t next[256];
	uint32_t p = 0;
	uint64_t start;

	for (uint32_t i = 0; i < 256; i++)
		next[i] = (i + 5) % 256 * 4;
	start = clock64();
	for (int i = 0; i < steps; i += 32)
		asm volatile(".rept 32\nds_read_b32 %0, %0\ns_waitcnt lgkmcnt(0)\n.endr"
			     : "+v"(p)
			     : "v"(next));
	cycles[0] = (uint64_t)(clock64() - start);
}

static double chase_lds()
{
	device_array<uint64_t> cycles((size_t)1);

	lds_chase<<<1, 1>>>(4096, cycles.data);
	HIP(hipDeviceSynchronize());
	return cycles.host()[0] / 4096.0;
}

#endif
