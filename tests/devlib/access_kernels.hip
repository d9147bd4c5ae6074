// SPDX-License-Identifier: MIT
// Kernels that make one access at addresses from the host. counter_truth.hip launches their clones
// directly. Sites in order: the load of the pattern, the access under test, stores to a sink.
#include <hip/hip_runtime.h>

#include <cstdint>

#define AS1 __attribute__((address_space(1)))
#define AS3 __attribute__((address_space(3)))

typedef uint32_t u32x2 __attribute__((ext_vector_type(2)));
typedef uint32_t u32x4 __attribute__((ext_vector_type(4)));
typedef uint32_t u32x8 __attribute__((ext_vector_type(8)));
// Elements of 12 bytes that need not be aligned to 16, and unaligned ones.
typedef unsigned _BitInt(96) u96 __attribute__((aligned(16)));
typedef unsigned _BitInt(96) u96_4 __attribute__((aligned(4)));
typedef uint32_t u32_1 __attribute__((aligned(1)));
typedef u32x4 u32x4_4 __attribute__((aligned(4)));

static __device__ uint32_t fold(uint8_t v)
{
	return v;
}
static __device__ uint32_t fold(uint16_t v)
{
	return v;
}
static __device__ uint32_t fold(uint32_t v)
{
	return v;
}
static __device__ uint32_t fold(u32x2 v)
{
	return v.x ^ v.y;
}
static __device__ uint32_t fold(unsigned _BitInt(96) v)
{
	return (uint32_t)v ^ (uint32_t)(v >> 32) ^ (uint32_t)(v >> 64);
}
static __device__ uint32_t fold(u32x4 v)
{
	return v.x ^ v.y ^ v.z ^ v.w;
}
static __device__ uint32_t fold(u32x8 v)
{
	return fold(v.lo) ^ fold(v.hi);
}

static __device__ uint32_t thread()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

// Pattern entries: 0 = lane inactive, else the address; for LDS the offset plus 1.
#define KERNELS(T, name)                                                                           \
	extern "C" __global__ void load_global_##name(const uint64_t *pattern, uint32_t *sink)     \
	{                                                                                          \
		uint64_t at = pattern[thread()];                                                   \
		if (at)                                                                            \
			sink[thread()] = fold(*(const AS1 T *)at);                                 \
	}                                                                                          \
	extern "C" __global__ void store_global_##name(const uint64_t *pattern, uint32_t *sink)    \
	{                                                                                          \
		uint64_t at = pattern[thread()];                                                   \
		if (at)                                                                            \
			*(AS1 T *)at = T(7);                                                       \
	}                                                                                          \
	extern "C" __global__ void load_lds_##name(const uint64_t *pattern, uint32_t *sink)        \
	{                                                                                          \
		uint64_t at = pattern[thread()];                                                   \
		if (at)                                                                            \
			sink[thread()] = fold(*(const volatile AS3 T *)(uint32_t)(at - 1));        \
	}                                                                                          \
	extern "C" __global__ void store_lds_##name(const uint64_t *pattern, uint32_t *sink)       \
	{                                                                                          \
		uint64_t at = pattern[thread()];                                                   \
		if (at)                                                                            \
			*(volatile AS3 T *)(uint32_t)(at - 1) = T(7);                              \
	}

KERNELS(uint8_t, 8)
KERNELS(uint16_t, 16)
KERNELS(uint32_t, 32)
KERNELS(u32x2, 64)
KERNELS(u96, 96)
KERNELS(u32x4, 128)
KERNELS(u32x8, 256)
KERNELS(u96_4, 96_4)
KERNELS(u32_1, 32_1)
KERNELS(u32x4_4, 128_4)

// Flat: bit 63 marks an offset in LDS, bit 62 one of the lane's own words in scratch.
template <typename T> static __device__ T *flat_address(uint64_t at, T *lds, T *own)
{
	if (at >> 63)
		return (T *)((char *)lds + (uint32_t)at);
	return at >> 62 ? own + (uint32_t)at : (T *)at;
}

