/* SPDX-License-Identifier: MIT */
#include "model/launch_memo.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/sites.h"
#include "common/kernel_argument.h"
#include "model/proved_rows.h"

enum { USED = 32, ENTRIES = 16, ENTRIES_BYTES = 4 << 20 };

/* An argument that something is calculated from, and the bits of it that count. */
struct used {
	uint32_t offset, bytes;
	uint64_t mask;
};

struct key {
	uint32_t grid[3], group[3], lanes, filtered;
	struct probe_workgroups groups;
	uint64_t argument[USED];
};

struct entry {
	struct key key;
	uint64_t turn; /* when it was asked for last; 0 = never */
	struct launch_memo_row *row;
};

struct kernel {
	struct kernel *next;
	uint64_t code;
	char *name;
	uint32_t first, count; /* its sites: others may have some of them, too */
	struct used used[USED];
	uint32_t used_count, entries;
	bool keeps; /* there are not too many */
	struct entry entry[ENTRIES];
};

struct launch_memo {
	struct kernel *kernels;
	uint64_t turn;
};

/* ---- What a kernel's calculations use -------------------------------------------------------- */

static void use(struct kernel *kernel, uint32_t offset, uint32_t bits, bool place)
{
	struct used *used = kernel->used;
	uint64_t mask = place ? 127 : UINT64_MAX;

	for (uint32_t i = 0; i < kernel->used_count; i++)
		if (used[i].offset == offset && used[i].bytes == bits / 8) {
			used[i].mask |= mask;
			return;
		}
	if (kernel->used_count == USED) {
		kernel->keeps = false;
		return;
	}
	used[kernel->used_count++] = (struct used){offset, bits / 8, mask};
}

/*
 * Is what step `which` puts there only added to, and taken from? Then a multiple of 128 more is one
 * more in the end.
 */
static bool is_added(const struct probe_expr_op *op, uint32_t count, uint32_t which)
{
	bool stack[PROBE_EXPR_STACK + 1] = {false}, note[PROBE_EXPR_NOTES] = {false};
	uint32_t used = 0;

	for (uint32_t i = 0; i < count; i++) {
		bool again = op[i].code == PROBE_EXPR_KEPT, keep = op[i].code == PROBE_EXPR_KEEP;
		uint32_t takes = op[i].code < PROBE_EXPR_ADD || again ? 0
				 : op[i].code < PROBE_EXPR_SELECT     ? 2
				 : op[i].code > PROBE_EXPR_SELECT     ? 1
								      : 3;
		bool sum = op[i].code == PROBE_EXPR_ADD || op[i].code == PROBE_EXPR_SUB;
		bool any = !takes && i == which;

		if ((op[i].code > PROBE_EXPR_TRUNC && !again && !keep) || used < takes ||
		    used - takes == PROBE_EXPR_STACK ||
		    ((again || keep) && op[i].index >= PROBE_EXPR_NOTES))
			return false;
		if (keep) {
			note[op[i].index] = stack[used - 1];
			continue;
		}
		any = any || (again && note[op[i].index]);
		for (uint32_t k = 0; k < takes; k++)
			any |= stack[--used];
		if (takes && any && !(sum && op[i].bits == 64))
			return false;
		stack[used++] = any;
	}
	return true;
}

static void use_calculation(struct kernel *kernel, const struct probe_expr_op *op, uint32_t count,
			    bool address)
{
	for (uint32_t i = 0; i < count; i++)
		if (op[i].code == PROBE_EXPR_ARGUMENT)
			use(kernel, op[i].offset, op[i].bits,
			    address && op[i].bits == 64 && is_added(op, count, i));
}

static bool is_address(const struct probe_sites *table, int64_t row)
{
	return row < table->site_count && !probe_sites_predicate(table, (uint32_t)row);
}

