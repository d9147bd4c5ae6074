// SPDX-License-Identifier: MIT
// Kernels whose effects are compared: a program of cases, each launched on fresh memory; every byte
// of it is then printed as one hash per region. The output must be the same with and without
// probes.
//
// All memory that a kernel may write is in one allocation, between guards: a write that strays by
// less than a guard is reported here, a larger one is a fault of the simulated GPU.
#ifndef PROBE_TESTS_EQUAL_H
#define PROBE_TESTS_EQUAL_H

#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define HIP(call)                                                                                  \
	do {                                                                                       \
		hipError_t status_ = (call);                                                       \
		if (status_ != hipSuccess) {                                                       \
			printf("line %d: %s: %s\n", __LINE__, #call, hipGetErrorString(status_));  \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

enum {
	GUARD = 4096,
	IN_BYTES = 32768,
	OUT_BYTES = 65536,
	ACC_BYTES = 4096,
	SLICE = 64, // bytes of `out` that a work-item owns
};

// What a case may use. `acc` is for atomics whose order has no visible effect.
struct world {
	uint8_t *in, *out, *acc;
};

struct test_case {
	const char *name;
	void (*run)(const world &);
};

#define CASE(name, ...)                                                                            \
	{                                                                                          \
		name, [](const world &w) { __VA_ARGS__; }                                          \
	}

static inline uint32_t mix(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x7feb352d;
	x ^= x >> 15;
	x *= 0x846ca68b;
	return x ^ x >> 16;
}

static uint64_t hash_bytes(const uint8_t *bytes, size_t size)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3ull;
	return hash;
}

enum { ARENA = 4 * GUARD + IN_BYTES + OUT_BYTES + ACC_BYTES };

static int check_guard(const char *name, const uint8_t *now, const uint8_t *before, size_t at)
{
	for (size_t i = at; i < at + GUARD; i++)
		if (now[i] != before[i]) {
			printf("%s: stray write at byte %zu of the guard at %zu\n", name, i - at, at);
			return 1;
		}
	return 0;
}

static int run_case(const test_case &test, uint8_t *arena, const std::vector<uint8_t> &before)
{
	const size_t in = GUARD, out = in + IN_BYTES + GUARD, acc = out + OUT_BYTES + GUARD;
	std::vector<uint8_t> now(ARENA);
	int bad = 0;

	HIP(hipMemcpy(arena, before.data(), ARENA, hipMemcpyHostToDevice));
	test.run(world{arena + in, arena + out, arena + acc});
	HIP(hipGetLastError());
	HIP(hipDeviceSynchronize());
	HIP(hipMemcpy(now.data(), arena, ARENA, hipMemcpyDeviceToHost));
	bad |= check_guard(test.name, now.data(), before.data(), 0);
	bad |= check_guard(test.name, now.data(), before.data(), in + IN_BYTES);
	bad |= check_guard(test.name, now.data(), before.data(), out + OUT_BYTES);
	bad |= check_guard(test.name, now.data(), before.data(), acc + ACC_BYTES);
	printf("%s: in %016llx out %016llx acc %016llx\n", test.name,
	       (unsigned long long)hash_bytes(&now[in], IN_BYTES),
	       (unsigned long long)hash_bytes(&now[out], OUT_BYTES),
	       (unsigned long long)hash_bytes(&now[acc], ACC_BYTES));
	fflush(stdout);
	return bad;
}

// The words of `in` are small positive numbers, so that sums of floats made from them are exact.
static int run_cases(const test_case *cases, size_t count, int argc, char **argv)
{
	std::vector<uint8_t> before(ARENA);
	uint8_t *arena;
	int bad = 0;

	for (size_t i = 0; i < ARENA; i += 4) {
		uint32_t word = mix((uint32_t)i);

		memcpy(&before[i], &word, 4);
	}
	memset(&before[2 * GUARD + IN_BYTES], 0x5a, OUT_BYTES);
	memset(&before[3 * GUARD + IN_BYTES + OUT_BYTES], 0, ACC_BYTES);
	HIP(hipMalloc((void **)&arena, ARENA));
	for (size_t i = 0; i < count; i++)
		if (argc < 2 || strstr(cases[i].name, argv[1]))
			bad |= run_case(cases[i], arena, before);
	HIP(hipFree(arena));
	return bad;
}

#endif
