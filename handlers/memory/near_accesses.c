/* SPDX-License-Identifier: MIT */
#include "handlers/memory/near_accesses.h"

#include <errno.h>
#include <stdlib.h>

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_groups(const struct near_group *a, const struct near_group *b)
{
	int ret = compare(a->first, b->first);

	ret = ret ? ret : compare(a->access, b->access);
	return ret ? ret : compare(a->executions, b->executions);
}

static int compare_accesses(const void *left, const void *right)
{
	const struct near_access *a = left, *b = right;
	int ret = compare_groups(&a->group, &b->group);

	return ret ? ret : compare(a->site, b->site);
}

int near_accesses_init(struct near_accesses *accesses, struct near_access *list, unsigned count)
{
	struct near_group *group = calloc(count + 1, sizeof(*group));
	struct advice_near *near = calloc(count + 1, sizeof(*near));

	if (!group || !near) {
		free(group);
		free(near);
		return -ENOMEM;
	}
	qsort(list, count, sizeof(*list), compare_accesses);
	for (unsigned i = 0; i < count; i++) {
		group[i] = list[i].group;
		near[i] = list[i].near;
	}
	*accesses = (struct near_accesses){.group = group, .near = near, .count = count};
	return 0;
}

void near_accesses_deinit(struct near_accesses *accesses)
{
	free(accesses->group);
	free(accesses->near);
}

unsigned near_accesses_find(const struct near_accesses *accesses, const struct near_group *group,
			    const struct advice_near **ret)
{
	unsigned low = 0, high = accesses->count, count = 0;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (compare_groups(&accesses->group[middle], group) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	while (low + count < accesses->count &&
	       !compare_groups(&accesses->group[low + count], group))
		count++;
	*ret = count ? accesses->near + low : NULL;
	return count;
}
