/* SPDX-License-Identifier: MIT */
#include "model/launch_memo.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/sites.h"
#include "common/kernel_argument.h"
#include "model/expr_program.h"
#include "model/launch.h"

enum { USED = 32, ENTRIES = 16, ENTRIES_BYTES = 4 << 20 };

/* An argument that the kernel's expressions use, and a mask of the bits that matter. */
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
	uint64_t used; /* number of the last call that used it; 0 = none */
	struct launch_memo_row *row;
};

struct kernel {
	struct kernel *next;
	uint64_t code;
	char *name;
	uint32_t first, count; /* its sites; ranges of kernels may overlap */
	struct used used[USED];
	uint32_t used_count, entries;
	bool keeps; /* it does not use too many arguments */
	struct entry entry[ENTRIES];
};

struct launch_memo {
	struct kernel *kernels;
	uint64_t calls;
};

/* ---- What a kernel's expressions use --------------------------------------------------------- */

static void use(struct kernel *kernel, uint32_t offset, uint32_t bits, uint64_t mask)
{
	struct used *used = kernel->used;

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

static void use_expression(struct kernel *kernel, const struct probe_sites *table, uint32_t root,
			   bool address)
{
	static const struct model_launch none;
	struct expr_program program;

	if (!expr_program_init(&program, table, &none, &root, root != DERIVED_NONE))
		kernel->keeps = false;
	for (uint32_t i = 0; i < program.steps && kernel->keeps; i++) {
		const struct probe_expr_node *node = &program.step[i].node;
		uint32_t offset = (uint32_t)node->value;
		bool adds = address && node->bits == 64;

		if (node->op == PROBE_EXPR_ARGUMENT)
			use(kernel, offset, node->bits,
			    adds && expr_program_adds(&program, offset) ? 127 : UINT64_MAX);
	}
	expr_program_deinit(&program);
}

/* Members of a group have the same expressions. */
static void use_member(struct kernel *kernel, const struct probe_sites *table,
		       const struct site_member *member, const struct site_member *before)
{
	if (!before || before->base != member->base)
		use_expression(kernel, table, member->base, true);
	if (!before || before->address != member->address)
		use_expression(kernel, table, member->address, true);
	if (!before || before->step != member->step)
		use_expression(kernel, table, member->step, false);
	for (int i = 0; i < 3; i++) {
		const struct probe_site_stride *stride = &member->stride[i];
		uint32_t bits = stride->bits & ~PROBE_STRIDE_UNSIGNED;

		if (stride->factor && (bits == 32 || bits == 64))
			use(kernel, stride->offset, bits, UINT64_MAX);
	}
}

static void find_used(struct kernel *kernel, const struct probe_sites *table)
{
	struct probe_sites_range range;

	range = probe_sites_rows(table->predicates, table->predicate_count,
				 sizeof(*table->predicates), kernel->first, kernel->count);
	for (uint32_t i = range.first; i < range.end && kernel->keeps; i++)
		use_expression(kernel, table, table->predicates[i].condition, false);
	range = probe_sites_rows(table->members, table->member_count, sizeof(*table->members),
				 kernel->first, kernel->count);
	for (uint32_t i = range.first; i < range.end && kernel->keeps; i++)
		use_member(kernel, table, &table->members[i],
			   i > range.first ? &table->members[i - 1] : NULL);
}

/* ---- Launches -------------------------------------------------------------------------------- */

static struct kernel *find_kernel(struct launch_memo *memo, const struct probe_sites *table,
				  const struct model_launch *launch, uint32_t first, uint32_t count)
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

static bool make_key(const struct kernel *kernel, const struct model_launch *launch,
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

/* The entry of the launch, or else the least recently used one. */
static struct entry *find_entry(struct kernel *kernel, const struct key *key)
{
	struct entry *oldest = &kernel->entry[0];

	for (uint32_t i = 0; i < kernel->entries; i++) {
		struct entry *entry = &kernel->entry[i];

		if (entry->used && !memcmp(&entry->key, key, sizeof(*key)))
			return entry;
		if (entry->used < oldest->used)
			oldest = entry;
	}
	oldest->used = 0;
	return oldest;
}

struct launch_memo_row *launch_memo_rows(struct launch_memo *memo, const struct probe_sites *table,
					 const struct model_launch *launch, uint32_t first,
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
	else if (!entry->used)
		memset(entry->row, 0, count * sizeof(*entry->row));
	if (!entry->row)
		return NULL;
	entry->key = key;
	entry->used = ++memo->calls;
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
