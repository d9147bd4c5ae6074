/* SPDX-License-Identifier: MIT */
/*
 * A launch (as struct launch), then a site table: the rows that the launch of its first kernel
 * derives, with one counter row for each site.
 */
#include "cmds/record/access_groups.h"
#include "codeobj/sites.h"
#include "common/err.h"
#include "model/derived_rows.h"
#include "tests/fuzz/targets/fuzz_input.h"

enum { ROWS_MAX = 4096, AXIS_MAX = 512 };

struct launch {
	uint16_t grid[3], group[3], lanes64, zero_rows;
	unsigned char arguments[64];
};

static void derive(const struct probe_sites *sites, const struct launch *launch)
{
	struct probe_counter_row *rows = calloc(ROWS_MAX, sizeof(*rows));
	struct model_scratch *scratch = model_scratch_create();
	uint32_t count = sites->site_count < ROWS_MAX ? sites->site_count : ROWS_MAX;
	struct model_launch model = {
		.kernel = probe_sites_string(sites, sites->kernels[0].name),
		.arch = "gfx90a",
		.lanes = launch->lanes64 ? 64 : 32,
		.arguments = launch->arguments,
		.argument_bytes = sizeof(launch->arguments),
		.code = 1,
	};
	struct derived_rows derived;

	FUZZ_ASSERT(rows && scratch);
	for (int i = 0; i < 3; i++) {
		model.grid[i] = 1 + launch->grid[i] % (i ? 16 : AXIS_MAX);
		model.group[i] = 1 + launch->group[i] % (i ? 4 : 256);
	}
	for (uint32_t i = 0; i < count; i++) {
		rows[i].site = i;
		for (int k = 0; k < 4 && !launch->zero_rows; k++)
			rows[i].value[k] = launch->arguments[(i + (uint32_t)k) % 64];
	}
	FUZZ_ASSERT(derived_rows_make(scratch, sites, &model, rows, count, &derived));
	for (size_t i = 0; i < derived.count; i++)
		FUZZ_ASSERT(derived.row[i].site < sites->site_count);
	free(derived.row);
	model_scratch_destroy(scratch);
	free(rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct fuzz_input input = {bytes, size};
	struct probe_sites *sites;
	struct launch launch;
	struct probe_err *err;

	fuzz_take(&input, &launch, sizeof(launch));
	err = probe_sites_parse("t", input.at, input.left, &sites);
	if (err) {
		probe_err_destroy(err);
		return 0;
	}
	access_groups_destroy(access_groups_create(sites));
	if (sites->kernel_count)
		derive(sites, &launch);
	probe_sites_destroy(sites);
	return 0;
}
