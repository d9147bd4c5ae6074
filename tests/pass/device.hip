// SPDX-License-Identifier: MIT
// Regions and messages leave originals, and code compiled without the plugin, as if they were not
// there.
//
// RUN: %hip_asm -O2 -I%S/../../include %s -o %t.probed.s
// RUN: %hip_asm -O2 -I%S/../../include -DNONE %s -o %t.none.s
// RUN: sed -n '/^k:/,/s_endpgm/p' %t.probed.s | sed 's/;.*//; s/BB[0-9]*_/BB/; s/[ \t]*$//; /^$/d' > %t.probed
// RUN: sed -n '/^k:/,/s_endpgm/p' %t.none.s | sed 's/;.*//; s/BB[0-9]*_/BB/; s/[ \t]*$//; /^$/d' > %t.none
// RUN: cmp %t.probed %t.none
// RUN: FileCheck %s < %t.probed.s
// CHECK: __probe_time_k:
// CHECK: s_memtime
#include <hip/hip_runtime.h>
#include <probe/device.h>

#ifdef NONE
#undef probe_region_begin
#undef probe_region_end
#undef probe_emit
#undef probe_emit_lanes
#define probe_region_begin(name)
#define probe_region_end(name)
#define probe_emit(tag, data, size)
#define probe_emit_lanes(tag, data, size)
#endif

struct state {
	int item;
	float sum;
	double square;
};

extern "C" __global__ void k(float *a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	probe_region_begin("sum");
	for (int k = 0; k < n; k++) {
		probe_region_begin("turn");
		sum += a[i + k * 64];
		probe_region_end("turn");
	}
	probe_region_end("sum");
	struct state state = {i, sum, (double)sum * sum};
	probe_emit("state", &state, sizeof(state));
	if (i & 1)
		probe_emit_lanes("sum", &sum, sizeof(sum));
	a[i] = sum;
}
