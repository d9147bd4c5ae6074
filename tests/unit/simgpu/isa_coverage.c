/* SPDX-License-Identifier: MIT */
/*
 * What executes: every mnemonic that the public reference programs use (tests/data/mnemonics.csv),
 * and every encoding of the whole instruction set. With an argument it lists
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

/* Of the classes that access memory or LDS, in the chosen set. */
static bool uses_memory(enum sim_op op)
{
	for (unsigned int e = 0; e < ENC_COUNT; e++)
		for (unsigned int code = 0; code < SIM_OPCODES; code++) {
			const struct sim_opcode *row = sim_opcode_row(e, code);

			if (row && row->op == op)
				return e == ENC_SMEM || e >= ENC_DS;
		}
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

static void count_encodings(enum sim_instruction_set set)
{
	unsigned int encodings = 0, run = 0;

	sim_choose_instruction_set(set);
	for (unsigned int e = 0; e < ENC_COUNT; e++)
		for (unsigned int code = 0; code < SIM_OPCODES; code++) {
			const struct sim_opcode *row = sim_opcode_row(e, code);

			encodings += row != NULL;
			run += row && executes(row->op);
		}
	printf("%u of %u encodings execute\n", run, encodings);
	assert_int_equal(run, encodings);
}

static void test_whole_gfx90a(void **state)
{
	(void)state;
	count_encodings(SIM_GFX90A);
}

static void test_whole_gfx942(void **state)
{
	(void)state;
	count_encodings(SIM_GFX942);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reference_programs),
		cmocka_unit_test(test_whole_gfx90a),
		cmocka_unit_test(test_whole_gfx942),
	};

	(void)argv;
	for (unsigned int op = 1; argc > 1 && op < SIM_OP_COUNT; op++) {
		bool memory = false;

		for (enum sim_instruction_set set = SIM_GFX90A; set <= SIM_GFX942; set++) {
			sim_choose_instruction_set(set);
			memory |= uses_memory(op);
		}
		printf("%s %s %s\n", executes(op) ? "executes" : "lacks", memory ? "memory" : "alu",
		       sim_op_name(op));
	}
	if (argc > 1)
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
