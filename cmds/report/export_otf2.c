/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/report/export_otf2.h"

#include "cmds/report/report_options.h"
#include "common/cleanup.h"
#include "common/err.h"

#if !__has_include(<otf2/otf2.h>)

struct probe_err *export_otf2(const struct report *report, const struct report_db *db)
{
	(void)report;
	(void)db;
	return probe_err_create("export --format otf2: this probe-report was built without OTF2; "
				"install Debian's package libotf2-trace-dev and build it again");
}

#else

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmds/report/otf2_library.h"
#include "cmds/report/output_file.h"
#include "cmds/report/viewer_events.h"
#include "cmds/report/viewer_tracks.h"
#include "common/log.h"
#include "probe_version.h"
#include "store/string_ids.h"

enum { CHUNK_BYTES = 256 << 10 }; /* the least that OTF2 allows, of each location */

enum attribute { A_CORRELATION, A_DISPATCH, A_BYTES, A_LDS, A_GRID, A_GROUP, A_COUNT };

static const struct {
	const char *name, *description;
	OTF2_Type type;
} attributes[A_COUNT] = {
	[A_CORRELATION] = {"correlation",
			   "number that a call shares with the dispatches and copies it requested",
			   OTF2_TYPE_UINT64},
	[A_DISPATCH] = {"dispatch", "number of the dispatch", OTF2_TYPE_UINT64},
	[A_BYTES] = {"bytes", "size of the copy", OTF2_TYPE_UINT64},
	[A_LDS] = {"lds bytes", "LDS of a workgroup", OTF2_TYPE_UINT64},
	[A_GRID] = {"grid", "work-items", OTF2_TYPE_STRING},
	[A_GROUP] = {"workgroup", "work-items of a workgroup", OTF2_TYPE_STRING},
};

/* A lane of a track is a location. */
struct location {
	const struct viewer_track *track;
	unsigned lane;
	OTF2_EvtWriter *writer;
	uint64_t events;
};

struct archive {
	OTF2_Archive *archive;
	OTF2_AttributeList *list;
	OTF2_GlobalDefWriter *definitions;
	struct viewer_tracks tracks;
	/* locations[n]: track n / VIEWER_LANES, lane n % VIEWER_LANES; unused ones have no track */
	struct location *locations;
	struct probe_string_ids strings; /* 0 is "" */
	struct probe_string_ids regions; /* kind and name; a region is its id - 1 */
	char **processes; /* names of the tracks' processes, by track; NULL: the same as before */
	int64_t first, last;
	uint64_t left_out;    /* slices */
	OTF2_ErrorCode error; /* the first */
	bool failed;	      /* without memory */
};

/* Keeps the first error. */
static bool ok(struct archive *archive, OTF2_ErrorCode code)
{
	if (code != OTF2_SUCCESS && archive->error == OTF2_SUCCESS)
		archive->error = code;
	return code == OTF2_SUCCESS;
}

/* OTF2 itself would print them. The first to be reported is the cause, such as a full disk. */
static OTF2_ErrorCode keep_error(void *user, const char *file, uint64_t line, const char *function,
				 OTF2_ErrorCode code, const char *format, va_list args)
{
	(void)file;
	(void)line;
	(void)function;
	(void)format;
	(void)args;
	ok(user, code);
	return code;
}

static OTF2_FlushType flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller,
			    bool final)
{
	(void)user;
	(void)type;
	(void)location;
	(void)caller;
	(void) final;
	return OTF2_FLUSH;
}

/* ---- Definitions ----------------------------------------------------------------------------- */

static uint32_t string_of(struct archive *archive, const char *text)
{
	int added;
	uint32_t id;

	if (!*text)
		return 0;
	id = probe_string_ids_get(&archive->strings, text, strlen(text), &added);
	archive->failed |= !id;
	if (added)
		ok(archive, otf2.GlobalDefWriter_WriteString(archive->definitions, id, text));
	return id;
}

