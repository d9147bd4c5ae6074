// SPDX-License-Identifier: MIT
// Source of inline-dwarf4.co, inline-dwarf5.co and inline-lines.co (-gline-tables-only), made with
//   clang-15 -x hip --offload-arch=gfx90a --cuda-device-only -nogpulib -nogpuinc -O2 -gdwarf-N \
//     -ffile-prefix-map=$PWD=/src --no-gpu-bundle-output -o inline-dwarfN.co inline.hip
// Calls inlined three deep, in pieces that the scheduler has moved apart.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

static __device__ inline unsigned lane()
{
	return __builtin_amdgcn_workitem_id_x();
}

namespace math
{
template <typename T> __device__ inline T square(T x)
{
	return x * x;
}

__device__ inline float norm(const float *v, unsigned i)
{
	float a = v[i], b = v[i + 64];

	return square(a) +
	       square(b);
}
}

struct view {
	const float *data;
	__device__ float at(unsigned i) const
	{
		return data[i] + math::norm(data, i);
	}
};

extern "C" __global__ void chain(float *out, const float *in, int n)
{
	view v = {in};
	float sum = 0;

	for (int i = 0; i < n; i++)
		sum += v.at(lane() + i);
	out[lane()] = sum +
		      math::norm(in, lane());
}

__attribute__((noinline)) __device__ float apart(const float *in)
{
	return math::norm(in, lane());
}

extern "C" __global__ void caller(float *out, const float *in)
{
	out[lane()] = apart(in);
}
