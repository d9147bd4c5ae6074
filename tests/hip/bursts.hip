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
	const uint32_t total = argc > 2 ? (uint32_t)atoi(argv[2]) : 20000, streams = 4, most = 200;
	const uint32_t each = total / streams / 10;
	const long limit = 64;
	device_array<uint32_t> cells((size_t)streams * 64);
	hipStream_t stream[streams];
	long before, growth = limit + 1;
	uint32_t part;

	for (hipStream_t &s : stream)
		HIP(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
	/* What a kernel leaves behind grows in every part. The simulator's translator, which runs
	   in parallel to the kernels and loads LLVM, grows in some of them, and then no more. 1,000
	   bytes a kernel are seen (tried); 200 fit in memory that the translator freed. */
	for (part = 0; part < 10 || (part < most && growth > limit); part++) {
		before = resident_kib();
		for (uint32_t i = 0; i < each; i++)
			for (uint32_t s = 0; s < streams; s++)
				bump<<<1, 64, 0, stream[s]>>>(cells.data + s * 64);
		HIP(hipDeviceSynchronize());
		growth = resident_kib() - before;
	}
	for (uint32_t s = 0; s < streams; s++)
		EXPECT(cells.host()[s * 64] == each * part);
	printf("%u kernels; %ld KiB more after the last %u\n", each * streams * part, growth,
	       each * streams);
	EXPECT(growth <= limit);
	return 0;
}
