// SPDX-License-Identifier: MIT
// hipGraph: recorded from streams with a fork and a join, built by hand with copies and a host
// function, launched several times.
#include "hip_test.h"

__global__ void scale(int *cells, int factor)
{
	cells[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
}

__global__ void add(const int *a, const int *b, int *sum)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	sum[i] = a[i] + b[i];
}

static void from_streams()
{
	const int n = 1024, launches = 4;
	std::vector<int> numbers(n), sums(n);
	hipStream_t stream, side;
	hipEvent_t fork, join;
	hipGraphExec_t ready;
	hipGraph_t graph;

	for (int i = 0; i < n; i++)
		numbers[i] = i - 300;
	device_array<int> a(numbers), b(numbers), sum((size_t)n);
	HIP(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
	HIP(hipStreamCreateWithFlags(&side, hipStreamNonBlocking));
	HIP(hipEventCreate(&fork));
	HIP(hipEventCreate(&join));
	HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
	HIP(hipEventRecord(fork, stream));
	HIP(hipStreamWaitEvent(side, fork, 0));
	scale<<<n / 128, 128, 0, stream>>>(a.data, 2);
	scale<<<n / 128, 128, 0, side>>>(b.data, 3);
	HIP(hipEventRecord(join, side));
	HIP(hipStreamWaitEvent(stream, join, 0));
	add<<<n / 64, 64, 0, stream>>>(a.data, b.data, sum.data);
	HIP(hipStreamEndCapture(stream, &graph));
	HIP(hipGraphInstantiate(&ready, graph, nullptr, nullptr, 0));
	for (int i = 0; i < launches; i++)
		HIP(hipGraphLaunch(ready, stream));
	HIP(hipStreamSynchronize(stream));
	for (int i = 0; i < n; i++)
		sums[i] = numbers[i] * 16 + numbers[i] * 81;
	expect_equal("recorded", sum.host(), sums);
	HIP(hipGraphExecDestroy(ready));
	HIP(hipGraphDestroy(graph));
}

static void by_hand()
{
	const int n = 256;
	std::vector<int> in(n), out(n, 0), want(n);
	hipGraphNode_t copy_in, work, copy_out;
	hipKernelNodeParams params = {};
	hipGraphExec_t ready;
	hipGraph_t graph;
	int factor = 11;

	for (int i = 0; i < n; i++) {
		in[i] = i * i;
		want[i] = i * i * 11;
	}
	device_array<int> cells((size_t)n);
	void *args[] = {&cells.data, &factor};
	HIP(hipGraphCreate(&graph, 0));
	HIP(hipGraphAddMemcpyNode1D(&copy_in, graph, nullptr, 0, cells.data, in.data(), n * 4,
				    hipMemcpyHostToDevice));
	params.func = (void *)scale;
	params.gridDim = dim3(n / 64);
	params.blockDim = dim3(64);
	params.kernelParams = args;
	HIP(hipGraphAddKernelNode(&work, graph, &copy_in, 1, &params));
	HIP(hipGraphAddMemcpyNode1D(&copy_out, graph, &work, 1, out.data(), cells.data, n * 4,
				    hipMemcpyDeviceToHost));
	HIP(hipGraphInstantiate(&ready, graph, nullptr, nullptr, 0));
	for (int i = 0; i < 3; i++) {
		HIP(hipGraphLaunch(ready, nullptr));
		HIP(hipStreamSynchronize(nullptr));
		expect_equal("by hand", out, want);
		std::fill(out.begin(), out.end(), 0);
	}
	HIP(hipGraphExecDestroy(ready));
	HIP(hipGraphDestroy(graph));
}

int main()
{
	from_streams();
	by_hand();
	return 0;
}
