/* SPDX-License-Identifier: MIT */
/* What a reader of databases refuses, and how it says so. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "common/err.h"
#include "tests/unit/store/store_case.h"

static void says(struct probe_err *err, const char *wanted)
{
	char text[512];

	assert_non_null(err);
	probe_err_format(err, text, sizeof(text));
	if (!strstr(text, wanted))
		fail_msg("'%s' lacks '%s'", text, wanted);
	probe_err_destroy(err);
}

static void refused(const char *wanted)
{
	struct probe_reader reader;

	says(probe_reader_open(path, &reader), wanted);
}

static void patch(off_t at, const void *bytes, size_t size)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	assert_int_equal(pwrite(fd, bytes, size, at), size);
	close(fd);
}

static void rejects_foreign_files(void **state)
{
	(void)state;
	refused("cannot open");
	assert_int_equal(mkfifo(path, 0600), 0);
	refused("not a regular file");
	clean(NULL);
	finish(create());
	patch(68, "\0\0\0\1", 4); /* application id */
	refused("not Probe's");
	clean(NULL);
	finish(create());
	patch(60, "\0\0\0\x7f", 4); /* user version */
	refused("written by a newer Probe: schema 127, this program reads up to 6");
	clean(NULL);
	finish(create());
	patch(0, "SQLite format 4", 15);
	refused("not an SQLite database");
	patch(0, "SQLite format 3", 15);
	patch(16, "\x03\x00", 2);
	refused("damaged");
}

/* Each cut at 64 bytes: a sentence, no crash. */
static void takes_every_truncation(void **state)
{
	struct stat st;

	(void)state;
	finish(create());
	assert_int_equal(stat(path, &st), 0);
	for (off_t size = st.st_size - 64; size >= 0; size -= 64) {
		struct probe_reader reader;
		struct probe_err *err;

		assert_int_equal(truncate(path, size), 0);
		err = probe_reader_open(path, &reader);
		assert_non_null(err);
		probe_err_destroy(err);
	}
}

/* Pages of noise behind a good header: errors, no crash, no hang. */
static void takes_damage(void **state)
{
	unsigned random = 1;
	struct stat st;

	(void)state;
	finish(create());
	assert_int_equal(stat(path, &st), 0);
	for (int round = 0; round < 200; round++) {
		struct probe_reader reader;
		struct probe_err *err;
		unsigned char byte;

		random = random * 1103515245u + 12345u;
		byte = (unsigned char)(random >> 16);
		patch(100 + (off_t)(random % (unsigned)(st.st_size - 100)), &byte, 1);
		err = probe_reader_open(path, &reader);
		if (!err) {
			sqlite3_exec(reader.db, "SELECT * FROM kernels; SELECT * FROM top", NULL,
				     NULL, NULL);
			sqlite3_exec(reader.db, "SELECT * FROM counters_collection", NULL, NULL,
				     NULL);
			probe_reader_close(&reader);
		}
		probe_err_destroy(err);
	}
}

/* A query that needs more temporary space than there is. */
static void names_where_space_is_missing(void **state)
{
	struct probe_reader reader;

	(void)state;
	finish(create());
	assert_null(probe_reader_open(path, &reader));
	sqlite3_exec(
		reader.db,
		"PRAGMA query_only = OFF; PRAGMA temp.max_page_count = 2; CREATE TEMP TABLE t AS WITH RECURSIVE n(i) AS "
		"(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) SELECT i FROM n",
		NULL, NULL, NULL);
	says(probe_reader_error(&reader, "sort it"), "no space for temporary files; TMPDIR");
	probe_reader_close(&reader);
}

static void writes_nothing(void **state)
{
	struct probe_reader reader;

	(void)state;
	finish(create());
	assert_int_equal(chmod(path, 0400), 0);
	assert_null(probe_reader_open(path, &reader));
	assert_int_not_equal(sqlite3_exec(reader.db, "DELETE FROM probe_run", NULL, NULL, NULL), 0);
	assert_int_not_equal(sqlite3_exec(reader.db, "ATTACH 'x' AS x", NULL, NULL, NULL), 0);
	probe_reader_close(&reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rejects_foreign_files), TEST(takes_every_truncation),
		TEST(takes_damage),	     TEST(names_where_space_is_missing),
		TEST(writes_nothing),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
