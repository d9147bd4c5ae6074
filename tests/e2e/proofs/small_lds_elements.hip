// SPDX-License-Identifier: MIT
// LDS arrays of bytes and shorts, in workgroups whose rows are not as long as waves: waves begin
// anywhere in a dword, so other lanes share it. The host checks the results.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(hipError_t error)
{
	if (error != hipSuccess) {
		fprintf(stderr, "small_lds_elements: %s\n", hipGetErrorString(error));
		exit(1);
	}
}

// Down the columns of rows of PITCH elements, once.
template <typename T, int SIDE, int PITCH> __global__ void column(T *out, const T *in)
{
	__shared__ T tile[SIDE][PITCH];
	int x = threadIdx.x, y = threadIdx.y;

	tile[x][y] = in[y * SIDE + x];
	__syncthreads();
	out[y * SIDE + x] = tile[x][y];
}

// The same in a loop, which moves lanes by `step` elements.
template <typename T, int SIDE, int PITCH> __global__ void columns(T *out, const T *in, int n, int step)
{
	__shared__ T tile[SIDE][PITCH];
	int x = threadIdx.x;

	for (int k = threadIdx.y; k < n; k += step)
		tile[x][k] = in[k * SIDE + x];
	__syncthreads();
	for (int k = threadIdx.y; k < n; k += step)
		out[k * SIDE + x] = tile[x][k];
}

// Contiguous from any element on, and of every second or third work-item.
template <typename T> __global__ void rows(T *out, const T *in, int from, int by)
{
	__shared__ T all[2048];
	unsigned t = threadIdx.x + threadIdx.y * blockDim.x, items = blockDim.x * blockDim.y;

	for (unsigned i = t; i < 2048; i += items)
		all[i] = in[i];
	__syncthreads();
	out[t] = all[t + from] + (t % 3 == 1 ? all[t * by] : 0);
}

template <typename T> static void run_all()
{
	const dim3 blocks[] = {dim3(24, 8), dim3(24, 5), dim3(24, 3), dim3(24, 1), dim3(24, 16)};
	std::vector<T> host(4096), back(4096);
	T *in, *out;

	for (size_t i = 0; i < host.size(); i++)
		host[i] = (T)(i * 7 + 3);
	check(hipMalloc(&in, host.size() * sizeof(T)));
	check(hipMalloc(&out, host.size() * sizeof(T)));
	check(hipMemcpy(in, host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice));
	for (dim3 block : blocks) {
		unsigned items = block.x * block.y;

		column<T, 24, 32><<<2, block>>>(out, in);
		column<T, 24, 25><<<2, block>>>(out, in);
		columns<T, 24, 27><<<2, block>>>(out, in, 24, (int)block.y);
		check(hipMemcpy(back.data(), out, items * sizeof(T), hipMemcpyDeviceToHost));
		for (unsigned i = 0; i < items; i++)
			if (back[i] != host[i])
				exit(1);
		for (int from = 0; from < 4; from++)
			rows<T><<<2, block>>>(out, in, from, 3);
		check(hipMemcpy(back.data(), out, items * sizeof(T), hipMemcpyDeviceToHost));
		for (unsigned i = 0; i < items; i++)
			if (back[i] != (T)(host[i + 3] + (i % 3 == 1 ? host[i * 3] : 0)))
				exit(1);
	}
	check(hipFree(in));
	check(hipFree(out));
}

int main()
{
	run_all<unsigned char>();
	run_all<short>();
	run_all<unsigned short>();
	puts("done");
}
