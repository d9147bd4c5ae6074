// SPDX-License-Identifier: MIT
// Matrix instructions of four types, one after the other, for `make bench`:
//   matrix i8|bf16|f16|f32
// Each wave executes LOOPS * 4 of them; 32x32 results, which are the largest.

#include "../../examples/check.h"

#include <cstring>

constexpr int LOOPS = 2000;

typedef float floats __attribute__((ext_vector_type(16)));
typedef int ints __attribute__((ext_vector_type(16)));
typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef short short4_ __attribute__((ext_vector_type(4)));

#define MATRIX(name, result, operand, instruction)                                                 \
	__global__ void name(result *out, operand a, operand b)                                    \
	{                                                                                          \
		result sum[4] = {};                                                                \
                                                                                                   \
		for (int i = 0; i < LOOPS; i++)                                                    \
			for (int k = 0; k < 4; k++)                                                \
				sum[k] = instruction(a, b, sum[k], 0, 0, 0);                       \
		out[threadIdx.x] = sum[0] + sum[1] + sum[2] + sum[3];                              \
	}                                                                                          \
                                                                                                   \
	static void run_##name(void *out)                                                          \
	{                                                                                          \
		operand a = {}, b = {};                                                            \
                                                                                                   \
		for (int i = 0; i < 4; i++)                                                        \
			name<<<4, 64>>>((result *)out, a, b);                                      \
	}

MATRIX(i8, ints, int, __builtin_amdgcn_mfma_i32_32x32x8i8)
MATRIX(bf16, floats, short4_, __builtin_amdgcn_mfma_f32_32x32x8bf16_1k)
MATRIX(f16, floats, half4, __builtin_amdgcn_mfma_f32_32x32x8f16)
MATRIX(f32, floats, float, __builtin_amdgcn_mfma_f32_32x32x2f32)

int main(int argc, char **argv)
{
	struct {
		const char *name;
		void (*run)(void *out);
	} runs[] = {{"i8", run_i8}, {"bf16", run_bf16}, {"f16", run_f16}, {"f32", run_f32}};
	void *out;

	CHECK(hipMalloc(&out, 64 * sizeof(floats)));
	for (auto &it : runs) {
		if (argc != 2 || strcmp(argv[1], it.name))
			continue;
		it.run(out);
		CHECK(hipDeviceSynchronize());
		return 0;
	}
	fprintf(stderr, "usage: matrix i8|bf16|f16|f32\n");
	return 2;
}
