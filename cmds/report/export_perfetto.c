/* SPDX-License-Identifier: MIT */
/* Perfetto's format; see export_trace.h. Numbers of fields are those of perfetto_trace.proto. */
#include <stdlib.h>
#include <string.h>

#include "cmds/report/export_trace.h"
#include "cmds/report/protobuf.h"
#include "cmds/report/viewer_events.h"
#include "cmds/report/viewer_tracks.h"
#include "common/cleanup.h"
#include "common/err.h"

enum {
	TRACE_PACKET = 1,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_TRACK_DESCRIPTOR = 60,
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	COUNTER_UNIT = 3,
	UNIT_COUNT = 2,
	UNIT_SIZE_BYTES = 3,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_CATEGORY = 22,
	EVENT_NAME = 23,
	EVENT_COUNTER_VALUE = 30,
	EVENT_FLOW = 47,
	EVENT_FLOW_END = 48,
	ANNOTATION_INT = 4,
	ANNOTATION_TEXT = 6,
	ANNOTATION_NAME = 10,
	SLICE_BEGIN = 1,
	SLICE_END = 2,
	INSTANT = 3,
	COUNTER = 4,
};

struct perfetto {
	FILE *out;
	struct protobuf packet;
	/* The viewer shows lanes, which are tracks of the same name, as one. */
	struct viewer_tracks tracks;
	int64_t last_pid;
	struct {
		uint64_t uuid; /* 0: none yet */
		int64_t pid;
		char *name;
	} counter;   /* the last one */
	bool failed; /* without memory */
};

/* ---- Packets --------------------------------------------------------------------------------- */

static size_t open_packet(struct perfetto *perfetto)
{
	size_t opened;

	perfetto->packet.size = 0;
	opened = protobuf_open(&perfetto->packet, TRACE_PACKET);
	protobuf_put_uint(&perfetto->packet, PACKET_SEQUENCE, 1);
	return opened;
}

static void close_packet(struct perfetto *perfetto, size_t opened)
{
	protobuf_close(&perfetto->packet, opened);
	if (perfetto->packet.failed)
		perfetto->failed = true;
	else
		fwrite(perfetto->packet.bytes, 1, perfetto->packet.size, perfetto->out);
}

static size_t open_event(struct perfetto *perfetto, int64_t time, unsigned type, uint64_t track)
{
	size_t opened;

	protobuf_put_uint(&perfetto->packet, PACKET_TIMESTAMP, (uint64_t)time);
	opened = protobuf_open(&perfetto->packet, PACKET_TRACK_EVENT);
	protobuf_put_uint(&perfetto->packet, EVENT_TYPE, type);
	protobuf_put_uint(&perfetto->packet, EVENT_TRACK, track);
	return opened;
}

static void write_text(struct perfetto *perfetto, const char *name, const char *text)
{
	size_t opened = protobuf_open(&perfetto->packet, EVENT_ANNOTATION);

	protobuf_put_text(&perfetto->packet, ANNOTATION_NAME, name);
	protobuf_put_text(&perfetto->packet, ANNOTATION_TEXT, text);
	protobuf_close(&perfetto->packet, opened);
}

static void write_number(struct perfetto *perfetto, const char *name, int64_t value)
{
	size_t opened = protobuf_open(&perfetto->packet, EVENT_ANNOTATION);

	protobuf_put_text(&perfetto->packet, ANNOTATION_NAME, name);
	protobuf_put_uint(&perfetto->packet, ANNOTATION_INT, (uint64_t)value);
	protobuf_close(&perfetto->packet, opened);
}

/* ---- Tracks ---------------------------------------------------------------------------------- */

/* Tracks of devices and processes have their pid as uuid; the others and their lanes follow. */
static uint64_t uuid_of_process(int64_t pid)
{
	return (uint64_t)pid + 1;
}

static uint64_t uuid_of(const struct perfetto *perfetto, const struct viewer_track *track,
			unsigned lane)
{
	return 1ull << 40 | (uint64_t)(track - perfetto->tracks.list) * VIEWER_LANES | lane;
}

