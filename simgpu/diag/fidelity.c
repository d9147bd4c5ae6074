/* SPDX-License-Identifier: MIT */
/*
 * PROBE_SIM_FIDELITY=FILE: written when the process ends, from the counters per instruction. The
 * tests that cover an operation are in a checked-in table, generated from the directed tests
 * (tests/unit/simgpu/tested_opcodes.sh prints it and checks it).
 */
#include "simgpu/diag/fidelity.h"

#include <inttypes.h>
#include <stdlib.h>

#include "simgpu/exec/decode/code_cache.h"
#include "simgpu/exec/inst.h"

static const struct known {
	uint16_t op;
	const char *tests;
} known[] = {
#include "simgpu/diag/tested_opcodes.inc"
};

const char *sim_fidelity_tests(enum sim_op op)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].op == op)
			return known[i].tests;
	return NULL;
}

/* Results of these operations may differ from hardware in the last bits. */
static bool is_approximate(enum sim_op op)
{
	for (unsigned int e = 0; e < ENC_COUNT; e++)
		for (unsigned int code = 0; code < SIM_OPCODES; code++) {
			const struct sim_opcode *row = sim_opcode_row(e, code);

			if (row && row->op == op)
				return row->cls == C_TRANS;
		}
	return false;
}

struct ran {
	enum sim_op op;
	uint64_t execs;
};

static void add(void *ctx, enum sim_op op, uint64_t execs)
{
	((struct ran *)ctx)[op].execs += execs;
}

static int by_execs(const void *a, const void *b)
{
	const struct ran *x = a, *y = b;

	if (x->execs != y->execs)
		return x->execs < y->execs ? 1 : -1;
	return (x->op > y->op) - (x->op < y->op);
}

void sim_fidelity_report(FILE *to)
{
	struct ran *ran = calloc(SIM_OP_COUNT, sizeof(*ran));
	unsigned int kinds = 0, untested = 0;

	if (!ran)
		return;
	for (unsigned int op = 0; op < SIM_OP_COUNT; op++)
		ran[op].op = (enum sim_op)op;
	sim_opcode_executions(add, ran);
	qsort(ran, SIM_OP_COUNT, sizeof(*ran), by_execs);
	fprintf(to,
		"# Instructions this process ran (wave executions) and how each is known to be "
		"right.\n"
		"# exact: directed tests compare it bit for bit with host arithmetic written from "
		"the ISA manual.\n"
		"# tolerance: they allow the last bits to differ (simgpu/README.md).\n"
		"# No instruction was compared with hardware.\n");
	for (unsigned int i = 0; i < SIM_OP_COUNT && ran[i].execs; i++) {
		const char *tests = sim_fidelity_tests(ran[i].op);

		fprintf(to, "%-32s %12" PRIu64 " %s%s%s\n", sim_op_name(ran[i].op), ran[i].execs,
			!tests			    ? "untested"
			: is_approximate(ran[i].op) ? "tolerance"
						    : "exact",
			tests ? ": " : "", tests ? tests : "");
		kinds++;
		untested += !tests;
	}
	fprintf(to, "# %u mnemonics, %u of them without a directed test\n", kinds, untested);
	free(ran);
}
