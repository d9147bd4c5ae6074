/* SPDX-License-Identifier: MIT */
/* The device library: bitcode inside this plugin, linked into the module, inlined, and dropped. */
#include "llvm-plugin/emit/devlib_link.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/Linker.h>

#include <probe/wire.h>

#include "llvm-plugin/analysis/ir_edit.h"
#include "llvm-plugin/base/call_units.h"
#include "llvm-plugin/base/compile_options.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/base/reserved_registers.h"

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
	[DEVLIB_MEMORY_SITE] = "__probe_dev_memory_site",
	[DEVLIB_MEMORY_BUCKET] = "__probe_dev_memory_bucket",
	[DEVLIB_MEMORY_ANY] = "__probe_dev_memory_any",
	[DEVLIB_MEMORY_BATCH] = "__probe_dev_memory_batch",
	[DEVLIB_MEMORY_SEED] = "__probe_dev_memory_seed",
	[DEVLIB_MEMORY_FIRST] = "__probe_dev_memory_first",
	[DEVLIB_TRACE_ANY] = "__probe_dev_trace_any",
	[DEVLIB_TRACE_CALL] = "__probe_dev_trace_call",
	[DEVLIB_TRACE_SITE] = "__probe_dev_trace_site",
	[DEVLIB_TRACE_IRREGULAR] = "__probe_dev_trace_irregular",
	[DEVLIB_TRACE_IRREGULAR_LDS] = "__probe_dev_trace_irregular_lds",
	[DEVLIB_TRACE_BARRIER] = "__probe_dev_trace_barrier",
	[DEVLIB_TRACE_BLOCK] = "__probe_dev_trace_block1",
	[DEVLIB_TRACE_BLOCK + 1] = "__probe_dev_trace_block2",
	[DEVLIB_TRACE_BLOCK + 2] = "__probe_dev_trace_block3",
	[DEVLIB_TRACE_BLOCK + 3] = "__probe_dev_trace_block4",
	[DEVLIB_TRACE_BLOCK + 4] = "__probe_dev_trace_block5",
	[DEVLIB_TRACE_BLOCK + 5] = "__probe_dev_trace_block6",
	[DEVLIB_TRACE_BLOCK + 6] = "__probe_dev_trace_block7",
	[DEVLIB_TRACE_BLOCK + 7] = "__probe_dev_trace_block8",
	[DEVLIB_TRACE_ENTER] = "__probe_dev_trace_enter",
	[DEVLIB_TRACE_EXIT] = "__probe_dev_trace_exit",
	[DEVLIB_TRACE_EXIT_SLOW] = "__probe_dev_trace_exit_slow",
	[DEVLIB_CURSOR_ENTER] = "__probe_dev_cursor_enter",
	[DEVLIB_CURSOR_EXIT] = "__probe_dev_cursor_exit",
	[DEVLIB_ENTER_SLOW] = "__probe_dev_enter_slow",
	[DEVLIB_TIME_ENTER] = "__probe_dev_time_enter",
	[DEVLIB_TIME_EXIT] = "__probe_dev_time_exit",
	[DEVLIB_TIME_EXIT_SLOW] = "__probe_dev_time_exit_slow",
	[DEVLIB_TIME_BEGIN] = "__probe_dev_time_begin",
	[DEVLIB_TIME_END] = "__probe_dev_time_end",
	[DEVLIB_TIME_SPAN_BEGIN] = "__probe_dev_time_span_begin",
	[DEVLIB_TIME_SPAN_END] = "__probe_dev_time_span_end",
	[DEVLIB_STORED_ENTER] = "__probe_dev_stored_enter",
	[DEVLIB_STORED_BEGIN] = "__probe_dev_stored_begin",
	[DEVLIB_STORED_END] = "__probe_dev_stored_end",
	[DEVLIB_STORED_EXIT] = "__probe_dev_stored_exit",
	[DEVLIB_STORED_EXIT_SLOW] = "__probe_dev_stored_exit_slow",
	[DEVLIB_EMIT_BEGIN] = "__probe_dev_emit_begin",
	[DEVLIB_EMIT_WORD] = "__probe_dev_emit_word",
	[DEVLIB_RING_REFILL] = "__probe_dev_ring_refill",
	[DEVLIB_COUNT_BLOCK] = "__probe_dev_count_block",
	[DEVLIB_COUNT_OPTNONE] = "__probe_dev_count_optnone",
	[DEVLIB_SELECT] = "__probe_dev_select",
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
			ir_set_atomic_scope(f, "agent");
	}
}

