/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/code/kernel_table.h"

#include <errno.h>
#include <stdlib.h>

struct slot {
	_Atomic uint64_t object; /* 0 = free; a used slot never becomes free again */
	struct probe_kernel *_Atomic kernel;
};

struct table {
	uint64_t mask;
	uint64_t used;
	struct slot slots[];
};

static struct table *_Atomic current;

/* Descriptors are 64-byte aligned. */
static uint64_t place(uint64_t object)
{
	return (object >> 6) * 0x9e3779b97f4a7c15ull >> 20;
}

static struct slot *slot_of(struct table *table, uint64_t object)
{
	for (uint64_t i = place(object);; i++) {
		struct slot *slot = &table->slots[i & table->mask];
		uint64_t there = atomic_load_explicit(&slot->object, memory_order_acquire);

		if (there == object || !there)
			return slot;
	}
}

static void put(struct table *table, uint64_t object, struct probe_kernel *kernel)
{
	struct slot *slot = slot_of(table, object);

	table->used += !atomic_load_explicit(&slot->object, memory_order_relaxed);
	/* Pairs with the acquires in find(): the kernel's fields are visible before its slot. */
	atomic_store_explicit(&slot->kernel, kernel, memory_order_release);
	atomic_store_explicit(&slot->object, object, memory_order_release);
}

static int grow(struct table *old)
{
	uint64_t size = old ? 2 * (old->mask + 1) : 1024;
	struct table *table = calloc(1, sizeof(*table) + size * sizeof(table->slots[0]));

	if (!table)
		return -ENOMEM;
	table->mask = size - 1;
	for (uint64_t i = 0; old && i <= old->mask; i++) {
		struct probe_kernel *kernel = atomic_load(&old->slots[i].kernel);

		if (kernel)
			put(table, kernel->object, kernel);
	}
	atomic_store_explicit(&current, table, memory_order_release);
	return 0;
}

int probe_kernel_table_add(struct probe_kernel *kernel)
{
	struct table *table = atomic_load(&current);
	int err = 0;

	if (!table || table->used * 2 > table->mask)
		err = grow(table);
	if (err)
		return err;
	put(atomic_load(&current), kernel->object, kernel);
	return 0;
}

void probe_kernel_table_remove(const struct probe_kernel *kernel)
{
	struct table *table = atomic_load(&current);
	struct slot *slot;

	if (!table)
		return;
	slot = slot_of(table, kernel->object);
	/* Another kernel may have been loaded at this address in the meantime. */
	if (atomic_load(&slot->kernel) == kernel)
		atomic_store_explicit(&slot->kernel, NULL, memory_order_release);
}

struct probe_kernel *probe_kernel_table_find(uint64_t object)
{
	struct table *table = atomic_load_explicit(&current, memory_order_acquire);
	struct slot *slot;

	if (!table || !object)
		return NULL;
	slot = slot_of(table, object);
	if (!atomic_load_explicit(&slot->object, memory_order_acquire))
		return NULL;
	return atomic_load_explicit(&slot->kernel, memory_order_acquire);
}
