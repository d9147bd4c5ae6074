/* SPDX-License-Identifier: MIT */
/* Which instructions are sites, how the machine splits them, and where they stand in the source. */
#include <stdio.h>
#include <string.h>

#include "pass.h"
#include "pass_shim.h"

/*
 * How gfx9 back ends select an access (checked against llc-15 for gfx90a, every width, alignment
 * and space; tests/pass/unit.ll repeats it). Sizes that end in a smaller remainder (20, 24 bytes,
 * 6) are several instructions of different width there; one unit that divides them stands for
 * those.
 */
static uint32_t widest_unit(uint32_t size, uint32_t limit)
{
	static const uint32_t units[] = {16, 12, 8, 4, 2};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (units[i] <= limit && size % units[i] == 0 && (units[i] != 12 || size == 12))
			return units[i];
	return 1;
}

uint32_t pass_site_unit(enum probe_space space, enum probe_access_kind access, uint32_t size,
			uint32_t align)
{
	switch (space) {
	case PROBE_SPACE_LDS:
		/*
		 * Below 4 the back end trusts the unaligned mode and uses the full width; 4 and 8
		 * become read2/write2 pairs; 12 bytes need 16.
		 */
		if (align < 4 || align >= 16)
			return widest_unit(size, 16);
		return widest_unit(size, align >= 8 ? 8 : 4);
	case PROBE_SPACE_FLAT:
		/* Stores, and 4-byte loads, are split as scratch would need it. */
		if (align < 4 && (size == 4 || (access == PROBE_ACCESS_STORE && size > align)))
			return align;
		return widest_unit(size, 16);
	default:
		return widest_unit(size, 16);
	}
}

/* A copy within scratch and constants, which are of no interest, needs no probe. */
static enum pass_access read_copy(LLVMValueRef inst)
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

static enum pass_access read_call(LLVMValueRef inst)
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

static bool read_operands(LLVMValueRef inst, struct pass_site *ret, LLVMTypeRef *ret_type)
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

/* A probe's constant argument holds the number of units in 8 bits. */
static enum pass_access finish(struct pass_site *ret)
{
	ret->unit = pass_site_unit(ret->space, ret->access, ret->size, ret->align);
	return ret->size / ret->unit > 255 ? PASS_ACCESS_UNCOVERED : PASS_ACCESS_SITE;
}

enum pass_access pass_site_read(LLVMValueRef inst, struct pass_site *ret)
{
	LLVMModuleRef module;
	LLVMTypeRef type;
	unsigned long long size;

	if (pass_is_marker(inst)) {
		pass_marker_read(inst, ret);
		return finish(ret);
	}
	if (!read_operands(inst, ret, &type))
		return LLVMIsACallInst(inst) ? read_call(inst) : PASS_ACCESS_NONE;
	/* Constant memory is read by the scalar unit, scratch is the compiler's own. */
	ret->space = LLVMGetPointerAddressSpace(LLVMTypeOf(ret->pointer));
	switch (ret->space) {
	case PROBE_SPACE_FLAT:
	case PROBE_SPACE_GLOBAL:
	case PROBE_SPACE_LDS:
		break;
	case PROBE_SPACE_BUFFER:
		return PASS_ACCESS_UNCOVERED;
	default:
		return PASS_ACCESS_NONE;
	}
	module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst)));
	size = LLVMStoreSizeOfType(LLVMGetModuleDataLayout(module), type);
	if (!size || size > 1024)
		return PASS_ACCESS_UNCOVERED;
	ret->size = (uint32_t)size;
	/* Of an intrinsic nothing is known; atomic operations need natural alignment. */
	ret->align = LLVMIsACallInst(inst) ? ret->size : LLVMGetAlignment(inst);
	return finish(ret);
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
	while (name_size > 2 && name[0] == '.' && name[1] == '/') {
		name += 2;
		name_size -= 2;
	}
	snprintf(buf, size, "%.*s%s%.*s", (int)directory_size, directory, directory_size ? "/" : "",
		 (int)name_size, name);
}

bool pass_is_barrier(LLVMValueRef inst)
{
	LLVMValueRef callee =
		LLVMIsACallInst(inst) ? LLVMIsAFunction(LLVMGetCalledValue(inst)) : NULL;
	size_t size;

	return callee && !strcmp(LLVMGetValueName2(callee, &size), "llvm.amdgcn.s.barrier");
}

/* Is it in the function, or inlined from or into it? */
static bool in_function_scope(LLVMMetadataRef location, const struct pass_options *options)
{
	for (; location; location = LLVMDILocationGetInlinedAt(location)) {
		LLVMMetadataRef subprogram =
			probe_shim_scope_subprogram(LLVMDILocationGetScope(location));
		const char *name;
		size_t size;

		if (!subprogram)
			continue;
		name = probe_shim_subprogram_name(subprogram, &size);
		if (pass_options_function_in_scope(options, name, size))
			return true;
		name = probe_shim_subprogram_source_name(subprogram, &size);
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
	location = LLVMInstructionGetDebugLoc(inst);
	if (!location)
		return false;
	pass_location_file(LLVMDILocationGetScope(location), file, sizeof(file));
	return pass_options_in_scope(options, file, LLVMDILocationGetLine(location)) ||
	       in_function_scope(location, options);
}

bool pass_site_wanted(LLVMValueRef inst, const struct pass_options *options, struct pass_site *ret)
{
	return pass_site_read(inst, ret) == PASS_ACCESS_SITE && pass_in_scope(inst, options);
}

/*
 * The constant `shape` of an access: unit, number of units << 8, and the SHAPE_ bits of
 * devlib_wave.h.
 */
uint32_t pass_site_shape(const struct pass_site *site)
{
	/* A 12-byte access lies in one line only if it starts at a multiple of 16. */
	uint32_t natural = site->unit == 12 ? 16 : site->unit;

	return site->unit | site->size / site->unit << 8 |
	       (site->access == PROBE_ACCESS_STORE ? DEVLIB_SHAPE_STORE : 0) |
	       (site->access == PROBE_ACCESS_ATOMIC ? DEVLIB_SHAPE_ATOMIC : 0) |
	       (site->align < natural ? DEVLIB_SHAPE_UNALIGNED : 0) |
	       (site->space == PROBE_SPACE_LDS ? DEVLIB_SHAPE_LDS : 0) |
	       (site->space == PROBE_SPACE_FLAT ? DEVLIB_SHAPE_FLAT : 0);
}
