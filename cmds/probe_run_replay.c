/* SPDX-License-Identifier: MIT */
/*
 * Replay: a session without a process. Agents, kernels and code objects are read first, then the
 * raw records in the order in which they were stored, which is that of the run. Everything in the
 * database may be made up; what makes no sense is counted and left out.
 */
#define _GNU_SOURCE
#include "probe_run_replay.h"

#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/trace_pack.h"
#include "common/trace_parser.h"
#include "probe_run_allocations.h"
#include "probe_run_handlers.h"
#include "probe_run_options.h"
#include "probe_run_session.h"
#include "store/store_open.h"

#define PIECE_MAX (64u << 20)
#define RINGS_MAX (1u << 20)
#define ROWS_MAX  4096u

struct feed {
	struct run_replay *replay;
	struct probe_reader reader;
	struct run_session session;
	sqlite3_stmt *dispatches; /* those not begun yet, by id */
	bool dispatches_left;
	uint64_t *last; /* pairs: dispatch, id of its last record; by dispatch */
	size_t last_count;
	struct probe_trace_ring *rings;
	uint32_t ring_count;
	struct probe_trace_batch batch;
	unsigned char *bytes; /* of a piece */
	uint32_t streams;     /* that the records hold */
};

static struct probe_err *prepare(const struct feed *feed, const char *sql, sqlite3_stmt **ret)
{
	if (sqlite3_prepare_v2(feed->reader.db, sql, -1, ret, NULL) == SQLITE_OK)
		return NULL;
	return probe_reader_error(&feed->reader, "read its records");
}

/* *row = false at the end. */
static struct probe_err *step(const struct feed *feed, sqlite3_stmt *stmt, bool *row)
{
	int rc = sqlite3_step(stmt);

	*row = rc == SQLITE_ROW;
	return rc == SQLITE_ROW || rc == SQLITE_DONE
		       ? NULL
		       : probe_reader_error(&feed->reader, "read its records");
}

static uint64_t number(sqlite3_stmt *stmt, int column)
{
	return (uint64_t)sqlite3_column_int64(stmt, column);
}

static char *text(sqlite3_stmt *stmt, int column)
{
	const char *value = (const char *)sqlite3_column_text(stmt, column);

	return strdup(value ? value : "");
}

/* Call `take` for each row of a query; what it refuses is counted. */
static struct probe_err *each(struct feed *feed, const char *sql,
			      bool (*take)(struct feed *feed, sqlite3_stmt *stmt))
{
	sqlite3_stmt *stmt = NULL;
	struct probe_err *err = prepare(feed, sql, &stmt);
	bool row = true;

	while (!err) {
		err = step(feed, stmt, &row);
		if (err || !row)
			break;
		feed->replay->invalid += !take(feed, stmt);
	}
	sqlite3_finalize(stmt);
	return err;
}

/* ---- What the process told about itself ----------------------------------------------------- */

static bool take_agent(struct feed *feed, sqlite3_stmt *stmt)
{
	struct run_agent *agent = calloc(1, sizeof(*agent));

	if (!agent)
		return false;
	agent->hr.index = (uint32_t)number(stmt, 0);
	agent->hr.wave_size = (uint32_t)number(stmt, 2);
	agent->arch = text(stmt, 1);
	if (agent->arch)
		agent->arch[strcspn(agent->arch, ":")] = 0;
	return agent->arch && run_table_put(&feed->session.objects.agents, agent->hr.index, agent);
}

static bool take_kernel(struct feed *feed, sqlite3_stmt *stmt)
{
	struct run_kernel *kernel = calloc(1, sizeof(*kernel));

	if (!kernel)
		return false;
	kernel->hr.id = (uint32_t)number(stmt, 0);
	kernel->hr.code_object = (uint32_t)number(stmt, 1);
	kernel->symbol = text(stmt, 2);
	kernel->demangled = text(stmt, 3);
	kernel->hr.wave_size = (uint32_t)number(stmt, 4);
	return run_table_put(&feed->session.objects.kernels, kernel->hr.id, kernel);
}

static bool take_code(struct feed *feed, sqlite3_stmt *stmt)
{
	struct run_code *code = calloc(1, sizeof(*code));
	const unsigned char *bytes = sqlite3_column_blob(stmt, 1);
	struct probe_err *err;

	if (!code)
		return false;
	code->hr.id = (uint32_t)number(stmt, 0);
	code->hr.bytes = (uint64_t)sqlite3_column_bytes(stmt, 1);
	if (!run_table_put(&feed->session.objects.codes, code->hr.id, code))
		return false;
	if (!bytes)
		return true;
	err = run_code_read(code, bytes);
	probe_err_destroy(err);
	return !err;
}

