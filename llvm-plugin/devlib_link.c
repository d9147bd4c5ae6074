/* SPDX-License-Identifier: MIT */
/* The device library: bitcode inside this plugin, linked into the module, inlined, and dropped. */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>

#include "pass.h"
#include "pass_shim.h"

/* The bitcode itself; PROBE_DEVLIB is its path, given by the build. */
__asm__(".section .rodata\n"
	".balign 16\n"
	"probe_devlib_begin:\n"
	".incbin \"" PROBE_DEVLIB "\"\n"
	"probe_devlib_end:\n"
	".byte 0\n"
	".previous\n");
extern const char probe_devlib_begin[] __attribute__((visibility("hidden")));
extern const char probe_devlib_end[] __attribute__((visibility("hidden")));

static const char *const names[DEVLIB_FUNCTIONS] = {
	[DEVLIB_MEMORY_ENTER] = "__probe_dev_memory_enter",
	[DEVLIB_MEMORY_GLOBAL] = "__probe_dev_memory_global",
	[DEVLIB_MEMORY_FLAT] = "__probe_dev_memory_flat",
	[DEVLIB_MEMORY_LDS] = "__probe_dev_memory_lds",
	[DEVLIB_TRACE_ENTER] = "__probe_dev_trace_enter",
	[DEVLIB_TRACE_EXIT] = "__probe_dev_trace_exit",
	[DEVLIB_TRACE_GLOBAL] = "__probe_dev_trace_global",
	[DEVLIB_TRACE_LDS] = "__probe_dev_trace_lds",
	[DEVLIB_UNIFORM] = "__probe_dev_uniform",
};

/* Attributes that bind the library to the target and options it was compiled with. */
static const char *const target_attributes[] = {
	"target-cpu",
	"target-features",
	"tune-cpu",
	"frame-pointer",
	"min-legal-vector-width",
	"no-trapping-math",
	"stack-protector-buffer-size",
	"denormal-fp-math",
	"denormal-fp-math-f32",
	"uniform-work-group-size",
	"amdgpu-flat-work-group-size",
};

static void adapt_functions(LLVMModuleRef library)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(library); f; f = LLVMGetNextFunction(f)) {
		for (size_t i = 0; i < sizeof(target_attributes) / sizeof(target_attributes[0]);
		     i++)
			LLVMRemoveStringAttributeAtIndex(f, LLVMAttributeFunctionIndex,
							 target_attributes[i],
							 (unsigned)strlen(target_attributes[i]));
		if (!LLVMIsDeclaration(f))
			probe_shim_atomic_scope(f, "agent");
	}
}

bool devlib_link(struct devlib *devlib, LLVMModuleRef module, char **ret_error)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(
		probe_devlib_begin, (size_t)(probe_devlib_end - probe_devlib_begin), "probe devlib",
		0);
	LLVMModuleRef library;

	if (LLVMGetNamedFunction(module, names[0])) {
		*ret_error =
			pass_format("the module defines %s, a name of the probes' own", names[0]);
		return false;
	}
	if (LLVMParseBitcodeInContext2(context, buffer, &library)) {
		*ret_error = pass_format("the device library inside the plugin is unreadable");
		return false;
	}
	LLVMSetTarget(library, LLVMGetTarget(module));
	LLVMSetDataLayout(library, LLVMGetDataLayoutStr(module));
	adapt_functions(library);
	if (LLVMLinkModules2(module, library)) {
		*ret_error = pass_format("the device library does not link with the module");
		return false;
	}
	for (size_t i = 0; i < DEVLIB_FUNCTIONS; i++) {
		devlib->function[i] = LLVMGetNamedFunction(module, names[i]);
		if (!devlib->function[i]) {
			*ret_error = pass_format("the device library lacks %s", names[i]);
			return false;
		}
		LLVMSetLinkage(devlib->function[i], LLVMInternalLinkage);
	}
	return true;
}

void devlib_unlink(struct devlib *devlib, void *analyses)
{
	for (size_t i = 0; i < DEVLIB_FUNCTIONS; i++)
		if (!LLVMGetFirstUse(devlib->function[i]))
			probe_shim_delete(devlib->function[i], analyses);
}
