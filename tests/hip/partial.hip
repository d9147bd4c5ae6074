// SPDX-License-Identifier: MIT
// Grids that are not a multiple of the workgroup, in up to three dimensions, through HIP's
// launch by global size; and plain 3-D grids.
#include <hip/hip_ext.h>

#include "hip_test.h"

static hipFunction_t function;

static void check(uint32_t w, uint32_t h, uint32_t d)
{
	const uint32_t room_w = 160, room_h = 24, room_d = 12;
	device_array<uint32_t> cells((size_t)room_w * room_h * room_d);
	std::vector<uint32_t> want(room_w * room_h * room_d, 0);
	uint32_t *data = cells.data, rw = room_w, rh = room_h;
	void *args[] = {&data, &rw, &rh};

	HIP(hipExtModuleLaunchKernel(function, w, h, d, 32, 4, 3, 0, nullptr, args, nullptr));
	HIP(hipDeviceSynchronize());
	for (uint32_t z = 0; z < d; z++)
		for (uint32_t y = 0; y < h; y++)
			for (uint32_t x = 0; x < w; x++)
				want[(z * room_h + y) * room_w + x] = 1 + x + 1000 * y + 1000000 * z;
	expect_equal("marks", cells.host(), want);
}

int main(int argc, char **argv)
{
	hipModule_t module;

	EXPECT(argc == 2);
	HIP(hipModuleLoad(&module, argv[1]));
	HIP(hipModuleGetFunction(&function, module, "mark"));
	check(128, 20, 9);
	check(32, 4, 3);
	check(100, 18, 7);
	check(1, 1, 1);
	check(33, 5, 4);
	return 0;
}
