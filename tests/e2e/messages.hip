// SPDX-License-Identifier: MIT
// Messages with contents that a handler can check: each contains the expected values.
#include <hip/hip_runtime.h>

#include <cstdio>

#include <probe/device.h>

enum { GROUPS = 3, LANES = 100 };

struct state {
	unsigned group, item;
	double half;
	unsigned char tail[5];
};

__global__ void speak(unsigned *out)
{
	unsigned item = blockIdx.x * blockDim.x + threadIdx.x;
	struct state state = {blockIdx.x, item, item * 0.5, {1, 2, 3, 4, 5}};
	unsigned char byte = (unsigned char)threadIdx.x;
	unsigned long long big[8];

	for (int i = 0; i < 8; i++)
		big[i] = item * 1000ull + i;
	probe_emit("state", &state, sizeof(state));
	probe_emit_lanes("byte", &byte, sizeof(byte));
	probe_emit("nothing", &byte, 0);
	// Lanes that differ.
	if (threadIdx.x % 3 == 0)
		probe_emit_lanes("big", big, sizeof(big));
#pragma unroll 1
	for (unsigned i = 0; i < threadIdx.x % 4; i++)
		probe_emit_lanes("turn", &i, sizeof(i));
	out[item] = item;
}

int main()
{
	unsigned *out;

	if (hipMallocManaged(&out, GROUPS * LANES * sizeof(*out)) != hipSuccess)
		return 1;
	speak<<<GROUPS, LANES>>>(out);
	if (hipDeviceSynchronize() != hipSuccess)
		return 1;
	for (unsigned i = 0; i < GROUPS * LANES; i++)
		if (out[i] != i)
			return 1;
	puts("right");
	return 0;
}
