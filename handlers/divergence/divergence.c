/* SPDX-License-Identifier: MIT */
/*
 * Handler `divergence`: how many lanes of a wave are active at each memory access. One row per
 * kernel and site in table probe_divergence_site.
 *
 * A lane is idle for one of two reasons. Its work-item does not exist, because the workgroup is not
 * a multiple of the wave (idle_partial); or it took another branch or returned early (idle_branch).
 */
#include <errno.h>
#include <stdlib.h>

#include <probe/handler.h>

#include "handlers/common/site_table.h"

enum { CLASSES = 5 };

struct site {
	struct site_facts facts;
	uint64_t executions, lanes;
	uint64_t classes[CLASSES];
	uint64_t idle_partial, idle_branch;
	uint64_t whole; /* executions in which all lanes of the wave's start are active */
};

struct divergence {
	struct sites sites;
	unsigned char class[256]; /* indexed by the number of active lanes */
};

static unsigned class_of(unsigned lanes)
{
	static const unsigned char ends[CLASSES] = {1, 15, 31, 63, 64};
	unsigned class = 0;

	while (lanes > ends[class])
		class ++;
	return class;
}

static int divergence_open(const struct probe_host *host, void **state)
{
	struct divergence *divergence = calloc(1, sizeof(*divergence));

	if (!divergence)
		return -ENOMEM;
	divergence->sites = (struct sites){.host = host, .site_size = sizeof(struct site)};
	for (unsigned lanes = 1; lanes <= 64; lanes++)
		divergence->class[lanes] = (unsigned char)class_of(lanes);
	*state = divergence;
	return 0;
}

static int divergence_batch(void *state, const struct probe_batch *batch)
{
	struct divergence *divergence = state;
	const struct sites_kernel *kernel = sites_kernel(&divergence->sites, batch->dispatch);
	uint64_t all;

	if (!kernel)
		return -ENOMEM;
	all = kernel->wave == 32 ? UINT32_MAX : UINT64_MAX;
	for (size_t i = 0; i < batch->count; i++) {
		const struct probe_access *access = &batch->access[i];
		uint64_t exec = access->exec & all, begun = site_wave_exec(kernel, access) | exec;
		struct site *site =
			exec ? sites_get(&divergence->sites, kernel, access->site) : NULL;

		if (!site)
			continue;
		site->executions++;
		site->lanes += access->lanes;
		site->classes[divergence->class[access->lanes]]++;
		site->whole += begun == exec;
		if (begun != exec)
			site->idle_branch += (unsigned)__builtin_popcountll(begun & ~exec);
		if (begun != all)
			site->idle_partial += (unsigned)__builtin_popcountll(all & ~begun);
	}
	return 0;
}

static const struct probe_column columns[] = {
	{"code_object", PROBE_TYPE_INTEGER},
	{"kernel", PROBE_TYPE_INTEGER},
	{"site", PROBE_TYPE_INTEGER},
	{"executions", PROBE_TYPE_INTEGER},
	{"lanes", PROBE_TYPE_INTEGER},
	{"lanes_1", PROBE_TYPE_INTEGER},
	{"lanes_2_15", PROBE_TYPE_INTEGER},
	{"lanes_16_31", PROBE_TYPE_INTEGER},
	{"lanes_32_63", PROBE_TYPE_INTEGER},
	{"lanes_64", PROBE_TYPE_INTEGER},
	{"whole", PROBE_TYPE_INTEGER},
	{"idle_partial", PROBE_TYPE_INTEGER},
	{"idle_branch", PROBE_TYPE_INTEGER},
	{"idle_share", PROBE_TYPE_REAL},
	/* The share of `whole`: executions not divided by a branch. */
	{"uniform_share", PROBE_TYPE_REAL},
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static int write_row(const struct probe_host *host, int table, const struct sites_kernel *kernel,
		     uint32_t id)
{
	const struct site *site = sites_at(kernel, id);

	if (!site->executions)
		return 0;

	double slots = (double)site->executions * kernel->wave;
	const union probe_value values[COLUMNS] = {
		{.integer = kernel->code_object},
		{.integer = kernel->id},
		{.integer = id},
		{.integer = (int64_t)site->executions},
		{.integer = (int64_t)site->lanes},
		{.integer = (int64_t)site->classes[0]},
		{.integer = (int64_t)site->classes[1]},
		{.integer = (int64_t)site->classes[2]},
		{.integer = (int64_t)site->classes[3]},
		{.integer = (int64_t)site->classes[4]},
		{.integer = (int64_t)site->whole},
		{.integer = (int64_t)site->idle_partial},
		{.integer = (int64_t)site->idle_branch},
		{.real = (double)(site->idle_partial + site->idle_branch) / slots},
		{.real = (double)site->whole / (double)site->executions},
	};

	return host->row(host->ctx, table, values, COLUMNS);
}

static int divergence_close(void *state)
{
	struct divergence *divergence = state;
	const struct sites *sites = &divergence->sites;
	int err = sites_write(sites, columns, COLUMNS, write_row);

	sites_report(sites, "divergence");
	sites_deinit(&divergence->sites);
	free(divergence);
	return err;
}

PROBE_HANDLER struct probe_handler probe_handler = {
	.size = sizeof(struct probe_handler),
	.abi = PROBE_HANDLER_ABI,
	.name = "divergence",
	.summary = "active lanes per source line; idle lanes by branch and by partial workgroup",
	.streams = PROBE_STREAM_ACCESS,
	.open = divergence_open,
	.batch = divergence_batch,
	.close = divergence_close,
};
