/* SPDX-License-Identifier: MIT */
#include "cmds/record/program_targets.h"

#include <stdio.h>
#include <string.h>

#include "codeobj/bundle.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/mapped_file.h"

/* The processors of LLVM's generic targets (AMDGPUUsage, "AMDGPU Generic Processors"). */
static const struct {
	const char *name, *members;
} generics[] = {
	{"gfx9-generic", "gfx900 gfx902 gfx904 gfx906 gfx909 gfx90c "},
	{"gfx9-4-generic", "gfx940 gfx941 gfx942 gfx950 "},
	{"gfx10-1-generic", "gfx1010 gfx1011 gfx1012 gfx1013 "},
	{"gfx10-3-generic", "gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036 "},
	{"gfx11-generic", "gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153 "},
	{"gfx12-generic", "gfx1200 gfx1201 "},
};

/* True if `words`, of which each ends with one of `ends`, contains the `length` bytes at `word`. */
static bool has_word(const char *words, const char *ends, const char *word, size_t length)
{
	for (size_t n; *words; words += n + (words[n] != 0)) {
		n = strcspn(words, ends);
		if (n == length && !memcmp(words, word, n))
			return true;
	}
	return false;
}

static bool processor_fits(const char *name, size_t length, const char *arch)
{
	if (strlen(arch) == length && !memcmp(name, arch, length))
		return true;
	for (size_t i = 0; i < sizeof(generics) / sizeof(*generics); i++)
		if (strlen(generics[i].name) == length && !memcmp(generics[i].name, name, length))
			return has_word(generics[i].members, " ", arch, strlen(arch));
	return false;
}

/* A target, "gfx90a:sramecc+:xnack-", of `length` bytes. */
static bool target_fits(const char *target, size_t length, const char *arch, const char *features)
{
	size_t at = strcspn(target, ":,");

	if (!processor_fits(target, at, arch))
		return false;
	for (size_t n; at < length; at += n) {
		at++;
		n = strcspn(target + at, ":,");
		if (!has_word(features, ":", target + at, n))
			return false;
	}
	return true;
}

bool run_targets_fit(const struct run_targets *targets, const char *arch, const char *features)
{
	size_t n;

	for (const char *at = targets->names; *at; at += n + (at[n] ? strlen(", ") : 0)) {
		n = strcspn(at, ",");
		if (target_fits(at, n, arch, features))
			return true;
	}
	return false;
}

bool run_targets_fit_simulated(const struct run_targets *targets, const char *arch)
{
	return run_targets_fit(targets, arch, "sramecc+:xnack-");
}

const char *run_simulated_fit(const struct run_targets *targets)
{
	if (run_targets_fit_simulated(targets, "gfx942"))
		return "gfx942";
	return run_targets_fit_simulated(targets, "gfx90a") ? "gfx90a" : NULL;
}

void run_targets_add(struct run_targets *targets, const char *id)
{
	/* The features of a target may contain '-'. */
	const char *target = strstr(id, "-gfx");
	size_t used = strlen(targets->names), length;

	targets->more |= strstr(id, "-amdgcnspirv") != NULL;
	if (!target)
		return;
	target++;
	length = strlen(target);
	if (strchr(target, ',') || used + length + sizeof(", ") > sizeof(targets->names)) {
		targets->more = true;
		return;
	}
	if (!has_word(targets->names, ", ", target, length))
		snprintf(targets->names + used, sizeof(targets->names) - used, "%s%s",
			 used ? ", " : "", target);
}

struct run_targets run_program_targets(const char *path)
{
	PROBE_AUTO(probe_file_unmap) struct probe_mapped_file file = {0};
	PROBE_AUTO(probe_bundle_release) struct probe_bundle *bundle = NULL;
	struct run_targets targets = {0};

	/* Scripts and damaged files are the loader's to judge. */
	if (path && probe_file_map(path, &file))
		probe_err_destroy(probe_bundle_find(path, file.bytes, file.size, &bundle));
	for (size_t i = 0; bundle && i < bundle->count; i++)
		run_targets_add(&targets, bundle->entries[i].id);
	return targets;
}
