/* SPDX-License-Identifier: MIT */
/*
 * Clones. A kernel gets one more argument, the dispatch context; a device function two, the context
 * and the wave's own word. The original is not touched.
 */
#include "llvm-plugin/clone/kernel_clone.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Comdat.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/analysis/ir_edit.h"
#include "llvm-plugin/clone/lower_intrinsics.h"
#include "llvm-plugin/base/call_units.h"
#include "llvm-plugin/base/compile_options.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/base/llvm-compat.h"
#include "llvm-plugin/base/reserved_registers.h"

/* Attributes of the original that do not hold for its clone. */
static const char *const broken_attributes[] = {
	PROBE_MEMORY_ATTRIBUTES,
	"nosync",
	"speculatable",
};

/* Attributes of parameters that do not hold: probes let addresses escape. */
static const char *const broken_param_attributes[] = {"nocapture", "readnone"};

/*
 * LLVM 16 and later have inferred which implicit inputs a kernel does not need. Clones read these:
 * rings (ring_cursor.c), filters of workgroups, and the choice of sampled executions. With the
 * attributes the back end crashes, or gives them undefined values.
 */
static const char *const probe_inputs[] = {
	"amdgpu-no-dispatch-ptr",   "amdgpu-no-workgroup-id-x", "amdgpu-no-workgroup-id-y",
	"amdgpu-no-workgroup-id-z", "amdgpu-no-workitem-id-x",	"amdgpu-no-workitem-id-y",
	"amdgpu-no-workitem-id-z",
};

/*
 * With this many waves per SIMD, gfx908 has 64 vector registers per wave; other targets have more.
 */
enum { MOST_WAVES = 4 };

static void remove_enum(LLVMValueRef function, LLVMAttributeIndex at, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	if (kind)
		LLVMRemoveEnumAttributeAtIndex(function, at, kind);
}

static void add_enum(LLVMValueRef function, LLVMAttributeIndex at, const char *name, uint64_t value)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	LLVMAddAttributeAtIndex(function, at, LLVMCreateEnumAttribute(context, kind, value));
}

static void weaken_attributes(LLVMValueRef function)
{
	unsigned params = LLVMCountParams(function);

	for (size_t i = 0; i < sizeof(broken_attributes) / sizeof(broken_attributes[0]); i++)
		remove_enum(function, LLVMAttributeFunctionIndex, broken_attributes[i]);
	for (unsigned p = 1; p <= params; p++)
		for (size_t i = 0;
		     i < sizeof(broken_param_attributes) / sizeof(broken_param_attributes[0]); i++)
			remove_enum(function, p, broken_param_attributes[i]);
	add_enum(function, LLVMAttributeFunctionIndex, "convergent", 0);
}

static bool read_number(const char *text, unsigned size, unsigned *ret)
{
	char *copy = pass_format("%.*s", (int)size, text);
	bool done = sscanf(copy, "%u", ret) == 1;

	free(copy);
	return done;
}

/*
 * Probes need registers in addition to those for which the kernel's author set limits, and asm that
 * does not get its registers is an error. Without such limits, the size of a workgroup leaves at
 * least 64 vector registers, and no probe needs more (inline_asm.h).
 */
static void lift_register_limits(LLVMValueRef function)
{
	static const char *const limits[] = {"amdgpu-num-vgpr", "amdgpu-num-sgpr"};
	static const char waves[] = "amdgpu-waves-per-eu";
	LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(
		function, LLVMAttributeFunctionIndex, waves, sizeof(waves) - 1);
	unsigned size, fewest;
	const char *text;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		LLVMRemoveStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, limits[i],
						 (unsigned)strlen(limits[i]));
	if (!attribute)
		return;
	text = LLVMGetStringAttributeValue(attribute, &size);
	if (!read_number(text, size, &fewest) || fewest > MOST_WAVES)
		LLVMRemoveStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, waves,
						 sizeof(waves) - 1);
}

static char *clone_name(LLVMValueRef original, const char *kind)
{
	size_t size;
	const char *name = LLVMGetValueName2(original, &size);

	return pass_format("__probe_%s_%.*s", kind, (int)size, name);
}

