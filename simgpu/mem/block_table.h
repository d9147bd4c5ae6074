/* SPDX-License-Identifier: MIT */
/*
 * Maps an address to the block that contains it: the table behind gpu_allocations.c, under whose
 * lock everything here is called, and the window of GPU addresses for registered memory.
 *
 * Rows are sorted by first page. User blocks may overlap each other, so each row also stores the
 * highest end of all rows up to it: a look-up walks back only while that end is above the address.
 *
 * A user block has a row at its address on the GPU only.
 *
 * Rows move when the table changes. Functions that return int return 0 or -errno.
 */
#ifndef PROBE_SIMGPU_MEM_BLOCK_TABLE_H
#define PROBE_SIMGPU_MEM_BLOCK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simgpu/mem/nearest_range.h"
#include "simgpu/mem/gpu_allocations.h"

struct sim_row {
	uint64_t first, end; /* rounded to pages */
	uint64_t reach;
	struct sim_block *block;
};

static inline uint64_t sim_page_down(uint64_t value)
{
	return value & ~(uint64_t)(SIM_PAGE - 1);
}

static inline uint64_t sim_page_up(uint64_t value)
{
	return sim_page_down(value + SIM_PAGE - 1);
}

/* A row that contains addr; mapped ones are preferred. */
struct sim_row *sim_table_find(uint64_t addr, bool mapped_only);
/* The row of the block whose first byte has this GPU address. */
struct sim_row *sim_table_find_gpu(uint64_t gpu);
/* Rows from 0, for loops over all of them. */
size_t sim_table_used(void);
struct sim_block *sim_table_block(size_t row);
struct sim_near sim_table_near(size_t row);
/* The same memory at its host address, if the GPU has it at another. */
bool sim_table_host_near(size_t row, struct sim_near *ret);

int sim_table_insert(uint64_t first, uint64_t end, struct sim_block *block);
/* Removes all rows of a block, and the block. */
void sim_table_erase(struct sim_block *block);
/* The ranges that the GPU may access have changed, so ranges found earlier are invalid. */
void sim_table_changed(void);

#endif
