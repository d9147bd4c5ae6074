// SPDX-License-Identifier: MIT
// Kernels whose call depth is known, for call_depths.c.
#include <hip/hip_runtime.h>

#define OUT_OF_LINE __device__ __attribute__((noinline))

OUT_OF_LINE int third(int x)
{
	return x * 7 + 1;
}

OUT_OF_LINE int second(int x)
{
	return third(x + 1) * 3;
}

OUT_OF_LINE int first(int x)
{
	return second(x) + third(x);
}

OUT_OF_LINE int again(int m, int n)
{
	return m ? again(m - 1, n ? again(m, n - 1) : 1) : n + 1;
}

OUT_OF_LINE int odd(int n);

OUT_OF_LINE int even(int n)
{
	return n ? odd(n - 1) + 1 : 1;
}

OUT_OF_LINE int odd(int n)
{
	return n ? even(n - 1) * 3 : 0;
}

__device__ int (*chosen)(int);

extern "C" __global__ void calls_nothing(int *out)
{
	*out = 1;
}

extern "C" __global__ void calls_one(int *out)
{
	*out = third(*out);
}

extern "C" __global__ void calls_three_deep(int *out)
{
	*out = first(*out) + third(1);
}

extern "C" __global__ void recurses(int *out)
{
	*out = again(*out, 3);
}

extern "C" __global__ void recurses_by_another(int *out)
{
	*out = third(even(*out));
}

extern "C" __global__ void calls_through_pointer(int *out)
{
	*out = chosen(*out);
}
