// SPDX-License-Identifier: MIT
// Programs that must die; which way is the argument. expect_fault.sh checks how.
#include "hip_test.h"

#include <unistd.h>

#include <cassert>

__global__ void write_outside(int *cells)
{
	/* Downwards: 256 GiB above an allocation may lie past the largest address, another fault. */
	cells[threadIdx.x == 70 ? -(1ll << 36) : (long long)threadIdx.x] = 1;
}

__global__ void read_null(int *cells)
{
	int value = *(volatile int *)8;

	cells[threadIdx.x] = value;
}

__global__ void give_up(int *cells)
{
	if (cells[threadIdx.x] == 0)
		__builtin_trap();
}

__global__ void check_assertion(int *cells)
{
	assert(cells[threadIdx.x] == 42 && "the answer");
	cells[threadIdx.x] = 1;
}

__global__ void unknown_instruction(int *cells)
{
	cells[threadIdx.x] = 2;
	asm volatile(".long 0xbfff0000"); // SOPP opcode 127
}

__global__ void outside_lds(int *cells)
{
	extern __shared__ int lds[];

	lds[threadIdx.x + cells[0] + 20000] = 1;
	__syncthreads();
	cells[threadIdx.x] = lds[threadIdx.x + 20000];
}

int main(int, char **argv)
{
	device_array<int> cells((size_t)128);

	if (!strcmp(argv[1], "write"))
		write_outside<<<2, 128>>>(cells.data);
	else if (!strcmp(argv[1], "read"))
		read_null<<<1, 64>>>(cells.data);
	else if (!strcmp(argv[1], "trap"))
		give_up<<<4, 64>>>(cells.data);
	else if (!strcmp(argv[1], "assert"))
		check_assertion<<<1, 64>>>(cells.data);
	else if (!strcmp(argv[1], "illegal"))
		unknown_instruction<<<1, 64>>>(cells.data);
	else if (!strcmp(argv[1], "lds"))
		outside_lds<<<1, 64, 256>>>(cells.data);
	(void)hipDeviceSynchronize();
	fprintf(stderr, "still alive\n");
	_exit(0);
}
