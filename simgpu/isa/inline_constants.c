/* SPDX-License-Identifier: MIT */
#include "simgpu/isa/inline_constants.h"

#include <pthread.h>
#include <stdlib.h>

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
