/* SPDX-License-Identifier: MIT */
/*
 * The decoder against LLVM 15: whatever LLVM can disassemble, we name alike and give the same
 * size. Words: every opcode of every encoding with random operand bits, and plain random words.
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

#include "inst.h"

static LLVMDisasmContextRef oracle;

static uint64_t next_random(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15u; /* fixed: failures repeat */

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1du;
}

static int setup(void **state)
{
	(void)state;
	LLVMInitializeAMDGPUTargetInfo();
	LLVMInitializeAMDGPUTargetMC();
	LLVMInitializeAMDGPUDisassembler();
	oracle = LLVMCreateDisasmCPU("amdgcn-amd-amdhsa", "gfx90a", NULL, 0, NULL, NULL);
	return oracle ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	LLVMDisasmDispose(oracle);
	return 0;
}

/* LLVM's mnemonic without encoding suffix, and size in dwords; 0: not an instruction. */
static unsigned int oracle_decode(uint64_t word, char *name, size_t size)
{
	static const char *const suffixes[] = {"_e32", "_e64", "_sdwa", "_dpp"};
	char text[256];
	uint8_t bytes[16] = {0};
	size_t n, len;

	memcpy(bytes, &word, 8);
	n = LLVMDisasmInstruction(oracle, bytes, sizeof(bytes), 0, text, sizeof(text));
	if (!n)
		return 0;
	len = strspn(text, " \t");
	snprintf(name, size, "%.*s", (int)strcspn(text + len, " \t\n"), text + len);
	for (unsigned int i = 0; i < 4; i++) {
		size_t at = strlen(name) - strlen(suffixes[i]);

		if (strlen(name) > strlen(suffixes[i]) && !strcmp(name + at, suffixes[i]))
			name[at] = '\0';
	}
	return (unsigned int)n / 4;
}

/* LLVM 15 aborts while printing reserved SDWA select values (7) or dst_unused 3. */
static bool oracle_aborts(uint64_t word)
{
	uint32_t sdwa = (uint32_t)(word >> 32);

	if (word >> 31 & 1 || (word & 0x1ff) != 0xf9)
		return false;
	return (sdwa >> 8 & 7) == 7 || (sdwa >> 11 & 3) == 3 || (sdwa >> 16 & 7) == 7 ||
	       (sdwa >> 24 & 7) == 7;
}

/* 1: LLVM knows the word (and we agree, or the test fails); 0: it does not. */
static int check(uint64_t word)
{
	uint32_t words[2] = {(uint32_t)word, (uint32_t)(word >> 32)};
	const struct sim_opcode *row;
	enum sim_encoding enc;
	unsigned int size;
	char name[64];

	if (oracle_aborts(word))
		return 0;
	size = oracle_decode(word, name, sizeof(name));
	row = sim_opcode_find(words, &enc);
	if (!size)
		return 0;
	/* LLVM 15 also takes the gfx6 opcode of this one (see gen/gen_isa.py). */
	if ((word & 0xfdfc0000) == 0xe1c40000 && !strcmp(name, "buffer_wbinvl1"))
		return 0;
	if (!row)
		fail_msg("%08x %08x is %s, which the tables lack", words[0], words[1], name);
	if (strcmp(name, sim_op_name(row->op)))
		fail_msg("%08x %08x is %s, not %s", words[0], words[1], name, sim_op_name(row->op));
	if (size != sim_opcode_words(row, enc, words[0]))
		fail_msg("%08x %08x (%s) has %u dwords, not %u", words[0], words[1], name, size,
			 sim_opcode_words(row, enc, words[0]));
	return 1;
}

/* Fixed bits and opcode field of each encoding, as in isa_tables.c. */
static const struct {
	uint32_t fixed, mask;
	unsigned int shift, bits;
} layouts[] = {
	{0xbf800000, 0xff800000, 16, 7},  {0xbf000000, 0xff800000, 16, 7},
	{0xbe800000, 0xff800000, 8, 8},	  {0xb0000000, 0xf0000000, 23, 5},
	{0x80000000, 0xc0000000, 23, 7},  {0x7e000000, 0xfe000000, 9, 8},
	{0x7c000000, 0xfe000000, 17, 8},  {0x00000000, 0x80000000, 25, 6},
	{0xc0000000, 0xfc000000, 18, 8},  {0xd3800000, 0xff800000, 16, 7},
	{0xd0000000, 0xfc000000, 16, 10}, {0xd8000000, 0xfc000000, 17, 8},
	{0xdc000000, 0xfc00c000, 18, 7},  {0xdc004000, 0xfc00c000, 18, 7},
	{0xdc008000, 0xfc00c000, 18, 7},  {0xe0000000, 0xfc000000, 18, 7},
	{0xe8000000, 0xfc000000, 15, 4},  {0xf0000000, 0xfc000000, 18, 7},
};

/* Operand bits: dense, sparse and very sparse, because many opcodes want zeros somewhere. */
static uint64_t operand_bits(unsigned int i)
{
	uint64_t bits = next_random();

	for (unsigned int n = i % 6; n; n--)
		bits &= next_random();
	/* Often: vector sources in the 64-bit encodings. */
	if (i & 8)
		bits |= 1ull << 40 | 1ull << 49 | 1ull << 58;
	return bits;
}

static void test_all_opcodes(void **state)
{
	unsigned int known = 0;

	(void)state;
	for (unsigned int e = 0; e < sizeof(layouts) / sizeof(layouts[0]); e++) {
		uint32_t field = ((1u << layouts[e].bits) - 1) << layouts[e].shift;

		for (uint32_t op = 0; op < 1u << layouts[e].bits; op++)
			for (unsigned int i = 0; i < 64; i++) {
				uint64_t word = operand_bits(i);

				word &= ~(uint64_t)(field | layouts[e].mask);
				word |= layouts[e].fixed | op << layouts[e].shift;
				known += (unsigned int)check(word);
			}
	}
	printf("%u words with a chosen opcode agree\n", known);
	assert_in_range(known, 20000, UINT32_MAX);
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

/* Tables are sorted by opcode, without repeats. */
static void test_sorted(void **state)
{
	(void)state;
	for (unsigned int e = 0; e < ENC_COUNT; e++)
		for (unsigned int r = 1; r < sim_opcode_tables[e].rows; r++)
			assert_true(sim_opcode_tables[e].row[r - 1].code <
				    sim_opcode_tables[e].row[r].code);
}

/* The number of encodings is a fact about LLVM 15's gfx90a; a change must be looked at. */
static void test_counts(void **state)
{
	unsigned int total = 0;

	(void)state;
	for (unsigned int e = 0; e < ENC_COUNT; e++) {
		printf("%-8s %u\n", sim_opcode_tables[e].name, sim_opcode_tables[e].rows);
		total += sim_opcode_tables[e].rows;
	}
	assert_int_equal(total, 1462);
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
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),	     cmocka_unit_test(test_no_overlap),
		cmocka_unit_test(test_sorted),	     cmocka_unit_test(test_all_opcodes),
		cmocka_unit_test(test_random_words),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