static void write_process(struct perfetto *perfetto, int64_t pid, const char *name)
{
	struct protobuf *to = &perfetto->packet;
	size_t packet = open_packet(perfetto);
	size_t descriptor = protobuf_open(to, PACKET_TRACK_DESCRIPTOR);

	protobuf_put_uint(to, TRACK_UUID, uuid_of_process(pid));
	if (viewer_is_host(pid)) {
		size_t process = protobuf_open(to, TRACK_PROCESS);

		protobuf_put_uint(to, PROCESS_PID, (uint64_t)viewer_os_pid(pid));
		protobuf_put_text(to, PROCESS_NAME, name);
		protobuf_close(to, process);
	} else {
		protobuf_put_text(to, TRACK_NAME, name);
	}
	protobuf_close(to, descriptor);
	close_packet(perfetto, packet);
}

static void write_lane(struct perfetto *perfetto, const struct viewer_track *track, unsigned lane)
{
	struct protobuf *to = &perfetto->packet;
	size_t packet = open_packet(perfetto);
	size_t descriptor = protobuf_open(to, PACKET_TRACK_DESCRIPTOR);

	protobuf_put_uint(to, TRACK_UUID, uuid_of(perfetto, track, lane));
	if (viewer_is_host(track->pid) && !lane) {
		size_t thread = protobuf_open(to, TRACK_THREAD);

		protobuf_put_uint(to, THREAD_PID, (uint64_t)viewer_os_pid(track->pid));
		protobuf_put_uint(to, THREAD_TID, (uint64_t)track->tid);
		protobuf_put_text(to, THREAD_NAME, track->name);
		protobuf_close(to, thread);
	} else {
		protobuf_put_text(to, TRACK_NAME, track->name);
		protobuf_put_uint(to, TRACK_PARENT, uuid_of_process(track->pid));
	}
	protobuf_close(to, descriptor);
	close_packet(perfetto, packet);
}

static void read_track(void *user, sqlite3_stmt *stmt)
{
	struct perfetto *perfetto = user;
	int64_t pid = sqlite3_column_int64(stmt, T_PID);

	if (!viewer_tracks_add(&perfetto->tracks, pid, sqlite3_column_int64(stmt, T_TID),
			       report_cell(stmt, T_THREAD))) {
		perfetto->failed = true;
		return;
	}
	if (pid != perfetto->last_pid)
		write_process(perfetto, pid, report_cell(stmt, T_PROCESS));
	perfetto->last_pid = pid;
}

/* The uuid of the lane of a slice; 0 = without memory. If there are too many, the last one. */
static uint64_t lane_of(struct perfetto *perfetto, struct viewer_track *track, int64_t start,
			int64_t end)
{
	bool added;
	int lane = viewer_tracks_lane(&perfetto->tracks, track, start, end, 0, &added);

	if (lane < 0)
		return 0;
	if (added)
		write_lane(perfetto, track, (unsigned)lane);
	return uuid_of(perfetto, track, lane == VIEWER_LANES ? VIEWER_LANES - 1 : (unsigned)lane);
}

/* ---- Slices ---------------------------------------------------------------------------------- */

/* A slice, or a mark. Annotations are added to the packet by the caller. */
struct slice {
	const char *category, *name;
	int64_t pid, tid, start, end, correlation;
	bool mark;
};

/* Ids of flows are unique in the trace: correlations are those of one process. */
static uint64_t flow_of(const struct slice *slice)
{
	int64_t ordinal = viewer_is_host(slice->pid) ? (slice->pid - VIEWER_HOST) / VIEWER_PER_FILE
						     : slice->pid / 1000;

	return (uint64_t)slice->correlation | (uint64_t)ordinal << 40;
}

