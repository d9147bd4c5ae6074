// SPDX-License-Identifier: MIT
// Calls, copies, marks and ranges in known numbers. Prints what does not depend on a trace.
#include <stdio.h>
#include <stdlib.h>

#include <thread>

#include <hip/hip_runtime.h>

#include "roctx.h"

#define HIP(call)                                                                                  \
	do {                                                                                       \
		hipError_t error = (call);                                                         \
		if (error != hipSuccess) {                                                         \
			fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error));              \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

enum { N = 1 << 16, BYTES = N * sizeof(int), ROUNDS = 3 };

__global__ void add(int *data, int value)
{
	data[blockIdx.x * blockDim.x + threadIdx.x] += value;
}

template <typename T> __global__ void twice(T *data)
{
	data[blockIdx.x * blockDim.x + threadIdx.x] *= 2;
}

static float milliseconds(hipStream_t stream, int *to, const int *from, hipMemcpyKind kind)
{
	hipEvent_t start, end;
	float ret = 0;

	HIP(hipEventCreate(&start));
	HIP(hipEventCreate(&end));
	HIP(hipEventRecord(start, stream));
	HIP(hipMemcpyAsync(to, from, BYTES, kind, stream));
	HIP(hipEventRecord(end, stream));
	HIP(hipEventSynchronize(end));
	HIP(hipEventElapsedTime(&ret, start, end));
	HIP(hipEventDestroy(start));
	HIP(hipEventDestroy(end));
	return ret;
}

int main()
{
	int *host, *device;
	hipStream_t stream;
	long sum = 0;

	roctxMark("before the GPU is used");
	roctxNameOsThread("main thread");
	roctxRangePush("all");
	HIP(hipHostMalloc(&host, BYTES));
	HIP(hipMalloc(&device, BYTES));
	HIP(hipStreamCreate(&stream));
	for (int i = 0; i < N; i++)
		host[i] = i;
	for (int round = 0; round < ROUNDS; round++) {
		roctxRangePush("round");
		HIP(hipMemcpyAsync(device, host, BYTES, hipMemcpyHostToDevice, stream));
		add<<<N / 256, 256, 0, stream>>>(device, round);
		HIP(hipGetLastError());
		HIP(hipMemcpyAsync(host, device, BYTES, hipMemcpyDeviceToHost, stream));
		HIP(hipStreamSynchronize(stream));
		roctxRangePop();
	}
	roctx_range_id_t range = roctxRangeStart("on two threads \"quoted\"");
	std::thread([&] { roctxRangeStop(range); }).join();
	roctxProfilerPause(0);
	add<<<N / 256, 256, 0, stream>>>(device, 0);
	HIP(hipStreamSynchronize(stream));
	roctxProfilerResume(0);
	twice<<<N / 256, 256, 0, stream>>>(device);
	HIP(hipStreamSynchronize(stream));
	roctxMark("end");
	roctxRangePush("never popped");

	/* Profilers other than a tool read these times, too. */
	float there = milliseconds(stream, device, host, hipMemcpyHostToDevice);
	float back = milliseconds(stream, host, device, hipMemcpyDeviceToHost);
	for (int i = 0; i < N; i++)
		sum += host[i];
	printf("sum %ld, copies %s\n", sum,
	       there >= 0 && there < 10000 && back >= 0 && back < 10000 ? "timed" : "not timed");
	HIP(hipFree(device));
	HIP(hipHostFree(host));
	return 0;
}
