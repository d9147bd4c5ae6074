// SPDX-License-Identifier: MIT
// Tens of thousands of tiny kernels on several streams: all run, and nothing is left behind.
// An argument says how many.
#include "hip_test.h"

#include <unistd.h>

__global__ void bump(uint32_t *cell)
{
	if (!threadIdx.x)
		++*cell;
}

static long resident_kib()
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = 0;

	EXPECT(file && fscanf(file, "%*d %ld", &pages) == 1);
	fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char **argv)
{
	const uint32_t total = argc > 2 ? (uint32_t)atoi(argv[2]) : 20000, streams = 4;
	const uint32_t each = total / streams, part = each / 10;
	device_array<uint32_t> cells((size_t)streams * 64);
	hipStream_t stream[streams];
	long before = 0;

	for (hipStream_t &s : stream)
		HIP(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
	for (uint32_t i = 0; i < each; i++) {
		for (uint32_t s = 0; s < streams; s++)
			bump<<<1, 64, 0, stream[s]>>>(cells.data + s * 64);
		if (i % part == part - 1)
			HIP(hipDeviceSynchronize());
		/* After the simulator translated the kernel, which loads LLVM. */
		if (i == 6 * part)
			before = resident_kib();
	}
	HIP(hipDeviceSynchronize());
	for (uint32_t s = 0; s < streams; s++)
		EXPECT(cells.host()[s * 64] == each);
	printf("%u kernels; %ld KiB more at the end\n", each * streams, resident_kib() - before);
	EXPECT(resident_kib() - before < 8192);
	return 0;
}
