// SPDX-License-Identifier: MIT
// Addresses that follow from the launch, in forms that compilers make of ordinary loops.
#include <hip/hip_runtime.h>

struct particle {
	float x, y, z, mass;
	int id, cell;
};

// The loop after a divergent loop steps by the size of the grid.
__global__ void cells(const particle *p, int *count, int n)
{
	__shared__ int local[256];

	for (int i = threadIdx.x; i < 256; i += blockDim.x)
		local[i] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&local[p[i].cell & 255], 1); // struct
	__syncthreads();
	for (int i = threadIdx.x; i < 256; i += blockDim.x)
		atomicAdd(&count[i], local[i]);
}

// Neither coordinate of the store is used before the loop.
__global__ void rows(unsigned char *out, const unsigned char *in, int w)
{
	__shared__ unsigned char tile[18][16];
	int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;

	for (int j = threadIdx.y; j < 18; j += 16)
		tile[j][threadIdx.x] = in[(blockIdx.y * 16 + j) * w + blockIdx.x * 16 + threadIdx.x];
	__syncthreads();
	out[y * w + x] = tile[threadIdx.y][threadIdx.x] + tile[threadIdx.y + 2][threadIdx.x]; // rows
}

// An address in each lane that has no stride.
__global__ void exchanged(unsigned char *out, int w)
{
	int x = blockIdx.x * 16 + (threadIdx.x ^ 5), y = blockIdx.y * 16 + (threadIdx.y ^ 3);

	out[y * w + x] = 1; // exchanged
}

struct node {
	int next;
	float value;
};

// Each access loads the index of the next one.
__global__ void chase(const node *list, const int *head, float *out, int steps)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, k = head[i];
	float sum = 0;

	for (int s = 0; s < steps; s++) {
		sum += list[k].value; // chase
		k = list[k].next;
	}
	out[i] = sum;
}

// A period: the expression keeps its parentheses.
__global__ void wrapped(float *out, const float *in, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = in[(i + 1) % n]; // wrapped
}

// The optimiser may keep the position and the sum of what was read in one vector: no chase.
__global__ void march(const unsigned char *volume, float *out, float dx, float dy)
{
	float x = threadIdx.x * 0.5f, y = blockIdx.x * 0.5f, z = 0, sum = 0;

	for (int i = 0; i < 32; i++) {
		int a = min(max((int)x, 0), 31), b = min(max((int)y, 0), 31), c = min((int)z, 31);

		sum += volume[(c * 32 + b) * 32 + a]; // march
		x += dx;
		y += dy;
		z += 0.5f;
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// The division keeps its parentheses; gridDim, which HIP computes, has its name.
__global__ void banks(float *out, const float *in)
{
	out[(2 * threadIdx.x + 1) / 3 + threadIdx.x] = 1; // banks
	out[threadIdx.x * gridDim.x + blockIdx.x] = in[threadIdx.x]; // groups
}

// A vector of three bytes, which the vectoriser puts at the end of the function.
__global__ void colours(unsigned char *out, int n, unsigned char c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	out[i * 3 + 0] = c; // colours
	out[i * 3 + 1] = c / 2;
	out[i * 3 + 2] = c + 1; // third
}

// Loads of 8 and 4 bytes, which the machine merges: it requests no line twice.
__global__ void vectors(float3 *out, const float3 *in)
{
	float3 v = in[threadIdx.x]; // loaded

	out[threadIdx.x] = make_float3(v.x + v.y, v.y + v.z, v.z + v.x); // vectors
}

// Arguments of less than four bytes share their dword with others.
__global__ void flags(float *out, bool far, bool near, unsigned char few, short most)
{
	int i = threadIdx.x;

	if (far)
		out[32 * i] = 1; // never
	if (near || i < 5)
		out[i] = 2; // all
	if (i < few)
		out[i + 64] = 3; // three
	out[near ? i : 32 * i] = 4; // chosen
	if (i < most)
		out[i + 128] = 5; // two
}

// A structure by value is loaded from the arguments.
struct shape {
	size_t rows, pitch;
};
struct view : shape {
	float *data;
	shape tile;
};
__global__ void members(view a, float *out)
{
	out[threadIdx.x] = a.data[threadIdx.x * a.pitch + a.tile.rows]; // members
}

int main()
{
	const int n = 10000, w = 128;
	unsigned char *bytes;
	particle *p;
	int *count;

	if (hipMalloc(&p, n * sizeof(*p)) || hipMalloc(&count, 1024) ||
	    hipMalloc(&bytes, w * (w + 16)))
		return 1;
	hipMemset(p, 0, n * sizeof(*p));
	cells<<<8, 256>>>(p, count, n);
	rows<<<dim3(8, 8), dim3(16, 16)>>>(bytes, bytes, w);
	exchanged<<<dim3(8, 8), dim3(16, 16)>>>(bytes, w);
	chase<<<1, 64>>>((node *)p, count, (float *)bytes, 4);
	wrapped<<<2, 64>>>((float *)bytes, (float *)p, 100);
	march<<<2, 64>>>((unsigned char *)p, (float *)bytes, 0.3f, 0.1f);
	banks<<<2, 64>>>((float *)bytes, (float *)p);
	colours<<<2, 64>>>(bytes, 128, 3);
	vectors<<<2, 64>>>((float3 *)bytes, (float3 *)p);
	view a;
	a.rows = 0, a.pitch = 40, a.data = (float *)p, a.tile = {3, 4};
	members<<<1, 64>>>(a, (float *)bytes);
	flags<<<1, 64>>>((float *)bytes, false, true, 3, 2);
	return hipDeviceSynchronize();
}