static bool take_run(struct feed *feed, sqlite3_stmt *stmt)
{
	struct run_session *session = &feed->session;

	session->objects.command = text(stmt, 0);
	session->pid = (pid_t)number(stmt, 1);
	session->simulated = number(stmt, 2);
	return true;
}

static bool take_allocation(struct feed *feed, sqlite3_stmt *stmt)
{
	char *site = text(stmt, 3);
	const struct probe_allocation_info info = {
		.address = number(stmt, 0),
		.bytes = number(stmt, 1),
		.source = (uint32_t)number(stmt, 2),
		.site = site,
	};
	bool ok = site && run_allocations_add(feed->session.allocations, &info, number(stmt, 4),
					      sqlite3_column_type(stmt, 5) == SQLITE_NULL
						      ? UINT64_MAX
						      : number(stmt, 5));

	free(site);
	return ok;
}

/* Databases of earlier versions have none. */
static bool take_allocations(struct feed *feed, sqlite3_stmt *stmt)
{
	struct probe_err *err;

	(void)stmt;
	err = each(feed,
		   "SELECT address, size, source, site, first_dispatch, last_dispatch FROM "
		   "probe_allocation ORDER BY id",
		   take_allocation);
	probe_err_destroy(err);
	return !err;
}

static bool take_last(struct feed *feed, sqlite3_stmt *stmt)
{
	uint64_t *grown = feed->last;

	/* Grown at powers of two. */
	if (!(feed->last_count & (feed->last_count - 1)))
		grown = realloc(feed->last,
				(feed->last_count ? feed->last_count * 4 : 2) * sizeof(*grown));
	if (!grown)
		return false;
	feed->last = grown;
	grown[2 * feed->last_count] = number(stmt, 0);
	grown[2 * feed->last_count + 1] = number(stmt, 1);
	feed->last_count++;
	return true;
}

static struct probe_err *read_objects(struct feed *feed)
{
	struct probe_err *err = each(feed,
				     "SELECT id, name, json_extract(extdata, '$.wave_front_size') "
				     "FROM rocpd_info_agent ORDER BY id",
				     take_agent);

	if (!err)
		err = each(feed,
			   "SELECT id, code_object_id, kernel_name, display_name, "
			   "json_extract(extdata, '$.wave_front_size') "
			   "FROM rocpd_info_kernel_symbol ORDER BY id",
			   take_kernel);
	if (!err)
		err = each(feed, "SELECT code_object_id, bytes FROM probe_code", take_code);
	if (!err)
		err = each(feed,
			   "SELECT (SELECT value FROM probe_run WHERE key = 'command'), "
			   "(SELECT value FROM probe_run WHERE key = 'pid'), "
			   "(SELECT value FROM probe_run WHERE key = 'device') = 'simulated'",
			   take_run);
	if (!err)
		err = each(feed,
			   "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = "
			   "'probe_allocation'",
			   take_allocations);
	if (!err)
		err = each(feed,
			   "SELECT dispatch_id, max(id) FROM probe_record GROUP BY dispatch_id "
			   "ORDER BY dispatch_id",
			   take_last);
	return err;
}

/* ---- Dispatches -------------------------------------------------------------------------------
 */

static uint64_t last_record(const struct feed *feed, uint64_t dispatch)
{
	size_t low = 0, high = feed->last_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (feed->last[2 * middle] < dispatch)
			low = middle + 1;
		else
			high = middle;
	}
	return low < feed->last_count && feed->last[2 * low] == dispatch ? feed->last[2 * low + 1]
									 : 0;
}

static void end_dispatch(struct feed *feed, struct run_dispatch *dispatch)
{
	if (dispatch->completed)
		run_instances_end(&feed->session, &dispatch->info);
	run_dispatch_remove(&feed->session.objects, dispatch);
}

