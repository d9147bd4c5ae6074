#!/bin/sh
# SPDX-License-Identifier: MIT
# Folder: hsa-plugin
# Each way in which HIP launches kernels: every dispatch is instrumented and counted. Kernel
# arguments in device memory and captured packets are what newer runtimes add.
. "$(dirname "$0")/lib.sh"

cat >paths.hip <<'END'
#include <hip/hip_runtime.h>

#include <cstdio>
#include <hip/hip_cooperative_groups.h>
#include <thread>

#define OK(call)                                                                                   \
	if ((call) != hipSuccess) {                                                                \
		printf("line %d: %s\n", __LINE__, #call);                                          \
		return 1;                                                                          \
	}

enum { N = 1 << 12 };

__global__ void plain(int *data) { data[blockIdx.x * blockDim.x + threadIdx.x]++; }
__global__ void graph(int *data) { data[blockIdx.x * blockDim.x + threadIdx.x]++; }
__global__ void captured(int *data) { data[blockIdx.x * blockDim.x + threadIdx.x]++; }
__global__ void pooled(int *data) { data[blockIdx.x * blockDim.x + threadIdx.x]++; }
__global__ void per_thread(int *data) { data[blockIdx.x * blockDim.x + threadIdx.x]++; }
__global__ void grid_wide(int *data)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	data[i]++;
	cooperative_groups::this_grid().sync();
	data[i] += data[(i + 256) % N] > 0;
}

static int in_graph(int *data, hipStream_t stream)
{
	hipKernelNodeParams node = {};
	void *arguments[] = {&data};
	hipGraphNode_t first, second;
	hipGraphExec_t run;
	hipGraph_t graph_, capture;

	node.func = (void *)graph;
	node.gridDim = N / 256;
	node.blockDim = 256;
	node.kernelParams = arguments;
	OK(hipGraphCreate(&graph_, 0));
	OK(hipGraphAddKernelNode(&first, graph_, nullptr, 0, &node));
	OK(hipGraphAddKernelNode(&second, graph_, &first, 1, &node));
	OK(hipGraphInstantiate(&run, graph_, nullptr, nullptr, 0));
	for (int i = 0; i < 3; i++)
		OK(hipGraphLaunch(run, stream));
	OK(hipStreamSynchronize(stream));
	OK(hipGraphExecDestroy(run));
	OK(hipGraphDestroy(graph_));
	OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
	captured<<<N / 256, 256, 0, stream>>>(data);
	captured<<<N / 256, 256, 0, stream>>>(data);
	OK(hipStreamEndCapture(stream, &capture));
	OK(hipGraphInstantiate(&run, capture, nullptr, nullptr, 0));
	OK(hipGraphLaunch(run, stream));
	OK(hipGraphLaunch(run, stream));
	OK(hipStreamSynchronize(stream));
	OK(hipGraphExecDestroy(run));
	return hipGraphDestroy(capture);
}

static int from_pool(hipStream_t stream)
{
	int supported = 0, *data[5];

	OK(hipDeviceGetAttribute(&supported, hipDeviceAttributeMemoryPoolsSupported, 0));
	for (int *&one : data) {
		OK(supported ? hipMallocAsync((void **)&one, N * sizeof(int), stream)
			     : hipMalloc(&one, N * sizeof(int)));
		pooled<<<N / 256, 256, 0, stream>>>(one);
	}
	// HIP 6.4.3 does not free a piece that the pool hands out a second time (invalid value, also
	// without Probe): each is freed once.
	for (int *one : data)
		OK(supported ? hipFreeAsync(one, stream) : hipFree(one));
	return hipStreamSynchronize(stream);
}

int main()
{
	void *arguments[1];
	hipStream_t stream;
	int *data, sum = 0, host[N];

	OK(hipMalloc(&data, sizeof(host)));
	OK(hipMemset(data, 0, sizeof(host)));
	OK(hipStreamCreate(&stream));
	plain<<<N / 256, 256>>>(data);
	OK(hipDeviceSynchronize());
	if (in_graph(data, stream) || from_pool(stream))
		return 1;
	arguments[0] = &data;
	OK(hipLaunchCooperativeKernel((void *)grid_wide, dim3(N / 256), dim3(256), arguments, 0, stream));
	OK(hipStreamSynchronize(stream));
	for (int i = 0; i < 4; i++)
		std::thread([&] {
			per_thread<<<N / 256, 256, 0, hipStreamPerThread>>>(data);
			(void)hipStreamSynchronize(hipStreamPerThread);
		}).join();
	OK(hipMemcpy(host, data, sizeof(host), hipMemcpyDeviceToHost));
	for (int value : host)
		sum += value;
	printf("%d\n", sum / N);
	return 0;
}
END
compile paths.hip paths -std=c++17
# 1 plain, 6 in graphs, 4 captured, 2 grid-wide, 4 per thread
record paths.db -- ./paths >out
expect result "$(cat out)" 17
balanced paths.db
probe-report dispatches --format json paths.db >dispatches.json
# counted KERNEL DISPATCHES: so many, all instrumented
counted()
{
	expect "dispatches of $1" "$(jq "[.[] | select((.kernel | startswith(\"$1(\")) and
		.ran == \"memory clone\")] | length" dispatches.json)" "$2"
}
counted plain 1
counted graph 6
counted captured 4
counted pooled 5
counted grid_wide 1
counted per_thread 4
