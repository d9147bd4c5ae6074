/* SPDX-License-Identifier: MIT */
/* An address, and the waves that access it, one by one. Include cmocka.h first. */
#ifndef TEST_MODEL_PLACEMENT_CASE_H
#define TEST_MODEL_PLACEMENT_CASE_H

#include <string.h>

#include "tests/unit/model/expr_builder.h"
#include "model/wave_classes.h"

enum { RESIDUES = 128 };

static struct probe_sites table;

/* &p[(y + z) * n + (x ^ 5) - (n >> 1)] of int *p at 0, int n at 8 */
static inline void put_sum(void)
{
	put(PROBE_EXPR_ARGUMENT, 64, 0);
	put_id(1);
	put_id(2);
	put(PROBE_EXPR_ADD, 32, 0);
	put(PROBE_EXPR_ARGUMENT, 32, 8);
	put(PROBE_EXPR_MUL, 32, 0);
	put_id(0);
	put(PROBE_EXPR_CONSTANT, 32, 5);
	put(PROBE_EXPR_XOR, 32, 0);
	put(PROBE_EXPR_ADD, 32, 0);
	put(PROBE_EXPR_ARGUMENT, 32, 8);
	put(PROBE_EXPR_CONSTANT, 32, 1);
	put(PROBE_EXPR_ASHR, 32, 0);
	put(PROBE_EXPR_SUB, 32, 0);
	put(PROBE_EXPR_SEXT, 64, 0);
	put(PROBE_EXPR_CONSTANT, 64, 2);
	put(PROBE_EXPR_SHL, 64, 0);
	put(PROBE_EXPR_ADD, 64, 0);
}

static inline uint32_t put_index(void)
{
	put_sum();
	return take(&table);
}

static inline uint64_t index_of(const uint32_t group[3], const uint32_t size[3], uint32_t item,
				const int32_t *arguments)
{
	uint32_t x = group[0] * size[0] + item % size[0];
	uint32_t y = group[1] * size[1] + item / size[0] % size[1];
	uint32_t z = group[2] * size[2] + item / size[0] / size[1];
	uint32_t n = (uint32_t)arguments[2];
	int32_t index = (int32_t)((y + z) * n + (x ^ 5) - (uint32_t)((int32_t)n >> 1));
	uint64_t pointer;

	memcpy(&pointer, arguments, 8);
	return pointer + (uint64_t)(int64_t)index * 4;
}

/* Takes the wave with these lanes and addresses away from those that were found. */
static inline void take_lanes(struct wave_classes *classes, uint64_t exec,
			      const uint64_t address[64])
{
	int64_t offset[64] = {0};
	uint64_t start;

	if (!exec)
		return;
	start = address[__builtin_ctzll(exec)];
	for (uint64_t rest = exec; rest; rest &= rest - 1)
		offset[__builtin_ctzll(rest)] = (int64_t)(address[__builtin_ctzll(rest)] - start);
	for (uint32_t i = 0; i < classes->count; i++) {
		struct wave_class *class = &classes->class[i];

		if (class->count && class->exec == exec && class->residue == start % RESIDUES &&
		    !memcmp(classes->offset[i], offset, sizeof(offset))) {
			class->count--;
			return;
		}
	}
	fail();
}

#endif
