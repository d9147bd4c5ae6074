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

#include "cmds/run/program_targets.h"
#include "tests/unit/codeobj/forged_elf.h"

static struct run_targets of_id(const char *id)
{
	struct run_targets targets = {0};

	run_targets_add(&targets, id);
	return targets;
}

static void check(const char *id, bool gfx90a, bool gfx942, const char *first)
{
	struct run_targets targets = of_id(id);

	assert_int_equal(targets.gfx90a, gfx90a);
	assert_int_equal(targets.gfx942, gfx942);
	assert_string_equal(targets.first, first);
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
	check("host-x86_64-unknown-linux--", false, false, "");
	check("", false, false, "");
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
	struct run_targets targets;

	(void)state;
	forge_program(&program, both, 3);
	put(&program);
	targets = run_program_targets(path);
	assert_true(targets.gfx90a && targets.gfx942);
	assert_string_equal(targets.first, "gfx950");
	forge_program(&program, both, 1);
	put(&program);
	targets = run_program_targets(path);
	assert_false(targets.gfx90a || targets.gfx942);
	assert_string_equal(targets.first, "gfx950");
	/* A script, as Python's programs are. */
	program.size = 0;
	forge_put(&program, "#!/bin/sh\n", 10);
	put(&program);
	assert_string_equal(run_program_targets(path).first, "");
}

/* As execvp() finds them: the first that can be executed. */
static void test_search(void **state)
{
	static const char *const ids[] = {"hipv4-amdgcn-amd-amdhsa--gfx942"};
	static struct forged program;
	char list[128];

	(void)state;
	forge_program(&program, ids, 1);
	put(&program);
	snprintf(list, sizeof(list), "/nonexistent:%s:/bin", folder);
	setenv("PATH", list, 1);
	assert_false(run_program_targets("program").gfx942);
	assert_int_equal(chmod(path, 0755), 0);
	assert_true(run_program_targets("program").gfx942);
	assert_false(run_program_targets("no-such-program").gfx942);
	assert_false(run_program_targets("./no-such-program").gfx942);
	assert_false(run_program_targets("/tmp").gfx942);
	assert_false(run_program_targets("").gfx942);
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
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_search),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
