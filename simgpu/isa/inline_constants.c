/* SPDX-License-Identifier: MIT */
#include "simgpu/isa/inline_constants.h"

#include <pthread.h>
#include <stdlib.h>

enum { LITERAL = 255 }; /* operand number */

struct node {
	struct sim_constant_rows rows;
	struct node *next;
};

static struct node *buckets[256];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct node *node_create(uint64_t value)
{
	struct node *node = aligned_alloc(64, (sizeof(*node) + 63) & ~(size_t)63);

	if (!node)
		return NULL;
	for (unsigned int lane = 0; lane < 64; lane++) {
		node->rows.row[0][lane] = (uint32_t)value;
		node->rows.row[1][lane] = (uint32_t)(value >> 32);
	}
	node->rows.value = value;
	return node;
}

const struct sim_constant_rows *sim_constant_rows(uint64_t value)
{
	struct node **bucket = &buckets[(value * 0x9e3779b97f4a7c15u) >> 56];
	struct node *node;

	pthread_mutex_lock(&lock);
	for (node = *bucket; node && node->rows.value != value; node = node->next)
		;
	if (!node) {
		node = node_create(value);
		if (node) {
			node->next = *bucket;
			*bucket = node;
		}
	}
	pthread_mutex_unlock(&lock);
	return node ? &node->rows : NULL;
}

uint64_t sim_constant(uint32_t code, unsigned int dwords, enum sim_type type, uint32_t literal,
		      bool fp)
{
	static const struct {
		uint16_t f16;
		uint32_t f32;
		uint64_t f64;
	} fconst[] = {
		{0x3800, 0x3f000000, 0x3fe0000000000000}, {0xb800, 0xbf000000, 0xbfe0000000000000},
		{0x3c00, 0x3f800000, 0x3ff0000000000000}, {0xbc00, 0xbf800000, 0xbff0000000000000},
		{0x4000, 0x40000000, 0x4000000000000000}, {0xc000, 0xc0000000, 0xc000000000000000},
		{0x4400, 0x40800000, 0x4010000000000000}, {0xc400, 0xc0800000, 0xc010000000000000},
		{0x3118, 0x3e22f983, 0x3fc45f306dc9c882},
	};
	uint64_t value;

	if (code == LITERAL)
		value = dwords == 2 && type == T_W && fp ? (uint64_t)literal << 32 : literal;
	else if (code <= 192)
		value = code - 128;
	else if (code <= 208)
		value = (uint64_t)(192 - (int64_t)code);
	else if (type == T_H || type == T_P)
		value = fconst[code - 240].f16;
	else if (type == T_W && (dwords == 2 || (dwords > 2 && fp)))
		value = fconst[code - 240].f64;
	else
		value = fconst[code - 240].f32;
	if (type == T_K)
		value = (value & 0xffffffff) | value << 32;
	return value;
}
