/* SPDX-License-Identifier: MIT */
/* Which probes a target can have, and how wide its waves are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pass.h"

/*
 * By the start of the name; the first row that fits counts. gfx9 has every kind, in code of its
 * own. RDNA has the `memory` kind in portable code (devlib/devlib_portable.h). The others lack
 * something.
 */
static const struct {
	const char *target;
	bool rdna;
	const char *lacks;
} targets[] = {
	{"gfx950", false, "its 64 LDS banks are not known to the device library"},
	{"gfx9-", false, "a generic target has no LDS rules of its own"},
	{"gfx90", false, NULL},
	{"gfx94", false, NULL},
	{"gfx10-", false, "a generic target has no LDS rules of its own"},
	{"gfx11-", false, "a generic target has no LDS rules of its own"},
	{"gfx10", true, NULL},
	{"gfx11", true, NULL},
	{"gfx12", false, "the phases of its LDS are not known to the device library"},
	{"", false, "the device library knows gfx9, gfx10 and gfx11 only"},
};

struct target {
	const char *cpu;
	unsigned size;
	bool rdna;
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

/* RDNA has waves of 32 lanes unless told otherwise. */
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
	struct target target = {.lanes = 64};

	target.cpu = attribute_of(kernel, "target-cpu", &target.size);
	if (!target.size)
		return target;
	for (size_t i = 0;; i++) {
		size_t length = strlen(targets[i].target);

		if (length > target.size || memcmp(target.cpu, targets[i].target, length))
			continue;
		target.lacks = targets[i].lacks;
		target.rdna = targets[i].rdna;
		if (target.rdna)
			target.lanes = rdna_lanes(kernel);
		return target;
	}
}

static bool refused(const struct target *target, const char *lacks)
{
	fprintf(stderr,
		"probe: warning: no probes for target %.*s: %s; its kernels are compiled without\n",
		(int)target->size, target->cpu, lacks);
	return false;
}

/* What only gfx9 has, left out; a word about it to who asked. */
static bool restrict_kinds(const struct target *target, struct pass_options *options)
{
	if (!(options->kinds & 1u << PROBE_KIND_MEMORY))
		return refused(target, "PROBE_KINDS lacks memory, the only kind it has");
	if (!options->by_default && options->kinds != 1u << PROBE_KIND_MEMORY)
		fprintf(stderr,
			"probe: warning: target %.*s has probes of the kind memory only; there "
			"will be no clones of the other kinds\n",
			(int)target->size, target->cpu);
	options->kinds = 1u << PROBE_KIND_MEMORY;
	return true;
}

bool pass_target_check(const struct pass_units *units, struct pass_options *options)
{
	struct target first = {0};

	for (size_t i = 0; i < units->count; i++) {
		struct target target;

		if (!units->unit[i].kernel)
			continue;
		target = target_of(units->unit[i].original);
		if (target.lacks)
			return refused(&target, target.lacks);
		if (!first.lanes)
			first = target;
		if (target.rdna != first.rdna || target.lanes != first.lanes)
			return refused(&target,
				       "kernels with different waves are in one module with it");
	}
	options->rdna = first.rdna;
	if (first.rdna && !restrict_kinds(&first, options))
		return false;
	if (first.rdna || options->portable)
		options->portable = first.lanes;
	/* What a proof counts, lean probes count. */
	if (options->portable)
		options->prove = false;
	return true;
}
