/* SPDX-License-Identifier: MIT */
/*
 * Which instructions are sites, how the hardware splits their accesses, and their source locations.
 */
#include "llvm-plugin/sites/access_sites.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include <probe/wire.h>

#include "common/source_path.h"
#include "llvm-plugin/analysis/ir_edit.h"
#include "llvm-plugin/base/access_removed.h"
#include "llvm-plugin/base/compile_options.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/sites/intrinsic_forms.h"
#include "llvm-plugin/sites/site_location.h"

/*
 * Width of the machine accesses that gfx9 back ends select (checked against llc-15 for gfx90a, for
 * every width, alignment and space; tests/pass/units.test repeats the check). Sizes with a smaller
 * remainder (20, 24 or 6 bytes) become several instructions of different widths. Vectors in
 * optimised code have a site for each (analysis/merge_accesses.cpp); for others, one unit that
 * divides them represents these.
 */
static uint32_t widest_unit(uint32_t size, uint32_t limit)
{
	static const uint32_t units[] = {16, 12, 8, 4, 2};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (units[i] <= limit && size % units[i] == 0 && (units[i] != 12 || size == 12))
			return units[i];
	return 1;
}

uint32_t access_site_unit(enum probe_space space, enum probe_access_kind access, uint32_t size,
			  uint32_t align)
{
	switch (space) {
	case PROBE_SPACE_LDS:
		/*
		 * With an alignment below 4 the back end relies on unaligned access mode and uses
		 * the full width; 4 and 8 become read2/write2 pairs; 12 bytes need 16.
		 */
		if (align < 4 || align >= 16)
			return widest_unit(size, 16);
		return widest_unit(size, align >= 8 ? 8 : 4);
	case PROBE_SPACE_FLAT:
		/* Stores and 4-byte loads are split as for scratch. */
		if (align < 4 && (size == 4 || (access == PROBE_ACCESS_STORE && size > align)))
			return align;
		return widest_unit(size, 16);
	default:
		return widest_unit(size, 16);
	}
}

/* A copy between scratch and constants, which are not probed by default, needs no probe. */
static enum access_class read_copy(LLVMValueRef inst)
{
	for (unsigned i = 0; i < 2; i++) {
		LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(inst, i));
		unsigned space = LLVMGetTypeKind(type) == LLVMPointerTypeKind
					 ? LLVMGetPointerAddressSpace(type)
					 : PROBE_SPACE_SCRATCH;

		if (space == PROBE_SPACE_BUFFER)
			return PASS_ACCESS_UNCOVERED;
		if (space == PROBE_SPACE_FLAT || space == PROBE_SPACE_GLOBAL ||
		    space == PROBE_SPACE_LDS)
			return PASS_ACCESS_LOWERED;
	}
	return PASS_ACCESS_NONE;
}

static enum access_class read_call(LLVMValueRef inst)
{
	switch (pass_form_of(inst)) {
	case PASS_FORM_NONE:
	case PASS_FORM_POINTER:
		return PASS_ACCESS_NONE;
	case PASS_FORM_UNKNOWN:
		return PASS_ACCESS_UNCOVERED;
	case PASS_FORM_COPY:
		return read_copy(inst);
	default:
		return PASS_ACCESS_LOWERED;
	}
}

static bool read_operands(LLVMValueRef inst, struct access_site *ret, LLVMTypeRef *ret_type)
{
	if (LLVMIsALoadInst(inst)) {
		ret->access = PROBE_ACCESS_LOAD;
		ret->pointer = LLVMGetOperand(inst, 0);
		*ret_type = LLVMTypeOf(inst);
	} else if (LLVMIsAStoreInst(inst)) {
		ret->access = PROBE_ACCESS_STORE;
		ret->pointer = LLVMGetOperand(inst, 1);
		*ret_type = LLVMTypeOf(LLVMGetOperand(inst, 0));
	} else if (LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst)) {
		ret->access = PROBE_ACCESS_ATOMIC;
		ret->pointer = LLVMGetOperand(inst, 0);
		*ret_type = LLVMTypeOf(LLVMGetOperand(inst, 1));
	} else if (LLVMIsACallInst(inst) && pass_form_of(inst) == PASS_FORM_POINTER) {
		ret->access = PROBE_ACCESS_ATOMIC;
		ret->pointer = LLVMGetOperand(inst, 0);
		*ret_type = LLVMTypeOf(LLVMGetOperand(inst, 1));
	} else {
		return false;
	}
	return true;
}

/*
 * A load of 3 or 6 bytes with the alignment of a wider one becomes that. Elsewhere than in LDS it
 * was replaced (analysis/merge_accesses.cpp).
 */
