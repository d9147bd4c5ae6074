// SPDX-License-Identifier: MIT
// Programs that must die; the argument selects how. expect_fault.sh checks the result: each LINE
// comment marks the line that the report must name.
#include "hip_test.h"

#include <unistd.h>

#include <cassert>

__global__ void write_outside(int *cells)
{
	/* Downwards: 256 GiB above an allocation may lie past the largest address, another fault.
	 */
	cells[threadIdx.x == 70 ? -(1ll << 36) : (long long)threadIdx.x] = 1; // LINE write
}

__global__ void read_null(int *cells)
{
	int value = *(volatile int *)8; // LINE read

	cells[threadIdx.x] = value;
}

// Also: past the end, after free, never given to the GPU, beyond 48 bits.
__global__ void store(int *cells, size_t at)
{
	cells[at + threadIdx.x] = 3; // LINE store
}

__global__ void misaligned(char *cells)
{
	atomicAdd((int *)(cells + 2), 1); // LINE atomic
}

__global__ void give_up(int *cells)
{
	if (cells[threadIdx.x] == 0)
		__builtin_trap(); // LINE trap
}

__global__ void call_abort(int *cells)
{
	if (cells[threadIdx.x] == 0)
		abort(); // LINE abort
}

__global__ void check_assertion(int *cells)
{
	assert(cells[threadIdx.x] == 42 && "the answer");
	cells[threadIdx.x] = 1;
}

__global__ void unknown_instruction(int *cells)
{
	cells[threadIdx.x] = 2;
	asm volatile(".long 0xbfff0000"); // LINE illegal
}

__global__ void outside_lds(int *cells)
{
	extern __shared__ int lds[];

	lds[threadIdx.x + cells[0] + 20000] = 1; // LINE lds
	__syncthreads();
	cells[threadIdx.x] = lds[threadIdx.x + 20000];
}

__global__ void outside_scratch(int *cells, int at)
{
	volatile int local[16];

	for (int i = 0; i < 16; i++)
		local[i] = i;
	local[at] = 5; // LINE scratch
	cells[threadIdx.x] = local[cells[0]];
}

__global__ void call_nowhere(int *cells, size_t target)
{
	((void (*)(int *))target)(cells);
}

static void run(const char *way, int *cells)
{
	const size_t mib = 1 << 20;
	int *block, *device;

	if (!strcmp(way, "write")) {
		write_outside<<<2, 128>>>(cells);
	} else if (!strcmp(way, "read")) {
		read_null<<<1, 64>>>(cells);
	} else if (!strcmp(way, "past")) {
		HIP(hipMalloc((void **)&block, 4 * mib));
		store<<<1, 64>>>(block, mib + 1024);
	} else if (!strcmp(way, "free")) {
		HIP(hipMalloc((void **)&block, 4 * mib));
		store<<<1, 64>>>(block, 0);
		HIP(hipDeviceSynchronize());
		HIP(hipFree(block));
		store<<<1, 64>>>(block, 100);
	} else if (!strcmp(way, "host")) {
		store<<<1, 64>>>((int *)calloc(mib, 64), mib);
	} else if (!strcmp(way, "stack")) {
		int local[64] = {7};

		store<<<1, 64>>>(local, 0);
		(void)hipDeviceSynchronize();
	} else if (!strcmp(way, "unregistered")) {
		block = (int *)aligned_alloc(4096, 65536);
		HIP(hipHostRegister(block, 65536, hipHostRegisterDefault));
		HIP(hipHostGetDevicePointer((void **)&device, block, 0));
		store<<<1, 64>>>(device, 0);
		HIP(hipDeviceSynchronize());
		HIP(hipHostUnregister(block));
		store<<<1, 64>>>(device, 0);
	} else if (!strcmp(way, "wild")) {
		store<<<1, 64>>>((int *)0x1234567890abcdec, 0);
	} else if (!strcmp(way, "code")) {
		/* The simulator's own library: a kernel must not be able to access it. */
		store<<<1, 64>>>((int *)(void *)&hipGetDeviceCount, 0);
	} else if (!strcmp(way, "misaligned")) {
		misaligned<<<1, 64>>>((char *)cells);
	} else if (!strcmp(way, "trap")) {
		give_up<<<4, 64>>>(cells);
	} else if (!strcmp(way, "abort")) {
		call_abort<<<4, 64>>>(cells);
	} else if (!strcmp(way, "assert")) {
		check_assertion<<<1, 64>>>(cells);
	} else if (!strcmp(way, "illegal")) {
		unknown_instruction<<<1, 64>>>(cells);
	} else if (!strcmp(way, "lds")) {
		outside_lds<<<1, 64, 256>>>(cells);
	} else if (!strcmp(way, "scratch")) {
		outside_scratch<<<1, 64>>>(cells, 1 << 20);
	} else if (!strcmp(way, "call")) {
		call_nowhere<<<1, 64>>>(cells, 0x10000);
	} else if (!strcmp(way, "calldata")) {
		call_nowhere<<<1, 64>>>(cells, (size_t)cells);
	}
}

int main(int, char **argv)
{
	device_array<int> cells((size_t)128);

	run(argv[1], cells.data);
	(void)hipDeviceSynchronize();
	fprintf(stderr, "still alive\n");
	_exit(0);
}
