/* SPDX-License-Identifier: MIT */
/*
 * Kernels of published_unseen.hip that measure single instructions, after the descriptions of their
 * sources: rpc is rocprofiler-compute's documentation and workloads (one die of an MI250; vcopy:
 * MI210), mic AMD's matrix instruction calculator (CDNA2).
 */
#ifndef PROBE_TESTS_HIP_PUBLISHED_INSTRUCTIONS_H
#define PROBE_TESTS_HIP_PUBLISHED_INSTRUCTIONS_H

#include "published_rate.h"

// ---- mic: cycles of a matrix instruction, by one wave -------------------------------------------

#define MATRIX_LOOP(name, text)                                                                    \
	__global__ void name(int rounds)                                                           \
	{                                                                                          \
		for (int i = 0; i < rounds; i++)                                                   \
			asm volatile(".rept 8\n" text "\n.endr" ::                                 \
					     : "v4", "v5", "v6", "v7", "a0", "a1", "a2", "a3",     \
					       "a4", "a5", "a6", "a7", "a8", "a9", "a10", "a11",   \
					       "a12", "a13", "a14", "a15", "a16", "a17", "a18",    \
					       "a19", "a20", "a21", "a22", "a23", "a24", "a25",    \
					       "a26", "a27", "a28", "a29", "a30", "a31");          \
	}
MATRIX_LOOP(loop_32x32x1_2b_f32, "v_mfma_f32_32x32x1f32 a[0:31], v4, v5, a[0:31]")
MATRIX_LOOP(loop_16x16x1_4b_f32, "v_mfma_f32_16x16x1f32 a[0:15], v4, v5, a[0:15]")
MATRIX_LOOP(loop_16x16x4_f32, "v_mfma_f32_16x16x4f32 a[0:3], v4, v5, a[0:3]")
MATRIX_LOOP(loop_32x32x4_2b_f16, "v_mfma_f32_32x32x4f16 a[0:31], v[4:5], v[6:7], a[0:31]")
MATRIX_LOOP(loop_16x16x4_4b_f16, "v_mfma_f32_16x16x4f16 a[0:15], v[4:5], v[6:7], a[0:15]")
MATRIX_LOOP(loop_16x16x16_f16, "v_mfma_f32_16x16x16f16 a[0:3], v[4:5], v[6:7], a[0:3]")
MATRIX_LOOP(loop_f64_16x16x4, "v_mfma_f64_16x16x4f64 a[0:7], v[4:5], v[6:7], a[0:7]")
// Short ones in pairs, so that none needs the result of the one before it.
MATRIX_LOOP(pairs_4x4x1_16b_f32, "v_mfma_f32_4x4x1f32 a[0:3], v4, v5, a[0:3]\n"
				 "v_mfma_f32_4x4x1f32 a[4:7], v4, v5, a[4:7]")
MATRIX_LOOP(pairs_4x4x4_16b_f16, "v_mfma_f32_4x4x4f16 a[0:3], v[4:5], v[6:7], a[0:3]\n"
				 "v_mfma_f32_4x4x4f16 a[4:7], v[4:5], v[6:7], a[4:7]")
MATRIX_LOOP(pairs_f64_4x4x4, "v_mfma_f64_4x4x4f64 a[0:1], v[4:5], v[6:7], a[0:1]\n"
			     "v_mfma_f64_4x4x4f64 a[2:3], v[4:5], v[6:7], a[2:3]")
// rocm-systems: rates of the two instructions for bf16.
MATRIX_LOOP(loop_bf16_old, "v_mfma_f32_32x32x4bf16 a[0:15], v4, v6, a[0:15]")
MATRIX_LOOP(loop_bf16_1k, "v_mfma_f32_32x32x8bf16_1k a[0:15], v[4:5], v[6:7], a[0:15]")

