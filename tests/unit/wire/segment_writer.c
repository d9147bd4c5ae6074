/* SPDX-License-Identifier: MIT */
/* The segment writer: shape of records, wrap, loss accounting, hostile mappings, many threads. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <signal.h>
#include <cmocka.h>

#include "tests/unit/wire/segment_file.h"

struct payload {
	uint64_t thread, number;
	uint32_t fill, length;
};

static int put(struct probe_segment *seg, uint64_t thread, uint64_t number, uint32_t length)
{
	static const uint8_t bytes[4096] = {0};
	struct payload head = {thread, number, 0, length};
	struct iovec parts[2] = {{&head, sizeof(head)}, {(void *)bytes, length}};

	return probe_segment_put(seg, PROBE_HR_DISPATCH, parts, 2);
}

static void open_pair(struct segment_file *file, struct probe_segment *seg, uint64_t host_size)
{
	assert_int_equal(segment_file_create(file, host_size, 0, 0), 0);
	assert_int_equal(probe_segment_open(seg, file->fd, file->size), 0);
	/* One mapping for both ends: the thread sanitizer knows addresses, not pages. */
	munmap(file->base, file->size);
	file->base = seg->base;
	file->ring = seg->ring;
	file->data = seg->data;
}

static void close_pair(struct segment_file *file, struct probe_segment *seg)
{
	probe_segment_close(seg);
	close(file->fd);
}

static void record_comes_back(void **state)
{
	struct segment_file file = {0};
	struct probe_segment seg;
	struct probe_host_rec rec = {0};
	struct payload got;

	(void)state;
	open_pair(&file, &seg, 4096);
	errno = 1234;
	assert_int_equal(put(&seg, 3, 4, 5), 0);
	assert_int_equal(errno, 1234);
	assert_int_equal(segment_file_next(&file, &rec, &got, sizeof(got)), 1);
	assert_int_equal(rec.type, PROBE_HR_DISPATCH);
	assert_int_equal(rec.size, 24 + 32);
	assert_int_equal(rec.tid, gettid());
	assert_int_not_equal(rec.time, 0);
	assert_int_equal(got.thread, 3);
	assert_int_equal(got.number, 4);
	assert_int_equal(segment_file_next(&file, &rec, &got, sizeof(got)), 0);
	close_pair(&file, &seg);
}

/* Every distance from the end of the ring is met: sizes are odd against the ring's. */
static void wraps(void **state)
{
	struct segment_file file = {0};
	struct probe_segment seg;
	struct probe_host_rec rec = {0};
	struct payload got;

	(void)state;
	open_pair(&file, &seg, 4096);
	for (uint64_t i = 0; i < 20000; i++) {
		assert_int_equal(put(&seg, 0, i, (uint32_t)(i * 7 % 300)), 0);
		assert_int_equal(segment_file_next(&file, &rec, &got, sizeof(got)), 1);
		assert_int_equal(got.number, i);
		assert_int_equal(got.length, i * 7 % 300);
	}
	assert_int_equal(file.ring->emitted, 20000);
	assert_int_equal(file.ring->dropped, 0);
	close_pair(&file, &seg);
}

static void loss_is_counted_and_reported(void **state)
{
	struct segment_file file = {0};
	struct probe_segment seg;
	struct probe_host_rec rec = {0};
	struct probe_hr_loss loss;
	uint64_t stored = 0;
	int status;

	(void)state;
	open_pair(&file, &seg, 4096);
	for (int i = 0; i < 100; i++) {
		status = put(&seg, 0, (uint64_t)i, 40);
		assert_true(status == 0 || status == -ENOSPC);
		stored += status == 0;
	}
	assert_int_equal(file.ring->emitted, 100);
	assert_int_equal(file.ring->dropped, 100 - stored);
	for (uint64_t i = 0; i < stored; i++)
		assert_int_equal(segment_file_next(&file, &rec, NULL, 0), 1);
	assert_int_equal(put(&seg, 0, 100, 40), 0);
	assert_int_equal(segment_file_next(&file, &rec, &loss, sizeof(loss)), 1);
	assert_int_equal(rec.type, PROBE_HR_LOSS);
	assert_int_equal(loss.records, 100 - stored);
	assert_int_equal(segment_file_next(&file, &rec, NULL, 0), 1);
	assert_int_equal(rec.type, PROBE_HR_DISPATCH);
	/* 100 + the last + the LOSS record = stored + 2 read, rest dropped */
	assert_int_equal(file.ring->emitted, 102);
	assert_int_equal(file.ring->emitted, stored + 2 + file.ring->dropped);
	close_pair(&file, &seg);
}