static bool begin_dispatch(struct feed *feed, sqlite3_stmt *stmt, bool more)
{
	struct run_dispatch *dispatch = calloc(1, sizeof(*dispatch));
	struct probe_hr_dispatch *hr;
	uint64_t start, end;

	if (!dispatch)
		return false;
	hr = &dispatch->hr;
	hr->id = number(stmt, 0);
	hr->kernel = (uint32_t)number(stmt, 1);
	hr->launched = (uint32_t)number(stmt, 2);
	hr->kind = (uint32_t)number(stmt, 3);
	hr->agent = (uint32_t)number(stmt, 4);
	for (int i = 0; i < 3; i++) {
		hr->grid[i] = (uint32_t)number(stmt, 5 + i);
		hr->group[i] = (uint32_t)number(stmt, 8 + i);
	}
	hr->lds_aperture = (uint32_t)number(stmt, 11);
	hr->scratch_aperture = (uint32_t)number(stmt, 12);
	dispatch->completed = number(stmt, 13);
	start = number(stmt, 14);
	end = number(stmt, 15);
	if (!hr->id || run_dispatch_find(&feed->session.objects, hr->id)) {
		free(dispatch);
		return false;
	}
	run_dispatch_info(&feed->session.objects, dispatch);
	run_dispatch_add(&feed->session.objects, dispatch);
	run_instances_begin(&feed->session, &dispatch->info);
	dispatch->info.start_ns = start;
	dispatch->info.end_ns = end;
	feed->replay->dispatches++;
	/* One without records, which has nothing to wait for. */
	if (!more && !probe_kind_has_counters(hr->kind))
		end_dispatch(feed, dispatch);
	return true;
}

/* Begin all dispatches up to one, as they were launched. */
static struct probe_err *begin_up_to(struct feed *feed, uint64_t id)
{
	struct probe_err *err = NULL;

	while (feed->dispatches_left) {
		uint64_t next = number(feed->dispatches, 0);

		if (next > id)
			break;
		feed->replay->invalid +=
			!begin_dispatch(feed, feed->dispatches, last_record(feed, next) != 0);
		err = step(feed, feed->dispatches, &feed->dispatches_left);
		if (err)
			feed->dispatches_left = false;
	}
	return err;
}

static struct probe_err *open_dispatches(struct feed *feed)
{
	struct probe_err *err = prepare(
		feed,
		"SELECT d.dispatch_id, d.kernel_id, launched_kernel_id, kind, agent, grid_x, "
		"grid_y, grid_z, group_x, group_y, group_z, lds_aperture, scratch_aperture, "
		"completed, k.start, k.\"end\" FROM probe_dispatch d LEFT JOIN "
		"rocpd_kernel_dispatch k ON k.id = d.dispatch_id WHERE kind <> 0 ORDER BY "
		"d.dispatch_id",
		&feed->dispatches);

	return err ? err : step(feed, feed->dispatches, &feed->dispatches_left);
}

static void end_all(struct feed *feed)
{
	struct run_objects *objects = &feed->session.objects;

	for (size_t i = 0; i < RUN_BUCKETS; i++)
		while (objects->buckets[i])
			end_dispatch(feed, objects->buckets[i]);
}

/* ---- Counters ---------------------------------------------------------------------------------
 */

struct counters {
	uint64_t dispatch;
	uint32_t count;
	struct probe_counter_row rows[ROWS_MAX];
};

static uint32_t site_limit(const struct feed *feed, uint32_t code_object)
{
	const struct run_code *code = run_table_get(&feed->session.objects.codes, code_object);

	return code && code->sites ? code->site_count : PROBE_SITE_MASK + 1;
}

static void flush_counters(struct feed *feed, struct counters *counters)
{
	struct run_dispatch *dispatch =
		run_dispatch_find(&feed->session.objects, counters->dispatch);

	if (!dispatch)
		feed->replay->invalid += counters->count;
	else if (counters->count)
		run_instances_batch(&feed->session,
				    &(struct probe_batch){
					    .size = sizeof(struct probe_batch),
					    .stream = dispatch->hr.kind == PROBE_KIND_COUNT
							      ? PROBE_STREAM_BLOCKS
							      : PROBE_STREAM_COUNTERS,
					    .dispatch = &dispatch->info,
					    .count = counters->count,
					    .counters = counters->rows,
				    });
	feed->replay->counters += dispatch ? counters->count : 0;
	counters->count = 0;
}

