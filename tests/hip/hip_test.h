// SPDX-License-Identifier: MIT
// Small self-checking HIP programs: every result is compared with the host's, and the program exits
// with 0 only if all are equal.
#ifndef PROBE_TESTS_HIP_TEST_H
#define PROBE_TESTS_HIP_TEST_H

#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define HIP(call) hip_check((call), #call, __LINE__)

static inline void hip_check(hipError_t status, const char *call, int line)
{
	if (status == hipSuccess)
		return;
	fprintf(stderr, "line %d: %s: %s\n", line, call, hipGetErrorString(status));
	exit(1);
}

#define EXPECT(condition)                                                                          \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "line %d: not true: %s\n", __LINE__, #condition);          \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

// If bytes differ, the first different element is reported.
template <typename T>
static void expect_equal(const char *what, const std::vector<T> &got, const std::vector<T> &want)
{
	EXPECT(got.size() == want.size());
	for (size_t i = 0; i < got.size(); i++) {
		if (!memcmp(&got[i], &want[i], sizeof(T)))
			continue;
		fprintf(stderr, "%s: element %zu of %zu is %.9g, should be %.9g\n", what, i,
			got.size(), (double)got[i], (double)want[i]);
		exit(1);
	}
}

// Device memory with a host copy of everything in it.
template <typename T> struct device_array {
	T *data = nullptr;
	size_t count;

	explicit device_array(size_t n) : count(n)
	{
		HIP(hipMalloc((void **)&data, n * sizeof(T)));
		HIP(hipMemset(data, 0, n * sizeof(T)));
		// The fill may be asynchronous, and streams that do not wait for the null stream overtake it.
		HIP(hipStreamSynchronize(nullptr));
	}
	explicit device_array(const std::vector<T> &from) : device_array(from.size())
	{
		HIP(hipMemcpy(data, from.data(), count * sizeof(T), hipMemcpyHostToDevice));
	}
	~device_array()
	{
		HIP(hipFree(data));
	}
	std::vector<T> host() const
	{
		std::vector<T> copy(count);

		HIP(hipMemcpy(copy.data(), data, count * sizeof(T), hipMemcpyDeviceToHost));
		return copy;
	}
	device_array(const device_array &) = delete;
	device_array &operator=(const device_array &) = delete;
};

// A small generator with a known sequence on host and device alike.
__host__ __device__ static inline uint32_t hash32(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x7feb352d;
	x ^= x >> 15;
	x *= 0x846ca68b;
	return x ^ x >> 16;
}

#endif