/* ---- Portable functions: those of portable_probe.h, with the lanes of a wave behind their names.
 */

/* The portable version of a function for waves of so many lanes; NULL = there is none. */
static LLVMValueRef portable_of(LLVMModuleRef module, const char *name, unsigned lanes)
{
	char *text = pass_format("%s_%u", name, lanes);
	LLVMValueRef function = LLVMGetNamedFunction(module, text);

	free(text);
	return function;
}

/*
 * Is this the version of a function to be kept? `lanes`: 0 = lean probes, otherwise portable code.
 */
static bool is_wanted(LLVMModuleRef library, LLVMValueRef function, unsigned lanes)
{
	size_t size;
	const char *name = LLVMGetValueName2(function, &size);
	const char *behind = size > 3 ? name + size - 3 : "";

	if (!strcmp(behind, "_32") || !strcmp(behind, "_64"))
		return (unsigned)atoi(behind + 1) == lanes;
	return !lanes || !portable_of(library, name, lanes);
}

static void drop_others(LLVMModuleRef library, unsigned lanes)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(library), next; f; f = next) {
		next = LLVMGetNextFunction(f);
		if (LLVMIsDeclaration(f) || is_wanted(library, f, lanes))
			continue;
		/* Only functions that are dropped as well call it. */
		LLVMReplaceAllUsesWith(f, LLVMGetUndef(LLVMTypeOf(f)));
		LLVMDeleteFunction(f);
	}
}

/* Code for other targets is eliminated when the function is inlined or its copy is cleaned up. */
static void set_target(LLVMModuleRef library, unsigned generation)
{
	LLVMValueRef function = LLVMGetNamedFunction(library, "__probe_dev_target");

	for (LLVMUseRef use; function && (use = LLVMGetFirstUse(function));) {
		LLVMValueRef call = LLVMGetUser(use);

		LLVMReplaceAllUsesWith(call, LLVMConstInt(LLVMTypeOf(call), generation, 0));
		LLVMInstructionEraseFromParent(call);
	}
	if (function)
		LLVMDeleteFunction(function);
}

bool devlib_link(struct devlib *devlib, LLVMModuleRef module, const struct pass_options *options,
		 char **ret_error)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(
		probe_devlib_begin, (size_t)(probe_devlib_end - probe_devlib_begin), "probe devlib",
		0);
	LLVMModuleRef library;
	LLVMBool broken;

	*devlib = (struct devlib){.portable = options->portable != 0};
	if (LLVMGetNamedFunction(module, names[0])) {
		*ret_error =
			pass_format("the module defines %s, a name of the probes' own", names[0]);
		return false;
	}
	broken = LLVMParseBitcodeInContext2(context, buffer, &library);
	LLVMDisposeMemoryBuffer(buffer);
	if (broken) {
		*ret_error = pass_format("the device library inside the plugin is unreadable");
		return false;
	}
	LLVMSetTarget(library, LLVMGetTarget(module));
	LLVMSetDataLayout(library, LLVMGetDataLayoutStr(module));
	drop_others(library, options->portable);
	set_target(library, options->generation);
	adapt_functions(library);
	if (LLVMLinkModules2(module, library)) {
		*ret_error = pass_format("the device library does not link with the module");
		return false;
	}
	for (size_t i = 0; i < DEVLIB_FUNCTIONS; i++) {
		if (options->portable)
			devlib->function[i] = portable_of(module, names[i], options->portable);
		if (!devlib->function[i])
			devlib->function[i] = LLVMGetNamedFunction(module, names[i]);
		if (!devlib->function[i]) {
			*ret_error = pass_format("the device library lacks %s", names[i]);
			return false;
		}
		LLVMSetLinkage(devlib->function[i], LLVMInternalLinkage);
	}
	return true;
}