static struct probe_err *take_counter(struct feed *feed, struct counters *counters,
				      sqlite3_stmt *stmt)
{
	uint64_t id = number(stmt, 0);
	struct probe_counter_row *row;
	struct probe_err *err = NULL;

	if (id != counters->dispatch || counters->count == ROWS_MAX) {
		struct run_dispatch *before =
			run_dispatch_find(&feed->session.objects, counters->dispatch);

		flush_counters(feed, counters);
		if (id != counters->dispatch && before)
			end_dispatch(feed, before);
		counters->dispatch = id;
		err = begin_up_to(feed, id);
	}
	if (number(stmt, 2) >= site_limit(feed, (uint32_t)number(stmt, 1))) {
		feed->replay->invalid++;
		return err;
	}
	row = &counters->rows[counters->count++];
	memset(row, 0, sizeof(*row));
	row->site = (uint32_t)number(stmt, 2);
	for (int i = 0; i < PROBE_COUNTERS; i++)
		row->value[i] = number(stmt, 3 + i);
	return err;
}

static struct probe_err *feed_counters(struct feed *feed)
{
	struct counters *counters = calloc(1, sizeof(*counters));
	sqlite3_stmt *stmt = NULL;
	struct probe_err *err =
		counters ? prepare(feed,
				   "SELECT dispatch_id, code_object_id, site, "
				   "executions, lanes, quads, lines64, needed64, "
				   "excess64, lines128, needed128, excess128, passes, "
				   "ideal_passes, affine, max_way, stride_hi, stride_lo, "
				   "spare FROM probe_counter ORDER BY rowid",
				   &stmt)
			 : probe_err_oom();
	bool row = true;

	while (!err) {
		err = step(feed, stmt, &row);
		if (err || !row)
			break;
		err = take_counter(feed, counters, stmt);
	}
	if (counters)
		flush_counters(feed, counters);
	free(counters);
	sqlite3_finalize(stmt);
	return err;
}

/* ---- Addresses --------------------------------------------------------------------------------
 */

static struct probe_trace_ring *ring_of(struct feed *feed, uint64_t index)
{
	if (index >= RINGS_MAX)
		return NULL;
	if (index >= feed->ring_count) {
		uint32_t count = (uint32_t)index + 256;
		struct probe_trace_ring *rings = realloc(feed->rings, count * sizeof(*rings));

		if (!rings)
			return NULL;
		memset(rings + feed->ring_count, 0, (count - feed->ring_count) * sizeof(*rings));
		for (uint32_t i = feed->ring_count; i < count; i++)
			rings[i].number = i;
		feed->rings = rings;
		feed->ring_count = count;
	}
	return &feed->rings[index];
}

static void flush_batch(struct feed *feed, const struct run_dispatch *dispatch)
{
	const struct probe_trace_batch *batch = &feed->batch;
	size_t count = batch->count + batch->stamp_count + batch->message_count;

	if (dispatch)
		feed->replay->records += count;
	else
		feed->replay->invalid += count;
	run_trace_feed(&feed->session, &feed->batch, dispatch);
}

/* All of a piece belongs to one dispatch. */
static void parse_piece(struct feed *feed, struct probe_trace_ring *ring, uint64_t id, size_t size)
{
	const struct run_dispatch *dispatch = run_dispatch_find(&feed->session.objects, id);
	uint32_t limit = dispatch ? site_limit(feed, dispatch->info.code_object) : 0;
	struct probe_trace_counts counts = {0};
	enum probe_trace_stop stop;
	size_t pos = 0;

	do {
		stop = probe_trace_parse(feed->bytes, size, &pos, limit, ring, &feed->batch,
					 &counts);
		/* The wave that opens the piece is the only one that may change the dispatch. */
		if (stop == PROBE_TRACE_SWITCH && ring->dispatch != id)
			stop = PROBE_TRACE_BAD;
		if (stop == PROBE_TRACE_FULL)
			flush_batch(feed, dispatch);
	} while (stop == PROBE_TRACE_SWITCH || stop == PROBE_TRACE_FULL);
	flush_batch(feed, dispatch);
	feed->replay->invalid += counts.invalid + (stop == PROBE_TRACE_BAD);
}

static struct probe_err *take_piece(struct feed *feed, sqlite3_stmt *stmt)
{
	uint64_t record = number(stmt, 0), id = number(stmt, 1);
	struct probe_trace_ring *ring = ring_of(feed, number(stmt, 2));
	uint64_t size = number(stmt, 3);
	const void *packed = sqlite3_column_blob(stmt, 4);
	size_t packed_size = (size_t)sqlite3_column_bytes(stmt, 4);
	struct probe_err *err = begin_up_to(feed, id);
	unsigned char *bytes = size <= PIECE_MAX ? realloc(feed->bytes, size + 1) : NULL;

