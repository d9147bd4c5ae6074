/* SPDX-License-Identifier: MIT */
/*
 * Any instruction with any registers stays in its bounds: random words are executed on a wave whose
 * registers, LDS, scratch and memory end at pages that must not be accessed. Results are ignored.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "simgpu/isa/opcodes.h"
#include "tests/unit/simgpu/flat_address_space.h"
#include "simgpu/exec/wave.h"
#include "simgpu/mem/code_generation.h"

enum {
	PAGE = 4096,
	SNIPPETS = 4096,
	SNIPPET_DWORDS = 6,
	ROUNDS = 8,
	LDS = 3 * PAGE,
	LANE_SCRATCH = 64,
	MEMORY = 16 * PAGE,
};

static uint64_t state = 0x2545f4914f6cdd1d;
static volatile uint32_t current[4]; /* the words being executed */

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x9e3779b97f4a7c15u;
}

/* Bytes that end where an inaccessible page begins; another lies in front of their first page. */
static void *guarded(size_t size)
{
	size_t pages = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
	uint8_t *base = mmap(NULL, pages + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(base, MAP_FAILED);
	assert_int_equal(mprotect(base + PAGE, pages, PROT_READ | PROT_WRITE), 0);
	return base + PAGE + pages - size;
}

static void tell(int sig)
{
	char text[120];
	int n = snprintf(text, sizeof(text), "signal %d while executing %08x %08x %08x %08x\n", sig,
			 current[0], current[1], current[2], current[3]);

	if (write(STDERR_FILENO, text, (size_t)n) < 0)
		_exit(2);
	_exit(1);
}

struct bench {
	struct sim_wave *wave;
	struct sim_group group;
	struct sim_counters counters;
	uint8_t *memory, *scratch, *lds;
	uint32_t *code;
};

/* Upper bits of the encodings, so that each gets its share. */
static uint32_t random_word(void)
{
	static const struct {
		uint32_t value, bits;
	} prefixes[] = {
		{0x2, 2},  {0xb, 4},   {0x17d, 9}, {0x17e, 9}, {0x17f, 9}, {0x30, 6},
		{0x34, 6}, {0x1a7, 9}, {0x36, 6},  {0x37, 6},  {0x38, 6},  {0x3a, 6},
		{0x3c, 6}, {0x3f, 7},  {0x3e, 7},  {0x0, 1},   {0x1a7, 9}, {0x37, 6},
	};
	uint32_t word = (uint32_t)next_random();
	size_t i = next_random() % (sizeof(prefixes) / sizeof(prefixes[0]));

	word &= ~0u >> prefixes[i].bits;
	return word | prefixes[i].value << (32 - prefixes[i].bits);
}

static void fill_code(struct bench *b)
{
	for (uint32_t i = 0; i < SNIPPETS; i++) {
		uint32_t *at = b->code + i * SNIPPET_DWORDS;
		enum sim_encoding enc;

		for (int k = 0; k < SNIPPET_DWORDS; k++)
			at[k] = 0xbf810000; /* s_endpgm */
		do {
			at[0] = random_word();
			at[1] = (uint32_t)next_random();
			at[2] = (uint32_t)next_random();
		} while (!sim_opcode_find(at, &enc));
	}
	sim_code_changed();
}

/* Mostly an address in memory, sometimes at its very end, sometimes nowhere. */
static uint64_t random_address(const struct bench *b)
{
	uint64_t r = next_random();

	switch (r >> 60) {
	case 0:
		return next_random();
	case 1:
		return (uint64_t)(uintptr_t)b->memory + MEMORY - (r & 31);
	case 2:
		return (uint64_t)(0x10000 + (r >> 8 & 1) * 0x10000) << 32 | (r & 0x3fff);
	case 3:
		return r & 0xffff;
	default:
		return (uint64_t)(uintptr_t)b->memory + (r & (MEMORY - 1) & ~15u);
	}
}

static void fill_registers(struct bench *b, uint32_t rows)
{
	struct sim_wave *w = b->wave;

	for (uint32_t i = 0; i < SIM_SGPRS; i += 2) {
		uint64_t value = random_address(b);

		memcpy(&w->sgpr[i], &value, sizeof(value));
	}
	for (uint32_t n = 0; n < rows; n++) {
		uint32_t row = next_random() % (SIM_VGPRS / 2) * 2;

		for (uint32_t l = 0; l < SIM_LANES; l++) {
			uint64_t value = random_address(b);

			w->vgpr[row][l] = (uint32_t)value;
			w->vgpr[row + 1][l] = (uint32_t)(value >> 32);
		}
	}
}

static void prepare(struct bench *b, uint32_t n)
{
	struct sim_wave *w = b->wave;

	fill_registers(b, 1);
	w->pc = (uint64_t)(uintptr_t)(b->code + n * SNIPPET_DWORDS);
	w->exec = next_random() % 4 ? next_random() : ~0ull;
	w->vcc = next_random();
	w->scc = next_random() & 1;
	w->mode = (uint32_t)next_random() & 0x8003ff;
	w->gpr_idx = next_random() % 4 ? 0 : (uint32_t)next_random();
	w->fault = (struct sim_fault){0};
	for (int i = 0; i < 4; i++)
		current[i] = b->code[n * SNIPPET_DWORDS + (uint32_t)i];
}

static void open_bench(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	b->wave = guarded((sizeof(*b->wave) + 63) & ~(size_t)63);
	b->lds = guarded(LDS);
	b->scratch = guarded(LANE_SCRATCH * SIM_LANES);
	b->memory = guarded(MEMORY);
	b->code = guarded(SNIPPETS * SNIPPET_DWORDS * 4);
	memset(b->wave, 0, sizeof(*b->wave));
	b->group = (struct sim_group){
		.lds = b->lds,
		.lds_size = LDS,
		.shared_base_hi = 0x10000,
		.private_base_hi = 0x20000,
		.counters = &b->counters,
	};
	b->wave->group = &b->group;
	b->wave->scratch = b->scratch;
	b->wave->scratch_lane_size = LANE_SCRATCH;
	b->wave->in_group = 3;
	host_memory_reset();
	host_memory_add(b->memory, MEMORY, SIM_MEM_READ | SIM_MEM_WRITE);
	host_memory_add(b->code, SNIPPETS * SNIPPET_DWORDS * 4, SIM_MEM_READ | SIM_MEM_EXEC);
	fill_registers(b, SIM_VGPRS);
}

static void any_instruction_stays_in_bounds(void **unused)
{
	uint64_t stops[SIM_STOP_FAULT + 1] = {0};
	struct sim_group group;
	struct bench b;

	(void)unused;
	/* cmocka's own handlers do not know the instruction. */
	signal(SIGSEGV, tell);
	signal(SIGBUS, tell);
	signal(SIGILL, tell);
	signal(SIGFPE, tell);
	open_bench(&b);
	group = b.group;
	for (int round = 0; round < ROUNDS; round++) {
		fill_code(&b);
		for (uint32_t n = 0; n < SNIPPETS; n++) {
			enum sim_stop stop;

			prepare(&b, n);
			stop = sim_wave_run(b.wave, 1);
			assert_in_range(stop, 0, SIM_STOP_FAULT);
			stops[stop]++;
			/* What the machine keeps next to the registers. */
			if (b.wave->group != &b.group || b.wave->scratch != b.scratch ||
			    b.wave->scratch_lane_size != LANE_SCRATCH || b.wave->in_group != 3 ||
			    memcmp(&group, &b.group, sizeof(group)))
				fail_msg("%08x %08x changed more than registers", current[0],
					 current[1]);
		}
	}
	assert_true(stops[SIM_STOP_QUANTUM] > ROUNDS * SNIPPETS / 4);
	assert_true(stops[SIM_STOP_FAULT] > ROUNDS * SNIPPETS / 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_instruction_stays_in_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
