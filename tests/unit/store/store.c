/* SPDX-License-Identifier: MIT */
/* The store: its schema, its rows and its failures. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/err.h"
#include "store/json_text.h"
#include "store/store.h"
#include "store/store_facts.h"
#include "store/store_open.h"
#include "tests/unit/store/store_case.h"

static char *schema_text(sqlite3 *db, const char *suffix)
{
	sqlite3_stmt *stmt;
	char *text = NULL, *mark;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(
		sqlite3_prepare_v2(db,
				   "SELECT s.type, s.name, group_concat(c.name, ' ') FROM "
				   "(SELECT * FROM sqlite_master WHERE type IN ('table', 'view') "
				   "AND name NOT LIKE 'sqlite_%' ORDER BY type, name) s, "
				   "pragma_table_info(s.name) c GROUP BY s.type, s.name",
				   -1, &stmt, NULL),
		SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		char *name = strdup((const char *)sqlite3_column_text(stmt, 1));

		if ((mark = strstr(name, suffix)))
			strcpy(mark, "{{uuid}}");
		fprintf(out, "%s %s: %s\n", sqlite3_column_text(stmt, 0), name,
			sqlite3_column_text(stmt, 2));
		free(name);
	}
	sqlite3_finalize(stmt);
	fclose(out);
	return text;
}

static char *read_file(const char *name)
{
	FILE *in = fopen(name, "re");
	char *text = calloc(1, 65536);

	assert_non_null(in);
	assert_true(fread(text, 1, 65535, in) > 0);
	fclose(in);
	return text;
}

static void assert_same_lines(char *text, char *golden)
{
	char *got_rest = NULL, *want_rest = NULL;
	char *got = strtok_r(text, "\n", &got_rest), *want = strtok_r(golden, "\n", &want_rest);

	for (; got && want;
	     got = strtok_r(NULL, "\n", &got_rest), want = strtok_r(NULL, "\n", &want_rest))
		assert_string_equal(got, want);
	assert_null(got);
	assert_null(want);
}

static void schema_is_the_golden_one(void **state)
{
	struct probe_reader reader;
	sqlite3_stmt *stmt;
	char *text, *golden, suffix[64];

	(void)state;
	finish(create());
	assert_null(probe_reader_open(path, &reader));
	sqlite3_prepare_v2(reader.db, "SELECT value FROM rocpd_metadata WHERE tag = 'uuid'", -1,
			   &stmt, NULL);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	snprintf(suffix, sizeof(suffix), "%s", sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
	text = schema_text(reader.db, suffix);
	golden = read_file(TEST_DATA "/store_schema.txt");
	assert_same_lines(text, golden);
	free(text);
	free(golden);
	/* Every view can be queried on an empty database. */
	sqlite3_prepare_v2(reader.db, "SELECT name FROM sqlite_master WHERE type = 'view'", -1,
			   &stmt, NULL);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		char sql[128];

		snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", sqlite3_column_text(stmt, 0));
		assert_true(number(reader.db, sql) >= 0);
	}
	sqlite3_finalize(stmt);
	probe_reader_close(&reader);
}

static void file_is_private_and_single(void **state)
{
	struct probe_store *store = create();
	struct probe_err *err;
	struct stat st;
	char wal[96];

	(void)state;
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	err = probe_store_create(path, false, &(struct probe_store *){NULL});
	assert_non_null(err);
	probe_err_destroy(err);
	finish(store);
	snprintf(wal, sizeof(wal), "%s-wal", path);
	assert_int_not_equal(access(wal, F_OK), 0);
	assert_null(probe_store_create(path, true, &store)); /* force */
	probe_store_destroy(store);
}

static void does_not_follow_links(void **state)
{
	struct probe_store *store = NULL;
	struct probe_err *err;
	char target[96];

	(void)state;
	snprintf(target, sizeof(target), "%s/target", directory);
	assert_int_equal(symlink(target, path), 0);
	for (int force = 0; force < 2; force++) {
		err = probe_store_create(path, force, &store);
		assert_non_null(err);
		probe_err_destroy(err);
		assert_int_not_equal(access(target, F_OK), 0);
	}
}

