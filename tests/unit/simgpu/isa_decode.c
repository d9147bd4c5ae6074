/* SPDX-License-Identifier: MIT */
/*
 * The decoder against LLVM 15: the same text and size, or both refuse. Words: every opcode of
 * every encoding with random operand bits, and plain random words. For both instruction sets; LLVM
 * 15 has that of gfx942 under the name of its first stepping, gfx940.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

#include "simgpu/exec/inst.h"
#include "simgpu/isa/instruction_text.h"

static LLVMDisasmContextRef oracle;

static uint64_t next_random(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15u; /* fixed: failures repeat */

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1du;
}

static uint8_t met[ENC_COUNT][SIM_OPCODES]; /* opcodes whose text was compared */

static int set_up(enum sim_instruction_set set, const char *cpu)
{
	sim_choose_instruction_set(set);
	memset(met, 0, sizeof(met));
	LLVMInitializeAMDGPUTargetInfo();
	LLVMInitializeAMDGPUTargetMC();
	LLVMInitializeAMDGPUDisassembler();
	oracle = LLVMCreateDisasmCPU("amdgcn-amd-amdhsa", cpu, NULL, 0, NULL, NULL);
	return oracle ? 0 : -1;
}

static int setup_gfx90a(void **state)
{
	(void)state;
	return set_up(SIM_GFX90A, "gfx90a");
}

static int setup_gfx942(void **state)
{
	(void)state;
	return set_up(SIM_GFX942, "gfx940");
}

static int teardown(void **state)
{
	(void)state;
	LLVMDisasmDispose(oracle);
	return 0;
}

/* LLVM's text without its comments, and size in dwords; 0: not an instruction. */
static unsigned int oracle_decode(uint64_t word, char *text, size_t size)
{
	uint8_t bytes[16] = {0};
	char *end;
	size_t n;

	memcpy(bytes, &word, 8);
	n = LLVMDisasmInstruction(oracle, bytes, sizeof(bytes), 0, text, size);
	if (!n)
		return 0;
	/* "; Warning: SGPR_64: scalar reg isn't aligned" */
	end = strstr(text, " ; ");
	if (end)
		*end = '\0';
	end = text + strlen(text);
	while (end > text && (end[-1] == ' ' || end[-1] == '\n'))
		*--end = '\0';
	for (end = text; *end; end++)
		*end = (char)(*end == '\t' ? ' ' : *end);
	n /= 4;
	return (unsigned int)n;
}

/* LLVM 15 aborts while printing reserved SDWA select values (7) or dst_unused 3. */
static bool oracle_aborts(const uint32_t *words)
{
	enum sim_encoding enc;
	const struct sim_opcode *row = sim_opcode_find(words, &enc);
	bool result = enc != ENC_VOPC && ((words[1] >> 8 & 7) == 7 || (words[1] >> 11 & 3) == 3);

	return row && row->flags & I_SDWA && (words[0] & 0x1ff) == 0xf9 &&
	       (result || (words[1] >> 16 & 7) == 7 || (words[1] >> 24 & 7) == 7);
}

/*
 * LLVM 15 disassembles those of gfx942's matrix instructions that gfx908 has too as gfx908's: by
 * another name, and with C and D in accumulation registers, whatever bit 15 says.
 */
static void repair_matrix(const uint32_t *words, char *text, size_t size)
{
	enum sim_encoding enc;
	const struct sim_opcode *row = sim_opcode_find(words, &enc);
	char *operands = strchr(text, ' '), copy[256], *last = NULL;

	if (!row || row->cls != C_MFMA || sim_instruction_set() != SIM_GFX942 || !operands ||
	    !strncmp(text, sim_op_name(row->op), (size_t)(operands - text)))
		return;
	snprintf(copy, sizeof(copy), "%s", operands);
	for (char *at = strstr(copy, ", "); at; at = strstr(at + 1, ", "))
		last = at;
	if (last && !(words[0] >> 15 & 1)) {
		copy[1] = 'v';
		last[2] = (char)(last[2] == 'a' ? 'v' : last[2]);
	}
	snprintf(text, size, "%s%s", sim_op_name(row->op), copy);
}

