// SPDX-License-Identifier: MIT
// Kernels written for one difficulty each: argument lists, hidden arguments, calls, widths, spaces,
// atomics, lanes that leave, registers and LDS at their limits.
#include <cassert>

#include "equal.h"

#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

struct s3 {
	uint8_t x[3];
};
struct s20 {
	int x[5];
};
struct s32 {
	int4 x[2];
};
struct s100 {
	char head;
	double d[12];
	char tail;
};

static __device__ uint32_t index_of()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

// ---- Widths: through global memory, LDS, and a pointer that may be either ----

template <typename T> __global__ void copy_global(T *out, const T *in)
{
	out[index_of()] = in[index_of() * 3];
}

template <typename T> __global__ void copy_lds(T *out, const T *in)
{
	__shared__ T tile[64];

	tile[threadIdx.x] = in[index_of()];
	__syncthreads();
	out[index_of()] = tile[(threadIdx.x * 5) % 64];
}

template <typename T> __global__ void copy_flat(T *out, const T *in, uint32_t odd)
{
	__shared__ T tile[64];
	T *p = (threadIdx.x * odd) & 4 ? tile + threadIdx.x : out + index_of();

	*p = in[index_of()];
	if (p == tile + threadIdx.x)
		out[index_of()] = *p;
}

template <typename T> __device__ __attribute__((noinline)) void hand_over(T *to, const T *from)
{
	*to = *from;
}

// A function is handed the flat address of an element of LDS: a constant less an id.
template <typename T> __global__ void copy_handed(T *out, const T *in)
{
	__shared__ T tile[64];
	int t = threadIdx.x;

	hand_over(&tile[t], in + index_of());
	__syncthreads();
	hand_over(out + index_of(), &tile[63 - t]);
}

#define WIDTHS(X)                                                                                  \
	X(uint8_t) X(int16_t) X(int) X(float2) X(float3) X(int4) X(char3) X(char4) X(double2)      \
	X(s3) X(s20) X(s32) X(_Float16)
