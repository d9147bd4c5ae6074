/* SPDX-License-Identifier: MIT */
/*
 * Calls of HIP through hipRegisterTracerCallback(), with stand-ins for the libraries of each layout
 * (fake_hip.c): recorded and nested, and nothing is written beyond HIP's memory.
 */
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <probe/wire_tracing.h>

#include "hsa-plugin/hooks/hip_calls.h"
#include "hsa-plugin/hooks/hip_tracer.h"
#include "hsa-plugin/hooks/hsa_calls.h"
#include "tests/unit/hsa/fake_hsa.h"

enum { MALLOC = 2, MEMCPY = 3 };

typedef bool call_hip(uint32_t id, bool (*inside)(void));

static void *library;
static call_hip *call;

static void begin(const char *name)
{
	char path[4096];

	fake_hsa_init(PROBE_KIND_NONE, 1 << 20);
	probe_tool.config.traced = PROBE_TRACED_HIP;
	snprintf(path, sizeof(path), "%s/%s", FAKE_HIP, name);
	library = dlopen(path, RTLD_NOW);
	assert_non_null(library);
	call = (call_hip *)dlsym(library, "fake_hip_call");
	assert_non_null(call);
}

static void end(void)
{
	dlclose(library);
	fake_hsa_deinit();
}

static bool memcpy_inside(void)
{
	errno = 1234;
	return call(MEMCPY, NULL) && errno == 1234;
}

static void nested_calls_are_recorded(const char *name)
{
	struct probe_hr_call inner, outer;
	bool (*profiles)(void);

	begin(name);
	assert_true(probe_hip_tracer_offered());
	assert_null(probe_hip_tracer_register());
	assert_true(call(MALLOC, memcpy_inside));
	assert_true(fake_record(PROBE_HR_CALL, &inner, sizeof(inner)));
	assert_true(fake_record(PROBE_HR_CALL, &outer, sizeof(outer)));
	assert_int_equal(inner.function, PROBE_HIP_FUNCTIONS + MEMCPY);
	assert_int_equal(outer.function, PROBE_HIP_FUNCTIONS + MALLOC);
	assert_int_equal(inner.parent, outer.correlation);
	assert_int_equal(outer.parent, 0);
	assert_true(inner.start >= outer.start && outer.start > 0);
	/* HIP would time each command, which makes it wait. */
	profiles = (bool (*)(void))dlsym(library, "fake_hip_profiles_commands");
	assert_false(profiles());
	atomic_store(&probe_tool.paused, true);
	assert_true(call(MALLOC, memcpy_inside));
	atomic_store(&probe_tool.paused, false);
	assert_false(fake_record(PROBE_HR_CALL, &inner, sizeof(inner)));
	end();
}

static void layout_of_hip_5(void **state)
{
	(void)state;
	nested_calls_are_recorded("libamdhip64.so.5");
}

static void layout_of_hip_6(void **state)
{
	(void)state;
	nested_calls_are_recorded("libamdhip64.so.6");
}

static void layout_of_hip_7(void **state)
{
	(void)state;
	nested_calls_are_recorded("libamdhip64.so.7");
}

static void library_without_a_number(void **state)
{
	(void)state;
	nested_calls_are_recorded("libamdhip64.so");
}

static void later_layouts_are_refused(void **state)
{
	struct probe_hr_call row;

	(void)state;
	begin("libamdhip64.so.8");
	assert_non_null(strstr(probe_hip_tracer_register(), "HIP 8"));
	assert_true(call(MALLOC, NULL));
	assert_false(fake_record(PROBE_HR_CALL, &row, sizeof(row)));
	end();
}

static void functions_are_announced(void **state)
{
	struct probe_hr_function row;

	(void)state;
	begin("libamdhip64.so.6");
	probe_hip_calls_install();
	assert_true(fake_record(PROBE_HR_FUNCTION, &row, sizeof(row)));
	assert_int_equal(row.domain, PROBE_DOMAIN_HIP_COMPILER);
	assert_true(fake_record(PROBE_HR_FUNCTION, &row, sizeof(row)));
	assert_int_equal(row.domain, PROBE_DOMAIN_HIP);
	assert_int_equal(row.id, PROBE_HIP_FUNCTIONS + MALLOC);
	assert_true(fake_record(PROBE_HR_FUNCTION, &row, sizeof(row)));
	assert_false(fake_record(PROBE_HR_FUNCTION, &row, sizeof(row)));
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layout_of_hip_5),
		cmocka_unit_test(layout_of_hip_6),
		cmocka_unit_test(layout_of_hip_7),
		cmocka_unit_test(library_without_a_number),
		cmocka_unit_test(later_layouts_are_refused),
		cmocka_unit_test(functions_are_announced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
