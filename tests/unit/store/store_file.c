/* SPDX-License-Identifier: MIT */
/* The file of a store: which ones --force replaces, and where none can be made. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "common/err.h"
#include "store/store.h"

static char directory[32], path[64];

static int setup(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/probe-file-XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/run.db", directory);
	return 0;
}

/* How many files were in the directory; they are removed. */
static int clear(void)
{
	DIR *entries = opendir(directory);
	struct dirent *entry;
	char name[300];
	int count = 0;

	while ((entry = readdir(entries))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", directory, entry->d_name);
		count += !remove(name);
	}
	closedir(entries);
	return count;
}

static int teardown(void **state)
{
	(void)state;
	clear();
	return rmdir(directory);
}

static void says(struct probe_err *err, const char *wanted)
{
	char text[1024];

	assert_non_null(err);
	probe_err_format(err, text, sizeof(text));
	probe_err_destroy(err);
	if (!strstr(text, wanted))
		fail_msg("'%s' lacks '%s'", text, wanted);
}

static void write_file(const char *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

static void write_database(const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void replaces_its_own(void **state)
{
	struct probe_store *store;

	(void)state;
	for (int closed = 0; closed < 2; closed++) { /* its tables are in the log, or in the file */
		assert_null(probe_store_create(path, true, &store));
		assert_null(probe_store_schema(store));
		if (closed)
			assert_true(probe_store_commit(store) && probe_store_finish(store));
		assert_true(probe_store_is_probes(path));
		assert_null(probe_store_check_replace(path));
		probe_store_destroy(store);
	}
	assert_null(probe_store_replace(path));
	assert_int_equal(clear(), 0);
	write_file("", 0);
	assert_false(probe_store_is_probes(path));
	assert_null(probe_store_replace(path));
	/* A recorder was killed before it made tables. */
	write_database("PRAGMA journal_mode = WAL; VACUUM");
	assert_false(probe_store_is_probes(path));
	assert_null(probe_store_replace(path));
	assert_int_equal(clear(), 0);
}

static void keeps_others(void **state)
{
	struct probe_store *store = NULL;
	int fd;

	(void)state;
	write_file("my notes", 8);
	says(probe_store_check_replace(path), "not a database of Probe");
	says(probe_store_create(path, true, &store), "not a database of Probe");
	clear();
	write_database("CREATE TABLE mine (a)");
	says(probe_store_create(path, true, &store), "not a database of Probe");
	clear();
	write_database("PRAGMA application_id = 77; CREATE TABLE mine (a); DROP TABLE mine");
	assert_null(probe_store_check_replace(path)); /* whoever made it: nothing is in it */
	clear();
	assert_int_equal(mkdir(path, 0700), 0);
	says(probe_store_create(path, true, &store), "not a regular file");
	clear();
	assert_int_equal(symlink("/etc/passwd", path), 0);
	says(probe_store_create(path, true, &store), "not a regular file");
	clear();
	write_file("", 0);
	fd = open(path, O_RDONLY);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	says(probe_store_create(path, true, &store), "another probe-run is writing it");
	says(probe_store_create_again(path, &store), "another probe-run is writing it");
	close(fd);
	/* What a spool names is replaced, whatever it is. */
	write_file("my notes", 8);
	assert_null(probe_store_create_again(path, &store));
	probe_store_destroy(store);
}

/* Every name that SQLite or the recorder could not make is refused; nothing is left. */
static void tries_names(void **state)
{
	char name[900];
	size_t length;

	(void)state;
	assert_null(probe_store_try(path));
	assert_int_equal(clear(), 0);
	length = (size_t)snprintf(name, sizeof(name), "%s/", directory);
	memset(name + length, 'a', 245);
	name[length + 245] = 0;
	assert_null(probe_store_try(name));
	name[length + 245] = 'a';
	name[length + 246] = 0;
	says(probe_store_try(name), "File name too long");
	for (int i = 0; i < 3; i++, length += 200) {
		name[length + 199] = 0;
		assert_int_equal(mkdir(name, 0700), 0);
		name[length + 199] = '/';
		memset(name + length + 200, 'a', 200);
	}
	strcpy(name + length, "run.db");
	says(probe_store_try(name), "SQLite takes names of up to 512 bytes");
	for (char *slash = strrchr(name, '/'); slash > name + strlen(directory);
	     slash = strrchr(name, '/')) {
		*slash = 0;
		assert_int_equal(rmdir(name), 0); /* nothing is left in it */
	}
	snprintf(name, sizeof(name), "%s/none/run.db", directory);
	says(probe_store_try(name), "No such file or directory");
	assert_int_equal(clear(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(replaces_its_own, setup, teardown),
		cmocka_unit_test_setup_teardown(keeps_others, setup, teardown),
		cmocka_unit_test_setup_teardown(tries_names, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