static bool is_widened(const struct access_site *site)
{
	return site->space == PROBE_SPACE_LDS && site->access == PROBE_ACCESS_LOAD &&
	       ((site->size == 3 && site->align >= 4) || (site->size == 6 && site->align >= 8));
}

/*
 * Sets the unit. Accesses of more than 255 units are not covered: a probe's constant argument holds
 * their number in 8 bits.
 */
static enum access_class set_unit(struct access_site *ret)
{
	if (is_widened(ret))
		ret->size += ret->size / 3;
	ret->unit = access_site_unit(ret->space, ret->access, ret->size, ret->align);
	return ret->size / ret->unit > 255 ? PASS_ACCESS_UNCOVERED : PASS_ACCESS_SITE;
}

/*
 * Does the pointer lead to the dispatch context, or to implicit arguments? These are not the
 * program's data.
 */
static bool is_hidden(LLVMValueRef pointer)
{
	const char *name;

	while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsABitCastInst(pointer) ||
	       LLVMIsAIntToPtrInst(pointer))
		pointer = LLVMGetOperand(pointer, 0);
	name = pass_called_name(pointer);
	return !strncmp(name, "llvm.amdgcn.", 12) || !strncmp(name, "__probe_", 8);
}

/* Sets size and alignment. False: the type has no size, or is too wide. */
static bool read_size(LLVMValueRef inst, LLVMTypeRef type, struct access_site *ret)
{
	LLVMModuleRef module =
		LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst)));
	unsigned long long size = LLVMStoreSizeOfType(LLVMGetModuleDataLayout(module), type);

	ret->size = (uint32_t)size;
	/*
	 * The alignment of an intrinsic's access is unknown, but atomic operations need natural
	 * alignment.
	 */
	ret->align = LLVMIsACallInst(inst) ? ret->size : LLVMGetAlignment(inst);
	return size && size <= 1024;
}

static bool is_removed(LLVMValueRef inst)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(inst));
	unsigned kind =
		LLVMGetMDKindIDInContext(context, ACCESS_REMOVED, sizeof(ACCESS_REMOVED) - 1);

	return LLVMGetMetadata(inst, kind) != NULL;
}

enum access_class access_site_read(LLVMValueRef inst, struct access_site *ret)
{
	LLVMTypeRef type;
	bool on_request = false;

	if (pass_is_marker(inst)) {
		pass_marker_read(inst, ret);
		return set_unit(ret);
	}
	if (!read_operands(inst, ret, &type))
		return LLVMIsACallInst(inst) ? read_call(inst) : PASS_ACCESS_NONE;
	if (is_removed(inst))
		return PASS_ACCESS_NONE;
	/* Accesses to scratch are marked by lower_intrinsics.c if requested. */
	ret->space = LLVMGetPointerAddressSpace(LLVMTypeOf(ret->pointer));
	switch (ret->space) {
	case PROBE_SPACE_FLAT:
	case PROBE_SPACE_GLOBAL:
	case PROBE_SPACE_LDS:
		break;
	case PROBE_SPACE_BUFFER:
		return PASS_ACCESS_UNCOVERED;
	case PROBE_SPACE_CONSTANT:
		if (is_hidden(ret->pointer))
			return PASS_ACCESS_NONE;
		on_request = true;
		break;
	default:
		return PASS_ACCESS_NONE;
	}
	if (!read_size(inst, type, ret))
		return on_request ? PASS_ACCESS_NONE : PASS_ACCESS_UNCOVERED;
	if (on_request)
		return set_unit(ret) == PASS_ACCESS_SITE ? PASS_ACCESS_ON_REQUEST
							 : PASS_ACCESS_NONE;
	return set_unit(ret);
}

bool access_site_scratch(LLVMValueRef inst, struct access_site *ret)
{
	LLVMTypeRef type;

	if (pass_is_marker(inst) || !read_operands(inst, ret, &type))
		return false;
	ret->space = LLVMGetPointerAddressSpace(LLVMTypeOf(ret->pointer));
	return ret->space == PROBE_SPACE_SCRATCH && read_size(inst, type, ret);
}

void pass_location_file(LLVMMetadataRef scope, char *buf, size_t size)
{
	LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
	const char *name, *directory;
	unsigned name_size = 0, directory_size = 0;

	buf[0] = 0;
	if (!file)
		return;
	name = LLVMDIFileGetFilename(file, &name_size);
	directory = LLVMDIFileGetDirectory(file, &directory_size);
	if (!name_size)
		return;
	if (name[0] == '/' || !directory_size)
		directory_size = 0;
	snprintf(buf, size, "%.*s%s%.*s", (int)directory_size, directory, directory_size ? "/" : "",
		 (int)name_size, name);
	probe_source_path_clean(buf);
}

