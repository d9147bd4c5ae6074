/* SPDX-License-Identifier: MIT */
/* The spool: what a second recorder finds of the first one, wherever that one ended. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmds/record/spool.h"
#include "common/err.h"
#include "wire/segment_writer.h"
#include "wire/segment_reader_file.h"

enum { HOST_BYTES = 65536, RINGS = 4, RING_BYTES = 4096, OPTIONS = 12 };

struct test {
	char directory[32], path[48];
	struct segment_reader segment;
	struct probe_segment writer;
	struct spool spool;
	uint32_t number; /* of the next record */
};

static int setup(void **state)
{
	static const struct segment_rings rings = {.count = RINGS, .size = RING_BYTES};
	static const struct spool_settings settings = {.pid = 77,
						       .start = 5,
						       .kind = 2,
						       .options = "PROBE\0x\0\0abc",
						       .options_size = OPTIONS};
	struct test *test = calloc(1, sizeof(*test));

	strcpy(test->directory, "/tmp/probe-spool-XXXXXX");
	assert_non_null(mkdtemp(test->directory));
	snprintf(test->path, sizeof(test->path), "%s/x.db-spool", test->directory);
	assert_null(segment_reader_create(HOST_BYTES, &rings, true, &test->segment));
	if (!*test->segment.path) {
		segment_reader_destroy(&test->segment);
		rmdir(test->directory);
		free(test);
		skip(); /* /dev/shm is full */
	}
	assert_int_equal(probe_segment_open(&test->writer, test->segment.fd, test->segment.size),
			 0);
	assert_null(spool_create(&test->spool, test->path, &settings, &test->segment));
	assert_true(test->spool.fd >= 0);
	*state = test;
	return 0;
}

static int teardown(void **state)
{
	struct test *test = *state;

	unlink(test->path);
	rmdir(test->directory);
	spool_deinit(&test->spool);
	segment_reader_unlink(&test->segment);
	segment_reader_destroy(&test->segment);
	probe_segment_close(&test->writer);
	free(test);
	return 0;
}

static void put(struct test *test, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++, test->number++) {
		struct iovec part = {&test->number, sizeof(test->number)};

		assert_int_equal(probe_segment_put(&test->writer, 3, &part, 1), 0);
	}
}

static void put_ring(struct test *test, uint32_t ring, uint64_t value)
{
	struct probe_ring *head = &test->segment.heads[ring];

	memcpy(test->segment.data + ring * RING_BYTES + (head->head & (RING_BYTES - 1)), &value,
	       sizeof(value));
	head->head += sizeof(value);
}

static const struct spool_round_options all = {.rings = true, .unused = true};

/* Takes all host records; their numbers follow each other from `first`. Returns how many. */
static uint32_t take(struct test *test, uint32_t first, uint64_t *ret_ring)
{
	struct spool_item item;
	uint32_t count = 0, number;

	while (spool_next(&test->spool, &item)) {
		if (item.type == SPOOL_RING)
			memcpy(ret_ring, item.bytes + item.size - 8, 8);
		if (item.type != SPOOL_HOST)
			continue;
		assert_int_equal(item.record.type, 3);
		memcpy(&number, item.record.payload, sizeof(number));
		assert_int_equal(number, first + count++);
	}
	return count;
}

/* The recorder dies; another one opens the file. */
static void reopen(struct test *test)
{
	struct spool_settings settings;
	bool absent;

	spool_deinit(&test->spool);
	segment_reader_destroy(&test->segment);
	assert_true(spool_is_stale(test->path));
	assert_null(spool_open(&test->spool, test->path, &settings, &test->segment, &absent));
	assert_false(absent);
	assert_int_equal(settings.pid, 77);
	assert_int_equal(settings.kind, 2);
	assert_int_equal(settings.options_size, OPTIONS);
	assert_memory_equal(settings.options, "PROBE\0x\0\0abc", OPTIONS);
	assert_false(spool_is_stale(test->path));
}

static void items_come_in_order(void **state)
{
	struct test *test = *state;
	uint64_t ring = 0;

	put(test, 100);
	put_ring(test, 2, 4711);
	assert_true(spool_fill(&test->spool, all));
	assert_int_equal(take(test, 0, &ring), 100);
	assert_int_equal(ring, 4711);
	assert_false(spool_fill(&test->spool, all));
	/* The space is free. */
	assert_int_equal(test->segment.host->tail, test->segment.host->head);
	assert_int_equal(test->segment.heads[2].tail, 8);
}

