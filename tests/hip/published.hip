// SPDX-License-Identifier: MIT
// Compares the cost model with published measurements of MI210 and MI250 (one die of it). Prints
// "name value" lines; published.py compares them with published_figures.csv. Each kernel does what
// the source of its figure describes; none is tuned to the model.
#include "published_caches.h"
#include "published_compute.h"
#include "published_exercises.h"
#include "published_memory.h"

enum { UNITS = 104 }; // of an MI210

// Amount per ns of the second of two launches.
template <typename F> static double per_ns(double amount, F launch)
{
	return amount / ns_of(launch);
}

// ---- Bandwidths --------------------------------------------------------------------------------

extern "C" __global__ void hbm_copy(double *to, const double *from)
{
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

	to[i] = from[i];
}

extern "C" __global__ void hbm_mul(double *to, const double *from)
{
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

	to[i] = 0.4 * from[i];
}

extern "C" __global__ void hbm_triad(double *to, const double *x, const double *y)
{
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

	to[i] = x[i] + 0.4 * y[i];
}

extern "C" __global__ void hbm_fill(double *to)
{
	to[blockIdx.x * (size_t)blockDim.x + threadIdx.x] = 1;
}

// Each workgroup reads its own `span` floats again and again.
extern "C" __global__ __launch_bounds__(256) void cache_read(const float *from, unsigned groups,
							     unsigned span, int rounds, float *out)
{
	const float *mine = from + blockIdx.x % groups * span;
	float sum = 0;

	for (int i = 0; i < rounds; i++)
		for (unsigned at = threadIdx.x; at < span; at += 8 * 256)
#pragma unroll
			for (int k = 0; k < 8; k++)
				sum += mine[at + k * 256];
	if (sum == 1)
		*out = sum;
}

extern "C" __global__ __launch_bounds__(256) void lds_read(float *out, int rounds)
{
	__shared__ float cell[2048];
	float sum = 0;

	for (unsigned i = threadIdx.x; i < 2048; i += 256)
		cell[i] = i;
	__syncthreads();
	for (int i = 0; i < rounds; i++) {
		uint32_t at = (uint32_t)(uintptr_t)cell + threadIdx.x * 4;
		float value[8];

#pragma unroll
		for (int k = 0; k < 8; k++)
			asm volatile("ds_read_b32 %0, %1" : "=v"(value[k]) : "v"(at));
		asm volatile("s_waitcnt lgkmcnt(0)");
		sum += value[0];
	}
	if (sum == 1)
		*out = sum;
}

static void bandwidths()
{
	const size_t n = 2 << 20;
	device_array<double> a(n), b(n), c(n);
	device_array<float> out((size_t)1);
	float *small = (float *)a.data;

	print("hbm_copy_gb", per_ns(16.0 * n, [&] { hbm_copy<<<n / 256, 256>>>(a.data, b.data); }));
	print("hbm_mul_gb", per_ns(16.0 * n, [&] { hbm_mul<<<n / 256, 256>>>(a.data, b.data); }));
	print("hbm_triad_gb",
	      per_ns(24.0 * n, [&] { hbm_triad<<<n / 256, 256>>>(a.data, b.data, c.data); }));
	print("hbm_fill_gb", per_ns(8.0 * n, [&] { hbm_fill<<<n / 256, 256>>>(a.data); }));
	// 8 KiB for each unit; then 4 MiB for all, 32 KiB for each workgroup.
	print("l1_read_gb", per_ns(832.0 * 8192 * 24, [&] {
		      cache_read<<<832, 256>>>(small, 1, 2048, 24, out.data);
	      }));
	print("l2_read_gb", per_ns(832.0 * 32768 * 8, [&] {
		      cache_read<<<832, 256>>>(small, 128, 8192, 8, out.data);
	      }));
	print("lds_read_gb",
	      per_ns(832.0 * 256 * 4 * 8 * 64, [&] { lds_read<<<832, 256>>>(out.data, 64); }));
}

// ---- Arithmetic --------------------------------------------------------------------------------

#define FMA(name, type, text)                                                                      \
	extern "C" __global__ void name(int rounds)                                                \
	{                                                                                          \
		type x[8] = {}, y = (type)threadIdx.x;                                             \
                                                                                                   \
		for (int i = 0; i < rounds; i++)                                                   \
			_Pragma("unroll") for (int k = 0; k < 64;                                  \
					       k++) asm volatile(text : "+v"(x[k % 8]) : "v"(y));  \
	}
