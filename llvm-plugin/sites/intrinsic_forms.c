/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/sites/intrinsic_forms.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/sites/access_sites.h"

/* By prefix of the name; the first match is used. */
static const struct intrinsic_form known[] = {
	{"llvm.memcpy.element.", PASS_FORM_UNKNOWN, 0},
	{"llvm.memmove.element.", PASS_FORM_UNKNOWN, 0},
	{"llvm.memset.element.", PASS_FORM_UNKNOWN, 0},
	{"llvm.memcpy.", PASS_FORM_COPY, 0},
	{"llvm.memmove.", PASS_FORM_COPY, 0},
	{"llvm.memset.", PASS_FORM_COPY, 0},
	{"llvm.masked.", PASS_FORM_UNKNOWN, 0},
	/* The width is in the descriptor. */
	{"llvm.amdgcn.raw.buffer.load.format", PASS_FORM_UNKNOWN, 0},
	{"llvm.amdgcn.raw.buffer.store.format", PASS_FORM_UNKNOWN, 0},
	{"llvm.amdgcn.raw.ptr.buffer.load.format", PASS_FORM_UNKNOWN, 0},
	{"llvm.amdgcn.raw.ptr.buffer.store.format", PASS_FORM_UNKNOWN, 0},
	{"llvm.amdgcn.struct.buffer.load.format", PASS_FORM_UNKNOWN, 0},
	{"llvm.amdgcn.struct.buffer.store.format", PASS_FORM_UNKNOWN, 0},
	{"llvm.amdgcn.struct.ptr.buffer.load.format", PASS_FORM_UNKNOWN, 0},
	{"llvm.amdgcn.struct.ptr.buffer.store.format", PASS_FORM_UNKNOWN, 0},
	{"llvm.amdgcn.raw.buffer.load.lds", PASS_FORM_RAW_LDS, PROBE_ACCESS_LOAD},
	{"llvm.amdgcn.raw.ptr.buffer.load.lds", PASS_FORM_RAW_LDS, PROBE_ACCESS_LOAD},
	{"llvm.amdgcn.struct.buffer.load.lds", PASS_FORM_STRUCT_LDS, PROBE_ACCESS_LOAD},
	{"llvm.amdgcn.struct.ptr.buffer.load.lds", PASS_FORM_STRUCT_LDS, PROBE_ACCESS_LOAD},
	{"llvm.amdgcn.raw.buffer.load", PASS_FORM_RAW, PROBE_ACCESS_LOAD},
	{"llvm.amdgcn.raw.buffer.store", PASS_FORM_RAW, PROBE_ACCESS_STORE},
	{"llvm.amdgcn.raw.buffer.atomic.cmpswap", PASS_FORM_RAW_SWAP, PROBE_ACCESS_ATOMIC},
	{"llvm.amdgcn.raw.buffer.atomic", PASS_FORM_RAW, PROBE_ACCESS_ATOMIC},
	{"llvm.amdgcn.raw.ptr.buffer.load", PASS_FORM_RAW, PROBE_ACCESS_LOAD},
	{"llvm.amdgcn.raw.ptr.buffer.store", PASS_FORM_RAW, PROBE_ACCESS_STORE},
	{"llvm.amdgcn.raw.ptr.buffer.atomic.cmpswap", PASS_FORM_RAW_SWAP, PROBE_ACCESS_ATOMIC},
	{"llvm.amdgcn.raw.ptr.buffer.atomic", PASS_FORM_RAW, PROBE_ACCESS_ATOMIC},
	{"llvm.amdgcn.struct.buffer.load", PASS_FORM_STRUCT, PROBE_ACCESS_LOAD},
	{"llvm.amdgcn.struct.buffer.store", PASS_FORM_STRUCT, PROBE_ACCESS_STORE},
	{"llvm.amdgcn.struct.buffer.atomic.cmpswap", PASS_FORM_STRUCT_SWAP, PROBE_ACCESS_ATOMIC},
	{"llvm.amdgcn.struct.buffer.atomic", PASS_FORM_STRUCT, PROBE_ACCESS_ATOMIC},
	{"llvm.amdgcn.struct.ptr.buffer.load", PASS_FORM_STRUCT, PROBE_ACCESS_LOAD},
	{"llvm.amdgcn.struct.ptr.buffer.store", PASS_FORM_STRUCT, PROBE_ACCESS_STORE},
	{"llvm.amdgcn.struct.ptr.buffer.atomic.cmpswap", PASS_FORM_STRUCT_SWAP,
	 PROBE_ACCESS_ATOMIC},
	{"llvm.amdgcn.struct.ptr.buffer.atomic", PASS_FORM_STRUCT, PROBE_ACCESS_ATOMIC},
	{"llvm.amdgcn.raw.", PASS_FORM_UNKNOWN, 0},
	{"llvm.amdgcn.struct.", PASS_FORM_UNKNOWN, 0},
	{"llvm.amdgcn.buffer.wb", PASS_FORM_NONE, 0},
	{"llvm.amdgcn.buffer.", PASS_FORM_UNKNOWN, 0},
	{"llvm.amdgcn.tbuffer.", PASS_FORM_UNKNOWN, 0},
	{"llvm.amdgcn.image.", PASS_FORM_UNKNOWN, 0},
	{"llvm.amdgcn.global.load.lds", PASS_FORM_GLOBAL_LDS, PROBE_ACCESS_LOAD},
	{"llvm.amdgcn.global.atomic.", PASS_FORM_POINTER, PROBE_ACCESS_ATOMIC},
	{"llvm.amdgcn.flat.atomic.", PASS_FORM_POINTER, PROBE_ACCESS_ATOMIC},
	{"llvm.amdgcn.atomic.", PASS_FORM_POINTER, PROBE_ACCESS_ATOMIC},
	{"llvm.amdgcn.ds.fadd", PASS_FORM_POINTER, PROBE_ACCESS_ATOMIC},
	{"llvm.amdgcn.ds.fmin", PASS_FORM_POINTER, PROBE_ACCESS_ATOMIC},
	{"llvm.amdgcn.ds.fmax", PASS_FORM_POINTER, PROBE_ACCESS_ATOMIC},
	{"llvm.amdgcn.global.", PASS_FORM_UNKNOWN, 0},
	{"llvm.amdgcn.flat.", PASS_FORM_UNKNOWN, 0},
	{"llvm.amdgcn.ds.append", PASS_FORM_UNKNOWN, 0},
	{"llvm.amdgcn.ds.consume", PASS_FORM_UNKNOWN, 0},
	{"llvm.amdgcn.ds.ordered.", PASS_FORM_UNKNOWN, 0},
	{"llvm.amdgcn.ds.read.", PASS_FORM_UNKNOWN, 0},
};

const struct intrinsic_form *intrinsic_form_find(LLVMValueRef inst)
{
	const char *name = pass_called_name(inst);

	if (strncmp(name, "llvm.", 5))
		return NULL;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strncmp(name, known[i].name, strlen(known[i].name)))
			return &known[i];
	return NULL;
}

enum pass_form pass_form_of(LLVMValueRef inst)
{
	const struct intrinsic_form *found = intrinsic_form_find(inst);

	return found ? found->form : PASS_FORM_NONE;
}

bool pass_is_marker(LLVMValueRef inst)
{
	return !strncmp(pass_called_name(inst), PASS_MARKER, strlen(PASS_MARKER));
}

void pass_marker_read(LLVMValueRef inst, struct access_site *ret)
{
	ret->pointer = LLVMGetOperand(inst, 0);
	ret->size = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(inst, 1));
	ret->access = (enum probe_access_kind)LLVMConstIntGetZExtValue(LLVMGetOperand(inst, 2));
	ret->space = (enum probe_space)LLVMConstIntGetZExtValue(LLVMGetOperand(inst, 3));
	ret->align = 1;
}
