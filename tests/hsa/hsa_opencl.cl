// SPDX-License-Identifier: MIT
// OpenCL C, compiled to a code object and dispatched by hsa_opencl.c.
__attribute__((noinline)) static void put(__global float *out, uint at, float value)
{
	out[at] = value;
}

__kernel void scale(__global float *out, __global const float *in, float factor, __local float *tile)
{
	uint i = get_global_id(0), l = get_local_id(0);

	tile[l] = in[i * 2];
	barrier(CLK_LOCAL_MEM_FENCE);
	put(out, i, tile[l ^ 1] * factor + get_local_size(0) + get_num_groups(0));
}
