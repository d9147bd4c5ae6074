// SPDX-License-Identifier: MIT
// The kernel of partial.hip as a code object of its own: launch by global size needs a module.
#include <hip/hip_runtime.h>

#include <cstdint>

extern "C" __global__ void mark(uint32_t *cells, uint32_t w, uint32_t h)
{
	uint32_t x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
	uint32_t z = blockIdx.z * 3 + threadIdx.z;

	atomicAdd(&cells[(z * h + y) * w + x], 1 + x + 1000 * y + 1000000 * z);
}
