/* SPDX-License-Identifier: MIT */
/*
 * hostile_segments COUNT [FIRST]: records COUNT segments that an application filled and then
 * damaged, each by another seed. hostile_segments cut STEP: segments whose host ring was reserved
 * as a whole, but written only up to each STEP-th byte. hostile_segments fields STEP: each word of
 * each host record gets each of several values, with a right checksum; each STEP-th of these
 * segments. No segment may hang the recorder or crash it, make it allocate more than 512 MB at
 * once, or leave a sum of the accounting that is wrong.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmds/options/run_options.h"
#include "common/crc32.h"
#include "common/err.h"
#include "common/log.h"
#include "store/store.h"
#include "tests/cmd/fake_app/fake_app.h"
#include "tests/fuzz/hostile_recording.h"

#define ALLOCATION_MAX (512ull << 20)

/* ---- Allocations: linked with -Wl,--wrap ------------------------------------------------------
 */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static uint64_t seed;

static void check_size(size_t size)
{
	if (size <= ALLOCATION_MAX)
		return;
	dprintf(2, "seed %" PRIu64 ": allocation of %zu bytes\n", seed, size);
	abort();
}

void *__wrap_malloc(size_t size)
{
	check_size(size);
	return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	check_size(size && count > SIZE_MAX / size ? SIZE_MAX : count * size);
	return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	check_size(size);
	return __real_realloc(old, size);
}

/* ---- Damage ---------------------------------------------------------------------------------- */

static uint64_t state;