static void too_big_is_dropped(void **state)
{
	struct segment_file file = {0};
	struct probe_segment seg;

	(void)state;
	open_pair(&file, &seg, 4096);
	assert_int_equal(probe_segment_payload_max(&seg), 1000);
	assert_int_equal(put(&seg, 0, 0, 1000 - (uint32_t)sizeof(struct payload)), 0);
	assert_int_equal(put(&seg, 0, 0, 1001 - (uint32_t)sizeof(struct payload)), -EMSGSIZE);
	assert_int_equal(file.ring->dropped, 1);
	close_pair(&file, &seg);
}

static void closed_and_off_do_nothing(void **state)
{
	struct probe_segment closed = {0};
	struct segment_file file = {0};
	struct probe_segment seg;

	(void)state;
	assert_int_equal(put(&closed, 0, 0, 8), -ENOTCONN);
	open_pair(&file, &seg, 4096);
	atomic_store(&seg.off, true);
	assert_int_equal(put(&seg, 0, 0, 8), -ENOTCONN);
	assert_int_equal(file.ring->emitted, 0);
	close_pair(&file, &seg);
}

/* Waits for a reader once; after a timeout it does not wait again. */
static void waiting_is_bounded(void **state)
{
	struct iovec part = {(void *)"12345678", 8};
	struct segment_file file = {0};
	struct probe_segment seg;
	struct timespec before, after;

	(void)state;
	open_pair(&file, &seg, 4096);
	assert_int_equal(probe_segment_put_wait(&seg, 1, &part, 1, 20000000), 0);
	while (probe_segment_put(&seg, 1, &part, 1) == 0)
		;
	assert_int_equal(probe_segment_put_wait(&seg, 1, &part, 1, 20000000), -ENOSPC);
	clock_gettime(CLOCK_MONOTONIC, &before);
	for (int i = 0; i < 100; i++)
		assert_int_equal(probe_segment_put_wait(&seg, 1, &part, 1, 1000000000), -ENOSPC);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_true(after.tv_sec - before.tv_sec < 10);
	close_pair(&file, &seg);
}

static void hostile_header_is_refused(void **state)
{
	static const struct {
		size_t offset;
		uint64_t value;
		size_t size;
	} bad[] = {
		{offsetof(struct probe_seg_header, magic), 1, 8},
		{offsetof(struct probe_seg_header, version), 9, 4},
		{offsetof(struct probe_seg_header, header_size), 8, 4},
		{offsetof(struct probe_seg_header, total_size), 1 << 30, 8},
		{offsetof(struct probe_seg_header, host_offset), ~0ull - 63, 8},
		{offsetof(struct probe_seg_header, host_offset), 4097, 8},
		{offsetof(struct probe_seg_header, host_size), 5000, 8},
		{offsetof(struct probe_seg_header, host_size), 1ull << 63, 8},
		{offsetof(struct probe_seg_header, host_size), 1ull << 30, 8},
		{offsetof(struct probe_seg_header, heads_offset), 1ull << 40, 8},
		{offsetof(struct probe_seg_header, heads_offset), 8, 8},
		{offsetof(struct probe_seg_header, data_offset), ~0ull << 12, 8},
		{offsetof(struct probe_seg_header, ring_count), 3, 4},
		{offsetof(struct probe_seg_header, ring_count), 1u << 31, 4},
		{offsetof(struct probe_seg_header, ring_size), 4097, 4},
		{offsetof(struct probe_seg_header, ring_size), 1024, 4},
		/* and large_size behind it */
		{offsetof(struct probe_seg_header, large_count), 1 | 4096ull << 32, 8},
		{offsetof(struct probe_seg_header, large_count), 3 | 4096ull << 32, 8},
		{offsetof(struct probe_seg_header, large_count), 1 | 64ull << 32, 8},
		{offsetof(struct probe_seg_header, large_count), 1 | 1ull << 63, 8},
	};
	struct probe_seg_header good;
	struct segment_file file = {0};
	struct probe_segment seg;

	(void)state;
	assert_int_equal(segment_file_create(&file, 8192, 4, 4096), 0);
	memcpy(&good, file.base, sizeof(good));
	assert_int_equal(probe_segment_open(&seg, file.fd, file.size), 0);
	assert_int_equal(seg.header.ring_count, 4);
	probe_segment_close(&seg);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memcpy(file.base, &good, sizeof(good));
		memcpy(file.base + bad[i].offset, &bad[i].value, bad[i].size);
		assert_int_equal(probe_segment_open(&seg, file.fd, file.size), -EPROTO);
	}
	memcpy(file.base, &good, sizeof(good));
	assert_int_equal(probe_segment_open(&seg, file.fd, file.size + 4096), -EPROTO);
	assert_int_equal(probe_segment_open(&seg, file.fd, 16), -EPROTO);
	segment_file_destroy(&file);
}

