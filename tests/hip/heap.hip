// SPDX-License-Identifier: MIT
// malloc and free on the device: lists and trees built by many lanes, walked by another kernel.
#include "hip_test.h"

struct node {
	node *next;
	uint32_t value;
};

__global__ void build(node **heads, uint32_t length)
{
	uint32_t at = blockIdx.x * blockDim.x + threadIdx.x;

	for (uint32_t i = 0; i < length + at % 3; i++) {
		node *fresh = (node *)malloc(sizeof(node));

		fresh->value = at * 100 + i;
		fresh->next = heads[at];
		heads[at] = fresh;
	}
}

__global__ void walk(node **heads, uint32_t *sums)
{
	uint32_t at = blockIdx.x * blockDim.x + threadIdx.x, place = 1;

	sums[at] = 0;
	while (node *first = heads[at]) {
		sums[at] += first->value * place++;
		heads[at] = first->next;
		free(first);
	}
}

int main()
{
	const uint32_t lanes = 96, length = 4;
	device_array<node *> heads((size_t)lanes);
	device_array<uint32_t> sums((size_t)lanes);
	std::vector<uint32_t> want(lanes);

	for (uint32_t at = 0; at < lanes; at++) {
		uint32_t n = length + at % 3;

		for (uint32_t i = 0; i < n; i++)
			want[at] += (at * 100 + i) * (n - i);
	}
	for (int round = 0; round < 3; round++) {
		build<<<3, 32>>>(heads.data, length);
		walk<<<2, 48>>>(heads.data, sums.data);
		expect_equal("sums", sums.host(), want);
	}
	return 0;
}
