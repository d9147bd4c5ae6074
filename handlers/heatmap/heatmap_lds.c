/* SPDX-License-Identifier: MIT */
#include "handlers/heatmap/heatmap_lds.h"

#include <probe/rules/lds_model.h>

static void learn_banks(const struct sites_kernel *kernel, struct heatmap_banks *banks)
{
	banks->count = probe_lds_model_phases(probe_lds_model_find(kernel->arch), 4, false)->banks;
	if (!banks->count || banks->count > HEATMAP_BANKS_MAX)
		banks->count = 32;
}

static uint64_t *banks_of(const struct sites_kernel *kernel, const struct site_facts *facts,
			  uint32_t *mask)
{
	struct heatmap_banks *banks = kernel->extra;

	if (!banks->count)
		learn_banks(kernel, banks);
	*mask = banks->count - 1;
	return banks->dwords[heatmap_kind(facts)];
}

void heatmap_lds(const struct sites_kernel *kernel, const struct site_facts *facts,
		 const uint64_t *addr, unsigned count)
{
	uint32_t mask, last = facts->bytes - 1u;
	uint64_t *dwords = banks_of(kernel, facts, &mask);

	for (unsigned i = 0; i < count; i++) {
		uint32_t at = (uint32_t)addr[i] >> 2, end = ((uint32_t)addr[i] + last) >> 2;

		for (; at <= end; at++)
			dwords[at & mask]++;
	}
}

bool heatmap_lds_run(const struct sites_kernel *kernel, const struct site_facts *facts,
		     const struct probe_access *access)
{
	uint32_t mask, stride = (uint32_t)access->stride, at = (uint32_t)access->base >> 2;
	uint64_t *dwords = banks_of(kernel, facts, &mask);
	uint32_t words = facts->bytes / 4, step = stride >> 2 & mask, cycle;

	if (access->lanes != 64 || facts->bytes & 3 || access->base & 3 || stride & 3)
		return false;
	/*
	 * The number of banks is a power of two, so the highest power of two that divides the step
	 * determines the cycle.
	 */
	cycle = step ? (mask + 1) / (step & -step) : 1;
	for (uint32_t word = 0; word < words; word++)
		for (uint32_t i = 0; i < cycle; i++)
			dwords[(at + word + i * step) & mask] += 64 / cycle;
	return true;
}

static const struct probe_column lds_columns[] = {
	{"code_object", PROBE_TYPE_INTEGER}, {"kernel", PROBE_TYPE_INTEGER},
	{"bank", PROBE_TYPE_INTEGER},	     {"reads", PROBE_TYPE_INTEGER},
	{"writes", PROBE_TYPE_INTEGER},	     {"atomics", PROBE_TYPE_INTEGER},
};
enum { COLUMNS = sizeof(lds_columns) / sizeof(lds_columns[0]) };

int heatmap_lds_write(const struct sites *sites)
{
	const struct probe_host *host = sites->host;
	int table = host->table(host->ctx, "lds", lds_columns, COLUMNS);
	int err = table < 0 ? table : 0;

	for (size_t k = 0; k < sites->count; k++) {
		const struct sites_kernel *kernel = sites->kernels[k];
		const struct heatmap_banks *banks = kernel->extra;

		for (uint32_t bank = 0; bank < banks->count && !err; bank++) {
			const union probe_value values[] = {
				{.integer = kernel->code_object},
				{.integer = kernel->id},
				{.integer = bank},
				{.integer = (int64_t)banks->dwords[READS][bank]},
				{.integer = (int64_t)banks->dwords[WRITES][bank]},
				{.integer = (int64_t)banks->dwords[ATOMICS][bank]},
			};

			err = host->row(host->ctx, table, values, COLUMNS);
		}
	}
	return err;
}