#define FLAT_KERNELS(T, name)                                                                      \
	extern "C" __global__ void load_flat_##name(const uint64_t *pattern, uint32_t *sink)       \
	{                                                                                          \
		extern __shared__ u32x4 lds[];                                                     \
		uint64_t at = pattern[thread()];                                                   \
		T own[4] = {T(1), T(2), T(3), T(4)};                                               \
		T *volatile hidden = flat_address<T>(at, (T *)lds, own);                           \
		if (at)                                                                            \
			sink[thread()] = fold(*hidden);                                            \
	}                                                                                          \
	extern "C" __global__ void store_flat_##name(const uint64_t *pattern, uint32_t *sink)      \
	{                                                                                          \
		extern __shared__ u32x4 lds[];                                                     \
		uint64_t at = pattern[thread()];                                                   \
		T own[4] = {T(1), T(2), T(3), T(4)};                                               \
		T *volatile hidden = flat_address<T>(at, (T *)lds, own);                           \
		if (at)                                                                            \
			*hidden = T(7);                                                            \
	}

FLAT_KERNELS(uint32_t, 32)
FLAT_KERNELS(u32x2, 64)
FLAT_KERNELS(u32x4, 128)

extern "C" __global__ void atomic_global_32(const uint64_t *pattern, uint32_t *sink)
{
	uint64_t at = pattern[thread()];
	if (at)
		atomicAdd((uint32_t *)at, 3u);
}

template <typename T> static __device__ void add_in_lds(uint64_t at)
{
	if (at)
		__hip_atomic_fetch_add((AS3 T *)(uint32_t)(at - 1), T(3), __ATOMIC_RELAXED,
				       __HIP_MEMORY_SCOPE_WORKGROUP);
}

extern "C" __global__ void atomic_lds_32(const uint64_t *pattern, uint32_t *sink)
{
	add_in_lds<uint32_t>(pattern[thread()]);
}

extern "C" __global__ void atomic_lds_64(const uint64_t *pattern, uint32_t *sink)
{
	add_in_lds<uint64_t>(pattern[thread()]);
}

// The same access in a loop over sink[0] patterns. Sites: the load of their number, of a pattern,
// the access under test, the store.
#define LOOP_KERNEL(T, name)                                                                       \
	extern "C" __global__ void loop_global_##name(const uint64_t *pattern, uint32_t *sink)     \
	{                                                                                          \
		uint32_t count = sink[0], sum = 0;                                                 \
                                                                                                   \
		_Pragma("nounroll") for (uint32_t i = 0; i < count; i++)                           \
		{                                                                                  \
			uint64_t at = pattern[64 * i + threadIdx.x];                               \
			if (at)                                                                    \
				sum ^= fold(*(const AS1 T *)at);                                   \
		}                                                                                  \
		sink[1 + threadIdx.x] = sum;                                                       \
	}
LOOP_KERNEL(uint8_t, 8)
LOOP_KERNEL(uint32_t, 32)
LOOP_KERNEL(u32x4, 128)
LOOP_KERNEL(u96, 96)
LOOP_KERNEL(u32_1, 32_1)

// A loop that lanes leave at different times, a value of the loop that is used after it, and a
// function that is not inlined: inactive lanes must keep their registers.
static __device__ __attribute__((noinline)) uint32_t step(const uint32_t *table, uint32_t i)
{
	return table[i] + i;
}

extern "C" __global__ void diverge(const uint64_t *pattern, uint32_t *sink)
{
	const uint32_t *table = (const uint32_t *)pattern;
	uint32_t i = thread() & 63, turns = 0, last = 0, sum = 0;

	do {
		last = step(table, (i * 7 + turns) & 63) * 3 + turns;
		sum += table[last & 63];
		turns++;
	} while (turns <= i % 13 + (i == 40 ? 50 : 0));
	if (i & 1)
		sum ^= table[i];
	else if (i & 2)
		return;
	sink[2 * thread()] = last;
	sink[2 * thread() + 1] = sum;
}
