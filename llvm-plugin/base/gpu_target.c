/* SPDX-License-Identifier: MIT */
/* Supported targets: which probes they can have, and the size of their waves. */
#include "llvm-plugin/base/gpu_target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/base/call_units.h"
#include "llvm-plugin/base/compile_options.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/base/llvm-compat.h"

/*
 * By prefix of the name; the first match is used. gfx9 has every kind, in code of its own. RDNA has
 * all kinds in portable code (devlib/portable_probe.h). The others lack something.
 */
static const struct {
	const char *target;
	unsigned generation;
	const char *lacks;
} targets[] = {
	{"gfx950", 9, NULL},
	{"gfx9-", 0, "a generic target has no LDS rules of its own"},
	{"gfx90", 9, NULL},
	{"gfx94", 9, NULL},
	{"gfx10-", 0, "a generic target has no LDS rules of its own"},
	{"gfx11-", 0, "a generic target has no LDS rules of its own"},
	{"gfx10", 10, NULL},
	{"gfx11", 11, NULL},
	{"gfx12", 0, "the phases of its LDS are not known to the device library"},
	{"", 0, "the device library knows gfx9, gfx10 and gfx11 only"},
};

struct target {
	const char *cpu;
	unsigned size;
	unsigned generation;
	unsigned lanes;
	const char *lacks;
};

static const char *attribute_of(LLVMValueRef function, const char *name, unsigned *ret_size)
{
	LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(
		function, LLVMAttributeFunctionIndex, name, (unsigned)strlen(name));

	*ret_size = 0;
	return attribute ? LLVMGetStringAttributeValue(attribute, ret_size) : "";
}

/* RDNA uses wave32 unless the target's features say otherwise. */
static unsigned rdna_lanes(LLVMValueRef kernel)
{
	unsigned size;
	const char *features = attribute_of(kernel, "target-features", &size);
	char *text = pass_format("%.*s", (int)size, features);
	unsigned lanes = strstr(text, "+wavefrontsize64") ? 64 : 32;

	free(text);
	return lanes;
}

static struct target target_of(LLVMValueRef kernel)
{
	struct target target = {.lanes = 64, .generation = 9};

	target.cpu = attribute_of(kernel, "target-cpu", &target.size);
	if (!target.size)
		return target;
	for (size_t i = 0;; i++) {
		size_t length = strlen(targets[i].target);

		if (length > target.size || memcmp(target.cpu, targets[i].target, length))
			continue;
		target.lacks = targets[i].lacks;
		target.generation = targets[i].generation;
		if (target.generation > 9)
			target.lanes = rdna_lanes(kernel);
		return target;
	}
}

/*
 * On targets before gfx90a LLVM spills scalar registers in the function that counts a batch, for
 * which there is no stack. On gfx942 hardware sets up flat_scratch, and it is not known whether an
 * instruction can read it: the simulated one gives 0, and records would be stored at address 0.
 */
static bool counts_batches(const struct target *target)
{
	return PROBE_SETS_UP_FLAT_SCRATCH && target->size == strlen("gfx90a") &&
	       !memcmp(target->cpu, "gfx90a", target->size);
}

static bool warn_unsupported(const struct target *target, const char *lacks)
{
	fprintf(stderr,
		"probe: warning: no probes for target %.*s: %s; its kernels are compiled without\n",
		(int)target->size, target->cpu, lacks);
	return false;
}

bool gpu_target_check(const struct call_units *units, struct pass_options *options)
{
	struct target first = {0};

	for (size_t i = 0; i < units->count; i++) {
		struct target target;

		if (!units->unit[i].kernel)
			continue;
		target = target_of(units->unit[i].original);
		if (target.lacks)
			return warn_unsupported(&target, target.lacks);
		if (!first.lanes)
			first = target;
		if (target.generation != first.generation || target.lanes != first.lanes)
			return warn_unsupported(
				&target, "kernels with different waves are in one module with it");
		if (!counts_batches(&target))
			options->disabled |= 1u << PASS_BATCHES;
	}
	options->generation = first.generation;
	/*
	 * Its reads are spread over 64 banks in phases of whole waves, which the device library
	 * lacks.
	 */
	options->no_lds = first.size >= 6 && !memcmp(first.cpu, "gfx950", 6);
	if (first.generation > 9 || options->portable)
		options->portable = first.lanes;
	/* Portable probes measure every execution and do not use proofs. */
	if (options->portable)
		options->prove = false;
	return true;
}

/*
 * The position of a wave: CU_ID, SH_ID and SE_ID of HW_ID on gfx9; WGP_ID and, two bits higher,
 * SA_ID of HW_ID1 on RDNA (portable_probe.h). On gfx10 scalar code may overwrite registers that a
 * memory operation has not read yet (LLVM: VMEMtoScalarWriteHazard); the back end does not insert
 * the wait inside of asm.
 */
static const struct wave_form waves[] = {
	{64, "exec", "vcc", "hwreg(HW_REG_HW_ID, 8, 8)", NULL},
	{64, "exec", "vcc", "hwreg(HW_REG_HW_ID1, 10, 8)", "s_waitcnt_depctr 0xffe3"},
	{32, "exec_lo", "vcc_lo", "hwreg(HW_REG_HW_ID1, 10, 8)", "s_waitcnt_depctr 0xffe3"},
};

const struct wave_form *gpu_target_wave(const struct pass_options *options)
{
	if (options->generation <= 9)
		return &waves[0];
	return &waves[options->portable == 32 ? 2 : 1];
}
