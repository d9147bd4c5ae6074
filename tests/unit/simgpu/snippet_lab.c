/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "tests/unit/simgpu/snippet_lab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "simgpu/isa/opcodes.h"
#include "tests/unit/simgpu/flat_address_space.h"
#include "simgpu/mem/code_generation.h"

enum {
	CODE_DWORDS = 1 << 16,
};

static void write_source(FILE *out, const char *const *text, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		fprintf(out, "case_%u:\n%s\ns_endpgm\n", i, text[i]);
}

/* "... ; encoding: [0x01,0x02,...]" as dwords. */
static uint32_t parse_encoding(const char *line, uint32_t *to)
{
	const char *at = strstr(line, "encoding: [");
	uint32_t n = 0;

	if (!at)
		return 0;
	if (strchr(at, 'A'))
		fail_msg("a label in a snippet: %s", line);
	for (at += strlen("encoding: ["); *at && *at != ']'; n++) {
		char *end;

		((uint8_t *)to)[n] = (uint8_t)strtoul(at, &end, 16);
		at = *end == ',' ? end + 1 : end;
	}
	return n / 4;
}

/*
 * For the list of what no test runs (untested_opcodes.sh): append the mnemonics to the file
 * that SIMGPU_ISA_LOG names; with SIMGPU_ISA_LOG_ONLY the program ends there.
 */
static void log_mnemonics(const struct lab *lab, uint32_t dwords)
{
	const char *path = getenv("SIMGPU_ISA_LOG");
	FILE *file = path ? fopen(path, "a") : NULL;

	for (uint32_t at = 0; file && at < dwords;) {
		enum sim_encoding enc;
		const struct sim_opcode *row = sim_opcode_find(&lab->code[at], &enc);

		if (row)
			fprintf(file, "%s\n", sim_op_name(row->op));
		at += row ? sim_opcode_words(row, enc, &lab->code[at], 2) : 1;
	}
	if (file)
		fclose(file);
	if (getenv("SIMGPU_ISA_LOG_ONLY"))
		exit(0);
}

static void assemble(struct lab *lab, const char *const *text, unsigned int count)
{
	char path[] = "/tmp/simgpu_isa_XXXXXX", command[512], line[1024];
	int fd = mkstemp(path);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	uint32_t at = 0;

	assert_non_null(file);
	write_source(file, text, count);
	fclose(file);
	/* LLVM 15 knows gfx942's instructions by the name of its first stepping. */
	snprintf(command, sizeof(command),
		 LLVM_MC " -triple=amdgcn-amd-amdhsa -mcpu=%s -show-encoding %s",
		 sim_instruction_set() == SIM_GFX942 ? "gfx940" : "gfx90a", path);
	file = popen(command, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		unsigned int n;

		if (sscanf(line, "case_%u:", &n) == 1)
			lab->start[n] = at;
		at += parse_encoding(line, &lab->code[at]);
		assert_in_range(at, 0, CODE_DWORDS - 16);
	}
	unlink(path);
	if (pclose(file))
		fail_msg("llvm-mc-15 refused a snippet");
	log_mnemonics(lab, at);
}

void lab_open(struct lab *lab, const char *const *text, unsigned int count)
{
	memset(lab, 0, sizeof(*lab));
	lab->code = aligned_alloc(4096, CODE_DWORDS * 4);
	lab->wave = aligned_alloc(64, (sizeof(*lab->wave) + 63) & ~(size_t)63);
	lab->lds = calloc(1, LAB_LDS);
	lab->memory = aligned_alloc(4096, LAB_MEMORY);
	lab->scratch = aligned_alloc(4096, LAB_SCRATCH_LANE * SIM_LANES);
	lab->start = calloc(count, sizeof(*lab->start));
	assert_true(lab->code && lab->wave && lab->lds && lab->memory && lab->scratch &&
		    lab->start);
	memset(lab->code, 0, CODE_DWORDS * 4);
	lab->snippets = count;
	if (getenv("SIMGPU_ISA_DIGEST"))
		lab->digest = calloc(count, sizeof(*lab->digest));
	assemble(lab, text, count);
	host_memory_reset();
	host_memory_add(lab->code, CODE_DWORDS * 4, SIM_MEM_READ | SIM_MEM_EXEC);
	host_memory_add(lab->memory, LAB_MEMORY, SIM_MEM_READ | SIM_MEM_WRITE);
	host_memory_add(lab->scratch, LAB_SCRATCH_LANE * SIM_LANES, SIM_MEM_READ | SIM_MEM_WRITE);
	sim_code_changed();
	lab_reset(lab);
}

