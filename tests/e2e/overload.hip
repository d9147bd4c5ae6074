// SPDX-License-Identifier: MIT
// overload WAVES ROUNDS: each wave reads ROUNDS times at addresses that no two lanes share and no pattern describes, so
// that each access is a record of its own. Prints how many accesses there were.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>

__global__ void scatter(const unsigned *in, unsigned *out, int rounds)
{
	unsigned at = blockIdx.x * 64 + threadIdx.x, sum = 0;

	for (int i = 0; i < rounds; i++) {
		at = (at * 1664525u + 1013904223u);
		sum += in[at >> 16];
	}
	out[blockIdx.x * 64 + threadIdx.x] = sum;
}

int main(int, char **argv)
{
	int waves = atoi(argv[1]), rounds = atoi(argv[2]);
	unsigned *in, *out;

	if (hipMalloc(&in, 4 << 16) != hipSuccess || hipMalloc(&out, 256 * waves) != hipSuccess ||
	    hipMemset(in, 1, 4 << 16) != hipSuccess)
		return 99;
	scatter<<<waves, 64>>>(in, out, rounds);
	if (hipDeviceSynchronize() != hipSuccess)
		return 98;
	printf("%d\n", waves * (rounds + 1));
	return 0;
}
