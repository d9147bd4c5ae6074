// SPDX-License-Identifier: MIT
// Source of tile-dwarf4.co and tile-dwarf5.co, made with
//   clang-15 -x hip --offload-arch=gfx90a --cuda-device-only -nogpulib -nogpuinc -O2 -gdwarf-N \
//     -ffile-prefix-map=$PWD=/src --no-gpu-bundle-output -o tile-dwarfN.co tile.hip
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __device__ __attribute__((device))

static __device__ inline unsigned lane()
{
	return __builtin_amdgcn_workitem_id_x();
}

namespace ns
{
template <int P> __global__ void tile(float *out, const float *in, int n)
{
	__shared__ float t[32 * P];

	t[lane()] = in[n + lane()];
	__builtin_amdgcn_s_barrier();
	out[lane()] = t[lane() * P % (32 * P)];
}
}
template __global__ void ns::tile<32>(float *, const float *, int);

extern "C" __global__ void copy(float *out, const float *in)
{
	out[lane()] = in[lane()];
}