FMA(fma_f32, float, "v_fma_f32 %0, %0, %1, %1")
FMA(fma_f64, double, "v_fma_f64 %0, %0, %1, %1")

#define MATRIX(name, text)                                                                         \
	extern "C" __global__ void name(int rounds)                                                \
	{                                                                                          \
		for (int i = 0; i < rounds; i++)                                                   \
			asm volatile(".rept 16\n" text "\n.endr\n" ::                              \
					     : "v4", "v5", "v6", "v7", "a0", "a1", "a2", "a3",     \
					       "a4", "a5", "a6", "a7", "a8", "a9", "a10", "a11",   \
					       "a12", "a13", "a14", "a15");                        \
	}
MATRIX(mfma_f16, "v_mfma_f32_32x32x8f16 a[0:15], v[4:5], v[6:7], a[0:15]")
MATRIX(mfma_bf16, "v_mfma_f32_32x32x8bf16_1k a[0:15], v[4:5], v[6:7], a[0:15]")
MATRIX(mfma_f32, "v_mfma_f32_32x32x2f32 a[0:15], v4, v6, a[0:15]")
MATRIX(mfma_f64, "v_mfma_f64_16x16x4f64 a[0:7], v[4:5], v[6:7], a[0:7]")
#ifdef __gfx942__
MATRIX(mfma_i8, "v_mfma_i32_32x32x16_i8 a[0:15], v[4:5], v[6:7], a[0:15]")
#else
MATRIX(mfma_i8, "v_mfma_i32_32x32x8i8 a[0:15], v4, v6, a[0:15]")
#endif

static void arithmetic()
{
	const double waves = 4 * UNITS * 4;
	const struct {
		const char *name;
		void (*kernel)(int);
		double ops;
	} matrix[] = {{"mfma_f16", mfma_f16, 32 * 32 * 8 * 2},
		      {"mfma_bf16", mfma_bf16, 32 * 32 * 8 * 2},
		      {"mfma_f32", mfma_f32, 32 * 32 * 2 * 2},
		      {"mfma_f64", mfma_f64, 16 * 16 * 4 * 2},
		      {"mfma_i8", mfma_i8, 32 * 32 * 8 * 2}};

	print("fma_f32_tflops",
	      per_ns(waves * 128 * 64 * 30, [&] { fma_f32<<<4 * UNITS, 256>>>(30); }) / 1000);
	print("fma_f64_tflops",
	      per_ns(waves * 128 * 64 * 30, [&] { fma_f64<<<4 * UNITS, 256>>>(30); }) / 1000);
	for (auto &it : matrix)
		print(std::string(it.name) + "_tflops", per_ns(4 * UNITS * it.ops * 16 * 15, [&] {
								it.kernel<<<UNITS, 256>>>(15);
							}) / 1000);
}

// ---- The profiler's recorded workload: vcopy -n 1048576 -b 256 ----------------------------------

extern "C" __global__ void vec_copy(double *a, double *b, double *c, int n, int stride)
{
	int id = blockIdx.x * blockDim.x + threadIdx.x;

	if (id < n)
		c[id] = a[id];
}

static void vcopy(const std::string &head)
{
	const size_t n = 1048576;
	device_array<double> x(n), y(n), z(n);
	probe_sim_counters a = {}, b;

	for (int i = 0; i < 3; i++) {
		a = counters("vec_copy");
		vec_copy<<<n / 256, 256>>>(x.data, y.data, z.data, n, 1);
		HIP(hipDeviceSynchronize());
	}
	b = counters("vec_copy");
	/* As recorded on both devices: one group of four cycles per instruction. */
	EXPECT(b.sq_active_inst_valu - a.sq_active_inst_valu == b.sq_insts_valu - a.sq_insts_valu);
#define COUNTER(name) print(head + "vcopy_" #name, (double)(b.name - a.name))
	COUNTER(sq_busy_cu_cycles);
	COUNTER(sq_wave_cycles);
	COUNTER(sq_insts_flat);
	COUNTER(sq_insts_vmem);
	COUNTER(ta_total_wavefronts);
	COUNTER(tcp_total_accesses);
	COUNTER(tcp_total_cache_accesses);
	COUNTER(tcp_tcc_read_req);
	COUNTER(tcp_tcc_write_req);
	COUNTER(tcc_req);
	COUNTER(tcc_hit);
	COUNTER(tcc_miss);
	COUNTER(tcc_ea_rdreq);
	COUNTER(tcc_ea_wrreq);
	COUNTER(sqc_dcache_req);
	print(head + "vcopy_ns", (double)(b.cycles - a.cycles) * 1e6 / device().clockRate);
}

