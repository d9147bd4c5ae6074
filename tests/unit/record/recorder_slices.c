/* SPDX-License-Identifier: MIT */
/* A recorder empties the segment also while it works on records that take long. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmds/options/run_options.h"
#include "cmds/record/handler_channel.h"
#include "cmds/record/host_records.h"
#include "cmds/record/recorder.h"
#include "common/err.h"
#include "store/store.h"
#include "wire/segment_writer.h"

enum { FIRST = 3, MORE = 5, LONG_NS = 100000000 };

static struct probe_segment writer;
static atomic_uint applied, unread; /* records; bytes in the segment before the second one */

static void put(unsigned count)
{
	const uint64_t word = 1;
	struct iovec part = {(void *)&word, sizeof(word)};

	for (unsigned i = 0; i < count; i++)
		probe_segment_put(&writer, 3, &part, 1);
}

void __wrap_host_record_apply(struct recording *recording, const struct segment_record *record);

/* The first record takes long, and meanwhile the process goes on. */
void __wrap_host_record_apply(struct recording *recording, const struct segment_record *record)
{
	uint64_t begin = handler_clock_ns();

	(void)recording;
	(void)record;
	switch (atomic_fetch_add(&applied, 1)) {
	case 0:
		put(MORE);
		while (handler_clock_ns() - begin < LONG_NS)
			;
		break;
	case 1:
		atomic_store(&unread,
			     (unsigned)(__atomic_load_n(&writer.ring->head, __ATOMIC_RELAXED) -
					__atomic_load_n(&writer.ring->tail, __ATOMIC_ACQUIRE)));
		break;
	default:
		break;
	}
}

static void reads_while_it_works(void **state)
{
	const struct recorder_process process = {.pid = getpid(), .sock = -1, .rings_wanted = 1};
	char directory[] = "/tmp/probe-slices-XXXXXX", path[48];
	char *arguments[] = {"probe-run", "true", NULL};
	struct run_config config = {0};
	struct probe_store *store = NULL;
	struct recorder *recorder = NULL;

	(void)state;
	assert_null(run_config_init(&config, 2, arguments));
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/x.db", directory);
	assert_null(probe_store_create(path, false, &store));
	assert_null(recorder_create(&process, &config, store, &recorder));
	assert_int_equal(probe_segment_open(&writer, recorder->seg.fd, recorder->seg.size), 0);
	put(FIRST);
	assert_null(recorder_start(recorder));
	while (!atomic_load(&applied))
		;
	recorder_stop(recorder, RECORDER_STOP_LEFT);
	recorder_join(recorder);
	recorder_finish(recorder);
	assert_int_equal(atomic_load(&applied), FIRST + MORE);
	assert_int_equal(atomic_load(&unread), 0);
	recorder_destroy(recorder);
	probe_segment_close(&writer);
	run_config_deinit(&config);
	assert_null(probe_store_remove(path));
	assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_while_it_works),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
