/* SPDX-License-Identifier: MIT */
/* Intrinsics that access memory, lowered or marked with their addresses. */
#ifndef PROBE_LLVM_PLUGIN_CLONE_LOWER_INTRINSICS_H
#define PROBE_LLVM_PLUGIN_CLONE_LOWER_INTRINSICS_H

#include <stdbool.h>
#include <llvm-c/Core.h>

struct access_site;
struct pass_options;

/* How an intrinsic accesses memory. */
enum pass_form {
	PASS_FORM_NONE,	   /* not at all, or it is none */
	PASS_FORM_UNKNOWN, /* in a way no probe covers */
	PASS_FORM_POINTER, /* at its first operand, with data of its second one's type */
	PASS_FORM_LOWERED, /* the rest is lowered */
	PASS_FORM_COPY = PASS_FORM_LOWERED,
	PASS_FORM_RAW,
	PASS_FORM_RAW_SWAP,
	PASS_FORM_STRUCT,
	PASS_FORM_STRUCT_SWAP,
	PASS_FORM_RAW_LDS,
	PASS_FORM_STRUCT_LDS,
	PASS_FORM_GLOBAL_LDS,
};

/* Name of the function an instruction calls directly, "" = it does not. */
const char *pass_called_name(LLVMValueRef inst);
enum pass_form pass_form_of(LLVMValueRef inst);
/* In a base clone: what needs blocks of its own first, then what only marks addresses. */
void lower_copies(LLVMValueRef function, const struct pass_options *options, void *analyses);
void pass_mark(LLVMValueRef function, const struct pass_options *options, void *analyses);
bool pass_is_marker(LLVMValueRef inst);
void pass_marker_read(LLVMValueRef inst, struct access_site *ret);
/* Drop all markers of a module. */
void pass_unmark(LLVMModuleRef module);

#endif
