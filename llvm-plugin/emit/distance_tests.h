/* SPDX-License-Identifier: MIT */
/* Code of a representative (plan/representatives.h): which other sites its execution counts. */
#ifndef PROBE_LLVM_PLUGIN_EMIT_DISTANCE_TESTS_H
#define PROBE_LLVM_PLUGIN_EMIT_DISTANCE_TESTS_H

#include <stdint.h>
#include <llvm-c/Core.h>

struct asm_block;
struct representative;

/*
 * The scalar register `counted` becomes `also` and the sites whose distances allow it. The
 * representative's addresses are in v[2:3]. Takes s7, s8, v[0:1], vcc. Distances are computed where
 * the builder is.
 */
void emit_distance_tests(struct representative *representative, LLVMBuilderRef builder,
			 LLVMContextRef context, struct asm_block *code, const char *counted,
			 uint32_t also);

#endif