static void another_recorder_continues(void **state)
{
	struct test *test = *state;
	uint64_t ring = 0;

	put(test, 50);
	put_ring(test, 1, 1);
	spool_fill(&test->spool, all);
	take(test, 0, &ring);
	put(test, 20);
	spool_fill(&test->spool, all); /* not taken */
	put(test, 30);		       /* not read */
	put_ring(test, 1, 2);
	reopen(test);
	assert_int_equal(take(test, 0, &ring), 70);
	assert_int_equal(ring, 1);
	spool_continue(&test->spool);
	assert_true(spool_fill(&test->spool, all));
	assert_int_equal(take(test, 70, &ring), 30);
	assert_int_equal(ring, 2);
	assert_int_equal(test->spool.last.emitted, 100);
}

/* It dies when the file has the bytes, and the segment's space is not free yet. */
static void nothing_is_read_twice(void **state)
{
	struct test *test = *state;
	uint64_t ring = 0, host = 0, tail = 0;

	put(test, 10);
	put_ring(test, 3, 5);
	spool_fill(&test->spool, all);
	test->segment.host->tail = host;
	test->segment.heads[3].tail = tail;
	reopen(test);
	assert_int_equal(take(test, 0, &ring), 10);
	spool_continue(&test->spool);
	assert_int_equal(test->segment.host->tail, test->segment.host->head);
	assert_int_equal(test->segment.heads[3].tail, 8);
	put(test, 5);
	spool_fill(&test->spool, all);
	assert_int_equal(take(test, 10, &ring), 5);
}

/* It dies while it writes: what is not complete in the file is still in the segment. */
static void a_cut_file_continues(void **state)
{
	struct test *test = *state;
	unsigned char *before = malloc(test->segment.size);
	struct stat status;
	uint64_t ring = 0;

	put(test, 10);
	memcpy(before, test->segment.map, test->segment.size);
	spool_fill(&test->spool, all);
	memcpy(test->segment.map, before, test->segment.size);
	free(before);
	assert_int_equal(stat(test->path, &status), 0);
	/* In the last record: the end of the round, behind a header of 16 bytes, follows it. */
	assert_int_equal(
		truncate(test->path, status.st_size - 16 - (off_t)sizeof(struct spool_round) - 5),
		0);
	reopen(test);
	assert_int_equal(take(test, 0, &ring), 9);
	spool_continue(&test->spool);
	put(test, 3);
	spool_fill(&test->spool, all);
	assert_int_equal(take(test, 9, &ring), 4);
	reopen(test);
	assert_int_equal(take(test, 0, &ring), 13);
}

/* All processes died, and the machine has lost the segment: what was read is complete. */
static void the_segment_may_be_gone(void **state)
{
	struct test *test = *state;
	uint64_t ring = 0;

	put(test, 10);
	put_ring(test, 0, 9);
	spool_fill(&test->spool, all);
	unlink(test->segment.path);
	reopen(test);
	assert_int_equal(take(test, 0, &ring), 10);
	spool_continue(&test->spool);
	assert_false(spool_fill(&test->spool, all));
	assert_int_equal(test->spool.last.emitted, 10);
	assert_int_equal(segment_reader_ring_unread(&test->segment, 0), 0);
}

static void a_full_disk_costs_no_record(void **state)
{
	struct test *test = *state;
	uint64_t ring = 0;
	struct stat status;

	put(test, 10);
	spool_fill(&test->spool, all);
	close(test->spool.fd);
	test->spool.fd = open(test->path, O_RDONLY | O_CLOEXEC); /* cannot be written */
	put(test, 20);
	spool_fill(&test->spool, all);
	put(test, 30);
	spool_fill(&test->spool, all);
	assert_int_equal(take(test, 0, &ring), 60);
	assert_int_equal(test->segment.host->tail, test->segment.host->head);
	assert_int_not_equal(stat(test->path, &status), 0); /* nothing to recover */
	assert_int_equal(*test->segment.path, 0);
	put(test, 5);
	spool_fill(&test->spool, all);
	assert_int_equal(take(test, 60, &ring), 5);
}

static uint64_t seed = 1;

static uint64_t below(uint64_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % limit;
}

