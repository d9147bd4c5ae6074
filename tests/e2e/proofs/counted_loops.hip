// SPDX-License-Identifier: MIT
// Loops whose iterations follow from the launch (PROBE_GROUP_LOOP), and some that only look so: the
// counters of derived executions equal those of the addresses.
#include "../../hip/hip_test.h"

#include <vector>

// ---- Trip counts ------------------------------------------------------------------------------------

// In steps of the workgroup, of the grid, and of an argument.
__global__ void strides(const float *in, float *out, int n, int step)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		out[i] = in[i] + 1;
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < (unsigned)n; i += gridDim.x * blockDim.x)
		out[n + i] = in[i];
	for (int i = threadIdx.x; i < n; i += step)
		out[2 * n + i] = in[i];
	for (size_t i = threadIdx.x * 2; i + 1 < (size_t)n; i += 128)
		out[3 * n + i] = in[i + 1];
}

// Lanes leave one after the other, or are not there from the start.
__global__ void triangle(const float *in, float *out, int n, int first)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	for (int i = first; i <= row && i < n; i++)
		sum += in[i];
	for (int i = row; i < n; i++)
		sum += in[i * 3];
	if (row & 4)
		for (int i = 0; i < n - row; i++)
			sum += in[i * 5 + row];
	if (row < n)
		out[row] = sum;
}

// Down, by two, with steps of 0 and less than 0 bytes.
__global__ void directions(const float *in, float *out, int n)
{
	float sum = 0;

	for (int i = n - 1; i >= 0; i--)
		sum += in[i * 64 + threadIdx.x];
	for (int i = 0; i < n; i++)
		sum += in[threadIdx.x * 33];
	for (int i = n; i != 0; i -= 1)
		sum += in[2 * i + (n - i)];
	for (long i = (long)threadIdx.x; i < 2 * n; i += 2)
		sum += in[i];
	out[threadIdx.x] = sum;
}

// ---- What is in the loop ------------------------------------------------------------------------------

__global__ void branches(const float *in, float *out, int n, int pitch)
{
	__shared__ float tile[64 * 9];
	int x = threadIdx.x, y = threadIdx.y;
	float sum = 0;

	for (int i = 0; i < n; i++) {
		if (x > 3 && y < 2)
			sum += in[(i * 4 + y) * pitch + x];
		if (x + 1 < pitch - 5)
			sum += in[i * pitch + x + 1];
		else
			sum += in[i * pitch + 2 * x];
		tile[(y * 32 + x) * 9 % (64 * 9)] = sum;
		__syncthreads();
		sum += tile[x * 5 + y];
		__syncthreads();
	}
	out[(blockIdx.x * blockDim.y + y) * blockDim.x + x] = sum;
}

// Not counted: the iteration decides, data decides, lanes break out, or there are two loops.
__global__ void not_counted(const float *in, const int *ends, float *out, int n)
{
	int id = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	for (int i = 0; i < n; i++)
		if (i % 3 == (int)threadIdx.x % 3)
			sum += in[i * 32 + threadIdx.x];
	for (int i = 0; i < ends[id]; i++)
		sum += in[i];
	for (int i = 0; i < n; i++) {
		sum += in[i * 16];
		if (sum > 40)
			break;
	}
	for (int i = 0; i < n; i++)
		for (int j = threadIdx.x; j < n; j += 32)
			sum += in[i * n + j];
	for (int i = n / 2; i; i >>= 1)
		sum += in[i * (id % 64)];
	out[id] = sum;
}

// Wide accesses, and a stride that is no multiple of a cache line.
__global__ void wide(const float4 *in, float4 *out, int n, int pitch)
{
	for (int i = threadIdx.x; i < n; i += 64) {
		float4 v = in[blockIdx.x * pitch + i];

		out[blockIdx.x * n + i] = make_float4(v.w, v.z, v.y, v.x);
	}
}

// The index overflows 32 bits as an unsigned number, with a meaning.
__global__ void wrapping(const float *in, float *out, unsigned start, int n)
{
	float sum = 0;

	for (int i = 0; i < n; i++)
		sum += in[(start + i * 2 + threadIdx.x) % 256u];
	out[threadIdx.x] = sum;
}

int main()
{
	const int cells = 1 << 16;
	std::vector<float> numbers(cells, 1.0f);
	std::vector<int> ends(1024);
	float *in, *out;
	int *device_ends;

	for (size_t i = 0; i < ends.size(); i++)
		ends[i] = (int)(i * 7 % 5);
	HIP(hipMalloc((void **)&in, cells * sizeof(float)));
	HIP(hipMalloc((void **)&out, cells * sizeof(float)));
	HIP(hipMalloc((void **)&device_ends, ends.size() * sizeof(int)));
	HIP(hipMemcpy(in, numbers.data(), cells * sizeof(float), hipMemcpyHostToDevice));
	HIP(hipMemcpy(device_ends, ends.data(), ends.size() * sizeof(int), hipMemcpyHostToDevice));
	for (int n : {0, 1, 63, 130, 700}) {
		strides<<<3, 128>>>(in, out, n, 96);
		strides<<<2, 100>>>(in, out, n, 17);
		wide<<<3, 64>>>((const float4 *)in, (float4 *)out, n, n + 1);
	}
	for (int n : {0, 5, 90}) {
		triangle<<<2, 64>>>(in, out, n, 0);
		triangle<<<1, 96>>>(in, out, n, 7);
		directions<<<1, 64>>>(in, out, n);
		directions<<<2, 40>>>(in, out, n);
		branches<<<2, dim3(32, 4)>>>(in, out, n, 40);
		branches<<<1, dim3(20, 3)>>>(in, out, n, 23);
		not_counted<<<2, 64>>>(in, device_ends, out, n);
		wrapping<<<1, 64>>>(in, out, 0u - 50, n);
	}
	HIP(hipDeviceSynchronize());
	return 0;
}
