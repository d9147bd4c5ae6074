/* SPDX-License-Identifier: MIT */
/* When kernels for another GPU are the reason why none ran, with a forged program. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmds/record/foreign_code.h"
#include "cmds/record/recording.h"
#include "tests/unit/codeobj/forged_elf.h"

static char path[] = "/tmp/probe-foreign-XXXXXX";
static struct recording recording;

/* A program with kernels for `count` targets. */
static void forge_program(const char *const *ids, size_t count)
{
	static struct forged bundle, program;
	FILE *out = fopen(path, "wb");

	bundle = program = (struct forged){0};
	forge_bundle(&bundle, ids, count, "code!", 5);
	forge_elf(&program, EM_X86_64, 0, ".hip_fatbin", bundle.bytes, bundle.size);
	assert_non_null(out);
	assert_int_equal(fwrite(program.bytes, 1, program.size, out), program.size);
	assert_int_equal(fclose(out), 0);
}

static void add_agent(uint32_t index, uint32_t type, const char *isa)
{
	struct run_agent *agent = calloc(1, sizeof(*agent));

	agent->hr.index = index;
	agent->hr.type = type;
	assert_true(run_agent_name(agent, strdup(isa)));
	assert_true(process_add_agent(&recording.objects, agent));
}

static void add_kernel(uint32_t id, const char *symbol, bool launched)
{
	struct run_kernel *kernel = calloc(1, sizeof(*kernel));

	kernel->hr.id = id;
	kernel->symbol = strdup(symbol);
	kernel->demangled = strdup(symbol);
	kernel->known_as = launched ? kernel : NULL;
	assert_true(process_add_kernel(&recording.objects, kernel));
}

static void check(const char *wanted)
{
	char *reason = foreign_code_reason(&recording);

	if (wanted) {
		assert_non_null(reason);
		assert_non_null(strstr(reason, wanted));
	} else {
		assert_null(reason);
	}
	free(reason);
}

static const char *const mi200[] = {"hipv4-amdgcn-amd-amdhsa--gfx90a",
				    "hipv4-amdgcn-amd-amdhsa--gfx908"};

static void test_reason(void **state)
{
	(void)state;
	forge_program(mi200, 1);
	check(NULL); /* no GPU */
	add_agent(0, 0, "AMD EPYC");
	add_agent(1, 1, "gfx942:sramecc+:xnack-");
	check("has kernels for gfx90a, and the GPU is gfx942:sramecc+:xnack-; compile "
	      "it with --offload-arch=gfx942");
	check(recording.objects.program);
	recording.objects.simulated = true;
	check("--offload-arch=gfx942, or use --device=sim:gfx90a");
	forge_program(mi200 + 1, 1);
	check("has kernels for gfx908, and the GPU is gfx942:sramecc+:xnack-; compile "
	      "it with --offload-arch=gfx942");
	forge_program(mi200, 2);
	check("has kernels for gfx90a, gfx908, and");
	/* The runtime's kernels are not the program's. */
	add_kernel(1, "__amd_rocclr_copyBuffer", true);
	add_kernel(2, "_Z4copyPi", false);
	check("none of its kernels could run");
	/* Its own came from elsewhere: a library, or hipRTC. */
	add_kernel(3, "_Z4scalPi", true);
	check(NULL);
}

static void test_other_gpu(void **state)
{
	(void)state;
	forge_program(mi200, 1);
	add_agent(0, 1, "gfx942:sramecc+:xnack-");
	check("the GPU is gfx942");
	add_agent(1, 1, "gfx90a:sramecc+:xnack-");
	check(NULL);
}

static void test_features(void **state)
{
	static const char *const xnack[] = {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+"};

	(void)state;
	forge_program(xnack, 1);
	add_agent(0, 1, "gfx90a:sramecc+:xnack-");
	check("has kernels for gfx90a:xnack+, and the GPU is gfx90a:sramecc+:xnack-;");
}

/* Nothing is said of what is not known. */
static void test_unknown(void **state)
{
	(void)state;
	add_agent(0, 1, "gfx942");
	unlink(path);
	check(NULL);
	free(recording.objects.program);
	recording.objects.program = NULL;
	check(NULL);
}

static void test_program(void **state)
{
	char *program = foreign_code_program(getpid());

	(void)state;
	assert_non_null(program);
	assert_non_null(strstr(program, "unit_record_foreign_code"));
	free(program);
	assert_null(foreign_code_program(0));
}

static int setup(void **state)
{
	(void)state;
	recording = (struct recording){0};
	process_objects_init(&recording.objects, 1);
	recording.objects.program = strdup(path);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	process_objects_deinit(&recording.objects);
	return 0;
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_reason, setup, teardown),
		cmocka_unit_test_setup_teardown(test_other_gpu, setup, teardown),
		cmocka_unit_test_setup_teardown(test_features, setup, teardown),
		cmocka_unit_test_setup_teardown(test_program, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown, setup, teardown),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
