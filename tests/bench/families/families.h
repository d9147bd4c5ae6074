// SPDX-License-Identifier: MIT
// Kernels of typical families of GPU programs, written as users write them and not for Probe. `make
// bench` reports what probes cost on each kernel. Every result is compared with the host's.
#ifndef PROBE_TESTS_FAMILIES_H
#define PROBE_TESTS_FAMILIES_H

#include "../../hip/hip_test.h"

#include <algorithm>

// The same numbers in every run.
struct random_numbers {
	uint32_t state = 12345;

	uint32_t next()
	{
		state = state * 1664525u + 1013904223u;
		return state >> 8;
	}
	float real() // 0 to 1
	{
		return (float)(next() & 0xffff) / 65536.0f;
	}
	int below(int n)
	{
		return (int)(next() % (uint32_t)n);
	}
};

static inline std::vector<float> random_floats(size_t n, random_numbers &random)
{
	std::vector<float> values(n);

	for (float &v : values)
		v = random.real() - 0.5f;
	return values;
}

static inline std::vector<int> random_ints(size_t n, int below, random_numbers &random)
{
	std::vector<int> values(n);

	for (int &v : values)
		v = random.below(below);
	return values;
}

static inline void expect_near(const char *what, const std::vector<float> &got,
			       const std::vector<float> &want, float tolerance)
{
	EXPECT(got.size() == want.size());
	for (size_t i = 0; i < got.size(); i++) {
		if (std::fabs(got[i] - want[i]) <= tolerance * (1.0f + std::fabs(want[i])))
			continue;
		fprintf(stderr, "%s: element %zu of %zu is %.9g, should be %.9g\n", what, i, got.size(),
			(double)got[i], (double)want[i]);
		exit(1);
	}
}

#endif
