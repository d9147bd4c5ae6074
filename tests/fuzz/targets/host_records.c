/* SPDX-License-Identifier: MIT */
/*
 * The bytes of the host ring, after their number, then those of a trace ring: a whole recording,
 * with its database.
 */
#include <stdio.h>
#include <unistd.h>

#include "cmds/options/run_options.h"
#include "common/crc32.h"
#include "common/err.h"
#include "common/log.h"
#include "store/store.h"
#include "tests/cmd/fake_app/fake_app.h"
#include "tests/fuzz/hostile_recording.h"
#include "tests/fuzz/targets/fuzz_input.h"

enum { HOST_MAX = 65536, RING_MAX = 8192 };

FUZZ_MUTATE_IN_PLACE

/* Makes checksums right, which mutations never do. Returns how many records there are. */
static uint64_t sum_up(unsigned char *data, uint64_t size)
{
	uint64_t count = 0;

	for (uint64_t at = 0; size - at >= sizeof(struct probe_host_rec); count++) {
		struct probe_host_rec *rec = (struct probe_host_rec *)(data + at);

		if (rec->size < sizeof(*rec) || rec->size > size - at || rec->size % 8)
			break;
		rec->commit = probe_commit_word(probe_crc32(0, rec + 1, rec->size - sizeof(*rec)));
		at += rec->size;
	}
	return count;
}

static void fill(struct fake_app *app, void *user)
{
	struct fuzz_input *input = user;
	const struct probe_seg_header *header = &app->seg.header;
	struct probe_ring *ring = (struct probe_ring *)(app->seg.base + header->heads_offset);
	uint32_t host = fuzz_u32(input) % (HOST_MAX + 1) & ~7u;

	host = (uint32_t)fuzz_take(input, app->seg.data, host < input->left ? host : input->left);
	app->seg.ring->emitted = sum_up(app->seg.data, host);
	app->seg.ring->head = host & ~7u;
	ring->head = fuzz_take(input, app->seg.base + header->data_offset, RING_MAX) & ~7ull;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct run_config config;
	static char path[64];
	char *options[] = {"probe-run", "-q", "--kind", "trace", "true", NULL};
	struct fuzz_input input = {bytes, size};
	const char *wrong;

	if (!*path) {
		FUZZ_ASSERT(!run_config_init(&config, 5, options));
		probe_log_setup(PROBE_LOG_ERROR - 1, PROBE_COLOR_NEVER);
		snprintf(path, sizeof(path), "/dev/shm/probe-fuzz-%d.db", (int)getpid());
	}
	wrong = hostile_recording(&config, path, fill, &input);
	if (wrong)
		fprintf(stderr, "%s\n", wrong);
	FUZZ_ASSERT(!wrong);
	probe_err_destroy(probe_store_remove(path));
	return 0;
}
