/* SPDX-License-Identifier: MIT */
/* For which GPUs a program has kernels, as forged files and names of bundles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmds/record/program_targets.h"
#include "tests/unit/codeobj/forged_elf.h"

static struct run_targets of_id(const char *id)
{
	struct run_targets targets = {0};

	run_targets_add(&targets, id);
	return targets;
}

static void check(const char *id, bool gfx90a, bool gfx942, const char *names)
{
	struct run_targets targets = of_id(id);

	assert_int_equal(run_targets_fit_simulated(&targets, "gfx90a"), gfx90a);
	assert_int_equal(run_targets_fit_simulated(&targets, "gfx942"), gfx942);
	assert_string_equal(targets.names, names);
	assert_false(targets.more);
}

static void test_names(void **state)
{
	(void)state;
	check("hipv4-amdgcn-amd-amdhsa--gfx90a", true, false, "gfx90a");
	check("hipv4-amdgcn-amd-amdhsa--gfx942", false, true, "gfx942");
	check("hip-amdgcn-amd-amdhsa-gfx90a:sramecc+:xnack-", true, false,
	      "gfx90a:sramecc+:xnack-");
	check("hipv4-amdgcn-amd-amdhsa--gfx9-4-generic:xnack-", false, true,
	      "gfx9-4-generic:xnack-");
	/* The simulated GPUs have no xnack, and sramecc. */
	check("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", false, false, "gfx90a:xnack+");
	check("hipv4-amdgcn-amd-amdhsa--gfx942:sramecc-", false, false, "gfx942:sramecc-");
	check("hipv4-amdgcn-amd-amdhsa--gfx950", false, false, "gfx950");
	check("hipv4-amdgcn-amd-amdhsa--gfx90", false, false, "gfx90");
	check("hipv4-amdgcn-amd-amdhsa--gfx9-generic", false, false, "gfx9-generic");
	check("host-x86_64-unknown-linux--", false, false, "");
	check("", false, false, "");
}

static void test_generic_targets(void **state)
{
	const struct run_targets gfx9 = of_id("hip-amdgcn-amd-amdhsa--gfx9-generic:xnack+"),
				 gfx11 = of_id("hip-amdgcn-amd-amdhsa--gfx11-generic");

	(void)state;
	assert_true(run_targets_fit(&gfx9, "gfx906", "sramecc+:xnack+"));
	assert_false(run_targets_fit(&gfx9, "gfx906", "sramecc+:xnack-"));
	assert_false(run_targets_fit(&gfx9, "gfx90", "xnack+"));
	assert_true(run_targets_fit(&gfx11, "gfx1100", ""));
	assert_false(run_targets_fit(&gfx11, "gfx110", ""));
	assert_false(run_targets_fit(&gfx11, "", ""));
}

/* Each target once; SPIR-V, and more targets than there is space for, may run anywhere. */
static void test_lists(void **state)
{
	struct run_targets targets = of_id("hipv4-amdgcn-amd-amdhsa--gfx950:xnack+");
	char id[64];

	(void)state;
	run_targets_add(&targets, "hipv4-amdgcn-amd-amdhsa--gfx90a");
	run_targets_add(&targets, "hipv4-amdgcn-amd-amdhsa--gfx950:xnack+");
	run_targets_add(&targets, "hipv4-amdgcn-amd-amdhsa--gfx950");
	assert_string_equal(targets.names, "gfx950:xnack+, gfx90a, gfx950");
	assert_string_equal(run_simulated_fit(&targets), "gfx90a");
	assert_false(targets.more);
	run_targets_add(&targets, "hip-spirv64-amd-amdhsa--amdgcnspirv");
	assert_string_equal(targets.names, "gfx950:xnack+, gfx90a, gfx950");
	assert_true(targets.more);
	targets = (struct run_targets){0};
	for (int i = 0; i < 1000; i++) {
		snprintf(id, sizeof(id), "hipv4-amdgcn-amd-amdhsa--gfx%d", 10000 + i);
		run_targets_add(&targets, id);
	}
	assert_true(targets.more);
	assert_true(run_targets_fit(&targets, "gfx10050", ""));
	assert_false(run_targets_fit(&targets, "gfx10999", ""));
	assert_null(run_simulated_fit(&targets));
}

static char folder[] = "/tmp/probe-targets-XXXXXX";
static char path[64];

static void put(const struct forged *file)
{
	FILE *out = fopen(path, "wb");

	assert_non_null(out);
	assert_int_equal(fwrite(file->bytes, 1, file->size, out), file->size);
	assert_int_equal(fclose(out), 0);
}

static void forge_program(struct forged *ret, const char *const *ids, size_t count)
{
	static struct forged bundle;

	bundle = (struct forged){0};
	*ret = (struct forged){0};
	forge_bundle(&bundle, ids, count, "code!", 5);
	forge_elf(ret, EM_X86_64, 0, ".hip_fatbin", bundle.bytes, bundle.size);
}

static void test_programs(void **state)
{
	static const char *const both[] = {"hipv4-amdgcn-amd-amdhsa--gfx950",
					   "hipv4-amdgcn-amd-amdhsa--gfx90a",
					   "hipv4-amdgcn-amd-amdhsa--gfx942"};
	static struct forged program;

	(void)state;
	forge_program(&program, both, 3);
	put(&program);
	assert_string_equal(run_program_targets(path).names, "gfx950, gfx90a, gfx942");
	forge_program(&program, both, 1);
	put(&program);
	assert_string_equal(run_program_targets(path).names, "gfx950");
	/* A script, as Python's programs are. */
	program.size = 0;
	forge_put(&program, "#!/bin/sh\n", 10);
	put(&program);
	assert_string_equal(run_program_targets(path).names, "");
	assert_string_equal(run_program_targets("/nonexistent").names, "");
	assert_string_equal(run_program_targets(NULL).names, "");
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/program", folder);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_generic_targets),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_programs),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
