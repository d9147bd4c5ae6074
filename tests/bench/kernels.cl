// SPDX-License-Identifier: MIT
// The kernels of kernels.hip in OpenCL C, for the comparison with pocl.

__kernel void saxpy(__global float *y, __global const float *x, float a, int n)
{
	int i = get_global_id(0);

	if (i < n)
		y[i] = a * x[i] + y[i];
}

#define TILE 16

__kernel void matmul(__global float *c, __global const float *a, __global const float *b, int n)
{
	__local float ta[TILE][TILE], tb[TILE][TILE];
	int x = get_local_id(0), y = get_local_id(1);
	int col = get_group_id(0) * TILE + x, row = get_group_id(1) * TILE + y;
	float sum = 0;

	for (int k = 0; k < n; k += TILE) {
		ta[y][x] = a[row * n + k + x];
		tb[y][x] = b[(k + y) * n + col];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int i = 0; i < TILE; i++)
			sum += ta[y][i] * tb[i][x];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[row * n + col] = sum;
}

__kernel void transpose(__global float *out, __global const float *in, int n)
{
	__local float tile[32][33];
	int x = get_local_id(0), y = get_local_id(1);

	tile[y][x] = in[(get_group_id(1) * 32 + y) * n + get_group_id(0) * 32 + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[(get_group_id(0) * 32 + y) * n + get_group_id(1) * 32 + x] = tile[x][y];
}

__kernel void reduction(__global float *out, __global const float *in, int n)
{
	__local float part[256];
	int t = get_local_id(0), stride = get_global_size(0);
	float sum = 0;

	for (int i = get_global_id(0); i < n; i += stride)
		sum += in[i];
	part[t] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int half_size = 128; half_size > 0; half_size /= 2) {
		if (t < half_size)
			part[t] += part[t + half_size];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (t == 0)
		out[get_group_id(0)] = part[0];
}

__kernel void stencil(__global float *out, __global const float *in, int n)
{
	int x = get_global_id(0), y = get_global_id(1);
	int at = y * n + x;

	if (x == 0 || y == 0 || x == n - 1 || y == n - 1)
		out[at] = in[at];
	else
		out[at] = 0.5f * in[at] +
			  0.125f * (in[at - 1] + in[at + 1] + in[at - n] + in[at + n]);
}

__kernel void histogram(__global unsigned int *bins, __global const unsigned int *in, int n)
{
	__local unsigned int mine[256];
	int t = get_local_id(0), stride = get_global_size(0);

	mine[t] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int i = get_global_id(0); i < n; i += stride)
		atomic_inc(&mine[in[i] & 255]);
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_add(&bins[t], mine[t]);
}