static void copy_attribute(LLVMValueRef to, LLVMValueRef from, const char *name)
{
	LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(from, LLVMAttributeFunctionIndex,
								   name, (unsigned)strlen(name));

	if (attribute)
		LLVMAddAttributeAtIndex(to, LLVMAttributeFunctionIndex, attribute);
}

static void add_attribute(LLVMValueRef to, const char *name, const char *value)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(to));

	LLVMAddAttributeAtIndex(to, LLVMAttributeFunctionIndex,
				LLVMCreateStringAttribute(context, name, (unsigned)strlen(name),
							  value, (unsigned)strlen(value)));
}

static void add_enum(LLVMValueRef to, const char *name)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(to));
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	LLVMAddAttributeAtIndex(to, LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(context, kind, 0));
}

/* Shape bits for which every function has a copy of its own. */
#define COPIES ((uint32_t)(DEVLIB_SHAPE_OPTNONE | DEVLIB_SHAPE_CURSOR))

static uint32_t unit_shape(enum devlib_function function, uint32_t shape)
{
	uint32_t unit = shape & 0xff;

	/* LDS units with the same cost are counted together (fast_lds_passes.h). */
	if (function == DEVLIB_MEMORY_ANY || function == DEVLIB_MEMORY_SITE ||
	    !(shape & DEVLIB_SHAPE_LDS) || unit < 4 || unit == 12)
		shape = (shape & ~0xff00u) | 1 << 8;
	return shape & (DEVLIB_SHAPE_LDS | DEVLIB_SHAPE_FLAT)
		       ? shape
		       : shape & ~(uint32_t)(DEVLIB_SHAPE_STORE | DEVLIB_SHAPE_ATOMIC);
}

/*
 * Does the function depend on the shape? A trace record has addresses only. Counters are computed
 * per unit, and depend on the direction (load or store) in LDS only.
 */
static bool depends_on_shape(enum devlib_function function)
{
	return function == DEVLIB_MEMORY_ANY || function == DEVLIB_MEMORY_SITE ||
	       function == DEVLIB_MEMORY_FIRST;
}

/* False for copies, whose names end with the shape. */
static bool calls_library(LLVMValueRef inst)
{
	LLVMValueRef callee = pass_direct_callee(inst);
	size_t size;
	const char *name = callee ? LLVMGetValueName2(callee, &size) : "";

	return !strncmp(name, "__probe_dev_", 12) &&
	       (!strcmp(name + size - 3, "_32") || !strcmp(name + size - 3, "_64"));
}

/* A call of the library in a function; NULL = none, or none left. */
static LLVMValueRef next_call(LLVMValueRef function)
{
	for (LLVMValueRef inst = pass_first_inst(function); inst; inst = pass_next_inst(inst))
		if (calls_library(inst))
			return inst;
	return NULL;
}

static void call_copy(struct devlib *devlib, LLVMValueRef call, LLVMValueRef like, void *analyses)
{
	unsigned last = (unsigned)LLVMGetNumOperands(call) - 1, which = 0;

	while (devlib->function[which] != LLVMGetOperand(call, last))
		which++;
	LLVMSetOperand(call, last,
		       devlib_share(devlib, which, DEVLIB_SHAPE_OPTNONE, like, analyses));
}

/*
 * Resolve the calls of a portable function. Functions that are called often inline their callees,
 * and need no stack; the functions for a wave's start and end call copies.
 */
static void resolve_callees(struct devlib *devlib, enum devlib_function which, LLVMValueRef copy,
			    LLVMValueRef like, void *analyses)
{
	for (LLVMValueRef call; (call = next_call(copy));)
		if (which == DEVLIB_CURSOR_ENTER || which == DEVLIB_CURSOR_EXIT)
			call_copy(devlib, call, like, analyses);
		else if (!ir_inline(call))
			return;
}

