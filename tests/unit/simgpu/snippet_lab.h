/* SPDX-License-Identifier: MIT */
/*
 * A bench for single instructions: assemble snippets with llvm-mc-15 (one call for a whole
 * table), run them on a prepared wave, look at registers.
 */
#ifndef PROBE_TESTS_UNIT_SIMGPU_SNIPPET_LAB_H
#define PROBE_TESTS_UNIT_SIMGPU_SNIPPET_LAB_H

#include <stddef.h>
#include <stdint.h>

#include "simgpu/exec/wave.h"

enum {
	LAB_LDS = 65536,
	LAB_MEMORY = 1 << 20,
	LAB_SCRATCH_LANE = 1024,
	/* Where lab_fill() puts data and addresses. */
	LAB_VDATA = 8,
	LAB_VADDR = 2,
};

struct lab {
	struct sim_wave *wave;
	struct sim_group group;
	struct sim_counters counters;
	uint8_t *lds;
	uint8_t *memory; /* LAB_MEMORY bytes the GPU may read and write */
	uint8_t *scratch;
	uint32_t *code;
	unsigned int snippets;
	uint32_t *start;  /* dword of each snippet in code */
	uint64_t *digest; /* of each snippet's results, if requested */
};

/* Assemble the snippets (s_endpgm is added to each). Fails the running test on an error. */
void lab_open(struct lab *lab, const char *const *text, unsigned int count);
/* The same for rows of `size` bytes of a table, by the address of the first one's snippet. */
void lab_open_rows(struct lab *lab, const char *const *first, size_t size, unsigned int count);
void lab_close(struct lab *lab);

/* A wave as launched: all lanes active, registers zero, default MODE. */
void lab_reset(struct lab *lab);

/*
 * Random memory, LDS and v8 to v15; a buffer of records over the memory in s[0:3], its address in
 * s[4:5] too; lane l's index, in v2, is 63 - l.
 */
void lab_fill(struct lab *lab, unsigned int stride, unsigned int records, unsigned int data,
	      unsigned int number);

/* Run snippet n from the current state to its end; answers why it stopped. */
enum sim_stop lab_run(struct lab *lab, unsigned int n);

/* As lab_run(), and it must reach s_endpgm. */
void lab_run_to_end(struct lab *lab, unsigned int n);

/* Repeatable random bits; and often numbers at the edges of integer and float formats. */
uint64_t lab_random(void);
uint32_t lab_edge32(void);
uint64_t lab_edge64(void);
uint32_t lab_edge16(void);

#endif
