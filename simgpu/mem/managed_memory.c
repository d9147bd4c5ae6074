/* SPDX-License-Identifier: MIT */
#include "simgpu/mem/managed_memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "simgpu/mem/block_table.h"
#include "simgpu/mem/gpu_allocations.h"

struct advice {
	uint32_t nodes; /* bit n: node n may access it */
	uint32_t preferred, prefetched, flags, granularity;
};

/* Whole pages [base, end) with equal attributes. Sorted and disjoint. */
struct interval {
	uint64_t base, end;
	struct advice advice;
};

static const struct advice untouched = {
	.preferred = SIM_SVM_NOWHERE, .prefetched = SIM_SVM_NOWHERE, .granularity = 9};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct interval *table;
static size_t used, capacity;

static bool equal(const struct advice *a, const struct advice *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* The first interval that ends above an address. */
static size_t find(uint64_t address)
{
	size_t low = 0, high = used;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (table[mid].end <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int apply(struct advice *advice, const struct sim_svm_attribute *attributes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t value = attributes[i].value;
		uint32_t node = value && value < SIM_NODES ? 1u << value : 0;

		switch (attributes[i].type) {
		case SIM_SVM_ACCESS:
		case SIM_SVM_ACCESS_IN_PLACE:
			advice->nodes |= node;
			break;
		case SIM_SVM_NO_ACCESS:
			advice->nodes &= ~node;
			break;
		case SIM_SVM_PREFERRED_LOCATION:
			advice->preferred = value;
			break;
		case SIM_SVM_PREFETCH_LOCATION:
			advice->prefetched = value;
			break;
		case SIM_SVM_SET_FLAGS:
			advice->flags |= value;
			break;
		case SIM_SVM_CLEAR_FLAGS:
			advice->flags &= ~value;
			break;
		case SIM_SVM_GRANULARITY:
			advice->granularity = value;
			break;
		default:
			return -EINVAL;
		}
	}
	return 0;
}

struct change {
	uint64_t base, end;
	struct interval *parts; /* the intervals that replace [first, last) of the table */
	size_t count, first, last;
	bool changes;
};

/* Appends an interval, or extends the previous one. */
static void put(struct change *change, uint64_t base, uint64_t end, const struct advice *advice)
{
	struct interval *before = change->count ? &change->parts[change->count - 1] : NULL;

	if (base == end)
		return;
	if (before && before->end == base && equal(&before->advice, advice))
		before->end = end;
	else
		change->parts[change->count++] = (struct interval){base, end, *advice};
}

static void put_changed(struct change *change, uint64_t base, uint64_t end,
			const struct advice *old, const struct sim_svm_attribute *attributes,
			size_t count)
{
	struct advice advice = *old;

	if (base == end)
		return;
	apply(&advice, attributes, count);
	change->changes = change->changes || !equal(&advice, old);
	put(change, base, end, &advice);
}

/* Splits intervals that overlap the range at its borders, and changes those inside. */
static int plan(struct change *change, const struct sim_svm_attribute *attributes, size_t count)
{
	uint64_t at = change->base;

	change->first = change->last = find(change->base ? change->base - 1 : 0);
	while (change->last < used && table[change->last].base <= change->end)
		change->last++;
	change->parts = malloc((2 * (change->last - change->first) + 3) * sizeof(*change->parts));
	if (!change->parts)
		return -ENOMEM;
	for (size_t i = change->first; i < change->last; i++) {
		const struct interval *old = &table[i];
		uint64_t from = old->base > change->base ? old->base : change->base;
		uint64_t to = old->end < change->end ? old->end : change->end;

		if (old->base < change->base)
			put(change, old->base, old->end < change->base ? old->end : change->base,
			    &old->advice);
		if (from < to) {
			put_changed(change, at, from, &untouched, attributes, count);
			put_changed(change, from, to, &old->advice, attributes, count);
			at = to;
		}
		if (old->end <= change->end)
			continue;
		put_changed(change, at, change->end, &untouched, attributes, count);
		at = change->end;
		put(change, old->base > change->end ? old->base : change->end, old->end,
		    &old->advice);
	}
	put_changed(change, at, change->end, &untouched, attributes, count);
	return 0;
}

static int reserve(size_t want)
{
	size_t grown = capacity ? capacity : 16;
	struct interval *moved;

	if (want <= capacity)
		return 0;
	while (grown < want)
		grown *= 2;
	moved = realloc(table, grown * sizeof(*table));
	if (!moved)
		return -ENOMEM;
	table = moved;
	capacity = grown;
	return 0;
}

static uint32_t access_of(const struct advice *advice)
{
	uint32_t access = SIM_MEM_READ;

	if (!(advice->flags & SIM_SVM_READ_ONLY))
		access |= SIM_MEM_WRITE;
	if (advice->flags & SIM_SVM_EXECUTABLE)
		access |= SIM_MEM_EXEC;
	return access;
}

/* Updates which ranges GPUs may access. */
static int publish(const struct change *change)
{
	uint64_t base = change->parts[0].base, end = change->parts[change->count - 1].end;
	struct sim_block *blocks = calloc(change->count, sizeof(*blocks));
	size_t count = 0;
	int err;

	if (!blocks)
		return -ENOMEM;
	for (size_t i = 0; i < change->count; i++) {
		const struct interval *part = &change->parts[i];
		struct sim_block *block = &blocks[count];

		if (!part->advice.nodes)
			continue;
		*block = (struct sim_block){
			.kind = SIM_BLOCK_SVM,
			.base = part->base,
			.size = part->end - part->base,
			.node = SIM_NODE_CPU,
			.access = access_of(&part->advice),
			.mapped = 1,
		};
		for (uint32_t node = 0; node < SIM_NODES; node++)
			if (part->advice.nodes >> node & 1)
				block->nodes[block->node_count++] = node;
		count++;
	}
	err = sim_mem_replace_svm(base, end, blocks, count);
	free(blocks);
	return err;
}

static int commit(const struct change *change)
{
	size_t kept = used - change->last;
	int err = reserve(change->first + change->count + kept);

	if (err)
		return err;
	memmove(&table[change->first + change->count], &table[change->last], kept * sizeof(*table));
	memcpy(&table[change->first], change->parts, change->count * sizeof(*table));
	used = change->first + change->count + kept;
	return publish(change);
}

static int set_locked(struct change *change, const struct sim_svm_attribute *attributes,
		      size_t count)
{
	int err = plan(change, attributes, count);

	if (err)
		return err;
	/* The usual case, in which nothing changes: a buffer that is registered repeatedly. */
	return change->changes ? commit(change) : 0;
}

int sim_svm_set(uint64_t base, uint64_t size, const struct sim_svm_attribute *attributes,
		size_t count)
{
	struct change change = {.base = sim_page_down(base), .end = sim_page_up(base + size)};
	struct advice scratch = untouched;
	int err;

	if (!size || change.end <= change.base || apply(&scratch, attributes, count))
		return -EINVAL;
	pthread_mutex_lock(&lock);
	err = set_locked(&change, attributes, count);
	pthread_mutex_unlock(&lock);
	free(change.parts);
	return err;
}

/* The attributes that hold for the whole range. */
static struct advice common_advice(uint64_t base, uint64_t end)
{
	struct advice all = untouched;
	bool first = true;

	for (size_t i = find(base); i < used && table[i].base < end; i++) {
		const struct advice *one = &table[i].advice;

		if (first) {
			all = *one;
		} else {
			all.flags &= one->flags;
			if (all.preferred != one->preferred)
				all.preferred = SIM_SVM_NOWHERE;
			if (all.prefetched != one->prefetched)
				all.prefetched = SIM_SVM_NOWHERE;
			if (all.granularity > one->granularity)
				all.granularity = one->granularity;
		}
		first = false;
	}
	return all;
}

/* For any memory: the runtime also queries its other allocations. */
static bool visible(uint64_t base, uint64_t size, uint32_t node)
{
	return node == SIM_NODE_CPU ||
	       (node < SIM_NODES &&
		sim_mem_allows(base, size, SIM_MEM_READ | SIM_MEM_GPU(node), NULL));
}

int sim_svm_get(uint64_t base, uint64_t size, struct sim_svm_attribute *attributes, size_t count)
{
	uint64_t first = sim_page_down(base), end = sim_page_up(base + size);
	struct advice advice;

	if (!size || end <= first)
		return -EINVAL;
	pthread_mutex_lock(&lock);
	advice = common_advice(first, end);
	pthread_mutex_unlock(&lock);
	for (size_t i = 0; i < count; i++) {
		uint32_t node = attributes[i].value;

		switch (attributes[i].type) {
		case SIM_SVM_ACCESS:
		case SIM_SVM_ACCESS_IN_PLACE:
		case SIM_SVM_NO_ACCESS:
			attributes[i].type =
				visible(base, size, node) ? SIM_SVM_ACCESS : SIM_SVM_NO_ACCESS;
			break;
		case SIM_SVM_PREFERRED_LOCATION:
			attributes[i].value = advice.preferred;
			break;
		case SIM_SVM_PREFETCH_LOCATION:
			attributes[i].value = advice.prefetched;
			break;
		case SIM_SVM_SET_FLAGS:
			attributes[i].value = advice.flags;
			break;
		case SIM_SVM_CLEAR_FLAGS:
			attributes[i].value = ~advice.flags;
			break;
		case SIM_SVM_GRANULARITY:
			attributes[i].value = advice.granularity;
			break;
		default:
			return -EINVAL;
		}
	}
	return 0;
}
