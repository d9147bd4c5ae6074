// SPDX-License-Identifier: MIT
// End the example with a message when a HIP call fails.
#ifndef PROBE_EXAMPLES_CHECK_H
#define PROBE_EXAMPLES_CHECK_H

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call) check_hip((call), #call)

static inline void check_hip(hipError_t status, const char *call)
{
	if (status == hipSuccess)
		return;
	fprintf(stderr, "%s: %s\n", call, hipGetErrorString(status));
	exit(1);
}

#endif