void clone_base(struct call_unit *unit, LLVMModuleRef module, const struct pass_options *options,
		void *analyses)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef extra[] = {
		LLVMPointerTypeInContext(context, PROBE_SPACE_CONSTANT),
		LLVMInt64TypeInContext(context),
	};
	unsigned optnone = LLVMGetEnumAttributeKindForName("optnone", 7);
	char *name = clone_name(unit->original, "base");
	unsigned param = LLVMCountParams(unit->original) + 1;

	unit->base = ir_clone(unit->original, name, extra, unit->kernel ? 1 : 2);
	free(name);
	LLVMSetLinkage(unit->base, LLVMInternalLinkage);
	LLVMSetVisibility(unit->base, LLVMDefaultVisibility);
	weaken_attributes(unit->base);
	lift_register_limits(unit->base);
	LLVMSetValueName2(LLVMGetParam(unit->base, param - 1), "probe.ctx", 9);
	add_enum(unit->base, param, "noundef", 0);
	add_enum(unit->base, param, "align", 32);
	add_enum(unit->base, param, "dereferenceable", sizeof(struct probe_ctx));
	lower_copies(unit->base, options, analyses);
	/*
	 * The back end does not vectorise optnone functions, so the clone is not vectorised either.
	 */
	if (!LLVMGetEnumAttributeAtIndex(unit->original, LLVMAttributeFunctionIndex, optnone)) {
		ir_merge_accesses(unit->base, analyses, options->level,
				  pass_enabled(options, PASS_REMOVAL));
		if (pass_enabled(options, PASS_HOISTING))
			ir_hoist(unit->base, analyses);
		if (pass_enabled(options, PASS_ADDRESS_FORMS))
			ir_unite_addresses(unit->base, analyses);
	}
	markers_insert(unit->base, options, analyses);
}

/* Kernels are looked up by name in the code object; functions are called by their clones only. */
static void set_linkage(LLVMValueRef clone, const struct call_unit *unit, LLVMModuleRef module,
			const char *name)
{
	LLVMLinkage linkage = LLVMGetLinkage(unit->original);

	if (!unit->kernel)
		return;
	switch (linkage) {
	case LLVMLinkOnceAnyLinkage:
	case LLVMLinkOnceODRLinkage:
	case LLVMWeakAnyLinkage:
	case LLVMWeakODRLinkage:
		/* Weak, not link-once: a clone has no references, and a linker must not drop it. */
		LLVMSetLinkage(clone, LLVMWeakODRLinkage);
		LLVMSetComdat(clone, LLVMGetOrInsertComdat(module, name));
		break;
	default:
		LLVMSetLinkage(clone, LLVMExternalLinkage);
		break;
	}
	LLVMSetVisibility(clone, LLVMProtectedVisibility);
}

void clone_kind(struct call_unit *unit, LLVMModuleRef module, enum probe_kind kind)
{
	char *name = clone_name(unit->original, pass_kind_name(kind));
	LLVMValueRef clone = unit->base;

	if (kind == PROBE_KIND_MEMORY) {
		ir_rename(unit->base, name);
		unit->base = NULL;
	} else {
		clone = ir_clone(unit->base, name, NULL, 0);
	}
	set_linkage(clone, unit, module, name);
	free(name);
	if (probe_kind_has_rings(kind))
		reserved_apply_all(clone, RESERVED_CURSOR);
	if (unit->kernel)
		for (size_t i = 0; i < sizeof(probe_inputs) / sizeof(probe_inputs[0]); i++)
			LLVMRemoveStringAttributeAtIndex(clone, LLVMAttributeFunctionIndex,
							 probe_inputs[i],
							 (unsigned)strlen(probe_inputs[i]));
	unit->clone[kind] = clone;
}

void clone_rewrite_calls(const struct call_units *units, LLVMValueRef clone, enum probe_kind kind,
			 LLVMValueRef ctx, LLVMValueRef wave)
{
	LLVMValueRef extra[] = {ctx, wave};

	for (LLVMValueRef inst = pass_first_inst(clone), next; inst; inst = next) {
		const struct call_unit *callee = call_units_find(units, pass_direct_callee(inst));

		next = pass_next_inst(inst);
		if (callee && !callee->kernel && callee->clone[kind] && !ir_has_bundles(inst))
			ir_replace_call(inst, callee->clone[kind], extra, 2);
	}
}