/* Same text and size, or both refuse; 1: LLVM knows the word. */
static int check(uint64_t word)
{
	uint32_t words[2] = {(uint32_t)word, (uint32_t)(word >> 32)};
	char theirs[256], ours[256], *begin;
	const struct sim_opcode *row;
	unsigned int size, own;
	enum sim_encoding enc;

	own = sim_inst_text(words, 2, ours, sizeof(ours));
	assert_true(own || !sim_inst_valid(words, 2));
	if (oracle_aborts(words)) {
		assert_int_equal(own, 0);
		return 0;
	}
	size = oracle_decode(word, theirs, sizeof(theirs));
	if (!size && own)
		fail_msg("%08x %08x is '%s', but LLVM refuses it", words[0], words[1], ours);
	if (size && !own)
		fail_msg("%08x %08x is refused, but LLVM has '%s'", words[0], words[1], theirs);
	if (!size)
		return 0;
	begin = theirs + strspn(theirs, " ");
	repair_matrix(words, begin, sizeof(theirs) - (size_t)(begin - theirs));
	if (strcmp(begin, ours) || size != own)
		fail_msg("%08x %08x is '%s' (%u dwords), not '%s' (%u)", words[0], words[1], begin,
			 size, ours, own);
	row = sim_opcode_find(words, &enc);
	if (row)
		met[enc][row->code] = 1;
	/* Words that LLVM prints but marks as wrong do not execute. */
	if (strstr(begin, "/*"))
		assert_false(sim_inst_valid(words, 2));
	return 1;
}

/* Fixed bits and opcode field of each encoding, as in opcodes.c. */
static const struct {
	uint32_t fixed, mask;
	unsigned int shift, bits;
	enum sim_encoding enc;
} layouts[] = {
	{0xbf800000, 0xff800000, 16, 7, ENC_SOPP},   {0xbf000000, 0xff800000, 16, 7, ENC_SOPC},
	{0xbe800000, 0xff800000, 8, 8, ENC_SOP1},    {0xb0000000, 0xf0000000, 23, 5, ENC_SOPK},
	{0x80000000, 0xc0000000, 23, 7, ENC_SOP2},   {0x7e000000, 0xfe000000, 9, 8, ENC_VOP1},
	{0x7c000000, 0xfe000000, 17, 8, ENC_VOPC},   {0x00000000, 0x80000000, 25, 6, ENC_VOP2},
	{0xc0000000, 0xfc000000, 18, 8, ENC_SMEM},   {0xd3800000, 0xff800000, 16, 7, ENC_VOP3P},
	{0xd0000000, 0xfc000000, 16, 10, ENC_VOP3},  {0xd8000000, 0xfc000000, 17, 8, ENC_DS},
	{0xdc000000, 0xfc00c000, 18, 7, ENC_FLAT},   {0xdc004000, 0xfc00c000, 18, 7, ENC_SCRATCH},
	{0xdc008000, 0xfc00c000, 18, 7, ENC_GLOBAL}, {0xe0000000, 0xfc000000, 18, 7, ENC_MUBUF},
	{0xe8000000, 0xfc000000, 15, 4, ENC_MTBUF},  {0xf0000000, 0xfc000000, 18, 7, ENC_MIMG},
};

/* Operand bits: dense, sparse and very sparse, because many opcodes want zeros somewhere. */
static uint64_t operand_bits(unsigned int i)
{
	uint64_t bits = next_random();

	for (unsigned int n = i % 6; n; n--)
		bits &= next_random();
	/* Often: vector sources in the 64-bit encodings; SDWA, DPP, literals in the others. */
	if (i & 8)
		bits |= 1ull << 40 | 1ull << 49 | 1ull << 58;
	if (i & 16)
		bits = (bits & ~0x1ffull) | (0xf9 + (bits >> 13 & 1));
	else if (i & 32)
		bits = (bits & ~0x1ffull) | 0xff;
	if (i & 32)
		bits &= ~(0xfull << 60);
	return bits;
}

static uint64_t with_opcode(unsigned int layout, uint32_t op, uint64_t bits)
{
	uint32_t field = ((1u << layouts[layout].bits) - 1) << layouts[layout].shift;

	bits &= ~(uint64_t)(field | layouts[layout].mask);
	return bits | layouts[layout].fixed | op << layouts[layout].shift;
}

