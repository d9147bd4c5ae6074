/* SPDX-License-Identifier: MIT */
/* What the text of an instruction says: its memory, and whether control continues behind it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "codeobj/instruction_text.h"

static void memory(void **state)
{
	(void)state;
	assert_string_equal(probe_instruction_memory("ds_read_b64 v[0:1], v2"), "lds");
	assert_string_equal(probe_instruction_memory("global_load_dword v0, v[2:3], off"),
			    "global");
	assert_string_equal(probe_instruction_memory("flat_store_dword v[2:3], v0"), "global");
	assert_string_equal(probe_instruction_memory("buffer_load_dword v0, off, s[0:3], 0"),
			    "global");
	assert_string_equal(probe_instruction_memory("s_load_dwordx2 s[0:1], s[4:5], 0x0"),
			    "scalar");
	assert_string_equal(probe_instruction_memory("s_buffer_load_dword s0, s[4:7], 0x0"),
			    "scalar");
	assert_string_equal(probe_instruction_memory("s_waitcnt vmcnt(0)"), "wait");
	assert_string_equal(probe_instruction_memory("v_add_u32_e32 v0, v1, v2"), "");
	assert_string_equal(probe_instruction_memory("s_barrier"), "");
	assert_string_equal(probe_instruction_memory(""), "");
}

static void terminators(void **state)
{
	(void)state;
	assert_true(probe_instruction_terminates("s_endpgm"));
	assert_true(probe_instruction_terminates("s_branch 65535"));
	assert_true(probe_instruction_terminates("s_setpc_b64 s[30:31]"));
	assert_false(probe_instruction_terminates("s_cbranch_scc0 12"));
	assert_false(probe_instruction_terminates("s_swappc_b64 s[30:31], s[4:5]"));
	assert_false(probe_instruction_terminates("v_add_u32_e32 v0, v1, v2"));
	assert_false(probe_instruction_terminates(""));
}

static void prefixes(void **state)
{
	(void)state;
	assert_true(probe_text_begins("flat_load", "flat_"));
	assert_true(probe_text_begins("", ""));
	assert_false(probe_text_begins("flat", "flat_"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory),
		cmocka_unit_test(terminators),
		cmocka_unit_test(prefixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