static uint64_t random64(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t below(uint64_t limit)
{
	return limit ? random64() % limit : 0;
}

/* Sizes and counts at which sums overflow. */
static const uint64_t edges[] = {0,	     1,		 7,	     8,		 63,
				 64,	     0xfffffff8, 0xffffffff, 1ull << 31, 1ull << 32,
				 1ull << 48, 1ull << 62, 1ull << 63, UINT64_MAX, UINT64_MAX - 7};

enum { EDGES = sizeof(edges) / sizeof(edges[0]) };

/* These, small numbers, anything. */
static uint64_t value(void)
{
	switch (below(3)) {
	case 0:
		return edges[below(EDGES)];
	case 1:
		return below(256);
	default:
		return random64();
	}
}

static void put_value(void *at)
{
	uint64_t word = value();

	memcpy(at, &word, below(2) ? 4 : 8);
}

/* A word of a record's payload, with the checksum right again; or of its header. */
static void damage_record(struct fake_app *app, uint64_t filled)
{
	uint64_t count = 0, at = 0, wanted;
	struct probe_host_rec *rec;
	uint32_t size;

	for (uint64_t i = 0; i < filled && count < 10000; count++) {
		size = ((struct probe_host_rec *)(app->seg.data + i))->size;
		if (size < sizeof(*rec) || size > filled - i)
			break;
		i += size;
	}
	wanted = below(count);
	for (uint64_t i = 0; i < wanted; i++)
		at += ((struct probe_host_rec *)(app->seg.data + at))->size;
	rec = (struct probe_host_rec *)(app->seg.data + at);
	size = rec->size;
	if (!count || size < sizeof(*rec) + 8 || size > filled - at)
		return;
	if (!below(8)) {
		put_value((uint32_t *)rec + below(4));
		return;
	}
	if (!below(8))
		rec->type = (uint32_t)below(30);
	put_value(app->seg.data + at + sizeof(*rec) + 4 * below((size - sizeof(*rec)) / 4 - 1));
	rec->commit = probe_commit_word(probe_crc32(0, rec + 1, size - sizeof(*rec)));
}

/* How many segments differ in one word of one record, in 4 or 8 bytes of it. */
static uint64_t fields(const struct fake_app *app, uint64_t filled)
{
	uint64_t words = 0;

	for (uint64_t at = 0; at < filled;) {
		uint32_t size = ((const struct probe_host_rec *)(app->seg.data + at))->size;

		words += (size - sizeof(struct probe_host_rec)) / 4;
		at += size;
	}
	return words * EDGES * 2;
}

/* The one of that number. */
static void damage_field(struct fake_app *app, uint64_t filled, uint64_t number)
{
	uint64_t word = number / (2 * EDGES), bytes = number / EDGES % 2 ? 8 : 4;

	for (uint64_t at = 0; at < filled;) {
		struct probe_host_rec *rec = (struct probe_host_rec *)(app->seg.data + at);
		uint64_t size = rec->size - sizeof(*rec);

		at += rec->size;
		if (word >= size / 4) {
			word -= size / 4;
			continue;
		}
		if (4 * word + bytes > size)
			bytes = 4;
		memcpy((unsigned char *)(rec + 1) + 4 * word, &edges[number % EDGES], bytes);
		rec->commit = probe_commit_word(probe_crc32(0, rec + 1, size));
		return;
	}
}

static void damage(struct fake_app *app, uint64_t filled)
{
	const struct probe_seg_header *header = &app->seg.header;
	struct probe_ring *rings = (struct probe_ring *)(app->seg.base + header->heads_offset);
	uint64_t ring = below(header->ring_count + header->large_count);

	switch (below(6)) {
	case 0:
		put_value(&app->seg.ring->emitted + below(2));
		break;
	case 1:
		if (!below(8))
			put_value(&app->seg.ring->head);
		else
			put_value(app->seg.data + 4 * below(filled / 4));
		break;
	case 2:
		put_value((uint64_t *)&rings[ring] + below(3));
		break;
	case 3:
		put_value(app->seg.base + header->data_offset + 4 * below(2000));
		break;
	default:
		damage_record(app, filled);
	}
}

/* ---- One segment ------------------------------------------------------------------------------
 */

static void fill(struct fake_app *app)
{
	uint64_t id = 0;

	app->next_ring = 0;
	fake_announce(app, "x");
	fake_sampler(app, (uint32_t)below(2));
	for (int i = 0; i < 3; i++) {
		fake_dispatch(app, ++id, PROBE_KIND_MEMORY, PROBE_V_SWAPPED);
		fake_counters(app, id, 3);
		fake_complete(app, id, 3, 0);
		fake_dispatch(app, ++id, PROBE_KIND_TRACE, PROBE_V_SWAPPED);
		for (int wave = 0; wave < 4; wave++)
			fake_wave(app, id, 20, 0);
		fake_complete(app, id, 0, 0);
		fake_dispatch(app, ++id, PROBE_KIND_TIME, PROBE_V_SWAPPED);
		fake_stored_waves(app, id, 32, 64, 1, 32);
		fake_complete(app, id, 0, 1);
		fake_samples(app, id, (uint32_t)below(2), 20);
	}
	if (below(2))
		fake_exit_record(app, id);
}

enum way { DAMAGED, CUT, FIELD };

/*
 * `number`: of CUT, the bytes that were written; of FIELD, which one is damaged. `count`: how many
 * of these there are.
 */
struct hostile {
	enum way way;
	uint64_t number, count;
	unsigned blows;
};

static void fill_hostile(struct fake_app *app, void *user)
{
	struct hostile *hostile = user;
	uint64_t filled;

	fill(app);
	filled = app->seg.ring->head;
	hostile->count = hostile->way == FIELD ? fields(app, filled) : filled;
	if (hostile->way == FIELD)
		damage_field(app, filled, hostile->number);
	if (hostile->way == CUT && hostile->number < filled)
		memset(app->seg.data + hostile->number, 0, filled - hostile->number);
	for (unsigned i = 0; i < hostile->blows && hostile->way == DAMAGED; i++)
		damage(app, filled);
}

/* Returns how many segments there are of this way. */
static uint64_t record(const struct run_config *config, const char *path, enum way way,
		       uint64_t number)
{
	struct hostile hostile = {way, number, 0, 1 + (unsigned)below(20)};
	const char *wrong = hostile_recording(config, path, fill_hostile, &hostile);

	if (wrong) {
		fprintf(stderr, "seed %" PRIu64 ": %s\n", seed, wrong);
		exit(1);
	}
	return hostile.count;
}

static uint64_t record_each(const struct run_config *config, const char *path, enum way way,
			    uint64_t step)
{
	uint64_t count = 0, end = UINT64_MAX;

	for (uint64_t number = way == CUT ? step : 0; number < end; number += step, count++) {
		seed = number;
		state = 1;
		end = record(config, path, way, number);
	}
	return count;
}

int main(int argc, char **argv)
{
	char *options[] = {"probe-run", "-q", "--kind", "trace", "true", NULL};
	enum way way = argc <= 2		    ? DAMAGED
		       : !strcmp(argv[1], "cut")    ? CUT
		       : !strcmp(argv[1], "fields") ? FIELD
						    : DAMAGED;
	uint64_t count = argc > 1 ? strtoull(argv[1 + (way != DAMAGED)], NULL, 10) : 0;
	uint64_t first = argc > 2 && way == DAMAGED ? strtoull(argv[2], NULL, 10) : 1;
	char path[] = "/tmp/probe-hostile-XXXXXX";
	struct run_config config;
	struct probe_err *err = run_config_init(&config, 5, options);
	int fd = mkstemp(path);

	if (err || fd < 0 || !count)
		return 2;
	close(fd);
	probe_log_setup(PROBE_LOG_ERROR - 1, PROBE_COLOR_NEVER);
	if (way != DAMAGED)
		count = record_each(&config, path, way, count);
	for (seed = first; seed < first + count && way == DAMAGED; seed++) {
		state = seed * 0x9e3779b97f4a7c15u;
		record(&config, path, way, 0);
	}
	probe_err_destroy(probe_store_remove(path));
	run_config_deinit(&config);
	printf("%" PRIu64 " segments\n", count);
	return 0;
}