/* Some opcodes want nearly all bits zero: try until LLVM takes a word. */
static void insist(unsigned int layout, enum sim_encoding enc, uint32_t op)
{
	for (unsigned int i = 0; i < 20000 && !met[enc][op]; i++)
		check(with_opcode(layout, op, operand_bits(5) & next_random()));
	if (!met[enc][op])
		fail_msg("no word of %s opcode %u was compared", sim_opcode_tables[enc].name, op);
}

static void test_all_opcodes(void **state)
{
	unsigned int known = 0;

	(void)state;
	for (unsigned int e = 0; e < sizeof(layouts) / sizeof(layouts[0]); e++)
		for (uint32_t op = 0; op < 1u << layouts[e].bits; op++)
			for (unsigned int i = 0; i < 128; i++)
				known += (unsigned int)check(with_opcode(e, op, operand_bits(i)));
	printf("%u words with a chosen opcode agree\n", known);
	assert_in_range(known, 40000, UINT32_MAX);
	for (unsigned int e = 0; e < sizeof(layouts) / sizeof(layouts[0]); e++)
		for (unsigned int enc = 0; enc < ENC_COUNT; enc++)
			for (unsigned int code = 0; code < SIM_OPCODES; code++)
				if (layouts[e].enc == enc && sim_opcode_row(enc, code))
					insist(e, enc, code);
}

static void test_random_words(void **state)
{
	unsigned int known = 0;

	(void)state;
	for (unsigned int i = 0; i < 100000; i++)
		known += (unsigned int)check(next_random());
	printf("%u random words agree\n", known);
	assert_in_range(known, 10000, UINT32_MAX);
}

static void assert_sorted(const struct sim_opcode *row, unsigned int rows)
{
	for (unsigned int r = 1; r < rows; r++)
		assert_true(row[r - 1].code < row[r].code);
}

/* Tables are sorted by opcode, without repeats. */
static void test_sorted(void **state)
{
	(void)state;
	for (unsigned int e = 0; e < ENC_COUNT; e++) {
		assert_sorted(sim_opcode_tables[e].row, sim_opcode_tables[e].rows);
		assert_sorted(sim_opcode_tables[e].gfx942, sim_opcode_tables[e].gfx942_rows);
	}
}

static unsigned int count_rows(void)
{
	unsigned int total = 0;

	for (unsigned int e = 0; e < ENC_COUNT; e++)
		for (unsigned int code = 0; code < SIM_OPCODES; code++)
			total += sim_opcode_row(e, code) != NULL;
	return total;
}

/* The numbers of encodings are facts about LLVM 15; a change must be reviewed. */
static void test_counts_gfx90a(void **state)
{
	(void)state;
	assert_int_equal(count_rows(), 1462);
}

static void test_counts_gfx942(void **state)
{
	(void)state;
	assert_int_equal(count_rows(), 1485);
}

/* No word belongs to two encodings, and each table is sorted without repeats. */
static void test_no_overlap(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 1000000; i++) {
		uint32_t word = (uint32_t)next_random();
		unsigned int hits = 0;

		for (unsigned int e = 0; e < sizeof(layouts) / sizeof(layouts[0]); e++)
			hits += (word & layouts[e].mask) == layouts[e].fixed;
		/* Encodings nested in another's space: SOP1/C/P in SOPK in SOP2, VOP1/C in
		 * VOP2, VOP3P in VOP3. */
		if ((word & 0xff800000) == 0xbf800000 || (word & 0xff800000) == 0xbf000000 ||
		    (word & 0xff800000) == 0xbe800000)
			hits -= 2;
		else if ((word & 0xf0000000) == 0xb0000000 || (word & 0xfc000000) == 0x7c000000 ||
			 (word & 0xff800000) == 0xd3800000)
			hits -= 1;
		assert_in_range(hits, 0, 1);
	}
}

int main(void)
{
	const struct CMUnitTest gfx90a[] = {
		cmocka_unit_test(test_counts_gfx90a), cmocka_unit_test(test_no_overlap),
		cmocka_unit_test(test_sorted),	      cmocka_unit_test(test_all_opcodes),
		cmocka_unit_test(test_random_words),
	};
	const struct CMUnitTest gfx942[] = {
		cmocka_unit_test(test_counts_gfx942),
		cmocka_unit_test(test_all_opcodes),
		cmocka_unit_test(test_random_words),
	};
	int failed = cmocka_run_group_tests(gfx90a, setup_gfx90a, teardown);

	return cmocka_run_group_tests(gfx942, setup_gfx942, teardown) || failed;
}