/* A file of anyone's: it ends somewhere, without a crash and without an end. */
static void damaged_files_end(void **state)
{
	struct test *test = *state;
	unsigned char *copy;
	struct stat status;
	uint64_t ring;

	put(test, 200);
	for (uint32_t i = 0; i < 400; i++)
		put_ring(test, i % RINGS, i);
	spool_fill(&test->spool, all);
	assert_int_equal(stat(test->path, &status), 0);
	copy = malloc((size_t)status.st_size);
	assert_int_equal(pread(test->spool.fd, copy, (size_t)status.st_size, 0), status.st_size);
	for (int i = 0; i < 2000; i++) {
		struct spool_settings settings;
		struct segment_reader segment;
		struct spool_item item;
		struct spool spool = {.fd = -1};
		bool absent;
		struct probe_err *err;
		int fd = open(test->path, O_WRONLY | O_TRUNC | O_CLOEXEC);

		flock(test->spool.fd, LOCK_UN);
		assert_int_equal(write(fd, copy, (size_t)status.st_size), status.st_size);
		for (uint64_t blows = 1 + below(4); blows; blows--) {
			uint64_t word = below(3) ? below(300) : (uint64_t)-1 - below(9);
			uint64_t at = below(4) ? below(600) : below((uint64_t)status.st_size);

			assert_true(pwrite(fd, &word, 1 + below(8), (off_t)at) > 0);
		}
		close(fd);
		segment = (struct segment_reader){.fd = -1};
		err = spool_open(&spool, test->path, &settings, &segment, &absent);
		if (!err) {
			while (spool_next(&spool, &item))
				ring = item.size;
			spool_continue(&spool);
			spool_fill(&spool, all);
			while (spool_next(&spool, &item))
				ring = item.size;
		}
		probe_err_destroy(err);
		spool_deinit(&spool);
		segment_reader_destroy(&segment);
	}
	(void)ring;
	free(copy);
}

/* What the items that wait contain. */
struct seen {
	uint32_t host, rings, rounds;
};

static struct seen look(struct test *test)
{
	struct seen seen = {0};
	struct spool_item item;

	while (spool_next(&test->spool, &item)) {
		seen.host += item.type == SPOOL_HOST;
		seen.rings += item.type == SPOOL_RING;
		seen.rounds += item.type == SPOOL_ROUND;
	}
	return seen;
}

/*
 * A thread is stopped between reserving a record and committing it, however often the recorder
 * looks. No round ends before its rings were read: a dispatch whose completion is in `before` is
 * forgotten after the next one, and the ring's record may be of that dispatch.
 */
static void a_round_ends_when_its_rings_are_read(void **state)
{
	const struct spool_round_options want = {.rings = true, .empty = true, .unused = true};
	struct test *test = *state;
	struct probe_host_rec *record;
	struct seen seen;
	uint32_t commit;

	put(test, 2); /* the second one: not committed yet */
	record = (struct probe_host_rec *)(test->writer.data + test->segment.host->head / 2);
	commit = record->commit;
	record->commit = 0;
	put(test, 1);
	put_ring(test, 1, 7);
	spool_fill(&test->spool, want);
	seen = look(test);
	assert_int_equal(seen.host, 1);
	assert_int_equal(seen.rings + seen.rounds, 0);
	assert_false(spool_fill(&test->spool, want));
	seen = look(test);
	assert_int_equal(seen.host + seen.rings + seen.rounds, 0);
	record->commit = commit;
	put_ring(test, 2, 8);
	assert_true(spool_fill(&test->spool, want));
	seen = look(test);
	assert_int_equal(seen.host, 2);
	assert_int_equal(seen.rings, 2);
	assert_int_equal(seen.rounds, 1);
}

/* The application truncates the segment's file, which it has opened by its path. */
static void a_segment_that_shrinks_is_empty(void **state)
{
	struct test *test = *state;
	uint64_t ring;

	assert_true(segment_reader_guard(&test->segment));
	put(test, 10);
	assert_int_equal(truncate(test->segment.path, 0), 0);
	spool_fill(&test->spool, (struct spool_round_options){.rings = true, .final = true});
	assert_int_equal(take(test, 0, &ring), 0);
	assert_int_equal(truncate(test->segment.path, (off_t)test->segment.size), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(items_come_in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(another_recorder_continues, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_is_read_twice, setup, teardown),
		cmocka_unit_test_setup_teardown(a_cut_file_continues, setup, teardown),
		cmocka_unit_test_setup_teardown(the_segment_may_be_gone, setup, teardown),
		cmocka_unit_test_setup_teardown(a_full_disk_costs_no_record, setup, teardown),
		cmocka_unit_test_setup_teardown(a_round_ends_when_its_rings_are_read, setup,
						teardown),
		cmocka_unit_test_setup_teardown(damaged_files_end, setup, teardown),
		cmocka_unit_test_setup_teardown(a_segment_that_shrinks_is_empty, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
