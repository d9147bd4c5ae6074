/* SPDX-License-Identifier: MIT */
/* Code of a representative (plan/representatives.h): which other sites its execution counts. */
#ifndef PROBE_LLVM_PLUGIN_EMIT_DISTANCE_TESTS_H
#define PROBE_LLVM_PLUGIN_EMIT_DISTANCE_TESTS_H

#include <stdint.h>
#include <llvm-c/Core.h>

struct asm_block;
struct representative;

/*
 * Sets the scalar register `counted` to `also` and the sites whose distances pass the test. The
 * representative's addresses are in v[2:3]. Uses s7, s8, v[0:1], vcc. Distances are computed at the
 * builder's position.
 */
void emit_distance_tests(struct representative *representative, LLVMBuilderRef builder,
			 LLVMContextRef context, struct asm_block *code, const char *counted,
			 uint32_t also);

#endif
