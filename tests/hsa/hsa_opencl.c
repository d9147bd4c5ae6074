/* SPDX-License-Identifier: MIT */
/*
 * hsa_opencl CODE_OBJECT VERSION: the OpenCL kernel of hsa_opencl.cl by way of HSA alone, with the
 * hidden arguments of code object version 4 or 5 filled in as an OpenCL runtime does.
 */
#include "tests/hsa/hsa_app.h"

#include <string.h>

enum { GROUP = 128, GROUPS = 3, ITEMS = GROUP * GROUPS };

/* The explicit arguments end at 24; hidden ones follow (AMDGPU ABI, "Kernel Argument"). */
struct arguments {
	float *out;
	const float *in;
	float factor;
	uint32_t tile; /* offset in LDS */
	union {
		uint64_t v4[7]; /* global offsets, then what this kernel does not use */
		struct {
			uint32_t blocks[3];
			uint16_t sizes[3], rest[3];
			uint8_t gap[16];
			uint64_t offsets[3];
			uint16_t dimensions;
			uint8_t more[190];
		} v5;
	} hidden;
};
_Static_assert(__builtin_offsetof(struct arguments, hidden.v5.offsets) == 24 + 40, "AMDGPU ABI");

int main(int argc, char **argv)
{
	struct app app;
	struct app_kernel kernel;
	struct arguments args = {.factor = 3};
	hsa_queue_t *queue;
	float *in;

	EXPECT(argc == 3);
	app_start(&app, argv[1]);
	kernel = app_kernel(&app, "scale");
	queue = app_queue(&app, 64, HSA_QUEUE_TYPE_MULTI);
	args.in = in = app_memory(&app, 2 * ITEMS * sizeof(*in));
	args.out = app_memory(&app, ITEMS * sizeof(*args.out));
	for (uint32_t i = 0; i < 2 * ITEMS; i++)
		in[i] = (float)i;
	if (!strcmp(argv[2], "5")) {
		for (unsigned i = 0; i < 3; i++) {
			args.hidden.v5.blocks[i] = i ? 1 : GROUPS;
			args.hidden.v5.sizes[i] = i ? 1 : GROUP;
		}
		args.hidden.v5.dimensions = 1;
	}
	EXPECT(kernel.kernarg <= sizeof(args));
	app_dispatch(&app, queue,
		     &(struct app_launch){&kernel, &args, kernel.kernarg, ITEMS, GROUP,
					  GROUP * sizeof(float), {0}, 0});
	app_finish(queue);
	for (uint32_t i = 0; i < ITEMS; i++)
		EXPECT(args.out[i] == (float)(i ^ 1) * 2 * 3 + GROUP + GROUPS);
	HSA(hsa_queue_destroy(queue));
	printf("scale: ok\n");
	return 0;
}
