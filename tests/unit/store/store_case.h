/* SPDX-License-Identifier: MIT */
/* A database of its own for each test. Include cmocka.h first. */
#ifndef TEST_STORE_CASE_H
#define TEST_STORE_CASE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/store.h"
#include "store/store_open.h"

static char directory[] = "/tmp/probe-store-XXXXXX";
static char path[64];

static inline int make_directory(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/run.db", directory);
	return 0;
}

static inline int clean(void **state)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
	char name[96];

	(void)state;
	for (int i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		unlink(name);
	}
	return 0;
}

static inline int remove_directory(void **state)
{
	clean(state);
	return rmdir(directory);
}

static inline struct probe_store *create(void)
{
	struct probe_store *store = NULL;

	assert_null(probe_store_create(path, false, &store));
	assert_null(probe_store_schema(store));
	return store;
}

static inline void finish(struct probe_store *store)
{
	probe_store_set_int(store, "partial", 0);
	assert_true(probe_store_commit(store));
	assert_true(probe_store_finish(store));
	probe_store_destroy(store);
}

/* Columns of every table and view, a line each, in the order of their names. */

static inline int64_t number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt;
	int64_t ret = -1;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	if (sqlite3_step(stmt) == SQLITE_ROW)
		ret = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return ret;
}

#define TEST(name) cmocka_unit_test_teardown(name, clean)

#endif
