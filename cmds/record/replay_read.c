/* SPDX-License-Identifier: MIT */
/* Reads a database for a replay: everything except the records. */
#include "cmds/record/replay_feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/record/allocation_records.h"
#include "cmds/record/code_sites.h"
#include "common/err.h"

struct probe_err *replay_prepare(const struct replay_feed *feed, const char *sql,
				 sqlite3_stmt **ret)
{
	if (sqlite3_prepare_v2(feed->reader.db, sql, -1, ret, NULL) == SQLITE_OK)
		return NULL;
	return probe_reader_error(&feed->reader, "read its records");
}

/* *row = false at the end. */
struct probe_err *replay_step(const struct replay_feed *feed, sqlite3_stmt *stmt, bool *row)
{
	int rc = sqlite3_step(stmt);

	*row = rc == SQLITE_ROW;
	return rc == SQLITE_ROW || rc == SQLITE_DONE
		       ? NULL
		       : probe_reader_error(&feed->reader, "read its records");
}

static char *text(sqlite3_stmt *stmt, int column)
{
	const char *value = (const char *)sqlite3_column_text(stmt, column);

	return strdup(value ? value : "");
}

/* Call `take` for each row of a query; what it refuses is counted. */
struct probe_err *replay_each(struct replay_feed *feed, const char *sql,
			      bool (*take)(struct replay_feed *feed, sqlite3_stmt *stmt))
{
	sqlite3_stmt *stmt = NULL;
	struct probe_err *err = replay_prepare(feed, sql, &stmt);
	bool row = true;

	while (!err) {
		err = replay_step(feed, stmt, &row);
		if (err || !row)
			break;
		feed->counts->invalid += !take(feed, stmt);
	}
	sqlite3_finalize(stmt);
	return err;
}

/* ---- What the process announced ------------------------------------------------------------- */

static bool read_agent(struct replay_feed *feed, sqlite3_stmt *stmt)
{
	struct run_agent *agent = calloc(1, sizeof(*agent));

	if (!agent)
		return false;
	agent->hr.index = (uint32_t)replay_number(stmt, 0);
	agent->hr.wave_size = (uint32_t)replay_number(stmt, 2);
	if (!run_agent_name(agent, text(stmt, 1))) {
		free(agent);
		return false;
	}
	return process_add_agent(&feed->objects, agent);
}

static bool read_kernel(struct replay_feed *feed, sqlite3_stmt *stmt)
{
	struct run_kernel *kernel = calloc(1, sizeof(*kernel));

	if (!kernel)
		return false;
	kernel->hr.id = (uint32_t)replay_number(stmt, 0);
	kernel->hr.code_object = (uint32_t)replay_number(stmt, 1);
	kernel->symbol = text(stmt, 2);
	kernel->demangled = text(stmt, 3);
	kernel->hr.wave_size = (uint32_t)replay_number(stmt, 4);
	return process_add_kernel(&feed->objects, kernel);
}

static bool read_code(struct replay_feed *feed, sqlite3_stmt *stmt)
{
	struct run_code *code = calloc(1, sizeof(*code));
	const unsigned char *bytes = sqlite3_column_blob(stmt, 1);
	const char *hash = (const char *)sqlite3_column_text(stmt, 2);
	struct probe_err *err;

	if (!code)
		return false;
	code->hr.id = (uint32_t)replay_number(stmt, 0);
	code->hr.bytes = (uint64_t)sqlite3_column_bytes(stmt, 1);
	if (hash)
		snprintf(code->hash, sizeof(code->hash), "%s", hash);
	if (!run_table_put(&feed->objects.codes, code->hr.id, code))
		return false;
	if (!bytes)
		return true;
	err = run_code_read(code, bytes);
	probe_err_destroy(err);
	return !err;
}

static bool read_run(struct replay_feed *feed, sqlite3_stmt *stmt)
{
	feed->objects.command = text(stmt, 0);
	feed->objects.pid = (pid_t)replay_number(stmt, 1);
	feed->objects.simulated = replay_number(stmt, 2);
	return true;
}

static bool read_allocation(struct replay_feed *feed, sqlite3_stmt *stmt)
{
	char *site = text(stmt, 3);
	const struct probe_allocation_info info = {
		.address = replay_number(stmt, 0),
		.bytes = replay_number(stmt, 1),
		.source = (uint32_t)replay_number(stmt, 2),
		.site = site,
	};
	bool ok = site && run_allocations_add(feed->allocations, &info, replay_number(stmt, 4),
					      sqlite3_column_type(stmt, 5) == SQLITE_NULL
						      ? UINT64_MAX
						      : replay_number(stmt, 5));

	free(site);
	return ok;
}

/* Databases of earlier versions have no such table. */
static bool read_allocations(struct replay_feed *feed, sqlite3_stmt *stmt)
{
	struct probe_err *err;

	(void)stmt;
	err = replay_each(feed,
			  "SELECT address, size, source, site, first_dispatch, last_dispatch FROM "
			  "probe_allocation ORDER BY id",
			  read_allocation);
	probe_err_destroy(err);
	return !err;
}

struct probe_err *replay_read(struct replay_feed *feed)
{
	static const struct {
		const char *sql;
		bool (*take)(struct replay_feed *feed, sqlite3_stmt *stmt);
	} queries[] = {
		{"SELECT id, name, json_extract(extdata, '$.wave_front_size') "
		 "FROM rocpd_info_agent ORDER BY id",
		 read_agent},
		{"SELECT id, code_object_id, kernel_name, display_name, "
		 "json_extract(extdata, '$.wave_front_size') "
		 "FROM rocpd_info_kernel_symbol ORDER BY id",
		 read_kernel},
		{"SELECT code_object_id, bytes, hash FROM probe_code", read_code},
		{"SELECT (SELECT value FROM probe_run WHERE key = 'command'), "
		 "(SELECT value FROM probe_run WHERE key = 'pid'), "
		 "(SELECT value FROM probe_run WHERE key = 'device') = 'simulated'",
		 read_run},
		{"SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'probe_allocation'",
		 read_allocations},
	};
	struct probe_err *err = NULL;

	for (size_t i = 0; i < sizeof(queries) / sizeof(*queries) && !err; i++)
		err = replay_each(feed, queries[i].sql, queries[i].take);
	return err;
}

/* ---- Missing records ------------------------------------------------------------------------ */

/* stored - found, or 0. */
static uint64_t lost(uint64_t stored, uint64_t found)
{
	return stored > found ? stored - found : 0;
}

static bool read_account(struct replay_feed *feed, sqlite3_stmt *stmt)
{
	feed->counts->missing += lost(replay_number(stmt, 0), feed->counter_rows) +
				 lost(replay_number(stmt, 1), feed->wave_records);
	return true;
}

struct probe_err *replay_missing(struct replay_feed *feed)
{
	return replay_each(feed,
			   "SELECT sum(CASE stream WHEN 'counters' THEN value ELSE 0 END), "
			   "sum(CASE stream WHEN 'trace' THEN value ELSE 0 END) FROM probe_account "
			   "WHERE name = 'stored'",
			   read_account);
}