// ---- MI300X: mt4g's chases and bandwidths -------------------------------------------------------

// All workgroups read or write the array once per round, each another part of it than before, so
// that after eight rounds each die has had all. Nothing waits between the accesses.
#define WIDE(name, pointer, access)                                                                \
	__global__ __launch_bounds__(256) void name(pointer array, size_t count, int rounds)       \
	{                                                                                          \
		for (int i = 0; i < rounds; i++)                                                   \
			for (size_t k = (blockIdx.x + i) % gridDim.x * 256 + threadIdx.x;          \
			     k < count; k += gridDim.x * (size_t)256)                              \
				access;                                                            \
	}
#ifdef __gfx942__
#define LOAD_FROM_L2 "flat_load_dwordx4 %0, %1 sc0"
#else
#define LOAD_FROM_L2 "flat_load_dwordx4 %0, %1 glc"
#endif
#define LOAD(text)                                                                                 \
	({                                                                                         \
		float4 value;                                                                      \
		asm volatile(text : "=v"(value) : "v"(array + k));                                 \
	})
WIDE(wide_read_l2, const float4 *, LOAD(LOAD_FROM_L2))
WIDE(wide_read, const float4 *, LOAD("flat_load_dwordx4 %0, %1"))
WIDE(wide_write, float4 *, (array[k] = float4{1, 2, 3, (float)i}))

static void wide(const std::string &level, void (*read)(const float4 *, size_t, int), size_t mib,
		 int rounds)
{
	const size_t count = mib << 16;
	const double bytes = 16.0 * count * rounds;
	const int groups = 2 * units();
	device_array<float4> buffer(count);

	print("mi300x_" + level + "_read_gb",
	      bytes / ns_of([&] { read<<<groups, 256>>>(buffer.data, count, rounds); }));
	print("mi300x_" + level + "_write_gb",
	      bytes / ns_of([&] { wide_write<<<groups, 256>>>(buffer.data, count, rounds); }));
}

static void mi300x()
{
	vcopy("mi300x_");
	print("mi300x_chase_l1_cycles", chase(vector_chase, 16 << 10));
	print("mi300x_chase_l2_cycles", chase(vector_chase, 1 << 20));
	print("mi300x_chase_hbm_cycles", chase(vector_chase, 1 << 30));
	print("mi300x_chase_scalar_cycles", chase(scalar_chase, 8 << 10));
	print("mi300x_chase_lds_cycles", chase_lds());
	wide("l2", wide_read_l2, 4, 256);
	wide("mall", wide_read, 256, 2);
	wide("hbm", wide_read, 1024, 1);
	babel("mi300x_");
	lds_strides("mi300x_");
}

static void mi210()
{
	vcopy("");
	print("chase_l1_cycles", chase(vector_chase, 8 << 10));
	print("chase_l2_cycles", chase(vector_chase, 1 << 20));
	print("chase_hbm_cycles", chase(vector_chase, 32 << 20));
	bandwidths();
	arithmetic();
	strides<float>("float", {1, 2, 3, 4, 5, 8, 16, 17, 32}, {1, 4, 8, 16});
	strides<double>("double", {1, 2, 3, 4, 6, 8, 12, 16, 24}, {1, 2, 4, 16});
	cache_size<8>();
	cache_size<16>();
	cache_size<24>();
	cache_size<32>();
	cache_size<64>();
	cache_size<256>();
	cache_size<1968>();
	l2_sizes({1536, 3072, 5120, 8192, 12288, 16896, 36864, 100352});
	latencies({4, 20, 130, 1374, 4333, 6348, 9299, 13620, 42767});
	streams();
	small_kernels();
	laplacians();
	yax();
	yax_variants();
	transposes();
	jacobi();
	laplacian_tiles();
	issue();
	occupancies();
	fabric();
	grid_barriers();
}

int main()
{
	HIP(hipFree(nullptr));
	if (std::string(device().gcnArchName).find("gfx942") == 0)
		mi300x();
	else
		mi210();
	return 0;
}
