/* SPDX-License-Identifier: MIT */
#include "cmds/record/merge_runs.h"

#include <endian.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/err.h"
#include "pcsample/profile.h"

#define RAW_SIZE (PROBE_PCS_RECORD_SIZE + 16u) /* as in table probe_rawsample */

/* ---- Ids inside packed samples --------------------------------------------------------------- */

struct map {
	struct pair {
		uint32_t from, to;
	} * codes;
	size_t count;
	uint64_t dispatches; /* offset to add */
};

static void map_deinit(struct map *map)
{
	free(map->codes);
}

static uint32_t map_code(const struct map *map, uint32_t code)
{
	for (size_t i = 0; i < map->count; i++)
		if (map->codes[i].from == code)
			return map->codes[i].to;
	return 0;
}

/* Packs the rows of one dispatch again, from the position of `unpack`. */
static size_t repack(struct probe_pcs_unpack *unpack, const struct map *map, uint8_t *out)
{
	struct probe_pcs_profile profile = {0};
	size_t size = 0, room = unpack->left + 1;

	profile.rows = malloc(room * sizeof(*profile.rows));
	if (!profile.rows)
		return 0;
	profile.rows[profile.count++] = unpack->row;
	while (unpack->left && probe_pcs_unpack_next(unpack))
		profile.rows[profile.count++] = unpack->row;
	if (!unpack->bad)
		size = probe_pcs_profile_pack(&profile, unpack->dispatch + map->dispatches,
					      map_code(map, unpack->code_object), out);
	free(profile.rows);
	return size;
}

/* SQL: probe_remap(bytes) of probe_profile. */
static void remap(sqlite3_context *context, int count, sqlite3_value **values)
{
	const struct map *map = sqlite3_user_data(context);
	size_t size = (size_t)sqlite3_value_bytes(values[0]), at = 0;
	const uint8_t *bytes = sqlite3_value_blob(values[0]);
	struct probe_pcs_unpack unpack = {.pos = bytes, .end = bytes + size};
	/* A row has at least one byte, a dispatch with one row at least four. */
	uint8_t *out = malloc(PROBE_PCS_PACK_ROOM(size) + 30 * (size / 4 + 1));

	(void)count;
	while (out && probe_pcs_unpack_next(&unpack)) {
		size_t n = repack(&unpack, map, out + at);

		at += n;
		if (!n)
			break;
	}
	if (!out || unpack.bad || unpack.pos < unpack.end) {
		free(out);
		sqlite3_result_error(context, "packed samples are malformed", -1);
		return;
	}
	sqlite3_result_blob(context, out, (int)at, free);
}