/* OTF2 knows no paradigm of HSA. */
static OTF2_Paradigm paradigm_of(const char *kind)
{
	if (!strcmp(kind, "range") || !strcmp(kind, "mark"))
		return OTF2_PARADIGM_USER;
	return strncmp(kind, "HSA", 3) ? OTF2_PARADIGM_HIP : OTF2_PARADIGM_UNKNOWN;
}

/*
 * The id of a region, which is 1 more than OTF2's number; 0 without memory. kind: what it is of;
 * regions of two kinds may have the same name.
 */
static uint32_t region_of(struct archive *archive, const char *kind, const char *name)
{
	char *key = NULL;
	int added = 0, size = asprintf(&key, "%s\n%s", kind, name);
	uint32_t id =
		size < 0 ? 0 : probe_string_ids_get(&archive->regions, key, (size_t)size, &added);
	uint32_t text;

	if (size >= 0)
		free(key);
	archive->failed |= !id;
	if (!added)
		return id;
	text = string_of(archive, name);
	ok(archive, otf2.GlobalDefWriter_WriteRegion(
			    archive->definitions, id - 1, text, text, string_of(archive, kind),
			    strcmp(kind, "copy") ? OTF2_REGION_ROLE_FUNCTION
						 : OTF2_REGION_ROLE_DATA_TRANSFER,
			    paradigm_of(kind), OTF2_REGION_FLAG_NONE, 0, 0, 0));
	return id;
}

static void write_attributes(struct archive *archive)
{
	for (uint32_t i = 0; i < A_COUNT; i++)
		ok(archive,
		   otf2.GlobalDefWriter_WriteAttribute(
			   archive->definitions, i, string_of(archive, attributes[i].name),
			   string_of(archive, attributes[i].description), attributes[i].type));
}