	if (bytes)
		feed->bytes = bytes;
	if (ring && bytes && packed && probe_trace_unpack(packed, packed_size, bytes, size))
		parse_piece(feed, ring, id, size);
	else
		feed->replay->invalid++;
	if (record == last_record(feed, id)) {
		struct run_dispatch *dispatch = run_dispatch_find(&feed->session.objects, id);

		if (dispatch)
			end_dispatch(feed, dispatch);
	}
	return err;
}

static struct probe_err *feed_trace(struct feed *feed)
{
	sqlite3_stmt *stmt = NULL;
	struct probe_err *err = prepare(
		feed, "SELECT id, dispatch_id, ring, size, bytes FROM probe_record ORDER BY id",
		&stmt);
	bool row = true;

	if (!run_trace_batch_init(&feed->batch) && !err)
		err = probe_err_oom();
	while (!err) {
		err = step(feed, stmt, &row);
		if (err || !row)
			break;
		err = take_piece(feed, stmt);
	}
	sqlite3_finalize(stmt);
	return err;
}

/* ---- The whole --------------------------------------------------------------------------------
 */

static struct probe_err *feed_all(struct feed *feed)
{
	struct probe_err *err = read_objects(feed);

	if (!err)
		err = open_dispatches(feed);
	if (err)
		return err;
	if (!run_instances_open(&feed->session))
		return probe_err_oom();
	run_instances_run(&feed->session);
	err = feed_counters(feed);
	if (!err)
		err = feed_trace(feed);
	if (!err)
		err = begin_up_to(feed, UINT64_MAX);
	end_all(feed);
	run_instances_close(&feed->session);
	return err;
}

static void deinit(struct feed *feed)
{
	sqlite3_finalize(feed->dispatches);
	run_objects_deinit(&feed->session.objects);
	run_allocations_destroy(feed->session.allocations);
	free(feed->last);
	free(feed->rings);
	run_trace_batch_deinit(&feed->batch);
	free(feed->bytes);
	probe_reader_close(&feed->reader);
}

static bool take_kind(struct feed *feed, sqlite3_stmt *stmt)
{
	feed->streams |= run_kind_streams((enum probe_kind)number(stmt, 0));
	return true;
}

/* Would each handler see something? Name the first that would not. */
static struct probe_err *check_streams(struct feed *feed)
{
	const struct run_plugins *plugins = feed->replay->plugins;
	struct probe_err *err =
		each(feed, "SELECT DISTINCT kind FROM probe_dispatch WHERE kind <> 0", take_kind);

	for (size_t i = 0; i < plugins->count && !err && feed->streams; i++) {
		const struct run_plugins one = {
			.items = &plugins->items[i],
			.count = 1,
			.streams = plugins->items[i].handler.streams,
		};

		if (!(one.streams & feed->streams))
			err = probe_err_create("%s: has nothing that handler %s takes: record with "
					       "--kind %s",
					       feed->replay->from, one.items->handler.name,
					       run_kind_name(run_kind_for(&one)));
	}
	return err;
}

struct probe_err *run_replay(struct run_replay *replay)
{
	struct feed feed = {
		.replay = replay,
		.session = {.config = replay->config, .plugins = replay->plugins, .replay = true},
	};
	struct probe_err *err = probe_reader_open(replay->from, &feed.reader);
	struct probe_store *store = NULL;

	if (err)
		return err;
	run_objects_init(&feed.session.objects);
	feed.session.allocations = run_allocations_create();
	if (!feed.session.allocations) {
		deinit(&feed);
		return probe_err_oom();
	}
	err = check_streams(&feed);
	if (!err && replay->to)
		err = probe_store_copy(feed.reader.db, replay->to, replay->force, &store);
	else if (!err)
		err = probe_store_append(replay->from, &store);
	feed.session.store = store;
	if (!err)
		err = feed_all(&feed);
	if (!err && (!probe_store_commit(store) || probe_store_failure(store)))
		err = probe_err_create("%s: the tables could not be written",
				       probe_store_path(store));
	deinit(&feed);
	if (store && !err)
		probe_store_finish(store);
	probe_store_destroy(store);
	return err;
}