/*
 * Whatever the other side writes into the control words, puts terminate and stay inside of the
 * ring.
 */
static void hostile_control_words_are_survived(void **state)
{
	static const uint64_t tails[] = {1, 8, 4095, ~0ull, 1ull << 63, 12345678};
	struct segment_file file = {0};
	struct probe_segment seg;

	(void)state;
	open_pair(&file, &seg, 4096);
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		file.ring->tail = tails[i];
		for (int k = 0; k < 200; k++)
			put(&seg, 0, 0, 100);
	}
	close_pair(&file, &seg);
}

enum { THREADS = 4, RECORDS = 50000 };

struct writer {
	struct probe_segment *seg;
	uint64_t id, stored;
};

static void *write_many(void *arg)
{
	struct writer *writer = arg;

	for (uint64_t i = 0; i < RECORDS; i++)
		if (put(writer->seg, writer->id, i, (uint32_t)(i % 97)) == 0)
			writer->stored++;
	return NULL;
}

static void many_threads_one_reader(void **state)
{
	uint64_t read[THREADS] = {0}, next[THREADS] = {0}, lost = 0, losses = 0, stored = 0;
	struct writer writers[THREADS];
	pthread_t threads[THREADS];
	struct segment_file file = {0};
	struct probe_segment seg;
	int done = 0, status;

	(void)state;
	open_pair(&file, &seg, 16384);
	for (uint64_t i = 0; i < THREADS; i++) {
		writers[i] = (struct writer){&seg, i, 0};
		assert_int_equal(pthread_create(&threads[i], NULL, write_many, &writers[i]), 0);
	}
	for (;;) {
		struct probe_host_rec rec = {0};
		union {
			struct payload own;
			struct probe_hr_loss loss;
		} got;

		status = segment_file_next(&file, &rec, &got, sizeof(got));
		assert_true(status >= 0);
		if (!status && done)
			break;
		if (!status) {
			done = __atomic_load_n(&file.ring->emitted, __ATOMIC_RELAXED) >=
			       THREADS * RECORDS;
			for (int i = 0; done && i < THREADS; i++)
				pthread_join(threads[i], NULL);
			continue;
		}
		if (rec.type == PROBE_HR_LOSS) {
			lost += got.loss.records;
			losses++;
			continue;
		}
		assert_true(got.own.thread < THREADS);
		assert_true(got.own.number >= next[got.own.thread]);
		assert_int_equal(rec.size, (24 + sizeof(got.own) + got.own.length + 7) & ~7u);
		next[got.own.thread] = got.own.number + 1;
		read[got.own.thread]++;
	}
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(read[i], writers[i].stored);
		stored += writers[i].stored;
	}
	assert_int_equal(file.ring->emitted, THREADS * RECORDS + losses);
	assert_int_equal(file.ring->emitted, stored + losses + file.ring->dropped);
	assert_int_equal(file.ring->dropped, lost + atomic_load(&seg.unreported));
	close_pair(&file, &seg);
}

/* A writer killed at any time leaves only whole records before the first hole. */
static void killed_writer_leaves_whole_records(void **state)
{
	(void)state;
	for (int round = 0; round < 20; round++) {
		struct segment_file file = {0};
		struct probe_host_rec rec = {0};
		struct payload got;
		uint64_t n = 0;
		pid_t child;
		int status;

		assert_int_equal(segment_file_create(&file, 16384, 0, 0), 0);
		child = fork();
		if (child == 0) {
			struct probe_segment seg;

			if (probe_segment_open(&seg, file.fd, file.size))
				_exit(1);
			for (uint64_t i = 0;; i++)
				while (put(&seg, 0, i, (uint32_t)(i % 61)))
					;
		}
		while (n < (uint64_t)(round * 331 + 1)) {
			status = segment_file_next(&file, &rec, &got, sizeof(got));
			assert_true(status >= 0);
			if (status && rec.type == PROBE_HR_DISPATCH)
				assert_int_equal(got.number, n++);
		}
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
		while ((status = segment_file_next(&file, &rec, &got, sizeof(got))) == 1)
			if (rec.type == PROBE_HR_DISPATCH)
				assert_int_equal(got.number, n++);
		assert_int_equal(status, 0);
		segment_file_destroy(&file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(record_comes_back),
		cmocka_unit_test(wraps),
		cmocka_unit_test(loss_is_counted_and_reported),
		cmocka_unit_test(too_big_is_dropped),
		cmocka_unit_test(closed_and_off_do_nothing),
		cmocka_unit_test(waiting_is_bounded),
		cmocka_unit_test(hostile_header_is_refused),
		cmocka_unit_test(hostile_control_words_are_survived),
		cmocka_unit_test(many_threads_one_reader),
		cmocka_unit_test(killed_writer_leaves_whole_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