/* Entry functions are inlined, except in portable code, whose copies must remain calls. */
static void forbid_inlining(LLVMValueRef function)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));

	LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
				       LLVMGetEnumAttributeKindForName("alwaysinline", 12));
	LLVMAddAttributeAtIndex(
		function, LLVMAttributeFunctionIndex,
		LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName("noinline", 8),
					0));
}

/*
 * The functions for a wave's start and end, and stamps: their last argument is `optnone`
 * (ring_cursor.h).
 */
static bool depends_on_plain(enum devlib_function function)
{
	return function == DEVLIB_CURSOR_ENTER || function == DEVLIB_CURSOR_EXIT ||
	       function == DEVLIB_TIME_BEGIN || function == DEVLIB_TIME_END;
}

static void set_last(LLVMValueRef function, uint32_t value)
{
	LLVMValueRef param = LLVMGetLastParam(function);

	LLVMReplaceAllUsesWith(param, LLVMConstInt(LLVMTypeOf(param), value, 0));
}

/* Does the function use the cursor's registers? */
static bool is_of_ring(enum devlib_function function)
{
	return function >= DEVLIB_TRACE_ANY && function <= DEVLIB_RING_REFILL;
}

/* Vector registers that callers let a function use (measure_access.h, ring_cursor.h). */
static int vgprs_of(enum devlib_function function)
{
	if (function == DEVLIB_TRACE_EXIT_SLOW || function == DEVLIB_TIME_EXIT_SLOW)
		return PASS_EXIT_VGPRS;
	if (function == DEVLIB_STORED_EXIT_SLOW)
		return PASS_EXIT_VGPRS - 1;
	/* It keeps values in four more (SLOW_SAVE). */
	if (function == DEVLIB_ENTER_SLOW)
		return PASS_EXIT_VGPRS - 4;
	if (function == DEVLIB_MEMORY_BATCH)
		return PASS_BATCH_VGPRS;
	return function == DEVLIB_RING_REFILL || function == DEVLIB_TRACE_CALL ? 12
									       : PASS_SHARED_VGPRS;
}

/*
 * Targets with one file for vector and accumulation registers double the limit, for both kinds.
 * From LLVM 21 on a function without accumulation registers gets all of it, unless it asks for its
 * half of them; older versions always halve it, and do not know that attribute.
 */
static void limit_vgprs(LLVMValueRef function, int most)
{
	char *number = pass_format("%d", most);

	add_attribute(function, "amdgpu-num-vgpr", number);
	add_attribute(function, "amdgpu-agpr-alloc", number);
	free(number);
}

/*
 * Callers keep values in s0 to s3, which functions do not use on targets where these describe the
 * stack. On those where hardware sets up flat_scratch (gfx940 and later) functions may use them.
 */
static void preserve_low_sgprs(LLVMValueRef function)
{
	static const char key[] = "target-features", off[] = "-architected-flat-scratch";
	LLVMAttributeRef old = LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex,
							     key, sizeof(key) - 1);
	unsigned size = 0;
	const char *text = old ? LLVMGetStringAttributeValue(old, &size) : "";
	char *features = pass_format("%.*s%s%s", (int)size, text, size ? "," : "", off);

	add_attribute(function, key, features);
	free(features);
}

void devlib_refer_to_copy(struct devlib *devlib, LLVMValueRef function, enum devlib_function which,
			  uint32_t shape, LLVMValueRef like, void *analyses)
{
	LLVMValueRef original = devlib->function[which], copy;

	if (!LLVMGetFirstUse(original))
		return;
	copy = devlib_share(devlib, which, shape, like, analyses);
	for (LLVMValueRef inst = pass_first_inst(function); inst; inst = pass_next_inst(inst))
		for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(inst); i++)
			if (LLVMGetOperand(inst, i) == original)
				LLVMSetOperand(inst, i, copy);
}

/* Called by unoptimised code, instead of being inlined; calls the other copies for it. */
static void call_from_optnone(struct devlib *devlib, LLVMValueRef copy, LLVMValueRef like,
			      void *analyses)
{
	forbid_inlining(copy);
	devlib_refer_to_copy(devlib, copy, DEVLIB_RING_REFILL, DEVLIB_SHAPE_OPTNONE, like,
			     analyses);
	devlib_refer_to_copy(devlib, copy, DEVLIB_TRACE_ANY, DEVLIB_SHAPE_OPTNONE, like, analyses);
}