static void find_used(struct kernel *kernel, const struct probe_sites *table)
{
	const struct probe_expr_op *op = table->exprs, *end = op + table->expr_ops;

	while (op < end) {
		const struct probe_expr_op *first = op + 1;
		int64_t row = op->value;

		for (op = first; op < end && op->code != PROBE_EXPR_OF;)
			op++;
		if (row >= kernel->first && row - kernel->first < kernel->count)
			use_calculation(kernel, first, (uint32_t)(op - first),
					is_address(table, row));
	}
	for (uint32_t id = kernel->first; id < kernel->first + kernel->count; id++)
		for (int i = 0; i < 3; i++) {
			const struct probe_site_stride *stride = &table->proofs[id].stride[i];
			uint32_t bits = stride->bits & ~PROBE_STRIDE_UNSIGNED;

			if (stride->factor && (bits == 32 || bits == 64))
				use(kernel, stride->offset, bits, false);
		}
}

/* ---- Launches -------------------------------------------------------------------------------- */

static struct kernel *find_kernel(struct launch_memo *memo, const struct probe_sites *table,
				  const struct proved_launch *launch, uint32_t first,
				  uint32_t count)
{
	struct kernel *kernel = memo->kernels;
	size_t entries = ENTRIES_BYTES / (count * sizeof(struct launch_memo_row) + 1);

	while (kernel && (kernel->code != launch->code || strcmp(kernel->name, launch->kernel)))
		kernel = kernel->next;
	if (kernel)
		return kernel;
	kernel = calloc(1, sizeof(*kernel));
	if (!kernel)
		return NULL;
	kernel->name = strdup(launch->kernel);
	kernel->code = launch->code;
	kernel->first = first;
	kernel->count = count;
	kernel->keeps = entries > 0;
	kernel->entries = entries < ENTRIES ? (uint32_t)entries : ENTRIES;
	if (!kernel->name) {
		free(kernel);
		return NULL;
	}
	if (kernel->keeps)
		find_used(kernel, table);
	kernel->next = memo->kernels;
	memo->kernels = kernel;
	return kernel;
}

static bool make_key(const struct kernel *kernel, const struct proved_launch *launch,
		     struct key *ret)
{
	memset(ret, 0, sizeof(*ret));
	memcpy(ret->grid, launch->grid, sizeof(ret->grid));
	memcpy(ret->group, launch->group, sizeof(ret->group));
	ret->lanes = launch->lanes;
	ret->filtered = launch->groups != NULL;
	if (launch->groups)
		ret->groups = *launch->groups;
	for (uint32_t i = 0; i < kernel->used_count; i++) {
		const struct used *used = &kernel->used[i];

		if (!probe_kernel_argument(launch->arguments, launch->argument_bytes, used->offset,
				    used->bytes, &ret->argument[i]))
			return false;
		ret->argument[i] &= used->mask;
	}
	return true;
}

/* The launch's, or the one that was not asked for for longest. */
static struct entry *find_entry(struct kernel *kernel, const struct key *key)
{
	struct entry *oldest = &kernel->entry[0];

	for (uint32_t i = 0; i < kernel->entries; i++) {
		struct entry *entry = &kernel->entry[i];

		if (entry->turn && !memcmp(&entry->key, key, sizeof(*key)))
			return entry;
		if (entry->turn < oldest->turn)
			oldest = entry;
	}
	oldest->turn = 0;
	return oldest;
}

struct launch_memo_row *launch_memo_rows(struct launch_memo *memo, const struct probe_sites *table,
					 const struct proved_launch *launch, uint32_t first,
					 uint32_t count)
{
	struct kernel *kernel = find_kernel(memo, table, launch, first, count);
	struct entry *entry;
	struct key key;

	if (!kernel || !kernel->keeps || !make_key(kernel, launch, &key))
		return NULL;
	entry = find_entry(kernel, &key);
	if (!entry->row)
		entry->row = calloc(count, sizeof(*entry->row));
	else if (!entry->turn)
		memset(entry->row, 0, count * sizeof(*entry->row));
	if (!entry->row)
		return NULL;
	entry->key = key;
	entry->turn = ++memo->turn;
	return entry->row;
}

struct launch_memo *launch_memo_create(void)
{
	return calloc(1, sizeof(struct launch_memo));
}

void launch_memo_destroy(struct launch_memo *memo)
{
	struct kernel *kernel = memo ? memo->kernels : NULL;

	while (kernel) {
		struct kernel *next = kernel->next;

		for (uint32_t i = 0; i < ENTRIES; i++)
			free(kernel->entry[i].row);
		free(kernel->name);
		free(kernel);
		kernel = next;
	}
	free(memo);
}
