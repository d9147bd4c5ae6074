/* SPDX-License-Identifier: MIT */
/*
 * Handler `count`: how often waves executed each part of the code, and with how many lanes. One row
 * per kernel and class of blocks that always execute together (wire_device.h section 3), in table
 * probe_count_site.
 */
#include <errno.h>
#include <stdlib.h>

#include <probe/handler.h>

#include "handlers/common/site_table.h"

struct site {
	struct site_facts facts; /* facts about accesses are not used */
	uint64_t executions, lanes;
};

static int count_open(const struct probe_host *host, void **state)
{
	struct sites *sites = calloc(1, sizeof(*sites));

	if (!sites)
		return -ENOMEM;
	*sites = (struct sites){.host = host, .site_size = sizeof(struct site)};
	*state = sites;
	return 0;
}

static int count_batch(void *state, const struct probe_batch *batch)
{
	struct sites *sites = state;
	const struct sites_kernel *kernel = sites_kernel(sites, batch->dispatch);

	if (!kernel)
		return -ENOMEM;
	for (size_t i = 0; i < batch->count; i++) {
		const struct probe_counter_row *row = &batch->counters[i];
		struct site *site = sites_make(kernel, row->site);

		if (!site) {
			sites->invalid++;
			continue;
		}
		site->executions += row->value[PROBE_C_EXECUTIONS];
		site->lanes += row->value[PROBE_C_LANES];
	}
	return 0;
}

static const struct probe_column columns[] = {
	{"code_object", PROBE_TYPE_INTEGER}, {"kernel", PROBE_TYPE_INTEGER},
	{"site", PROBE_TYPE_INTEGER},	     {"executions", PROBE_TYPE_INTEGER},
	{"lanes", PROBE_TYPE_INTEGER},	     {"mean_lanes", PROBE_TYPE_REAL},
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static int write_row(const struct probe_host *host, int table, const struct sites_kernel *kernel,
		     uint32_t id)
{
	const struct site *site = sites_at(kernel, id);

	if (!site->executions)
		return 0;

	const union probe_value values[COLUMNS] = {
		{.integer = kernel->code_object},
		{.integer = kernel->id},
		{.integer = id},
		{.integer = (int64_t)site->executions},
		{.integer = (int64_t)site->lanes},
		{.real = (double)site->lanes / (double)site->executions},
	};

	return host->row(host->ctx, table, values, COLUMNS);
}

static int count_close(void *state)
{
	struct sites *sites = state;
	int err = sites_write(sites, columns, COLUMNS, write_row);

	sites_report(sites, "count");
	sites_deinit(sites);
	free(sites);
	return err;
}

PROBE_HANDLER struct probe_handler probe_handler = {
	.size = sizeof(struct probe_handler),
	.abi = PROBE_HANDLER_ABI,
	.name = "count",
	.summary = "how often waves executed each block of code, and with how many active lanes",
	.streams = PROBE_STREAM_BLOCKS,
	.open = count_open,
	.batch = count_batch,
	.close = count_close,
};