/* Begins a slice's packet; false: it cannot be written. *ret: what to close. */
static bool begin_slice(struct perfetto *perfetto, const struct slice *slice, size_t ret[2],
			uint64_t *ret_lane)
{
	struct viewer_track *track = viewer_tracks_find(&perfetto->tracks, slice->pid, slice->tid);

	*ret_lane = track ? lane_of(perfetto, track, slice->start, slice->end) : 0;
	if (!*ret_lane) {
		perfetto->failed = perfetto->failed || track;
		return false;
	}
	ret[0] = open_packet(perfetto);
	ret[1] = open_event(perfetto, slice->start, slice->mark ? INSTANT : SLICE_BEGIN, *ret_lane);
	protobuf_put_text(&perfetto->packet, EVENT_CATEGORY, slice->category);
	protobuf_put_text(&perfetto->packet, EVENT_NAME, slice->name);
	if (slice->correlation > 0)
		protobuf_put_fixed64(&perfetto->packet,
				     viewer_is_host(slice->pid) ? EVENT_FLOW : EVENT_FLOW_END,
				     flow_of(slice));
	return true;
}

static void end_slice(struct perfetto *perfetto, const struct slice *slice, const size_t opened[2],
		      uint64_t lane)
{
	size_t packet, event;

	protobuf_close(&perfetto->packet, opened[1]);
	close_packet(perfetto, opened[0]);
	if (slice->mark)
		return;
	packet = open_packet(perfetto);
	event = open_event(perfetto, slice->end, SLICE_END, lane);
	protobuf_close(&perfetto->packet, event);
	close_packet(perfetto, packet);
}

static void write_dispatch(void *user, sqlite3_stmt *stmt)
{
	struct perfetto *perfetto = user;
	bool clone = sqlite3_column_int(stmt, D_CLONE);
	const struct slice slice = {
		.category = clone ? "instrumented" : "kernel",
		.name = report_cell(stmt, D_KERNEL),
		.pid = sqlite3_column_int64(stmt, D_AGENT),
		.tid = sqlite3_column_int64(stmt, D_QUEUE),
		.start = sqlite3_column_int64(stmt, D_START),
		.end = sqlite3_column_int64(stmt, D_START) + sqlite3_column_int64(stmt, D_DURATION),
		.correlation = sqlite3_column_int64(stmt, D_CORRELATION),
	};
	size_t opened[2];
	uint64_t lane;

	if (!begin_slice(perfetto, &slice, opened, &lane))
		return;
	write_number(perfetto, "dispatch", sqlite3_column_int64(stmt, D_DISPATCH));
	write_text(perfetto, "variant", clone ? "instrumented clone" : "original");
	write_text(perfetto, "grid", report_cell(stmt, D_GRID));
	write_text(perfetto, "workgroup", report_cell(stmt, D_GROUP));
	write_number(perfetto, "lds bytes", sqlite3_column_int64(stmt, D_LDS));
	end_slice(perfetto, &slice, opened, lane);
}

static void write_event(void *user, sqlite3_stmt *stmt)
{
	struct perfetto *perfetto = user;
	const char *category = report_cell(stmt, E_CATEGORY);
	const struct slice slice = {
		.category = category,
		.name = report_cell(stmt, E_NAME),
		.pid = sqlite3_column_int64(stmt, E_PID),
		.tid = sqlite3_column_int64(stmt, E_TID),
		.start = sqlite3_column_int64(stmt, E_START),
		.end = sqlite3_column_int64(stmt, E_START) + sqlite3_column_int64(stmt, E_DURATION),
		.correlation = sqlite3_column_int64(stmt, E_CORRELATION),
		.mark = !strcmp(category, "mark"),
	};
	size_t opened[2];
	uint64_t lane;

	if (!begin_slice(perfetto, &slice, opened, &lane))
		return;
	if (slice.correlation)
		write_number(perfetto, "correlation", slice.correlation);
	if (sqlite3_column_type(stmt, E_BYTES) != SQLITE_NULL)
		write_number(perfetto, "bytes", sqlite3_column_int64(stmt, E_BYTES));
	end_slice(perfetto, &slice, opened, lane);
}

/* ---- Counters -------------------------------------------------------------------------------- */

static bool has_process(const struct perfetto *perfetto, int64_t pid)
{
	for (size_t i = 0; i < perfetto->tracks.count; i++)
		if (perfetto->tracks.list[i].pid == pid)
			return true;
	return false;
}