/* SQL: probe_remap_raw(bytes) of probe_rawsample. */
static void remap_raw(sqlite3_context *context, int count, sqlite3_value **values)
{
	const struct map *map = sqlite3_user_data(context);
	size_t size = (size_t)sqlite3_value_bytes(values[0]);
	uint8_t *out = malloc(size + 1);

	(void)count;
	if (!out) {
		sqlite3_result_error_nomem(context);
		return;
	}
	if (size)
		memcpy(out, sqlite3_value_blob(values[0]), size);
	for (size_t at = PROBE_PCS_RECORD_SIZE; at + 16 <= size; at += RAW_SIZE) {
		uint64_t dispatch;
		uint32_t code;

		memcpy(&dispatch, out + at, 8);
		memcpy(&code, out + at + 8, 4);
		if (dispatch)
			dispatch = htole64(le64toh(dispatch) + map->dispatches);
		code = htole32(map_code(map, le32toh(code)));
		memcpy(out + at, &dispatch, 8);
		memcpy(out + at + 8, &code, 4);
	}
	sqlite3_result_blob(context, out, (int)size, free);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

#define GUID "_0123456789abcdef"

/* Tables of ROCpd have the run's suffix in a file, but none in a copy in memory. */
static char *table_of(sqlite3 *db, const char *base)
{
	size_t len = strlen(base);
	sqlite3_stmt *stmt = NULL;
	char *ret = NULL;

	if (!sqlite3_prepare_v2(db, "SELECT name FROM main.sqlite_schema WHERE type = 'table'", -1,
				&stmt, NULL)) {
		while (!ret && sqlite3_step(stmt) == SQLITE_ROW) {
			const char *name = (const char *)sqlite3_column_text(stmt, 0);
			/* The suffix is a guid. */
			const char *rest = name && !strncmp(name, base, len) ? name + len : NULL;

			if (rest && (!*rest || (*rest == '_' && rest[strspn(rest, GUID)] == 0)))
				ret = sqlite3_mprintf("\"%w\"", name);
		}
	}
	sqlite3_finalize(stmt);
	return ret;
}

/* %s in the statements below: tables of ROCpd in main. */
enum rocpd { R_CODE, R_KERNEL, R_DISPATCH, R_EVENT, ROCPD };

static const char *const rocpd_names[ROCPD] = {
	[R_CODE] = "rocpd_info_code_object",
	[R_KERNEL] = "rocpd_info_kernel_symbol",
	[R_DISPATCH] = "rocpd_kernel_dispatch",
	[R_EVENT] = "rocpd_event",
};

#define OFFSET	       "(SELECT value FROM temp.offsets WHERE name = "
#define CODE(column)   "(SELECT b FROM temp.map_code WHERE a = " column ")"
#define KERNEL(column) "coalesce((SELECT b FROM temp.map_kernel WHERE a = " column "), 0)"

static const struct {
	int table; /* the table that %s stands for; -1 = no %s */
	const char *sql;
} maps[] = {
	{-1, "CREATE TEMP TABLE offsets AS SELECT 'dispatch' AS name, "
	     "coalesce((SELECT max(dispatch_id) FROM main.probe_dispatch), 0) AS value "
	     "UNION ALL SELECT 'event', coalesce((SELECT max(id) FROM main.rocpd_event), 0) "
	     "UNION ALL SELECT 'code', coalesce((SELECT max(id) FROM "
	     "main.rocpd_info_code_object), 0) UNION ALL SELECT 'kernel', "
	     "coalesce((SELECT max(id) FROM main.rocpd_info_kernel_symbol), 0)"},
	{-1, "CREATE TEMP TABLE map_code AS SELECT x.code_object_id AS a, "
	     "coalesce((SELECT min(y.code_object_id) FROM main.probe_code y "
	     "WHERE y.hash = x.hash AND y.hash <> ''), " OFFSET "'code') + x.code_object_id) AS b "
	     "FROM a.probe_code x"},
	{-1,
	 "CREATE TEMP TABLE map_kernel AS SELECT x.id AS a, coalesce((SELECT min(y.id) FROM "
	 "main.rocpd_info_kernel_symbol y WHERE y.kernel_name = x.kernel_name AND "
	 "y.code_object_id = " CODE(
		 "x.code_object_id") "), " OFFSET
				     "'kernel') + x.id) AS b FROM a.rocpd_info_kernel_symbol x"},
};

static const struct {
	int table;
	const char *sql;
} copies[] = {
	{R_CODE,
	 "INSERT INTO main.%s (id, nid, pid, agent_id, uri, load_base, load_size, "
	 "load_delta, storage_type, extdata) SELECT " CODE(
		 "id") ", nid, pid, agent_id, "
		       "uri, load_base, load_size, load_delta, storage_type, extdata "
		       "FROM a.rocpd_info_code_object WHERE " CODE("id") " > " OFFSET "'code')"},
	{-1, "INSERT INTO main.probe_code SELECT " CODE(
		     "code_object_id") ", hash, bytes "
				       "FROM a.probe_code WHERE " CODE(
					       "code_object_id") " > " OFFSET "'code')"},
	{R_KERNEL,
	 "INSERT INTO main.%s (id, nid, pid, code_object_id, kernel_name, display_name, "
	 "kernel_object, kernarg_segment_size, kernarg_segment_alignment, "
	 "group_segment_size, private_segment_size, sgpr_count, arch_vgpr_count, "
	 "accum_vgpr_count, extdata) SELECT " KERNEL("id") ", nid, pid, " CODE(
		 "code_object_id") ", kernel_name, display_name, kernel_object, "
				   "kernarg_segment_size, kernarg_segment_alignment, group_segment_size, "
				   "private_segment_size, sgpr_count, arch_vgpr_count, accum_vgpr_count, extdata "
				   "FROM a.rocpd_info_kernel_symbol WHERE " KERNEL(
					   "id") " > " OFFSET "'kernel')"},
	{-1,
	 "INSERT INTO main.probe_dispatch SELECT dispatch_id + " OFFSET
	 "'dispatch'), " KERNEL("kernel_id") ", " KERNEL(
		 "launched_kernel_id") ", kind, verdict, queue_id, "
				       "agent, grid_x, grid_y, grid_z, group_x, group_y, group_z, lds_aperture, "
				       "scratch_aperture, completed FROM a.probe_dispatch"},
	{R_EVENT, "INSERT INTO main.%s (id, category_id, stack_id, parent_stack_id, "
		  "correlation_id) SELECT id + " OFFSET "'event'), category_id, stack_id, "
		  "parent_stack_id, correlation_id FROM a.rocpd_event"},
	/* 1: "", since strings have other numbers there. */
	{R_DISPATCH,
	 "INSERT INTO main.%s (id, nid, pid, tid, agent_id, kernel_id, dispatch_id, "
	 "queue_id, stream_id, start, \"end\", private_segment_size, "
	 "group_segment_size, workgroup_size_x, workgroup_size_y, workgroup_size_z, "
	 "grid_size_x, grid_size_y, grid_size_z, region_name_id, event_id) SELECT "
	 "id + " OFFSET "'dispatch'), nid, "
	 "coalesce((SELECT min(id) FROM main.rocpd_info_process), pid), "
	 "coalesce((SELECT min(id) FROM main.rocpd_info_thread), tid), agent_id, " KERNEL(
		 "kernel_id") ", dispatch_id + " OFFSET "'dispatch'), "
			      "queue_id, stream_id, start, \"end\", private_segment_size, "
			      "group_segment_size, workgroup_size_x, workgroup_size_y, workgroup_size_z, "
			      "grid_size_x, grid_size_y, grid_size_z, 1, "
			      "event_id + " OFFSET "'event') FROM a.rocpd_kernel_dispatch"},
	{-1, "INSERT INTO main.probe_sampler SELECT * FROM a.probe_sampler"},
	{-1,
	 "INSERT INTO main.probe_sample SELECT " CODE(
		 "code_object_id") " AS b, offset, "
				   "sum(samples), sum(lanes), sum(waves), sum(dual) FROM a.probe_sample "
				   "GROUP BY b, offset"},
	{-1,
	 "INSERT INTO main.probe_state SELECT " CODE(
		 "code_object_id") " AS b, offset, issued, "
				   "code, sum(samples) FROM a.probe_state GROUP BY b, offset, issued, code"},
	{-1, "INSERT INTO main.probe_sampled SELECT dispatch_id + " OFFSET "'dispatch'), samples "
	     "FROM a.probe_sampled"},
	{-1, "INSERT INTO main.probe_profile (first_dispatch, last_dispatch, bytes) SELECT "
	     "first_dispatch + " OFFSET "'dispatch'), last_dispatch + " OFFSET "'dispatch'), "
	     "probe_remap(bytes) FROM a.probe_profile ORDER BY id"},
	{-1, "INSERT INTO main.probe_rawsample (agent, count, bytes) SELECT agent, count, "
	     "probe_remap_raw(bytes) FROM a.probe_rawsample ORDER BY id"},
	{-1, "INSERT OR IGNORE INTO main.probe_source SELECT * FROM a.probe_source"},
	{-1, "INSERT OR IGNORE INTO main.probe_sourcefile SELECT * FROM a.probe_sourcefile"},
	{-1, "INSERT INTO main.probe_account SELECT * FROM a.probe_account WHERE 1 "
	     "ON CONFLICT (stream, name) DO UPDATE SET value = value + excluded.value"},
	{-1, "INSERT INTO main.probe_log (time, level, origin, text) SELECT time, level, origin, "
	     "text FROM a.probe_log ORDER BY id"},
	{-1, "INSERT OR REPLACE INTO main.probe_run SELECT 'sampled_from', " OFFSET "'dispatch')"},
	{-1, "UPDATE main.probe_run SET value = 1 WHERE key = 'partial' AND "
	     "(SELECT value FROM a.probe_run WHERE key = 'partial')"},
	{-1, "UPDATE main.probe_run SET value = value || CASE value WHEN '' THEN '' ELSE '; ' END "
	     "|| 'sampled run: ' || (SELECT value FROM a.probe_run WHERE key = 'partial_reason') "
	     "WHERE key = 'partial_reason' AND (SELECT value <> '' FROM a.probe_run WHERE "
	     "key = 'partial_reason')"},
};

/* Sums of both, or none: they stand for all dispatches. Copies in memory have no such table. */
static const char *const sums[] = {
	"INSERT INTO main.probe_dispatchsum SELECT " KERNEL("kernel_id") ", " KERNEL(
		"launched_kernel_id") ", kind, verdict, agent, grid_x, grid_y, grid_z, group_x, "
				      "group_y, group_z, first_dispatch + " OFFSET
				      "'dispatch'), dispatches, timed, ns "
				      "FROM a.probe_dispatchsum "
				      "WHERE EXISTS (SELECT 1 FROM main.probe_dispatchsum)",
	"DELETE FROM main.probe_dispatchsum "
	"WHERE NOT EXISTS (SELECT 1 FROM a.probe_dispatchsum)",
};

static struct probe_err *failed(sqlite3 *db, const char *name)
{
	return probe_err_create("%s: cannot add the sampled run: %s", name, sqlite3_errmsg(db));
}

static struct probe_err *run(sqlite3 *db, const char *name, int table, const char *text)
{
	char *rocpd = table < 0 ? NULL : table_of(db, rocpd_names[table]);
	char *sql = table < 0 ? sqlite3_mprintf("%s", text) : sqlite3_mprintf(text, rocpd);
	struct probe_err *err = NULL;

	if (!sql)
		err = probe_err_oom();
	else if (table >= 0 && !rocpd)
		err = probe_err_create("%s: has no table %s", name, rocpd_names[table]);
	else if (sqlite3_exec(db, sql, NULL, NULL, NULL))
		err = failed(db, name);
	sqlite3_free(sql);
	sqlite3_free(rocpd);
	return err;
}

static struct probe_err *read_map(sqlite3 *db, const char *name, struct map *map)
{
	sqlite3_stmt *stmt = NULL;
	size_t room = 0;
	int rc;

	if (sqlite3_prepare_v2(db,
			       "SELECT a, b, (SELECT value FROM temp.offsets WHERE "
			       "name = 'dispatch') FROM temp.map_code",
			       -1, &stmt, NULL))
		return failed(db, name);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		if (map->count == room) {
			struct pair *codes;

			room = room ? 2 * room : 16;
			codes = reallocarray(map->codes, room, sizeof(*codes));
			if (!codes)
				break;
			map->codes = codes;
		}
		map->codes[map->count++] = (struct pair){(uint32_t)sqlite3_column_int64(stmt, 0),
							 (uint32_t)sqlite3_column_int64(stmt, 1)};
		map->dispatches = (uint64_t)sqlite3_column_int64(stmt, 2);
	}
	sqlite3_finalize(stmt);
	return rc == SQLITE_DONE ? NULL : rc == SQLITE_ROW ? probe_err_oom() : failed(db, name);
}