static void matrix_instructions()
{
	const int rounds = 100;
	auto cycles = [](const char *name, int each, void (*kernel)(int)) {
		double more = cycles_of([&] { kernel<<<1, 64>>>(2 * rounds); }) -
			      cycles_of([&] { kernel<<<1, 64>>>(rounds); });

		print(std::string("mfma_") + name + "_cycles", more / (rounds * 8. * each));
	};
	auto rate = [](const char *name, double ops, void (*kernel)(int)) {
		print(std::string("mfma_") + name + "_tflops",
		      4 * units() * ops * 8 * 30 / ns_of([&] { kernel<<<units(), 256>>>(30); }) /
			      1000);
	};

	rate("bf16_old", 32 * 32 * 4 * 2, loop_bf16_old);
	rate("bf16_1k", 32 * 32 * 8 * 2, loop_bf16_1k);
	cycles("32x32x1_2b_f32", 1, loop_32x32x1_2b_f32);
	cycles("16x16x1_4b_f32", 1, loop_16x16x1_4b_f32);
	cycles("4x4x1_16b_f32", 2, pairs_4x4x1_16b_f32);
	cycles("16x16x4_f32", 1, loop_16x16x4_f32);
	cycles("32x32x4_2b_f16", 1, loop_32x32x4_2b_f16);
	cycles("16x16x4_4b_f16", 1, loop_16x16x4_4b_f16);
	cycles("4x4x4_16b_f16", 2, pairs_4x4x4_16b_f16);
	cycles("16x16x16_f16", 1, loop_16x16x16_f16);
	cycles("f64_4x4x4", 2, pairs_f64_4x4x4);
	cycles("f64_16x16x4", 1, loop_f64_16x16x4);
}

// ---- rpc vector-memory-operation-counting: kernels of one lane ----------------------------------

__global__ void one_write(int *p, int value)
{
	p[threadIdx.x] = value;
}

__global__ void one_read(int *p, int value)
{
	int x = p[threadIdx.x];

	if (x != value)
		p[threadIdx.x] = x + 1;
}

__global__ void one_atomic(int *p, int value)
{
	atomicAdd(p, value);
}

// The compiler does not know whether the address is one of LDS.
__global__ void one_generic_atomic(int *p, int odd, int value)
{
	__shared__ int lds[1024];
	volatile int *to;

	to = (int)(threadIdx.x % 2) == odd ? &p[threadIdx.x] : &lds[threadIdx.x];
	atomicAdd((int *)to, value);
}

static void one_lane()
{
	device_array<int> place((size_t)64);
	int *p = place.data;

	print("one_global_write_ns", ns_of([&] { one_write<<<1, 1>>>(p, 0); }, false));
	print("one_global_read_ns", ns_of([&] { one_read<<<1, 1>>>(p, 0); }, false));
	print("one_global_atomic_ns", ns_of([&] { one_atomic<<<1, 1>>>(p, 0); }, false));
	print("one_generic_atomic_ns",
	      ns_of([&] { one_generic_atomic<<<1, 1>>>(p, 0, 0); }, false));
}

// ---- rpc lds-examples: lanes whose dwords are all in one bank -----------------------------------

__global__ void lds_one_bank(int *out, int flag)
{
	__shared__ int cell[32 * 256];
	int at = threadIdx.x * 32, x;

	if (flag)
		cell[256 - threadIdx.x] = at;
	__syncthreads();
	x = cell[at];
	if (x == -1234567)
		out[threadIdx.x] = x;
}

static void lds_conflicts()
{
	device_array<int> out((size_t)64);

	for (int lanes : {1, 2, 20}) {
		const std::string suffix = "_" + std::to_string(lanes);
		probe_sim_counters a = all_counters(), b;

		lds_one_bank<<<1, lanes>>>(out.data, 0);
		b = all_counters();
		print("lds_idx_active" + suffix,
		      (double)(b.sq_lds_idx_active - a.sq_lds_idx_active));
		print("lds_conflict" + suffix,
		      (double)(b.sq_lds_bank_conflict - a.sq_lds_bank_conflict));
	}
}

// ---- rpc: instructions of the recorded vcopy -n 1048576 -b 256 ----------------------------------

__global__ void copy_doubles(double *a, double *b, double *c, int n, int stride)
{
	int id = blockIdx.x * blockDim.x + threadIdx.x;

	if (id < n)
		c[id] = a[id];
}

static void vcopy_instructions()
{
	const size_t n = 1048576;
	device_array<double> x(n), y(n), z(n);
	probe_sim_counters a = all_counters(), b;

	copy_doubles<<<n / 256, 256>>>(x.data, y.data, z.data, n, 1);
	b = all_counters();
	print("vcopy_sq_insts", (double)(b.sq_insts - a.sq_insts));
	print("vcopy_sq_insts_smem", (double)(b.sq_insts_smem - a.sq_insts_smem));
	print("vcopy_sq_insts_branch", (double)(b.sq_insts_branch - a.sq_insts_branch));
}

#endif