static void write_counter_track(struct perfetto *perfetto, const char *unit)
{
	struct protobuf *to = &perfetto->packet;
	size_t packet = open_packet(perfetto), counter;
	size_t descriptor = protobuf_open(to, PACKET_TRACK_DESCRIPTOR);

	protobuf_put_uint(to, TRACK_UUID, perfetto->counter.uuid);
	protobuf_put_text(to, TRACK_NAME, perfetto->counter.name);
	protobuf_put_uint(to, TRACK_PARENT, uuid_of_process(perfetto->counter.pid));
	counter = protobuf_open(to, TRACK_COUNTER);
	if (!strcmp(unit, VIEWER_UNIT_DISPATCHES))
		protobuf_put_uint(to, COUNTER_UNIT, UNIT_COUNT);
	else if (!strcmp(unit, VIEWER_UNIT_BYTES))
		protobuf_put_uint(to, COUNTER_UNIT, UNIT_SIZE_BYTES);
	protobuf_close(to, counter);
	protobuf_close(to, descriptor);
	close_packet(perfetto, packet);
}

/* The track of a counter, whose rows follow one another. */
static void begin_counter(struct perfetto *perfetto, sqlite3_stmt *stmt)
{
	int64_t pid = sqlite3_column_int64(stmt, C_PID);
	const char *name = report_cell(stmt, C_NAME);

	if (perfetto->counter.uuid && pid == perfetto->counter.pid &&
	    !strcmp(name, perfetto->counter.name))
		return;
	if (!has_process(perfetto, pid) &&
	    !(perfetto->counter.uuid && perfetto->counter.pid == pid))
		write_process(perfetto, pid, report_cell(stmt, C_PROCESS));
	free(perfetto->counter.name);
	perfetto->counter.name = strdup(name);
	perfetto->counter.pid = pid;
	perfetto->counter.uuid = perfetto->counter.uuid ? perfetto->counter.uuid + 1 : 1ull << 50;
	if (perfetto->counter.name)
		write_counter_track(perfetto, report_cell(stmt, C_UNIT));
}

static void write_counter(void *user, sqlite3_stmt *stmt)
{
	struct perfetto *perfetto = user;
	size_t packet, event;

	if (perfetto->failed)
		return;
	begin_counter(perfetto, stmt);
	if (!perfetto->counter.name) {
		perfetto->failed = true;
		return;
	}
	packet = open_packet(perfetto);
	event = open_event(perfetto, sqlite3_column_int64(stmt, C_TIME), COUNTER,
			   perfetto->counter.uuid);
	protobuf_put_uint(&perfetto->packet, EVENT_COUNTER_VALUE,
			  (uint64_t)sqlite3_column_int64(stmt, C_VALUE));
	protobuf_close(&perfetto->packet, event);
	close_packet(perfetto, packet);
}

static void perfetto_deinit(struct perfetto *perfetto)
{
	free(perfetto->counter.name);
	viewer_tracks_deinit(&perfetto->tracks);
	protobuf_deinit(&perfetto->packet);
}

struct probe_err *export_perfetto(const struct report *report, const struct report_db *db,
				  FILE *out)
{
	PROBE_AUTO(perfetto_deinit) struct perfetto perfetto = {.out = out, .last_pid = -1};
	struct probe_err *err = viewer_open(db);

	if (err)
		return err;
	err = viewer_each(report, db, viewer_tracks_sql, read_track, &perfetto);
	if (err)
		return err;
	err = viewer_each(report, db, viewer_dispatches_sql, write_dispatch, &perfetto);
	if (err)
		return err;
	err = viewer_each(report, db, viewer_events_sql, write_event, &perfetto);
	if (err)
		return err;
	err = viewer_each(report, db, viewer_waves_sql, write_event, &perfetto);
	if (err)
		return err;
	err = viewer_each(report, db, viewer_counters_sql, write_counter, &perfetto);
	if (err)
		return err;
	return perfetto.failed ? probe_err_oom() : NULL;
}