static void rows_in_batches_keep_their_text(void **state)
{
	struct probe_store *store = create();
	struct probe_rows *rows =
		probe_store_rows(store, "probe_source", "file, line, text", 3, 50);
	struct probe_reader reader;
	static char big[100000];

	(void)state;
	memset(big, 'x', sizeof(big));
	for (int i = 0; i < 1003; i++) {
		char text[32];

		snprintf(text, sizeof(text), "text %d", i); /* dies with this turn */
		assert_int_equal(
			probe_rows_add(rows, (struct probe_cell[]){probe_cell_text("f"),
								   probe_cell_int((uint64_t)i),
								   probe_cell_text(text)}),
			0);
		if (i == 500) /* larger than the buffer of a batch */
			probe_rows_add(rows, (struct probe_cell[]){
						     probe_cell_text("big"), probe_cell_int(0),
						     probe_cell_text_n(big, sizeof(big))});
	}
	finish(store);
	assert_null(probe_reader_open(path, &reader));
	assert_int_equal(number(reader.db, "SELECT count(*) FROM probe_source WHERE file = 'f' AND "
					   "text = 'text ' || line"),
			 1003);
	assert_int_equal(number(reader.db, "SELECT length(text) FROM probe_source WHERE line = 0 "
					   "AND file = 'big'"),
			 sizeof(big));
	probe_reader_close(&reader);
}

/* In order, with gaps, swapped, repeated. */
static void numbered_rows_keep_their_numbers(void **state)
{
	static const char columns[] = "dispatch_id, stack_id";
	struct probe_store *store = create();
	struct probe_rows *rows = probe_store_rows(store, "probe_launch", columns, 2, 8);
	struct probe_reader reader;
	uint64_t sum = 0, id = 0;

	(void)state;
	probe_rows_number(rows, "probe_launch", columns);
	for (uint64_t i = 0; i < 1000; i++) {
		bool gap = i % 100 == 57, swapped = i % 100 == 71;
		uint64_t now = swapped ? id + 2 : i % 100 == 72 ? id - 1 : id + 1 + gap;

		id = now > id ? now : id;
		assert_int_equal(
			probe_rows_add(rows, (struct probe_cell[]){probe_cell_int(now),
								   probe_cell_int(now * 3)}),
			0);
		sum += now;
		if (i % 100 == 72)
			id = now + 1;
	}
	/* The latest of two rows with one number stays. */
	probe_rows_add(rows, (struct probe_cell[]){probe_cell_int(5), probe_cell_int(7)});
	finish(store);
	assert_null(probe_reader_open(path, &reader));
	assert_int_equal(number(reader.db, "SELECT count(*) FROM probe_launch"), 1000);
	assert_int_equal(number(reader.db, "SELECT sum(dispatch_id) FROM probe_launch"), sum);
	assert_int_equal(number(reader.db, "SELECT count(*) FROM probe_launch WHERE stack_id <> "
					   "3 * dispatch_id"),
			 1);
	assert_int_equal(
		number(reader.db, "SELECT stack_id FROM probe_launch WHERE dispatch_id = 5"), 7);
	probe_reader_close(&reader);
}

static const struct probe_hr_dispatch dispatch = {
	.id = 7,
	.queue = 1,
	.agent = 1,
	.kernel = 0,
	.grid = {64, 1, 1},
	.group = {64, 1, 1},
};