#define WIDTH_CASES(T)                                                                             \
	CASE("copy_global_" #T, copy_global<T><<<2, 64>>>((T *)w.out, (const T *)w.in)),           \
	CASE("copy_lds_" #T, copy_lds<T><<<2, 64>>>((T *)w.out, (const T *)w.in)),                 \
	CASE("copy_handed_" #T, copy_handed<T><<<2, 64>>>((T *)w.out, (const T *)w.in)),           \
	CASE("copy_flat_" #T, copy_flat<T><<<2, 64>>>((T *)w.out, (const T *)w.in, 1u)),

// ---- Atomics: old values are used where only one lane can have made them ----

template <typename T, typename OP> __device__ void atomics(T *shared, T *own, T *out, OP op)
{
	op(&shared[threadIdx.x & 7], (T)(threadIdx.x + 1));
	*own = op(own, (T)5);
	*out = *own;
}

#define ATOMIC(name, T, operation)                                                                 \
	__global__ void name##_global(T *acc, T *own, T *out)                                      \
	{                                                                                          \
		atomics(acc, own + index_of(), out + index_of(),                                   \
			[](T *p, T v) -> T { return operation; });                                 \
	}                                                                                          \
	__global__ void name##_lds(T *acc, T *own, T *out)                                         \
	{                                                                                          \
		__shared__ T some[8], mine[100];                                                   \
		if (threadIdx.x < 8)                                                               \
			some[threadIdx.x] = 0;                                                     \
		mine[threadIdx.x] = own[index_of()];                                               \
		__syncthreads();                                                                   \
		atomics(some, &mine[threadIdx.x], out + index_of(),                                \
			[](T *p, T v) -> T { return operation; });                                 \
		__syncthreads();                                                                   \
		if (threadIdx.x < 8)                                                               \
			acc[threadIdx.x + 8 * blockIdx.x] = some[threadIdx.x];                     \
	}
ATOMIC(add_i32, int, atomicAdd(p, v))
ATOMIC(add_u64, unsigned long long, atomicAdd(p, v))
ATOMIC(sub_u32, uint32_t, atomicSub(p, v))
ATOMIC(and_u32, uint32_t, atomicAnd(p, v))
ATOMIC(or_u32, uint32_t, atomicOr(p, v))
ATOMIC(xor_u32, uint32_t, atomicXor(p, v))
ATOMIC(min_i32, int, atomicMin(p, v))
ATOMIC(max_i32, int, atomicMax(p, v))
ATOMIC(max_u64, unsigned long long, atomicMax(p, v))
ATOMIC(inc_u32, uint32_t, atomicInc(p, 1000u + 0 * v))
ATOMIC(add_f32, float, atomicAdd(p, v))
ATOMIC(add_f64, double, atomicAdd(p, v))
ATOMIC(cas_u32, uint32_t, ({ uint32_t o = *p, a; do { a = o; o = atomicCAS(p, a, a + v); } while (a != o); o; }))
#define ATOMIC_CASES(name, T)                                                                      \
	CASE(#name "_global",                                                                      \
	     name##_global<<<2, 100>>>((T *)w.acc, (T *)w.out, (T *)(w.out + 8192))),              \
	CASE(#name "_lds",                                                                         \
	     name##_lds<<<2, 100>>>((T *)w.acc, (T *)w.out, (T *)(w.out + 8192))),

// ---- Argument lists ----

__global__ void args_pppiii(int *out, const int *a, const int *b, int x, int y, int z)
{
	out[index_of()] = a[index_of()] * x + b[index_of()] * y + z;
}
__global__ void args_cpshpb(char c, int *out, short s, const int *in, bool b)
{
	out[index_of()] = in[index_of()] + c * 3 + s * 5 + b;
}
__global__ void args_s3(s3 s, int *out, s3 t)
{
	out[index_of()] = s.x[0] + s.x[1] * 2 + s.x[2] * 4 + t.x[2];
}
__global__ void args_s100(int *out, s100 s, char c)
{
	out[index_of()] = (int)s.d[index_of() % 12] + s.head + s.tail * 7 + c;
}
__global__ void args_dc(double *out, double d, char c)
{
	out[index_of()] = d + c;
}
__global__ void args_p(int *out)
{
	out[index_of()] = 1;
}
__global__ void args_pc(int *out, char c)
{
	out[index_of()] = c;
}
__global__ void args_many(int *out, char a, short b, int c, long d, char e, float f, double g, char h,
			  uint8_t i, s3 j, s20 k, float3 l, char m, int4 n, bool o, short p, char q)
{
	out[index_of()] = a + b + c + (int)d + e + (int)f + (int)g + h + i + j.x[1] + k.x[4] +
			  (int)l.z + m + n.w + o + p + q;
}
__device__ uint8_t *global_out;
__global__ void args_none()
{
	((int *)global_out)[index_of()] = index_of();
}

// ---- Hidden arguments ----

__global__ void hidden_sizes(uint32_t *out)
{
	uint32_t n = blockDim.x * blockDim.y * blockDim.z;
	uint32_t t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
	uint32_t b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);

	out[b * n + t] = gridDim.x + 10 * gridDim.y + 100 * gridDim.z + 1000 * blockDim.x +
			 10000 * blockDim.y + 100000 * blockDim.z;
}
__global__ void hidden_printf(uint32_t *out)
{
	out[index_of()] = 7;
	if (threadIdx.x == 3)
		printf("printed by %u of %u: %s %.3f\n", (uint32_t)threadIdx.x,
		       (uint32_t)blockDim.x, "text", 1.5);
	out[index_of()] += 1;
}
__global__ void hidden_assert(uint32_t *out, uint32_t in)
{
	assert(in != 12345);
	out[index_of()] = in;
}
__global__ void hidden_cooperative(uint32_t *out, uint32_t *acc)
{
	cg::grid_group grid = cg::this_grid();

	atomicAdd(acc, index_of());
	grid.sync();
	out[index_of()] = *acc + grid.size();
}
__global__ void hidden_dynamic_lds(uint32_t *out, uint32_t n)
{
	extern __shared__ uint32_t dynamic[];
	__shared__ uint32_t fixed[64];

	fixed[threadIdx.x] = threadIdx.x;
	for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
		dynamic[i] = i;
	__syncthreads();
	out[index_of()] = dynamic[n - 1 - threadIdx.x] + fixed[63 - threadIdx.x];
}
__global__ void hidden_malloc(uint32_t *out)
{
	uint32_t *p = threadIdx.x == 5 ? (uint32_t *)malloc(64) : nullptr;

	if (p) {
		p[3] = 77;
		out[0] = p[3];
		free(p);
	}
	out[1 + index_of()] = 1;
}

// ---- Globals ----

__constant__ int constants[64] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ int counters[64] = {1, 2, 3};
static __device__ int static_counters[64] = {5};
__global__ void globals(int *out)
{
	int i = index_of();

	counters[i & 63] = constants[i & 63] + i;
	static_counters[i & 63] += 2;
	out[i] = counters[i & 63] + static_counters[i & 63] * 100;
}
__attribute__((weak)) __global__ void weak_kernel(int *out)
{
	out[index_of()] = constants[threadIdx.x & 7];
}
static __global__ void static_kernel(int *out)
{
	out[index_of()] = constants[threadIdx.x & 7] + 1;
}
namespace
{
template <int N> __global__ void template_kernel(int *out)
{
	out[index_of()] = N;
}
} // namespace

// ---- Calls ----

__device__ __noinline__ int fib(int n, int *trail)
{
	trail[n & 7] += 1;
	return n < 2 ? n : fib(n - 1, trail) + fib(n - 2, trail);
}
__device__ __noinline__ int odd(int n, const int *in);
__device__ __noinline__ int even(int n, const int *in)
{
	return n ? odd(n - 1, in) + in[n] : in[0];
}
__device__ __noinline__ int odd(int n, const int *in)
{
	return n ? even(n - 1, in) - in[n] : in[1];
}
__global__ void recursion(int *out, const int *in)
{
	int trail[8] = {};

	out[index_of()] = fib(threadIdx.x & 7, trail) + even(threadIdx.x & 15, in) + trail[1];
}
__device__ __noinline__ s20 by_value(s20 s, const int *in)
{
	s.x[2] += in[s.x[0] & 63];
	return s;
}
__device__ __noinline__ int deep3(int *p, int x)
{
	return p[x & 3] += x;
}
__device__ __noinline__ int deep2(int *p, int x)
{
	return deep3(p, x) + deep3(p, x + 1) + p[0];
}
__device__ __noinline__ int deep1(int *p, int x)
{
	p[3] = x;
	return x & 1 ? deep2(p, x * 3) : deep3(p, x);
}
__global__ void calls(int *out, const int *in)
{
	__shared__ int lds[64 * 4];
	s20 s = {{(int)threadIdx.x, 1, 2, 3, 4}};

	for (int i = 0; i < 4; i++)
		lds[threadIdx.x * 4 + i] = i;
	s = by_value(s, in);
	out[index_of() * 4] = s.x[2];
	out[index_of() * 4] += deep1(&lds[threadIdx.x * 4], threadIdx.x) +
			       deep1(&out[index_of() * 4], threadIdx.x);
}
typedef int (*function)(int *, int);
__device__ function functions[2] = {deep1, deep2};
__global__ void pointers(int *out)
{
	int *p = out + index_of() * 4;

	p[1] = functions[blockIdx.x & 1](p, threadIdx.x);
}

// ---- Control ----

__global__ void early(int *out, const int *in)
{
	if (threadIdx.x & 1)
		return;
	out[index_of()] = in[index_of()];
	if (in[index_of()] & 4)
		return;
	out[index_of() + 1] = 5;
}
__global__ void loops(int *out, const int *in)
{
	int sum = 0;

	for (uint32_t i = 0; i < (threadIdx.x & 31); i++) {
		if (in[i] & 8)
			continue;
		if (i == 25)
			break;
		sum += in[i * threadIdx.x % 100];
		for (uint32_t k = 0; k < (i & 3); k++)
			out[index_of() * 4 + k] = sum;
	}
	out[index_of() * 4 + 3] = sum;
}
__global__ void switches(int *out, const int *in)
{
	switch (in[index_of()] & 7) {
	case 0: out[index_of()] = in[0]; break;
	case 1: out[index_of()] = 17;
	case 2: out[index_of()] += in[threadIdx.x]; return;
	case 5: for (int i = 0; i < 3; i++) out[index_of()] ^= in[i];
	default: out[index_of()] = in[5];
	}
}
__global__ void waves(int *out, const int *in)
{
	__shared__ int sum[16];
	int lane = threadIdx.x & 63, wave = threadIdx.x >> 6, v = in[index_of()] & 1023;

	for (int d = 32; d; d >>= 1)
		v += __shfl_xor(v, d);
	if (lane == 0)
		sum[wave] = v;
	__syncthreads();
	unsigned long long votes = __ballot(in[index_of()] & 1);
	out[index_of()] = sum[(wave + 1) % (blockDim.x / 64)] + __popcll(votes) + __shfl(v, 3) +
			  __any(v == 5) + __all(v > 0) + __shfl_up(in[lane], 1);
}
// Lanes that are not active keep what they hold while the others run probes.
__global__ void inactive(int *out, const int *in)
{
	int keep = in[index_of()] * 7, other = 0;

	if (threadIdx.x % 3 == 0) {
		out[index_of()] = in[threadIdx.x * 2];
		other = __builtin_amdgcn_readfirstlane(in[threadIdx.x]);
	}
	out[index_of()] = keep + other + __shfl(keep, 1);
}
__global__ void assembly(int *out, const int *in)
{
	int v = in[index_of()], r;

	asm volatile("v_cmp_gt_i32 vcc, %1, 0\n\tv_cndmask_b32 %0, 1, %1, vcc" : "=v"(r) : "v"(v) : "vcc");
	out[index_of()] = r;
	asm volatile("s_mov_b32 s40, 5\n\tv_add_u32 %0, s40, %1" : "=v"(r) : "v"(v) : "s40");
	out[index_of()] ^= r;
}

// ---- Launch bounds, registers, LDS ----

template <int N> __device__ void many_values(float *out, const float *in)
{
	float v[N];

#pragma unroll
	for (int i = 0; i < N; i++)
		v[i] = in[(index_of() + i * 7) & 4095];
#pragma unroll
	for (int k = 1; k < N; k++)
		v[k] = fmaf(v[k - 1], 0.5f, v[k]) + v[(k * 13) % N];
#pragma unroll
	for (int i = 0; i < N; i++)
		out[(i * 64 + threadIdx.x) & 4095] = v[i];
}
__global__ __launch_bounds__(64) void registers_64(float *out, const float *in)
{
	many_values<64>(out, in);
}
__global__ __launch_bounds__(1024) void registers_1024(float *out, const float *in)
{
	many_values<100>(out, in);
}
__global__ __launch_bounds__(64) void registers_130(float *out, const float *in)
{
	many_values<130>(out, in);
}
__global__ __launch_bounds__(256, 8) void registers_few(float *out, const float *in)
{
	many_values<40>(out, in);
}
__global__ void lds_full(int *out)
{
	__shared__ int all[16384];

	for (uint32_t i = threadIdx.x; i < 16384; i += 64)
		all[i] = i;
	__syncthreads();
	out[index_of()] = all[(threadIdx.x * 257) & 16383];
}
typedef float acc16 __attribute__((ext_vector_type(16)));
__global__ void matrix(float *out, const float *in)
{
	acc16 c = {};

	for (int i = 0; i < 4; i++)
		c = __builtin_amdgcn_mfma_f32_16x16x1f32((float)(threadIdx.x & 3), 2.0f, c, 0, 0, 0) + c[i];
	for (int i = 0; i < 16; i++)
		out[index_of() * 16 + i] = c[i];
}

// ---- Copies and scratch ----

__global__ void memory_functions(uint8_t *out, const uint8_t *in, uint32_t n)
{
	uint8_t *p = out + index_of() * 256;
	uint8_t local[64];

	memcpy(p, in + threadIdx.x, 100);
	memset(p + 128, threadIdx.x, n);
	memcpy(local, in, 64);
	__builtin_memmove(p + 3, p, 50);
	memcpy(p + 200, local + (threadIdx.x & 15), 40);
}
__global__ void big_copies(uint8_t *out, const uint8_t *in, uint32_t n)
{
	__builtin_memcpy(out + index_of() * 2048, in, 2000);
	__builtin_memcpy(out + index_of() * 2048 + 3, in + 1, n);
}
__global__ void volatiles(volatile int *out, volatile const int *in)
{
	out[index_of()] = in[index_of()];
	out[index_of()] = out[index_of()] + in[3];
}
__global__ void unaligned(uint8_t *out, const uint8_t *in)
{
	typedef int loose __attribute__((aligned(1)));
	typedef long loose8 __attribute__((aligned(2)));

	*(loose *)(out + index_of() * 64 + 1) = *(const loose *)(in + index_of() * 3);
	*(loose8 *)(out + index_of() * 64 + 10) = *(const loose8 *)(in + index_of() * 2);
}

// ---- Intrinsics: buffers and atomics ----

typedef int words __attribute__((ext_vector_type(4)));
typedef float __attribute__((address_space(1))) *global_float;
typedef float __attribute__((address_space(3))) *lds_float;
#define INTRINSIC(name) __asm__("llvm.amdgcn." name)
typedef float floats __attribute__((ext_vector_type(4)));
__device__ floats raw_load4(words, int, int, int) INTRINSIC("raw.buffer.load.v4f32");
__device__ int raw_load(words, int, int, int) INTRINSIC("raw.buffer.load.i32");
__device__ void raw_store(int, words, int, int, int) INTRINSIC("raw.buffer.store.i32");
__device__ int raw_add(int, words, int, int, int) INTRINSIC("raw.buffer.atomic.add.i32");
__device__ int raw_swap(int, int, words, int, int, int) INTRINSIC("raw.buffer.atomic.cmpswap.i32");
__device__ int struct_load(words, int, int, int, int) INTRINSIC("struct.buffer.load.i32");
__device__ void struct_store(int, words, int, int, int, int) INTRINSIC("struct.buffer.store.i32");
__device__ int struct_add(int, words, int, int, int, int) INTRINSIC("struct.buffer.atomic.add.i32");
#if __clang_major__ < 20
__device__ float lds_add(lds_float, float, int, int, bool) INTRINSIC("ds.fadd.f32");
#else
static __device__ float lds_add(lds_float to, float value, int, int, bool)
{
	return __builtin_amdgcn_ds_faddf(to, value, 0, 0, false);
}
#endif

static __device__ words resource(const void *base, uint32_t stride, uint32_t records)
{
	uint64_t at = (uint64_t)base;

	return words{(int)at, (int)(at >> 32 | stride << 16), (int)records, 0x00027000};
}
// A buffer of 300 bytes: lanes from 75 on read zero and write nothing.
__global__ void buffer_raw(int *out, const int *in, int *acc)
{
	words to = resource(out, 0, 2000), from = resource(in, 0, 300);
	int v = raw_load(from, threadIdx.x * 4, 0, 0) + raw_load(from, threadIdx.x * 12, 100, 0);

	raw_store(v, to, index_of() * 4, 16, 0);
	raw_store(v, to, index_of() * 4, 4096, 0);
	raw_add(v, resource(acc, 0, 64), threadIdx.x * 4, 0, 0);
	raw_swap(1, 2, resource(acc, 0, 4096), 1024 + index_of() * 4, 0, 0);
	out[4000 + index_of()] = (int)raw_load4(from, threadIdx.x * 16, 0, 0).z;
}
__global__ void buffer_struct(int *out, const int *in, int *acc)
{
	words to = resource(out, 20, 150), from = resource(in, 12, 90);
	int v = struct_load(from, threadIdx.x, 8, 0, 0) + struct_load(from, threadIdx.x * 2, 0, 4, 0);

	struct_store(v, to, index_of(), 4, 0, 0);
	struct_add(v, resource(acc, 16, 30), threadIdx.x, 4, 8, 0);
}
__global__ void intrinsics(float *out, float *acc)
{
	__shared__ float lds[8];

	if (threadIdx.x < 8)
		lds[threadIdx.x] = 0;
	__syncthreads();
	lds_add((lds_float)&lds[threadIdx.x & 7], 1.f, 0, 0, false);
	__builtin_amdgcn_global_atomic_fadd_f32((global_float)acc, 2.f);
	__builtin_amdgcn_flat_atomic_fadd_f64((double *)(acc + 2), 3.);
	__syncthreads();
	out[index_of()] = lds[threadIdx.x & 7];
}

static void cooperative(const world &w)
{
	void *out = w.out, *acc = w.acc, *args[] = {&out, &acc};

	HIP(hipLaunchCooperativeKernel((void *)hidden_cooperative, dim3(4), dim3(64), args, 0, 0));
}

static void no_arguments(const world &w)
{
	HIP(hipMemcpyToSymbol(HIP_SYMBOL(global_out), &w.out, sizeof(w.out)));
	args_none<<<2, 64>>>();
}

#define OUT (int *)w.out
#define IN  (const int *)w.in
#define FOUT (float *)w.out
#define FIN  (const float *)w.in

static const test_case cases[] = {
	WIDTHS(WIDTH_CASES)
	ATOMIC_CASES(add_i32, int) ATOMIC_CASES(add_u64, unsigned long long)
	ATOMIC_CASES(sub_u32, uint32_t) ATOMIC_CASES(and_u32, uint32_t) ATOMIC_CASES(or_u32, uint32_t)
	ATOMIC_CASES(xor_u32, uint32_t) ATOMIC_CASES(min_i32, int) ATOMIC_CASES(max_i32, int)
	ATOMIC_CASES(max_u64, unsigned long long) ATOMIC_CASES(inc_u32, uint32_t)
	ATOMIC_CASES(add_f32, float) ATOMIC_CASES(add_f64, double) ATOMIC_CASES(cas_u32, uint32_t)
	CASE("args_pppiii", args_pppiii<<<2, 64>>>(OUT, IN, IN + 50, 3, 5, 7)),
	CASE("args_cpshpb", args_cpshpb<<<2, 64>>>(-3, OUT, -500, IN, true)),
	CASE("args_s3", args_s3<<<2, 64>>>(s3{{1, 2, 3}}, OUT, s3{{4, 5, 6}})),
	CASE("args_s100", s100 s = {}; for (int i = 0; i < 12; i++) s.d[i] = i * 3.0; s.head = 1; s.tail = 2;
	     args_s100<<<2, 64>>>(OUT, s, 9)),
	CASE("args_dc", args_dc<<<2, 64>>>((double *)w.out, 2.5, 3)),
	CASE("args_p", args_p<<<2, 64>>>(OUT)),
	CASE("args_pc", args_pc<<<2, 64>>>(OUT, 7)),
	CASE("args_many", args_many<<<2, 64>>>(OUT, 1, 2, 3, 4, 5, 6.f, 7., 8, 9, s3{{1, 20, 3}}, s20{{1, 2, 3, 4, 50}},
					       float3{1, 2, 300}, 6, int4{1, 2, 3, 4000}, true, 11, 12)),
	{"args_none", no_arguments},
	CASE("hidden_sizes", hidden_sizes<<<dim3(3, 2, 2), dim3(8, 4, 2)>>>((uint32_t *)w.out)),
	CASE("hidden_printf", hidden_printf<<<2, 64>>>((uint32_t *)w.out)),
	CASE("hidden_assert", hidden_assert<<<2, 64>>>((uint32_t *)w.out, 5)),
	{"hidden_cooperative", cooperative},
	CASE("hidden_dynamic_lds", hidden_dynamic_lds<<<2, 64, 4000>>>((uint32_t *)w.out, 1000)),
	CASE("hidden_malloc", hidden_malloc<<<2, 64>>>((uint32_t *)w.out)),
	CASE("globals", globals<<<1, 64>>>(OUT)),
	CASE("globals_again", globals<<<1, 64>>>(OUT)),
	CASE("weak_kernel", weak_kernel<<<2, 64>>>(OUT)),
	CASE("static_kernel", static_kernel<<<2, 64>>>(OUT)),
	CASE("template_kernel_1", template_kernel<1><<<2, 64>>>(OUT)),
	CASE("template_kernel_2", template_kernel<2><<<2, 64>>>(OUT)),
	CASE("recursion", recursion<<<2, 64>>>(OUT, IN)),
	CASE("calls", calls<<<2, 64>>>(OUT, IN)),
	CASE("pointers", pointers<<<2, 64>>>(OUT)),
	CASE("early", early<<<2, 100>>>(OUT, IN)),
	CASE("loops", loops<<<2, 100>>>(OUT, IN)),
	CASE("switches", switches<<<3, 100>>>(OUT, IN)),
	CASE("waves", waves<<<3, 256>>>(OUT, IN)),
	CASE("inactive", inactive<<<3, 100>>>(OUT, IN)),
	CASE("assembly", assembly<<<2, 64>>>(OUT, IN)),
	CASE("registers_64", registers_64<<<1, 64>>>(FOUT, FIN)),
	CASE("registers_1024", registers_1024<<<1, 64>>>(FOUT, FIN)),
	CASE("registers_130", registers_130<<<1, 64>>>(FOUT, FIN)),
	CASE("registers_few", registers_few<<<1, 64>>>(FOUT, FIN)),
	CASE("lds_full", lds_full<<<2, 64>>>(OUT)),
	CASE("matrix", matrix<<<1, 64>>>(FOUT, FIN)),
	CASE("memory_functions", memory_functions<<<2, 64>>>(w.out, w.in, 60)),
	CASE("big_copies", big_copies<<<1, 20>>>(w.out, w.in, 1500)),
	CASE("buffer_raw", buffer_raw<<<2, 100>>>(OUT, IN, (int *)w.acc)),
	CASE("buffer_struct", buffer_struct<<<2, 100>>>(OUT, IN, (int *)w.acc)),
	CASE("intrinsics", intrinsics<<<2, 128>>>(FOUT, (float *)w.acc)),
	CASE("volatiles", volatiles<<<2, 64>>>(OUT, IN)),
	CASE("unaligned", unaligned<<<2, 64>>>(w.out, w.in)),
	CASE("one_lane", args_p<<<70, 1>>>(OUT)),
	CASE("large_block", args_pppiii<<<2, 1024>>>(OUT, IN, IN + 50, 3, 5, 7)),
};

int main(int argc, char **argv)
{
	return run_cases(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
