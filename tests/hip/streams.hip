// SPDX-License-Identifier: MIT
// Streams, events and the order between them; elapsed times are positive and nested ones shorter.
#include "hip_test.h"

__global__ void scale_add(uint32_t *cells, int n, uint32_t factor, uint32_t add)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		for (int round = 0; round < 50; round++)
			cells[i] = cells[i] * factor + add;
}

static uint32_t on_host(uint32_t cell, uint32_t factor, uint32_t add)
{
	for (int round = 0; round < 50; round++)
		cell = cell * factor + add;
	return cell;
}

// A chain of kernels that hops between four streams; each waits for the one before by an event.
static void hopping_chain()
{
	const int n = 3000, hops = 40, streams = 4;
	hipStream_t stream[streams];
	std::vector<hipEvent_t> event(hops);
	device_array<uint32_t> cells((size_t)n);
	std::vector<uint32_t> want(n, 0);

	for (hipStream_t &s : stream)
		HIP(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
	for (int hop = 0; hop < hops; hop++) {
		hipStream_t s = stream[hop % streams];

		HIP(hipEventCreateWithFlags(&event[hop], hipEventDisableTiming));
		if (hop)
			HIP(hipStreamWaitEvent(s, event[hop - 1], 0));
		scale_add<<<(n + 127) / 128, 128, 0, s>>>(cells.data, n, 2 * hop + 3, hop);
		HIP(hipEventRecord(event[hop], s));
		for (uint32_t &cell : want)
			cell = on_host(cell, 2 * hop + 3, hop);
	}
	HIP(hipDeviceSynchronize());
	expect_equal("chain across streams", cells.host(), want);
	for (hipEvent_t e : event)
		HIP(hipEventDestroy(e));
	for (hipStream_t s : stream)
		HIP(hipStreamDestroy(s));
}

static void elapsed_times()
{
	const int n = 20000;
	device_array<uint32_t> cells((size_t)n);
	hipEvent_t event[3];
	float first, second, both;

	for (hipEvent_t &e : event)
		HIP(hipEventCreate(&e));
	HIP(hipEventRecord(event[0], 0));
	scale_add<<<n / 100, 100>>>(cells.data, n, 3, 1);
	HIP(hipEventRecord(event[1], 0));
	scale_add<<<n / 100, 100>>>(cells.data, n, 3, 1);
	HIP(hipEventRecord(event[2], 0));
	HIP(hipEventSynchronize(event[2]));
	HIP(hipEventElapsedTime(&first, event[0], event[1]));
	HIP(hipEventElapsedTime(&second, event[1], event[2]));
	HIP(hipEventElapsedTime(&both, event[0], event[2]));
	EXPECT(first > 0.0f && second > 0.0f);
	EXPECT(fabsf(both - first - second) < 0.01f * both + 0.001f);
	EXPECT(hipEventQuery(event[2]) == hipSuccess);
	for (hipEvent_t e : event)
		HIP(hipEventDestroy(e));
}

static void called_back(hipStream_t, hipError_t status, void *counter)
{
	if (status == hipSuccess)
		++*(volatile int *)counter;
}

static void callbacks()
{
	device_array<uint32_t> cells((size_t)256);
	int counter = 0;
	hipStream_t stream;

	HIP(hipStreamCreate(&stream));
	for (int i = 0; i < 10; i++) {
		scale_add<<<1, 256, 0, stream>>>(cells.data, 256, 5, 1);
		HIP(hipStreamAddCallback(stream, called_back, &counter, 0));
	}
	HIP(hipStreamSynchronize(stream));
	EXPECT(counter == 10);
	HIP(hipStreamDestroy(stream));
}

int main()
{
	hopping_chain();
	elapsed_times();
	callbacks();
	return 0;
}
