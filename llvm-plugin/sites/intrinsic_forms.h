/* SPDX-License-Identifier: MIT */
/*
 * Intrinsics that access memory, by name. Also markers, which represent accesses in a base clone
 * that are not loads or stores in IR (clone/lower_intrinsics.c).
 */
#ifndef PROBE_LLVM_PLUGIN_SITES_INTRINSIC_FORMS_H
#define PROBE_LLVM_PLUGIN_SITES_INTRINSIC_FORMS_H

#include <stdbool.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

struct access_site;

/* How an intrinsic accesses memory. */
enum pass_form {
	PASS_FORM_NONE,	   /* it does not, or it is not an intrinsic */
	PASS_FORM_UNKNOWN, /* in a way no probe covers */
	PASS_FORM_POINTER, /* address: first operand; data: type of the second */
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

struct intrinsic_form {
	const char *name;
	enum pass_form form;
	enum probe_access_kind access;
};

/* NULL: the instruction is not a call of an intrinsic that accesses memory. */
const struct intrinsic_form *intrinsic_form_find(LLVMValueRef inst);
enum pass_form pass_form_of(LLVMValueRef inst);

#define PASS_MARKER "__probe_access_" /* prefix of a marker's name */
bool pass_is_marker(LLVMValueRef inst);
void pass_marker_read(LLVMValueRef inst, struct access_site *ret);

#endif
