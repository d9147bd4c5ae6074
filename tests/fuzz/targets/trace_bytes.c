/* SPDX-License-Identifier: MIT */
/*
 * A launch (as struct launch, with the name of a group of accesses), then bytes of a trace ring:
 * expanded and parsed as in cmds/record/trace_records.c.
 */
#include "tests/fuzz/targets/fuzz_input.h"
#include "wire/trace_expand.h"
#include "wire/trace_parser.h"
#include "wire/trace_rows.h"
#include "wire/trace_unpack.h"

enum { SITES = 64, GROUP_SITE = 40, BATCH = 64, STEP = PROBE_TRACE_EXPAND_MIN + 1024 };

struct launch {
	uint16_t grid[3], group[3];
	unsigned char arguments[32];
	char name[256];
};

static struct probe_access accesses[BATCH];
static struct probe_stamp stamps[BATCH];
static struct probe_message messages[BATCH];
static struct probe_wave_info waves[BATCH];
static _Alignas(8) unsigned char expanded[STEP];

static void check(const struct probe_trace_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		FUZZ_ASSERT(batch->access[i].site < SITES);
}

static void parse(struct trace_piece piece, struct probe_trace_ring *ring)
{
	struct probe_trace_batch batch = {
		.access = accesses,
		.capacity = BATCH,
		.stamps = stamps,
		.stamp_capacity = BATCH,
		.messages = messages,
		.message_capacity = BATCH,
		.waves = waves,
		.wave_capacity = BATCH,
	};
	struct probe_trace_counts counts = {0};
	enum probe_trace_stop stop;

	do {
		stop = probe_trace_parse(&piece, SITES, ring, &batch, &counts);
		check(&batch);
		probe_trace_reset(&batch);
	} while (stop == PROBE_TRACE_SWITCH || stop == PROBE_TRACE_FULL);
	FUZZ_ASSERT(counts.invalid <= counts.records);
}

static bool read_group(const struct launch *launch, struct probe_trace_group *ret)
{
	char name[sizeof(launch->name) + 1] = {0};

	memcpy(name, launch->name, sizeof(launch->name));
	/* As access_groups.c. */
	return probe_trace_group_read(GROUP_SITE, name, ret) && ret->first_site <= GROUP_SITE &&
	       ret->sites <= GROUP_SITE - ret->first_site && ret->bases < SITES - GROUP_SITE;
}

static void expand(const struct launch *launch, struct trace_piece piece)
{
	static const struct probe_trace_group *by_site[SITES];
	const struct probe_trace_groups groups = {by_site, SITES};
	struct probe_trace_key key = {.arguments = launch->arguments,
				      .argument_bytes = sizeof(launch->arguments)};
	struct probe_trace_expander state = {0};
	struct probe_trace_ring ring = {0};
	struct probe_trace_group group;

	memset(by_site, 0, sizeof(by_site));
	if (read_group(launch, &group)) {
		key.groups = &groups;
		for (uint32_t i = 0; i <= group.bases; i++)
			by_site[GROUP_SITE + i] = &group;
	}
	for (int i = 0; i < 3; i++) {
		key.grid[i] = launch->grid[i];
		key.group[i] = launch->group[i];
	}
	key.rows = probe_trace_rows(key.grid, key.group);
	while (piece.size - piece.pos >= 8) {
		size_t from = piece.pos, size;

		probe_trace_expand_dispatch(&piece, &state);
		size = probe_trace_expand(&piece, &key, &state, expanded, STEP);
		FUZZ_ASSERT(size <= STEP && size % 8 == 0 && piece.pos > from &&
			    piece.pos <= piece.size && state.rest <= piece.pos - from);
		parse((struct trace_piece){expanded, size, 0}, &ring);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct fuzz_input input = {bytes, size};
	struct launch launch;
	unsigned char *copy, out[256];

	fuzz_take(&input, &launch, sizeof(launch));
	copy = malloc(input.left + 1); /* aligned, as rings are */
	FUZZ_ASSERT(copy);
	memcpy(copy, input.at, input.left);
	expand(&launch, (struct trace_piece){copy, input.left & ~(size_t)7, 0});
	probe_trace_unpack(copy, input.left, out, launch.grid[0] % sizeof(out));
	free(copy);
	return 0;
}