/* ROCpd's view joins everything: it must show each dispatch, even one of an unknown kernel. */
static void kernels_view_shows_every_dispatch(void **state)
{
	struct probe_store *store = create();
	struct probe_facts *facts = probe_facts_create(store, 4711);
	struct probe_hr_process process = {.pid = 4711, .ppid = 1};
	struct probe_hr_agent agent = {.index = 1, .type = 1};
	struct probe_hr_queue queue = {.id = 1, .agent = 1};
	struct probe_hr_complete complete = {.id = 7, .start = 100, .end = 350};
	struct probe_reader reader;

	(void)state;
	probe_facts_prepare(facts);
	probe_facts_node(facts);
	probe_facts_process(facts, &process, "app", "{}", 0);
	probe_facts_agent(facts, &agent, 0, "gfx90a", "MI210", "AMD");
	probe_facts_queue(facts, &queue);
	probe_facts_thread(facts, 4712, 1, NULL);
	probe_facts_complete(facts, &dispatch, &complete, (struct probe_facts_origin){.tid = 4712});
	probe_facts_destroy(facts);
	finish(store);
	assert_null(probe_reader_open(path, &reader));
	assert_int_equal(number(reader.db, "SELECT duration FROM kernels WHERE dispatch_id = 7 AND "
					   "name = '(unknown kernel)' AND pid = 4711 AND "
					   "tid = 4712 AND queue = 'Queue 1'"),
			 250);
	assert_int_equal(number(reader.db, "SELECT completed FROM probe_dispatch"), 1);
	assert_int_equal(number(reader.db, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
	assert_int_equal(number(reader.db, "SELECT Busy = 1.0 FROM busy"), 1);
	probe_reader_close(&reader);
}

/* A long name is stored once per column, and ROCpd's view shows it in all of its columns. */
static void long_names_are_not_repeated(void **state)
{
	struct probe_store *store = create();
	struct probe_facts *facts = probe_facts_create(store, 4711);
	struct probe_hr_process process = {.pid = 4711};
	struct probe_hr_kernel kernel = {.id = 1};
	struct probe_reader reader;
	char name[3001] = "void ";

	(void)state;
	memset(name + 5, 'n', 2995);
	probe_facts_prepare(facts);
	probe_facts_node(facts);
	probe_facts_process(facts, &process, "app", "{}", 0);
	probe_facts_kernel(facts, &kernel, "_Znn", name);
	strcpy(name + 5, "short<int>()");
	kernel.id = 2;
	probe_facts_kernel(facts, &kernel, "_Zshort", name);
	probe_facts_destroy(facts);
	finish(store);
	assert_null(probe_reader_open(path, &reader));
	assert_int_equal(number(reader.db, "SELECT length(extdata) < 500 FROM "
					   "rocpd_info_kernel_symbol WHERE id = 1"),
			 1);
	assert_int_equal(number(reader.db, "SELECT count(*) FROM kernel_symbols WHERE "
					   "formatted_kernel_name = display_name AND "
					   "demangled_kernel_name = display_name"),
			 2);
	assert_int_equal(number(reader.db, "SELECT truncated_kernel_name = 'short' FROM "
					   "kernel_symbols WHERE id = 2"),
			 1);
	probe_reader_close(&reader);
}

/* The counters of units follow what is really in the file. */
static void a_full_disk_is_counted(void **state)
{
	struct probe_store *store = create();
	struct probe_rows *rows =
		probe_store_rows(store, "probe_source", "file, line, text", 3, 50);
	struct probe_reader reader;
	uint64_t added = 0;
	char text[1000];

	(void)state;
	memset(text, 'y', sizeof(text));
	assert_int_equal(probe_store_exec(store, "PRAGMA max_page_count = 200"), 0);
	for (int i = 0; i < 20000; i++, added++) {
		probe_rows_add(rows, (struct probe_cell[]){probe_cell_text("f"),
							   probe_cell_int((uint64_t)i),
							   probe_cell_text_n(text, sizeof(text))});
		probe_store_count(store, PROBE_STREAM_ID_HOST, 1);
		if (i % 100 == 99)
			probe_store_commit(store);
	}
	assert_non_null(probe_store_failure(store));
	struct probe_store_stream stream = probe_store_stream(store, PROBE_STREAM_ID_HOST);

	assert_int_equal(stream.pending, 0);
	assert_true(stream.lost > 0 && stream.stored > 0);
	assert_int_equal(stream.stored + stream.lost, added);
	/* There is space for the reason, because the large transaction was rolled back. */
	probe_store_final_attempt(store);
	probe_store_set_int(store, "partial", 1);
	assert_true(probe_store_commit(store));
	assert_true(probe_store_finish(store));
	probe_store_destroy(store);
	assert_null(probe_reader_open(path, &reader));
	assert_true(reader.partial);
	assert_int_equal(number(reader.db, "SELECT count(*) FROM probe_source"), stream.stored);
	probe_reader_close(&reader);
}

/* What a commit has not kept is undone, tables too; and a full store goes on after that. */
static void a_discard_undoes_rows(void **state)
{
	struct probe_store *store = create();
	struct probe_rows *rows =
		probe_store_rows(store, "probe_source", "file, line, text", 3, 50);
	struct probe_cell cells[] = {probe_cell_text("f"), probe_cell_int(1), probe_cell_text("t")};
	struct probe_reader reader;

	(void)state;
	probe_rows_add(rows, cells);
	assert_true(probe_store_commit(store));
	cells[1] = probe_cell_int(2);
	probe_rows_add(rows, cells);
	assert_int_equal(probe_store_exec(store, "CREATE TABLE more (a)"), 0);
	probe_store_discard(store);
	assert_int_equal(probe_store_exec(store, "PRAGMA max_page_count = 1"), 0);
	for (int i = 3; !probe_store_failure(store); i++) {
		cells[1] = probe_cell_int((uint64_t)i);
		probe_rows_add(rows, cells);
	}
	probe_store_discard(store);
	assert_null(probe_store_failure(store));
	probe_store_set_int(store, "partial", 0);
	assert_true(probe_store_commit(store));
	assert_true(probe_store_finish(store));
	probe_store_destroy(store);
	assert_null(probe_reader_open(path, &reader));
	assert_int_equal(number(reader.db, "SELECT count(*) FROM probe_source"), 1);
	assert_int_equal(
		number(reader.db, "SELECT count(*) FROM sqlite_master WHERE name = 'more'"), 0);
	probe_reader_close(&reader);
}

static void json_is_always_json(void **state)
{
	struct probe_json json = {0};

	(void)state;
	probe_json_open(&json, '{');
	probe_json_key(&json, "a\"b", 3);
	probe_json_string(&json, "x\n\\\xff\xc3\xa9\xed\xa0\x80", 9);
	probe_json_key(&json, "n", 1);
	probe_json_open(&json, '[');
	probe_json_uint(&json, UINT64_MAX);
	probe_json_int(&json, -5);
	probe_json_close(&json, ']');
	probe_json_close(&json, '}');
	assert_string_equal(probe_json_text(&json),
			    "{\"a\\\"b\":\"x\\u000a\\\\\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd"
			    "\xef\xbf\xbd\",\"n\":[18446744073709551615,-5]}");
	probe_json_deinit(&json);
}

/* Not a timed test: it prints the rate, and checks the rows. */
static void throughput(void **state)
{
	struct probe_store *store = create();
	struct probe_facts *facts = probe_facts_create(store, 1);
	static struct probe_counter_row counters[1000];
	struct probe_reader reader;
	struct timespec a, b;
	double seconds;

	(void)state;
	probe_facts_prepare(facts);
	for (uint32_t i = 0; i < 1000; i++)
		counters[i] = (struct probe_counter_row){.site = i, .value = {i, 64 * i}};
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (uint64_t i = 0; i < 300; i++) {
		probe_facts_counters(facts, i, 1, counters, 1000);
		probe_store_poll(store, false, NULL, NULL);
	}
	assert_true(probe_store_commit(store));
	clock_gettime(CLOCK_MONOTONIC, &b);
	seconds = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
	print_message("counter rows of 19 columns: %.2f M rows/s\n", 0.3 / seconds);
	probe_facts_destroy(facts);
	finish(store);
	assert_null(probe_reader_open(path, &reader));
	assert_int_equal(number(reader.db, "SELECT count(*) FROM probe_counter"), 300000);
	assert_int_equal(number(reader.db, "SELECT sum(lanes) FROM probe_counter"),
			 300ll * 64 * 999 * 500);
	probe_reader_close(&reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(schema_is_the_golden_one),
		TEST(file_is_private_and_single),
		TEST(does_not_follow_links),
		TEST(rows_in_batches_keep_their_text),
		TEST(numbered_rows_keep_their_numbers),
		TEST(kernels_view_shows_every_dispatch),
		TEST(long_names_are_not_repeated),
		TEST(a_full_disk_is_counted),
		TEST(a_discard_undoes_rows),
		cmocka_unit_test(json_is_always_json),
		TEST(throughput),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
