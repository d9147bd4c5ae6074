/* SPDX-License-Identifier: MIT */
/*
 * Handler `lanes`: how many lanes of a wave are active at each memory access. It receives every
 * access (kind trace) and writes one row per site to table probe_lanes_site.
 */
#include <errno.h>
#include <stdlib.h>

#include <probe/handler.h>

struct row {
	uint32_t code_object, site;
	uint64_t executions, lanes, full;
};

struct lanes {
	const struct probe_host *host;
	struct row *rows; /* in the order of first use; searched from the last hit */
	size_t count, capacity;
	size_t last;
};

static const struct probe_column columns[] = {
	{"file", PROBE_TYPE_TEXT},	    {"line", PROBE_TYPE_INTEGER},
	{"executions", PROBE_TYPE_INTEGER}, {"mean_lanes", PROBE_TYPE_REAL},
	{"full_waves", PROBE_TYPE_INTEGER},
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static int lanes_open(const struct probe_host *host, void **state)
{
	struct lanes *lanes = calloc(1, sizeof(*lanes));

	if (!lanes)
		return -ENOMEM;
	lanes->host = host;
	*state = lanes;
	return 0;
}

static struct row *find_row(struct lanes *lanes, uint32_t code_object, uint32_t site)
{
	for (size_t n = 0; n < lanes->count; n++) {
		size_t i = (lanes->last + n) % lanes->count;

		if (lanes->rows[i].site == site && lanes->rows[i].code_object == code_object) {
			lanes->last = i;
			return &lanes->rows[i];
		}
	}
	if (lanes->count == lanes->capacity) {
		size_t capacity = lanes->capacity ? 2 * lanes->capacity : 64;
		struct row *rows = realloc(lanes->rows, capacity * sizeof(*rows));

		if (!rows)
			return NULL;
		lanes->rows = rows;
		lanes->capacity = capacity;
	}
	lanes->rows[lanes->count] = (struct row){.code_object = code_object, .site = site};
	return &lanes->rows[lanes->last = lanes->count++];
}

static int lanes_batch(void *state, const struct probe_batch *batch)
{
	struct lanes *lanes = state;

	for (size_t i = 0; i < batch->count; i++) {
		const struct probe_access *access = &batch->access[i];
		struct row *row = find_row(lanes, batch->dispatch->code_object, access->site);

		if (!row)
			return -ENOMEM;
		row->executions++;
		row->lanes += access->lanes;
		row->full += access->lanes == batch->dispatch->wave_size;
	}
	return 0;
}

static int write_row(const struct lanes *lanes, int table, const struct row *row)
{
	const struct probe_host *host = lanes->host;
	const struct probe_site_info *site = host->site(host->ctx, row->code_object, row->site);
	union probe_value values[COLUMNS] = {
		{.text = site ? site->file : NULL},
		{.integer = site ? site->line : 0},
		{.integer = (int64_t)row->executions},
		{.real = (double)row->lanes / (double)row->executions},
		{.integer = (int64_t)row->full},
	};

	return host->row(host->ctx, table, values, COLUMNS);
}

static int lanes_close(void *state)
{
	struct lanes *lanes = state;
	int table = lanes->host->table(lanes->host->ctx, "site", columns, COLUMNS);
	int err = table < 0 ? table : 0;

	for (size_t i = 0; i < lanes->count && !err; i++)
		err = write_row(lanes, table, &lanes->rows[i]);
	free(lanes->rows);
	free(lanes);
	return err;
}

PROBE_HANDLER struct probe_handler probe_handler = {
	.size = sizeof(struct probe_handler),
	.abi = PROBE_HANDLER_ABI,
	.name = "lanes",
	.summary = "how many lanes are active at each access",
	.streams = PROBE_STREAM_ACCESS,
	.open = lanes_open,
	.batch = lanes_batch,
	.close = lanes_close,
};
