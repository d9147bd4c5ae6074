#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that uses two GPUs, one after the other and at the same time: results and counts of each kind.
# Folder: hsa-plugin/queue
. "$(dirname "$0")/lib.sh"

cat >two.hip <<'END'
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void scale(float *out, const float *in)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = in[i * 3];
}
int main()
{
	static float host[3 * 4096], back[4096];
	float *out[2], *in[2];
	int devices = 0, wrong = 0;
	if (hipGetDeviceCount(&devices) != hipSuccess || devices != 2)
		return 1;
	for (int i = 0; i < 3 * 4096; i++)
		host[i] = i;
	for (int round = 0; round < 2; round++)
		for (int d = 0; d < 2; d++) {
			if (hipSetDevice(d) != hipSuccess ||
			    (!round && (hipMalloc(&out[d], sizeof(back)) != hipSuccess || hipMalloc(&in[d], sizeof(host)) != hipSuccess)) ||
			    hipMemcpy(in[d], host, sizeof(host), hipMemcpyHostToDevice) != hipSuccess)
				return 1;
			scale<<<16, 256>>>(out[d], in[d]);
		}
	for (int d = 0; d < 2; d++) {
		if (hipMemcpy(back, out[d], sizeof(back), hipMemcpyDeviceToHost) != hipSuccess)
			return 1;
		for (int i = 0; i < 4096; i++)
			wrong += back[i] != 3 * i;
	}
	printf("%d wrong\n", wrong);
	return wrong != 0;
}
END
compile two.hip two
for kind in memory trace; do
	export PROBE_SIM_GPUS=2
	record $kind.db -q --kind $kind -- ./two >out || fail "$kind: the program failed"
	expect "$kind: results" "$(cat out)" "0 wrong"
	# Four launches of 64 waves.
	expect "$kind: executions" "$(probe-report lines --all --format csv --no-header -f executions $kind.db | sort -u)" 256
done
