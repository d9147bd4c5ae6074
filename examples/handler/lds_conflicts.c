/* SPDX-License-Identifier: MIT */
/*
 * Handler `lds_conflicts`: bank conflicts of each access to LDS, by Probe's rules for the GPU that
 * the kernel ran on (<probe/rules/lds_model.h>). It receives every access (kind trace) and writes
 * one row per site to table probe_lds_conflicts_site.
 */
#include <errno.h>
#include <stdlib.h>

#include <probe/handler.h>
#include <probe/rules/lds_model.h>

struct site {
	uint64_t executions, conflicts;
};

/* The sites of one code object. */
struct code_object {
	uint32_t id, site_count;
	struct site *sites;
};

struct lds_conflicts {
	const struct probe_host *host;
	struct code_object *code_objects;
	size_t count;
	struct probe_lds_scratch scratch;
};

static int open_handler(const struct probe_host *host, void **state)
{
	struct lds_conflicts *handler = calloc(1, sizeof(*handler));

	if (!handler)
		return -ENOMEM;
	handler->host = host;
	*state = handler;
	return 0;
}

static struct code_object *find_code_object(struct lds_conflicts *handler, uint32_t id)
{
	const struct probe_host *host = handler->host;
	struct code_object *grown, *code_object;

	for (size_t i = 0; i < handler->count; i++)
		if (handler->code_objects[i].id == id)
			return &handler->code_objects[i];
	grown = realloc(handler->code_objects, (handler->count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	handler->code_objects = grown;
	code_object = &grown[handler->count];
	code_object->id = id;
	code_object->site_count = host->site_count(host->ctx, id);
	code_object->sites = calloc(code_object->site_count + 1, sizeof(struct site));
	if (!code_object->sites)
		return NULL;
	handler->count++;
	return code_object;
}

/* A lane's access of, for example, 32 bytes is two machine accesses of 16 bytes (info->unit). */
static uint32_t count_conflicts(struct lds_conflicts *handler,
				const struct probe_dispatch_info *dispatch,
				const struct probe_site_info *info,
				const struct probe_access *access)
{
	const struct probe_lds_rule rule =
		probe_lds_rule(probe_lds_model_find(dispatch->arch), dispatch->wave_size,
			       info->unit, (enum probe_access_kind)info->access);
	uint32_t offset[64], conflicts = 0;
	uint64_t addresses[64];

	probe_access_expand(access, addresses);
	for (unsigned done = 0; done < info->bytes; done += info->unit) {
		struct probe_lds_cost cost;
		unsigned rank = 0;

		for (uint64_t rest = access->exec; rest; rest &= rest - 1)
			offset[__builtin_ctzll(rest)] = (uint32_t)addresses[rank++] + done;
		cost = probe_lds_count(&rule, access->exec, offset, &handler->scratch);
		conflicts += cost.passes - cost.ideal;
	}
	return conflicts;
}

static int take_batch(void *state, const struct probe_batch *batch)
{
	struct lds_conflicts *handler = state;
	const struct probe_host *host = handler->host;
	const struct probe_dispatch_info *dispatch = batch->dispatch;
	struct code_object *code_object = find_code_object(handler, dispatch->code_object);

	if (!code_object)
		return -ENOMEM;
	for (size_t i = 0; i < batch->count; i++) {
		const struct probe_access *access = &batch->access[i];
		const struct probe_site_info *info =
			host->site(host->ctx, code_object->id, access->site);

		if (!info || !info->unit || info->space != PROBE_SPACE_LDS || !access->exec)
			continue;
		code_object->sites[access->site].executions++;
		code_object->sites[access->site].conflicts +=
			count_conflicts(handler, dispatch, info, access);
	}
	return 0;
}

static const struct probe_column columns[] = {
	{"file", PROBE_TYPE_TEXT},
	{"line", PROBE_TYPE_INTEGER},
	{"executions", PROBE_TYPE_INTEGER},
	{"conflicts", PROBE_TYPE_INTEGER},
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static int write_sites(const struct lds_conflicts *handler, int table,
		       const struct code_object *code_object)
{
	const struct probe_host *host = handler->host;
	int err = 0;

	for (uint32_t id = 0; id < code_object->site_count && !err; id++) {
		const struct site *site = &code_object->sites[id];
		struct probe_frame_info place;

		if (!site->executions)
			continue;
		place = probe_site_user_place(host->site(host->ctx, code_object->id, id));

		const union probe_value values[COLUMNS] = {
			{.text = place.file},
			{.integer = place.line},
			{.integer = (int64_t)site->executions},
			{.integer = (int64_t)site->conflicts},
		};

		err = host->row(host->ctx, table, values, COLUMNS);
	}
	return err;
}

static int close_handler(void *state)
{
	struct lds_conflicts *handler = state;
	const struct probe_host *host = handler->host;
	int table = host->table(host->ctx, "site", columns, COLUMNS);
	int err = table < 0 ? table : 0;

	for (size_t i = 0; i < handler->count; i++) {
		err = err ? err : write_sites(handler, table, &handler->code_objects[i]);
		free(handler->code_objects[i].sites);
	}
	free(handler->code_objects);
	free(handler);
	return err;
}

PROBE_HANDLER struct probe_handler probe_handler = {
	.size = sizeof(struct probe_handler),
	.abi = PROBE_HANDLER_ABI,
	.name = "lds_conflicts",
	.summary = "bank conflicts of each access to LDS",
	.streams = PROBE_STREAM_ACCESS,
	.open = open_handler,
	.batch = take_batch,
	.close = close_handler,
};
