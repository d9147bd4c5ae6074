/* SPDX-License-Identifier: MIT */
/* Kernels with a clone, and packets that launch them (fake_hsa.h). */
#include "tests/unit/hsa/fake_hsa.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "hsa-plugin/code/kernargs.h"

void fake_kernel_init(struct fake_kernel *kernel, uint32_t sites)
{
	static struct probe_arg arguments[] = {{PROBE_ARG_EXPLICIT, 0, 8},
					       {PROBE_ARG_EXPLICIT, 8, 4},
					       {PROBE_ARG_EXPLICIT, 16, 8}};
	static uint32_t last_id;
	const struct probe_kernel_meta original = {
		.kernarg_size = 12, .kernarg_align = 8, .arg_count = 2, .args = arguments};
	const struct probe_kernel_meta clone = {
		.kernarg_size = 24, .kernarg_align = 8, .arg_count = 3, .args = arguments};

	*kernel = (struct fake_kernel){0};
	for (size_t i = 0; i < sizeof(kernel->arguments); i++)
		kernel->arguments[i] = (uint8_t)(i + 1);
	kernel->clone.id = ++last_id;
	kernel->clone.object = 0x200000 + last_id * 64;
	kernel->clone.vgprs = kernel->original.vgprs = 32;
	kernel->original.id = ++last_id;
	kernel->original.code_object = 7;
	kernel->original.object = 0x100000 + last_id * 64;
	kernel->original.verdict = PROBE_V_SWAPPED;
	kernel->original.clone = &kernel->clone;
	kernel->original.site_first = 100;
	kernel->original.site_count = sites;
	assert_int_equal(probe_kernargs_plan(&original, &clone, &kernel->original.plan), 0);
	assert_int_equal(probe_kernel_table_add(&kernel->original), 0);
}

void fake_kernel_deinit(struct fake_kernel *kernel)
{
	probe_kernel_table_remove(&kernel->original);
	free(kernel->original.plan);
}

hsa_kernel_dispatch_packet_t fake_packet(struct fake_kernel *kernel, hsa_signal_t signal)
{
	return (hsa_kernel_dispatch_packet_t){
		.header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
			  HSA_FENCE_SCOPE_AGENT << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
			  HSA_FENCE_SCOPE_AGENT << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
		.setup = 1,
		.workgroup_size_x = 64,
		.workgroup_size_y = 1,
		.workgroup_size_z = 1,
		.grid_size_x = 64,
		.grid_size_y = 1,
		.grid_size_z = 1,
		.kernel_object = kernel ? kernel->original.object : 0x42,
		.kernarg_address = kernel ? kernel->arguments : NULL,
		.completion_signal = signal,
	};
}
