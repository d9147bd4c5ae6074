/* SPDX-License-Identifier: MIT */
/* Which probes a target can have, and how wide its waves are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pass.h"

/*
 * By the start of the name; the first row that fits counts. gfx9 has every kind, in code of its
 * own. RDNA has them in portable code (devlib/devlib_portable.h). The others lack something.
 */
static const struct {
	const char *target;
	unsigned generation;
	const char *lacks;
} targets[] = {
	{"gfx950", 0, "its 64 LDS banks are not known to the device library"},
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

static bool refused(const struct target *target, const char *lacks)
{
	fprintf(stderr,
		"probe: warning: no probes for target %.*s: %s; its kernels are compiled without\n",
		(int)target->size, target->cpu, lacks);
	return false;
}

/* What only gfx9 has, left out, with a word about it. */
static bool restrict_kinds(const struct target *target, struct pass_options *options)
{
	if (!(options->kinds & 1u << PROBE_KIND_COUNT))
		return true;
	options->kinds &= ~(1u << PROBE_KIND_COUNT);
	if (!options->kinds)
		return refused(target, "PROBE_KINDS has only count, a kind that it lacks");
	fprintf(stderr,
		"probe: warning: target %.*s has no probes of the kind count; there will be no "
		"such clones\n",
		(int)target->size, target->cpu);
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
		if (target.generation != first.generation || target.lanes != first.lanes)
			return refused(&target,
				       "kernels with different waves are in one module with it");
	}
	options->generation = first.generation;
	if (first.generation > 9 && !restrict_kinds(&first, options))
		return false;
	if (first.generation > 9 || options->portable)
		options->portable = first.lanes;
	/* What a proof counts, lean probes count. */
	if (options->portable)
		options->prove = false;
	return true;
}
