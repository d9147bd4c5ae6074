/* SPDX-License-Identifier: MIT */
/*
 * What executes: every mnemonic that the public reference programs use (tests/data/mnemonics.csv)
 * but for those named here, and a count over the whole instruction set. With an argument it lists
 * every mnemonic with "executes" or "lacks" and "alu" or "memory".
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "simgpu/exec/vector_level.h"
#include "simgpu/exec/inst.h"

static enum sim_op op_by_name(const char *name)
{
	for (unsigned int op = 1; op < SIM_OP_COUNT; op++)
		if (!strcmp(name, sim_op_name(op)))
			return op;
	return SIM_OP_NONE;
}

/* Of the classes that access memory or LDS. */
static bool uses_memory(enum sim_op op)
{
	for (unsigned int e = 0; e < ENC_COUNT; e++)
		for (unsigned int r = 0; r < sim_opcode_tables[e].rows; r++)
			if (sim_opcode_tables[e].row[r].op == op)
				return e == ENC_SMEM || e >= ENC_DS;
	return false;
}

static bool executes(enum sim_op op)
{
	const struct sim_exec *exec = op ? sim_exec_find(op) : NULL;

	return exec && exec->kind != X_NONE;
}

static void test_reference_programs(void **state)
{
	FILE *file = fopen(TEST_DATA "/mnemonics.csv", "r");
	unsigned int total = 0, missing = 0;
	char line[256];

	(void)state;
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, ",\n")] = '\0';
		total++;
		if (executes(op_by_name(line)))
			continue;
		printf("%s does not execute\n", line);
		missing++;
	}
	fclose(file);
	assert_int_equal(total, 346);
	assert_int_equal(missing, 0);
}

static void test_whole_set(void **state)
{
	unsigned int encodings = 0, run = 0;

	(void)state;
	for (unsigned int e = 0; e < ENC_COUNT; e++)
		for (unsigned int r = 0; r < sim_opcode_tables[e].rows; r++) {
			encodings++;
			run += executes(sim_opcode_tables[e].row[r].op);
		}
	printf("%u of %u encodings execute\n", run, encodings);
	assert_in_range(run, 1250, encodings);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reference_programs),
		cmocka_unit_test(test_whole_set),
	};

	(void)argv;
	for (unsigned int op = 1; argc > 1 && op < SIM_OP_COUNT; op++)
		printf("%s %s %s\n", executes(op) ? "executes" : "lacks",
		       uses_memory(op) ? "memory" : "alu", sim_op_name(op));
	if (argc > 1)
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