/* A group of locations per device and process. */
static void write_locations(struct archive *archive)
{
	uint32_t group = UINT32_MAX; /* 0 is the first */

	ok(archive, otf2.GlobalDefWriter_WriteSystemTreeNode(
			    archive->definitions, 0, string_of(archive, "probe"),
			    string_of(archive, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	for (size_t i = 0; i < archive->tracks.count; i++) {
		const struct viewer_track *track = &archive->tracks.list[i];
		bool host = viewer_is_host(track->pid);
		uint32_t name = string_of(archive, track->name);

		if (archive->processes[i]) {
			group++;
			ok(archive, otf2.GlobalDefWriter_WriteLocationGroup(
					    archive->definitions, group,
					    string_of(archive, archive->processes[i]),
					    host ? OTF2_LOCATION_GROUP_TYPE_PROCESS
						 : OTF2_LOCATION_GROUP_TYPE_ACCELERATOR,
					    0, OTF2_UNDEFINED_LOCATION_GROUP));
		}
		for (unsigned lane = 0; lane < track->lane_count; lane++)
			ok(archive,
			   otf2.GlobalDefWriter_WriteLocation(
				   archive->definitions, i * VIEWER_LANES + lane, name,
				   host ? OTF2_LOCATION_TYPE_CPU_THREAD
					: OTF2_LOCATION_TYPE_ACCELERATOR_STREAM,
				   archive->locations[i * VIEWER_LANES + lane].events, group));
	}
}

/* Clock: ns since the machine started. */
static void write_clock(struct archive *archive)
{
	uint64_t length =
		archive->last > archive->first ? (uint64_t)(archive->last - archive->first) : 0;

	ok(archive, otf2.GlobalDefWriter_WriteClockProperties(archive->definitions, 1000000000,
							      (uint64_t)archive->first, length,
							      OTF2_UNDEFINED_TIMESTAMP));
}

/* ---- Events ---------------------------------------------------------------------------------- */

static void add_track(void *user, sqlite3_stmt *stmt)
{
	struct archive *archive = user;
	struct viewer_tracks *tracks = &archive->tracks;
	int64_t pid = sqlite3_column_int64(stmt, T_PID);
	size_t n = tracks->count;
	bool same = n && tracks->list[n - 1].pid == pid;
	char **grown = realloc(archive->processes, (n + 1) * sizeof(*grown));

	if (grown) {
		archive->processes = grown;
		grown[n] = same ? NULL : strdup(report_cell(stmt, T_PROCESS));
	}
	if (!grown || (!same && !grown[n]) ||
	    !viewer_tracks_add(tracks, pid, sqlite3_column_int64(stmt, T_TID),
			       report_cell(stmt, T_THREAD)))
		archive->failed = true;
}

static void write_leave(void *user, const struct viewer_track *track, unsigned lane, int64_t end,
			uint32_t region)
{
	struct archive *archive = user;
	size_t n = (size_t)(track - archive->tracks.list) * VIEWER_LANES + lane;

	ok(archive,
	   otf2.EvtWriter_Leave(archive->locations[n].writer, NULL, (uint64_t)end, region - 1));
}

/* archive->list has its attributes. */
static void write_slice(struct archive *archive, int64_t pid, int64_t tid, uint32_t region,
			int64_t start, int64_t duration)
{
	int64_t end = start + (duration > 0 ? duration : 0);
	struct viewer_track *track = viewer_tracks_find(&archive->tracks, pid, tid);
	struct location *location;
	bool added;
	int lane;

	if (!track || !region || archive->failed || archive->error != OTF2_SUCCESS)
		return;
	lane = viewer_tracks_lane(&archive->tracks, track, start, end, region, &added);
	if (lane < 0 || lane == VIEWER_LANES) {
		archive->failed |= lane < 0;
		archive->left_out++;
		return;
	}
	location = &archive->locations[(size_t)(track - archive->tracks.list) * VIEWER_LANES +
				       (size_t)lane];
	if (added)
		location->writer = otf2.Archive_GetEvtWriter(
			archive->archive, (uint64_t)(location - archive->locations));
	if (!location->writer) {
		ok(archive, OTF2_ERROR_MEM_ALLOC_FAILED);
		return;
	}
	ok(archive,
	   otf2.EvtWriter_Enter(location->writer, archive->list, (uint64_t)start, region - 1));
	if (end > archive->last)
		archive->last = end;
}

static void add_number(struct archive *archive, enum attribute attribute, int64_t value)
{
	ok(archive, otf2.AttributeList_AddUint64(archive->list, attribute, (uint64_t)value));
}

static void add_text(struct archive *archive, enum attribute attribute, const char *text)
{
	ok(archive,
	   otf2.AttributeList_AddStringRef(archive->list, attribute, string_of(archive, text)));
}

static void write_dispatch(void *user, sqlite3_stmt *stmt)
{
	struct archive *archive = user;
	bool clone = sqlite3_column_int(stmt, D_CLONE);
	char *name = NULL;

	if (asprintf(&name, "%s%s", report_cell(stmt, D_KERNEL), clone ? " [instrumented]" : "") <
	    0) {
		archive->failed = true;
		return;
	}
	ok(archive, otf2.AttributeList_RemoveAllAttributes(archive->list));
	add_number(archive, A_DISPATCH, sqlite3_column_int64(stmt, D_DISPATCH));
	add_number(archive, A_LDS, sqlite3_column_int64(stmt, D_LDS));
	add_text(archive, A_GRID, report_cell(stmt, D_GRID));
	add_text(archive, A_GROUP, report_cell(stmt, D_GROUP));
	if (sqlite3_column_int64(stmt, D_CORRELATION) > 0)
		add_number(archive, A_CORRELATION, sqlite3_column_int64(stmt, D_CORRELATION));
	write_slice(archive, sqlite3_column_int64(stmt, D_AGENT),
		    sqlite3_column_int64(stmt, D_QUEUE), region_of(archive, "kernel", name),
		    sqlite3_column_int64(stmt, D_START), sqlite3_column_int64(stmt, D_DURATION));
	free(name);
}

static void write_event(void *user, sqlite3_stmt *stmt)
{
	struct archive *archive = user;
	const char *category = report_cell(stmt, E_CATEGORY);

	ok(archive, otf2.AttributeList_RemoveAllAttributes(archive->list));
	if (sqlite3_column_int64(stmt, E_CORRELATION) > 0)
		add_number(archive, A_CORRELATION, sqlite3_column_int64(stmt, E_CORRELATION));
	if (sqlite3_column_type(stmt, E_BYTES) != SQLITE_NULL)
		add_number(archive, A_BYTES, sqlite3_column_int64(stmt, E_BYTES));
	write_slice(archive, sqlite3_column_int64(stmt, E_PID), sqlite3_column_int64(stmt, E_TID),
		    region_of(archive, category, report_cell(stmt, E_NAME)),
		    sqlite3_column_int64(stmt, E_START), sqlite3_column_int64(stmt, E_DURATION));
}

/* ---- The archive ----------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void remove_directory(const char *path)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* With --force an archive that is there is replaced, but nothing else. */
static struct probe_err *check_output(const struct report *report)
{
	const char *path = report->output;
	char *anchor = NULL;
	struct stat st;
	bool is_archive;

	if (lstat(path, &st))
		return NULL;
	if (!report->force)
		return probe_err_create("%s exists; overwrite it with --force", path);
	if (asprintf(&anchor, "%s/traces.otf2", path) < 0)
		return probe_err_oom();
	is_archive = !access(anchor, F_OK);
	free(anchor);
	return is_archive ? NULL
			  : probe_err_create("%s exists and is not an OTF2 archive; not overwritten",
					     path);
}

/* Gives the directory its name; what had the name before, which check_output() saw, is removed. */
static struct probe_err *give_name(const struct report *report, const char *directory)
{
	int failed = renameat2(AT_FDCWD, directory, AT_FDCWD, report->output, RENAME_NOREPLACE);

	if (failed && errno == EEXIST && report->force)
		failed = renameat2(AT_FDCWD, directory, AT_FDCWD, report->output, RENAME_EXCHANGE);
	/* Not on this file system, NFS for one: rename() replaces only an empty directory. */
	if (failed && errno == EINVAL) {
		if (report->force)
			remove_directory(report->output);
		failed = rename(directory, report->output);
	}
	if (failed)
		return probe_err_create("cannot write %s: %s", report->output, strerror(errno));
	remove_directory(directory);
	return NULL;
}

static struct probe_err *write_events(const struct report *report, const struct report_db *db,
				      struct archive *archive)
{
	struct probe_err *err;
	bool any = false;

	ok(archive, otf2.Archive_OpenEvtFiles(archive->archive));
	err = viewer_each(report, db, viewer_dispatches_sql, write_dispatch, archive);
	if (!err)
		err = viewer_each(report, db, viewer_events_sql, write_event, archive);
	if (!err)
		err = viewer_each(report, db, viewer_waves_sql, write_event, archive);
	viewer_tracks_finish(&archive->tracks);
	for (size_t i = 0; i < archive->tracks.count * VIEWER_LANES; i++) {
		struct location *location = &archive->locations[i];

		if (!location->writer)
			continue;
		ok(archive, otf2.EvtWriter_GetNumberOfEvents(location->writer, &location->events));
		ok(archive, otf2.Archive_CloseEvtWriter(archive->archive, location->writer));
		any = true;
	}
	ok(archive, otf2.Archive_CloseEvtFiles(archive->archive));
	if (!err && !any && !archive->failed && archive->error == OTF2_SUCCESS)
		err = probe_err_create("%s: no dispatch, copy or call to export, and OTF2 has no "
				       "empty archives",
				       db->path);
	return err;
}

/* Readers expect a file of definitions for each location, which may be empty. */
static void write_local_definitions(struct archive *archive)
{
	ok(archive, otf2.Archive_OpenDefFiles(archive->archive));
	for (size_t i = 0; i < archive->tracks.count * VIEWER_LANES; i++) {
		OTF2_DefWriter *writer;

		if (!archive->locations[i].writer)
			continue;
		writer = otf2.Archive_GetDefWriter(archive->archive, i);
		ok(archive, writer ? otf2.Archive_CloseDefWriter(archive->archive, writer)
				   : OTF2_ERROR_MEM_ALLOC_FAILED);
	}
	ok(archive, otf2.Archive_CloseDefFiles(archive->archive));
}

static struct probe_err *write_archive(const struct report *report, const struct report_db *db,
				       struct archive *archive)
{
	static const OTF2_FlushCallbacks callbacks = {.otf2_pre_flush = flush};
	struct probe_err *err = viewer_first(db, &archive->first);

	if (err)
		return err;
	err = viewer_open(db);
	if (err)
		return err;
	err = viewer_each(report, db, viewer_tracks_sql, add_track, archive);
	if (err)
		return err;
	archive->locations =
		calloc(archive->tracks.count * VIEWER_LANES + 1, sizeof(*archive->locations));
	archive->list = otf2.AttributeList_New();
	if (!archive->locations || !archive->list || archive->failed)
		return probe_err_oom();
	ok(archive, otf2.Archive_SetFlushCallbacks(archive->archive, &callbacks, NULL));
	ok(archive, otf2.Archive_SetSerialCollectiveCallbacks(archive->archive));
	ok(archive, otf2.Archive_SetCreator(archive->archive, "probe-report " PROBE_VERSION));
	archive->definitions = otf2.Archive_GetGlobalDefWriter(archive->archive);
	if (!archive->definitions)
		return probe_err_oom();
	ok(archive, otf2.GlobalDefWriter_WriteString(archive->definitions, 0, ""));
	err = write_events(report, db, archive);
	write_local_definitions(archive);
	write_clock(archive);
	write_attributes(archive);
	write_locations(archive);
	ok(archive, otf2.Archive_CloseGlobalDefWriter(archive->archive, archive->definitions));
	return err;
}

/* If it fails, the caller removes what it wrote. */
static struct probe_err *write_files(const struct report *report, const struct report_db *db,
				     const char *directory, struct archive *archive)
{
	struct probe_err *err = NULL;

	archive->archive =
		otf2.Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, CHUNK_BYTES,
				  4 * CHUNK_BYTES, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (archive->archive) {
		err = write_archive(report, db, archive);
		ok(archive, otf2.Archive_Close(archive->archive));
	} else {
		ok(archive, OTF2_ERROR_FILE_CAN_NOT_OPEN);
	}
	if (err)
		return err;
	if (archive->failed)
		return probe_err_oom();
	if (archive->error != OTF2_SUCCESS)
		return probe_err_create("cannot write %s: %s", report->output,
					otf2.Error_GetDescription(archive->error));
	if (archive->left_out)
		probe_log(PROBE_LOG_WARNING,
			  "%s: %llu events are left out: more than %d overlap at one time",
			  report->output, (unsigned long long)archive->left_out, VIEWER_LANES);
	return NULL;
}

static void deinit(struct archive *archive)
{
	for (size_t i = 0; archive->processes && i < archive->tracks.count; i++)
		free(archive->processes[i]);
	if (archive->list)
		otf2.AttributeList_Delete(archive->list);
	viewer_tracks_deinit(&archive->tracks);
	probe_string_ids_deinit(&archive->strings);
	probe_string_ids_deinit(&archive->regions);
	free(archive->processes);
	free(archive->locations);
}

struct probe_err *export_otf2(const struct report *report, const struct report_db *db)
{
	PROBE_AUTO(deinit) struct archive archive = {.tracks.leave = write_leave};
	PROBE_AUTO_FREE char *directory = output_temporary_name(report->output);
	struct probe_err *err = otf2_load();

	if (!err)
		err = check_output(report);
	if (err)
		return err;
	if (!directory)
		return probe_err_oom();
	remove_directory(directory);
	if (mkdir(directory, 0777))
		return probe_err_create("cannot write %s: cannot create a file in its directory: "
					"%s",
					report->output, strerror(errno));
	archive.tracks.user = &archive;
	probe_string_ids_init(&archive.strings, 1);
	probe_string_ids_init(&archive.regions, 1);
	otf2.Error_RegisterCallback(keep_error, &archive);
	err = output_complete(write_files(report, db, directory, &archive));
	if (!err)
		err = give_name(report, directory);
	if (err)
		remove_directory(directory);
	return err;
}

#endif