/* Libraries write barriers that wait for LDS only, not for global memory, as inline assembly. */
static bool is_barrier_asm(LLVMValueRef inst)
{
	char *text;
	bool found;

	if (!LLVMIsACallInst(inst) || !LLVMIsAInlineAsm(LLVMGetCalledValue(inst)))
		return false;
	text = LLVMPrintValueToString(LLVMGetCalledValue(inst));
	found = strstr(text, "s_barrier");
	LLVMDisposeMessage(text);
	return found;
}

bool pass_is_barrier(LLVMValueRef inst)
{
	return !strcmp(pass_called_name(inst), "llvm.amdgcn.s.barrier") || is_barrier_asm(inst);
}

/* Is the location in the function, inlined into it, or inlined from it? */
static bool in_function_scope(LLVMMetadataRef location, const struct pass_options *options)
{
	for (; location; location = LLVMDILocationGetInlinedAt(location)) {
		LLVMMetadataRef subprogram = ir_scope_subprogram(LLVMDILocationGetScope(location));
		const char *name;
		size_t size;

		if (!subprogram)
			continue;
		name = ir_subprogram_name(subprogram, &size);
		if (pass_options_function_in_scope(options, name, size))
			return true;
		name = ir_subprogram_source_name(subprogram, &size);
		if (pass_options_function_in_scope(options, name, size))
			return true;
	}
	return false;
}

bool pass_in_scope(LLVMValueRef inst, const struct pass_options *options)
{
	char file[PASS_PATH_MAX] = "";
	LLVMMetadataRef location;

	if (!options->scopes)
		return true;
	location = site_location_known(inst);
	if (!location)
		return false;
	pass_location_file(LLVMDILocationGetScope(location), file, sizeof(file));
	return pass_options_in_scope(options, file, LLVMDILocationGetLine(location)) ||
	       in_function_scope(LLVMInstructionGetDebugLoc(inst), options);
}

bool access_site_wanted(LLVMValueRef inst, const struct pass_options *options,
			struct access_site *ret)
{
	enum access_class access = access_site_read(inst, ret);

	if (access == PASS_ACCESS_ON_REQUEST && options->spaces >> ret->space & 1)
		access = PASS_ACCESS_SITE;
	if (options->no_lds && ret->space == PROBE_SPACE_LDS)
		return false;
	return access == PASS_ACCESS_SITE && pass_in_scope(inst, options);
}

/*
 * May a unit cross the end of a cache line? In LDS the declared alignment is trusted. Elsewhere a
 * cast can produce a misaligned pointer, which the hardware accepts.
 */
static bool may_straddle(const struct access_site *site)
{
	if (site->space == PROBE_SPACE_LDS)
		return site->align < (site->unit == 12 ? 16 : site->unit);
	return site->unit > 1;
}

uint32_t access_site_shape(const struct access_site *site)
{
	return site->unit | site->size / site->unit << 8 |
	       (site->access == PROBE_ACCESS_STORE ? DEVLIB_SHAPE_STORE : 0) |
	       (site->access == PROBE_ACCESS_ATOMIC ? DEVLIB_SHAPE_ATOMIC : 0) |
	       (may_straddle(site) ? DEVLIB_SHAPE_UNALIGNED : 0) |
	       (site->space == PROBE_SPACE_LDS ? DEVLIB_SHAPE_LDS : 0) |
	       (site->space == PROBE_SPACE_FLAT ? DEVLIB_SHAPE_FLAT : 0);
}

uint32_t access_site_lds_width(const struct access_site *site)
{
	return site->unit < 4 ? 4 : site->unit == 12 ? 16 : site->unit;
}

bool access_site_is_one_call(const struct access_site *site)
{
	return site->size == site->unit ||
	       (site->space == PROBE_SPACE_LDS && access_site_lds_width(site) == site->unit);
}

/* The parts of a shape that determine how an access is counted, except for its address. */
static uint32_t kind_of(const struct access_site *site)
{
	uint32_t shape = access_site_shape(site) & ~(uint32_t)DEVLIB_SHAPE_UNALIGNED;

	if (site->space == PROBE_SPACE_GLOBAL)
		return shape & ~(uint32_t)(DEVLIB_SHAPE_STORE | DEVLIB_SHAPE_ATOMIC);
	return site->unit < 12 ? shape & ~(uint32_t)DEVLIB_SHAPE_STORE : shape;
}

bool access_site_alike(const struct access_site *a, const struct access_site *b)
{
	return a->space == b->space && kind_of(a) == kind_of(b);
}
