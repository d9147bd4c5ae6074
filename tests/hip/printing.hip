// SPDX-License-Identifier: MIT
// Device printf goes through the host call: interrupts from the device, answers from the host.
#include "hip_test.h"

#include <unistd.h>

__global__ void speak(int base)
{
	int id = blockIdx.x * blockDim.x + threadIdx.x;

	if (id % 50 == 0)
		printf("item %d of %s: %.2f %llx\n", base + id, "printing", id * 0.5,
		       0x123456789abcull + id);
}

// Its own output, read back through a pipe.
int main()
{
	char path[] = "/tmp/probe-printing-XXXXXX";
	int file = mkstemp(path), saved = dup(1);
	std::vector<int> seen(600, 0);
	char line[200];

	EXPECT(file >= 0);
	fflush(stdout);
	dup2(file, 1);
	speak<<<5, 64>>>(0);
	HIP(hipDeviceSynchronize());
	speak<<<7, 40>>>(320);
	HIP(hipDeviceSynchronize());
	fflush(stdout);
	dup2(saved, 1);

	FILE *text = fopen(path, "r");
	EXPECT(text);
	while (fgets(line, sizeof(line), text)) {
		unsigned long long code;
		double half;
		int id;

		EXPECT(sscanf(line, "item %d of printing: %lf %llx", &id, &half, &code) == 3);
		EXPECT(id >= 0 && id < 600);
		int own = id < 320 ? id : id - 320;
		EXPECT(own % 50 == 0 && half == own * 0.5 && code == 0x123456789abcull + own);
		seen[id]++;
	}
	fclose(text);
	remove(path);
	for (int id = 0; id < 600; id++)
		EXPECT(seen[id] == ((id < 320 ? id : id - 320) % 50 == 0));
	return 0;
}
