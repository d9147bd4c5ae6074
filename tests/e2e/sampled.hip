// SPDX-License-Identifier: MIT
// Programs whose samples show where they came from: many queues, threads and GPUs, code that is
// loaded and unloaded at the same address, more dispatches than a queue has packets.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#define HIP(call)                                                                                  \
	do {                                                                                       \
		hipError_t status_ = (call);                                                       \
		if (status_ != hipSuccess) {                                                       \
			fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(status_));            \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

// One kernel per queue, so that a sample's address shows its queue.
template <int N> __global__ void work(float *out, int rounds)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float x = (float)i + N;

	for (int r = 0; r < rounds; r++)
		x = x * 1.25f + 1.0f / x;
	out[i] = x;
}

__global__ void parted(double *doubles, float *floats, int rounds)
{
	double d = threadIdx.x + 2.0;
	float f = (float)threadIdx.x + 2.0f;

	for (int i = 0; i < rounds; i++) {
		if (threadIdx.x & 1)
			asm volatile("v_rcp_f32 %0, %0" : "+v"(f)); // odd lanes
		else
			asm volatile("v_rcp_f64 %0, %0" : "+v"(d)); // even lanes
	}
	doubles[threadIdx.x] = d;
	floats[threadIdx.x] = f;
}

template <int N> static void stream(int device)
{
	hipStream_t stream;
	float *out;

	HIP(hipSetDevice(device));
	HIP(hipStreamCreate(&stream));
	HIP(hipMalloc((void **)&out, 256 * 256 * sizeof(float)));
	for (int i = 0; i < 5; i++)
		work<N><<<256, 256, 0, stream>>>(out, 40);
	HIP(hipStreamSynchronize(stream));
	HIP(hipStreamDestroy(stream));
	HIP(hipFree(out));
}

static void queues(int devices)
{
	std::vector<std::thread> threads;

	threads.emplace_back(stream<0>, 0);
	threads.emplace_back(stream<1>, 0);
	threads.emplace_back(stream<2>, devices - 1);
	threads.emplace_back(stream<3>, devices - 1);
	for (auto &thread : threads)
		thread.join();
}

// Loaded, executed and unloaded repeatedly: samples of each load are separate.
static void modules(const char *path)
{
	float *out;

	HIP(hipMalloc((void **)&out, 1 << 20));
	for (int i = 0; i < 4; i++) {
		hipModule_t module;
		hipFunction_t function;
		int rounds = 64 << i;
		void *arguments[] = {&out, &rounds};

		HIP(hipModuleLoad(&module, path));
		HIP(hipModuleGetFunction(&function, module, "spin"));
		HIP(hipModuleLaunchKernel(function, 256, 1, 1, 256, 1, 1, 0, nullptr, arguments,
					  nullptr));
		HIP(hipDeviceSynchronize());
		HIP(hipModuleUnload(module));
	}
}

// One after the other, each a few microseconds: none of them fills a buffer.
static void burst(int count)
{
	float *out;

	HIP(hipMalloc((void **)&out, 104 * 256 * sizeof(float)));
	for (int i = 0; i < count; i++)
		work<7><<<104, 256>>>(out, 1);
	HIP(hipDeviceSynchronize());
}

static void lanes()
{
	double *doubles;
	float *floats;

	HIP(hipMalloc((void **)&doubles, 64 * sizeof(double)));
	HIP(hipMalloc((void **)&floats, 64 * sizeof(float)));
	parted<<<416, 64>>>(doubles, floats, 64);
	HIP(hipDeviceSynchronize());
}

int main(int, char **argv)
{
	if (!strcmp(argv[1], "queues"))
		queues(atoi(argv[2]));
	else if (!strcmp(argv[1], "modules"))
		modules(argv[2]);
	else if (!strcmp(argv[1], "burst"))
		burst(atoi(argv[2]));
	else
		lanes();
	return 0;
}
