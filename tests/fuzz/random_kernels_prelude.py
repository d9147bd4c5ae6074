# SPDX-License-Identifier: MIT
"""What the kernels of random_kernels.py need in front of them: types and functions, instead of HIP's headers."""

PRELUDE = r"""// Made by random_kernels.py.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define GROUP(a, b) __attribute__((amdgpu_flat_work_group_size(a, b)))
#define WAVES(...) __attribute__((amdgpu_waves_per_eu(__VA_ARGS__)))
#define VGPRS(n) __attribute__((amdgpu_num_vgpr(n)))
#define SGPRS(n) __attribute__((amdgpu_num_sgpr(n)))
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float3 __attribute__((ext_vector_type(3)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef float float8 __attribute__((ext_vector_type(8)));
typedef float float16 __attribute__((ext_vector_type(16)));
typedef double double2 __attribute__((ext_vector_type(2)));
typedef double double4 __attribute__((ext_vector_type(4)));
typedef _Float16 half2 __attribute__((ext_vector_type(2)));
typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef int int2 __attribute__((ext_vector_type(2)));
typedef int int3 __attribute__((ext_vector_type(3)));
typedef int int4 __attribute__((ext_vector_type(4)));
typedef unsigned char uchar4 __attribute__((ext_vector_type(4)));
typedef unsigned char uchar16 __attribute__((ext_vector_type(16)));
typedef long long16 __attribute__((ext_vector_type(16)));
typedef double double8 __attribute__((ext_vector_type(8)));
typedef short short16 __attribute__((ext_vector_type(16)));
typedef char char3 __attribute__((ext_vector_type(3)));
typedef unsigned short ushort8 __attribute__((ext_vector_type(8)));
typedef unsigned long ulong2 __attribute__((ext_vector_type(2)));
#define TID ((int)__builtin_amdgcn_workitem_id_x())
#define TIDY ((int)__builtin_amdgcn_workitem_id_y())
#define TIDZ ((int)__builtin_amdgcn_workitem_id_z())
#define BID ((int)__builtin_amdgcn_workgroup_id_x())
#define BIDY ((int)__builtin_amdgcn_workgroup_id_y())
#define NTID ((int)__builtin_amdgcn_workgroup_size_x())
#define GRID ((int)__builtin_amdgcn_grid_size_x())
#define BARRIER() do { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); __builtin_amdgcn_s_barrier(); \
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); } while (0)
#define AGENT __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT
struct packed3 { unsigned char x[3]; };
struct body { float4 at, speed; float mass; int id; };
struct cell { double a[3]; short tag; unsigned char flag; };
struct view { float *data; long pitch; int rows, columns; unsigned char *bytes; };
struct list { struct list *next; int key; float value; };
struct bits { unsigned a : 5, b : 11, c : 16; };
struct blob { int x[12]; };
__constant__ unsigned table[256] = {1, 2, 3, 5, 8, 13, 21, 34};
__device__ unsigned device_table[1024];
__device__ float *device_pointer;
extern __shared__ unsigned char dynamic_lds[] __attribute__((aligned(16)));
extern "C" __device__ __noinline__ unsigned long __ockl_printf_begin(unsigned long x)
{
	return __hip_atomic_fetch_add(&device_table[3], (unsigned)x, AGENT);
}
extern "C" __device__ __noinline__ unsigned long __ockl_printf_append_args(unsigned long x, unsigned n, unsigned long a,
	unsigned long b, unsigned long c, unsigned long d, unsigned long e, unsigned long f, unsigned long g, unsigned last)
{
	device_table[x & 1023] = a + b + c + d + e + f + g + last + n;
	return x + 1;
}
extern "C" __device__ __noinline__ unsigned long __ockl_printf_append_string_n(unsigned long x, const char *text,
	unsigned long n, unsigned last)
{
	for (unsigned long i = 0; i < n; i++)
		device_table[(x + i) & 1023] = text[i];
	return x + last;
}
extern "C" __device__ int printf(const char *, ...);
template <typename T> __device__ __inline__ T shuffle(T x, int lane)
{
	union { T value; int word[(sizeof(T) + 3) / 4]; } u = {x};
	for (unsigned i = 0; i < sizeof(T) / 4; i++)
		u.word[i] = __builtin_amdgcn_ds_bpermute(lane << 2, u.word[i]);
	return u.value;
}
template <typename T, typename U> __device__ __inline__ T least(T a, U b) { return a < (T)b ? a : (T)b; }
template <typename T> __device__ __inline__ void order(T &a, T &b, bool up)
{
	if ((a > b) == up) {
		T old = a;
		a = b;
		b = old;
	}
}
template <typename T, int N, typename P> __device__ __inline__ void bitonic(P at, int base)
{
#pragma unroll
	for (int k = 2; k <= N; k *= 2)
#pragma unroll
		for (int j = k / 2; j > 0; j /= 2)
#pragma unroll
			for (int i = 0; i < N; i++)
				if ((i ^ j) > i)
					order<T>(at[base + i], at[base + (i ^ j)], !(i & k));
}
"""