/*
 * For comparing vector levels (vector_levels.sh): one line per snippet with a hash of what it
 * left in v0..v31, v64..v95, s0..s31, VCC, SCC and EXEC over all its runs, to SIMGPU_ISA_DIGEST.
 */
static uint64_t hash(uint64_t h, const void *data, size_t size)
{
	const uint32_t *word = data;

	for (size_t i = 0; i < size / 4; i++)
		h = (h ^ word[i]) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static void digest_add(struct lab *lab, unsigned int n)
{
	const struct sim_wave *w = lab->wave;
	uint64_t h = lab->digest[n];

	h = hash(h, w->vgpr[0], sizeof(w->vgpr[0]) * 32);
	h = hash(h, w->vgpr[64], sizeof(w->vgpr[0]) * 32);
	h = hash(h, w->sgpr, 128);
	h = hash(h, &w->vcc, sizeof(w->vcc));
	h = hash(h, &w->exec, sizeof(w->exec));
	lab->digest[n] = h + w->scc;
}

static void digest_write(const struct lab *lab)
{
	FILE *file = fopen(getenv("SIMGPU_ISA_DIGEST"), "a");

	assert_non_null(file);
	for (unsigned int n = 0; n < lab->snippets; n++)
		fprintf(file, "%u %016lx\n", n, lab->digest[n]);
	fclose(file);
}

void lab_open_rows(struct lab *lab, const char *const *first, size_t size, unsigned int count)
{
	const char **text = calloc(count, sizeof(*text));

	assert_non_null(text);
	for (unsigned int i = 0; i < count; i++)
		text[i] = *(const char *const *)((const char *)first + i * size);
	lab_open(lab, text, count);
	free(text);
}

void lab_close(struct lab *lab)
{
	if (lab->digest)
		digest_write(lab);
	free(lab->digest);
	free(lab->code);
	free(lab->wave);
	free(lab->lds);
	free(lab->memory);
	free(lab->scratch);
	free(lab->start);
}

void lab_reset(struct lab *lab)
{
	struct sim_wave *w = lab->wave;

	memset(w, 0, sizeof(*w));
	memset(&lab->counters, 0, sizeof(lab->counters));
	lab->group = (struct sim_group){
		.lds = lab->lds,
		.lds_size = LAB_LDS,
		.shared_base_hi = 0x10000,
		.private_base_hi = 0x20000,
		.counters = &lab->counters,
	};
	w->exec = ~0ull;
	w->mode = 0x3f0; /* nearest, denormals kept, DX10_CLAMP, IEEE: as HIP launches */
	w->group = &lab->group;
	w->scratch = lab->scratch;
	w->scratch_lane_size = LAB_SCRATCH_LANE;
}

enum sim_stop lab_run(struct lab *lab, unsigned int n)
{
	enum sim_stop stop;

	lab->wave->pc = (uint64_t)(lab->code + lab->start[n]);
	stop = sim_wave_run(lab->wave, 100000);
	if (lab->digest)
		digest_add(lab, n);
	return stop;
}

void lab_run_to_end(struct lab *lab, unsigned int n)
{
	enum sim_stop stop = lab_run(lab, n);

	if (stop == SIM_STOP_FAULT)
		fail_msg("snippet %u: fault %d, %s", n, lab->wave->fault.kind,
			 lab->wave->fault.name ? lab->wave->fault.name : "?");
	assert_int_equal(stop, SIM_STOP_END);
}

uint64_t lab_random(void)
{
	static uint64_t state = 0x2545f4914f6cdd1du;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x9e3779b97f4a7c15u;
}

uint32_t lab_edge32(void)
{
	static const uint32_t edges[] = {
		0,	    1,		2,	    31,		32,	    33,		63,
		0x7f,	    0x80,	0xff,	    0x7fff,	0x8000,	    0xffff,	0x10000,
		0x7fffff,   0x800000,	0xffffff,   0x3f800000, 0xbf800000, 0x3f000000, 0x40400000,
		0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fa00001, 0x00800000, 0x007fffff,
		0x80000001, 0x7fffffff, 0x80000000, 0xffffffff, 0x4f000000, 0x4f800000, 0xcf000000,
		0x3effffff, 0x4b000001, 0x33800000,
	};
	uint64_t r = lab_random();

	if (r & 3)
		return r & 4 ? (uint32_t)(r >> 16) : 0x30000000 + (uint32_t)(r >> 16) % 0x20000000;
	return edges[(r >> 8) % (sizeof(edges) / sizeof(edges[0]))];
}

uint64_t lab_edge64(void)
{
	static const uint64_t edges[] = {
		0,
		1,
		~0ull,
		1ull << 63,
		~0ull >> 1,
		0xffffffff,
		1ull << 32,
		0x3ff0000000000000,
		0xbff0000000000000,
		0x7ff0000000000000,
		0xfff0000000000000,
		0x7ff8000000000000,
		0x7ff4000000000001,
		0x0010000000000000,
		0x000fffffffffffff,
		0x8000000000000001,
		0x7fefffffffffffff,
		0x4330000000000001,
		0x41dfffffffc00000,
		0x41efffffffe00000,
	};
	uint64_t r = lab_random();

	if (r & 3)
		return r & 4 ? lab_random()
			     : (lab_random() >> 12) | (0x380 + (r >> 16) % 256) << 52;
	return edges[(r >> 8) % (sizeof(edges) / sizeof(edges[0]))];
}

uint32_t lab_edge16(void)
{
	static const uint16_t edges[] = {0,	 1,	 0x3c00, 0xbc00, 0x7bff, 0x7c00,
					 0xfc00, 0x7e00, 0x7d01, 0x0400, 0x03ff, 0x8001,
					 0x8000, 0xffff, 0x7fff, 0x3800};
	uint64_t r = lab_random();

	return r & 3 ? (uint32_t)(r >> 16) & 0xffff : edges[(r >> 8) % 16];
}

/* 64 bits in two registers. */
static void put_pair(struct lab *lab, unsigned int sgpr, uint64_t v)
{
	lab->wave->sgpr[sgpr] = (uint32_t)v;
	lab->wave->sgpr[sgpr + 1] = (uint32_t)(v >> 32);
}

void lab_fill(struct lab *lab, unsigned int stride, unsigned int records, unsigned int data,
	      unsigned int number)
{
	uint32_t *s = lab->wave->sgpr;

	lab_reset(lab);
	for (unsigned int i = 0; i < 65536; i += 8)
		*(uint64_t *)(lab->memory + i) = lab_random();
	for (unsigned int i = 0; i < 4096; i += 8)
		*(uint64_t *)(lab->lds + i) = lab_random();
	for (unsigned int r = 0; r < 8; r++)
		for (unsigned int l = 0; l < 64; l++)
			lab->wave->vgpr[LAB_VDATA + r][l] = (uint32_t)lab_random();
	put_pair(lab, 0, (uint64_t)lab->memory);
	put_pair(lab, 4, (uint64_t)lab->memory);
	s[1] |= stride << 16;
	s[2] = records;
	s[3] = 4 | 5 << 3 | 6 << 6 | 7 << 9 | number << 12 | data << 15;
	for (unsigned int l = 0; l < 64; l++)
		lab->wave->vgpr[LAB_VADDR][l] = 63 - l;
}