static struct probe_err *merge(sqlite3 *db, const char *name, struct map *map)
{
	struct probe_err *err;

	if (sqlite3_create_function(db, "probe_remap", 1, SQLITE_UTF8, map, remap, NULL, NULL) ||
	    sqlite3_create_function(db, "probe_remap_raw", 1, SQLITE_UTF8, map, remap_raw, NULL,
				    NULL))
		return probe_err_oom();
	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++) {
		err = run(db, name, maps[i].table, maps[i].sql);
		if (err)
			return err;
	}
	err = read_map(db, name, map);
	if (err)
		return err;
	for (size_t i = 0; i < sizeof(copies) / sizeof(*copies); i++) {
		err = run(db, name, copies[i].table, copies[i].sql);
		if (err)
			return err;
	}
	if (sqlite3_table_column_metadata(db, "main", "probe_dispatchsum", NULL, NULL, NULL, NULL,
					  NULL, NULL))
		return NULL;
	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++) {
		err = run(db, name, -1, sums[i]);
		if (err)
			return err;
	}
	return NULL;
}

static struct probe_err *merge_and_commit(sqlite3 *db, const char *name)
{
	PROBE_AUTO(map_deinit) struct map map = {0};
	struct probe_err *err = merge(db, name, &map);

	if (err)
		return err;
	return sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) ? failed(db, name) : NULL;
}

struct probe_err *probe_merge(sqlite3 *db, const char *name)
{
	struct probe_err *err;

	if (sqlite3_exec(db, "BEGIN", NULL, NULL, NULL))
		return failed(db, name);
	err = merge_and_commit(db, name);
	if (err)
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	return err;
}