/* Registers that a shared function may use, and how it treats those of its caller. */
static void set_registers(const struct devlib *devlib, LLVMValueRef copy,
			  enum devlib_function which, uint32_t shape)
{
	if (!(shape & DEVLIB_SHAPE_OPTNONE))
		limit_vgprs(copy, vgprs_of(which));
	if (!(shape & DEVLIB_SHAPE_OPTNONE) && !devlib->portable)
		preserve_low_sgprs(copy);
	if (is_of_ring(which))
		reserved_apply(copy, which == DEVLIB_ENTER_SLOW ? PASS_ENTER_SGPRS
								: RESERVED_CURSOR_FIRST);
	/* The compiler saves no registers: there is no stack for them (ring_cursor.c). */
	if (which == DEVLIB_ENTER_SLOW || which == DEVLIB_TIME_EXIT_SLOW ||
	    which == DEVLIB_STORED_EXIT_SLOW)
		add_enum(copy, "naked");
}

LLVMValueRef devlib_share(struct devlib *devlib, enum devlib_function which, uint32_t shape,
			  LLVMValueRef like, void *analyses)
{
	struct devlib_shared shared = {
		.original = which,
		.shape = depends_on_shape(which) ? unit_shape(which, shape) : shape & COPIES,
	};
	LLVMValueRef original = devlib->function[shared.original];
	size_t size;
	char *name;

	for (size_t i = 0; i < devlib->shared_count; i++)
		if (devlib->shared[i].original == shared.original &&
		    devlib->shared[i].shape == shared.shape)
			return devlib->shared[i].copy;
	name = pass_format("%s_%x", LLVMGetValueName2(original, &size), shared.shape);
	shared.copy = ir_clone(original, name, NULL, 0);
	free(name);
	LLVMSetLinkage(shared.copy, LLVMInternalLinkage);
	copy_attribute(shared.copy, like, "target-cpu");
	copy_attribute(shared.copy, like, "target-features");
	/* Otherwise the back end allocates a stack of 16 KiB per lane for its callers. */
	if (shape & DEVLIB_SHAPE_OPTNONE)
		add_enum(shared.copy, "norecurse");
	set_registers(devlib, shared.copy, which, shape);
	if (which == DEVLIB_STORED_EXIT_SLOW)
		devlib_refer_to_copy(devlib, shared.copy, DEVLIB_RING_REFILL, 0, like, analyses);
	if (which == DEVLIB_TRACE_SITE && !devlib->portable)
		call_from_optnone(devlib, shared.copy, like, analyses);
	if (depends_on_shape(which))
		set_last(shared.copy, shared.shape & ~(uint32_t)DEVLIB_SHAPE_OPTNONE);
	if (devlib->portable && depends_on_plain(which))
		set_last(shared.copy, !(shape & DEVLIB_SHAPE_CURSOR));
	if (devlib->portable) {
		ir_cleanup(shared.copy, analyses);
		forbid_inlining(shared.copy);
		resolve_callees(devlib, which, shared.copy, like, analyses);
	}
	ir_cleanup(shared.copy, analyses);
	devlib->shared =
		pass_alloc(devlib->shared, (devlib->shared_count + 1) * sizeof(*devlib->shared));
	devlib->shared[devlib->shared_count++] = shared;
	return shared.copy;
}

void devlib_unlink(struct devlib *devlib, void *analyses)
{
	/* Twice: the functions that others call are unused once these are deleted. */
	for (size_t i = 0; i < 2 * DEVLIB_FUNCTIONS; i++) {
		LLVMValueRef *function = &devlib->function[i % DEVLIB_FUNCTIONS];

		if (!*function || LLVMGetFirstUse(*function))
			continue;
		ir_delete(*function, analyses);
		*function = NULL;
	}
	free(devlib->shared);
}
