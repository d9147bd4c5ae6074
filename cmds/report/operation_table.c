/* SPDX-License-Identifier: MIT */
#include "cmds/report/operation_table.h"

#include <string.h>

#include <probe/user_source.h>
#include <probe/wire_kinds.h>

#include "cmds/report/stored_code.h"
#include "cmds/report/virtual_table.h"
#include "codeobj/sites.h"

enum { ROW, OPERATION, COUNT, AMOUNT, USERS_FILE, USERS_LINE, CODE_OBJECT };

#define DECLARATION                                                                                \
	"CREATE TABLE x (row INTEGER, operation INTEGER, count INTEGER, amount INTEGER, "          \
	"users_file TEXT, users_line INTEGER, code_object HIDDEN)"

struct table {
	sqlite3_vtab base;
	struct report_code_cache *cache;
};

struct cursor {
	sqlite3_vtab_cursor base;
	const struct probe_sites *sites; /* NULL: none */
	uint32_t at;
};

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **ret,
		   char **error)
{
	int rc = report_vtab_connect(db, DECLARATION, sizeof(struct table), ret);

	(void)argc;
	(void)argv;
	(void)error;
	if (!rc)
		((struct table *)*ret)->cache = aux;
	return rc;
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	(void)table;
	return report_vtab_best_index(info, CODE_OBJECT, 1, 10000);
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **ret)
{
	(void)table;
	return report_vtab_open(sizeof(struct cursor), ret);
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	sqlite3_free(base);
	return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *name, int count,
		  sqlite3_value **values)
{
	struct cursor *cursor = (struct cursor *)base;
	struct report_code *code = report_code_find(((const struct table *)base->pVtab)->cache,
						    sqlite3_value_int64(values[0]));

	(void)number;
	(void)name;
	(void)count;
	if (!code)
		return SQLITE_NOMEM;
	cursor->sites = report_code_sites(code);
	cursor->at = 0;
	return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	((struct cursor *)base)->at++;
	return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
	const struct cursor *cursor = (const struct cursor *)base;

	return !cursor->sites || cursor->at >= cursor->sites->operation_count;
}

/* The place itself, or the innermost caller in one of the user's files. */
static const struct probe_site_frame *users_frame(const struct probe_sites *sites,
						  const struct probe_site_operations *row)
{
	for (uint32_t i = 0; i < row->frame_count; i++) {
		const struct probe_site_frame *frame = &sites->frames[row->first_frame + i];
		const char *file = probe_sites_string(sites, frame->file);

		if (*file && frame->line && probe_is_user_source(file))
			return frame;
	}
	return row->frame_count ? &sites->frames[row->first_frame] : NULL;
}

static void result_place(const struct cursor *cursor, sqlite3_context *context, int column)
{
	const struct probe_site_frame *frame =
		users_frame(cursor->sites, &cursor->sites->operations[cursor->at]);

	if (column == USERS_LINE)
		sqlite3_result_int64(context, frame ? frame->line : 0);
	else
		sqlite3_result_text(context,
				    frame ? probe_sites_string(cursor->sites, frame->file) : "", -1,
				    SQLITE_TRANSIENT);
}

static int cell(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
	const struct cursor *cursor = (const struct cursor *)base;
	const struct probe_site_operations *row = &cursor->sites->operations[cursor->at];
	const uint32_t values[] = {
		[ROW] = row->row,
		[OPERATION] = row->operation,
		[COUNT] = row->count,
		[AMOUNT] = row->amount,
	};

	if (column <= AMOUNT)
		sqlite3_result_int64(context, values[column]);
	else if (column < CODE_OBJECT)
		result_place(cursor, context, column);
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
	*ret = ((const struct cursor *)base)->at;
	return SQLITE_OK;
}

/* ---- Rates of the hardware --------------------------------------------------------------------
 */

/*
 * Per cycle and compute unit. [CDNA] AMD's CDNA, CDNA 2 and CDNA 3 white papers, tables of
 * operations per clock; vectors of 16 and (CDNA 2, 3) 32 bits by packed instructions.
 * Transcendental functions have a quarter of the rate of one operation per lane: a division takes
 * several of them.
 */
static const struct peak {
	const char *target;
	enum probe_operation operation;
	int rate;
} peaks[] = {
	{"gfx908", PROBE_OPERATION_FP16, 256},
	{"gfx908", PROBE_OPERATION_FP32, 128},
	{"gfx908", PROBE_OPERATION_FP64, 64},
	{"gfx908", PROBE_OPERATION_SPECIAL, 16},
	{"gfx908", PROBE_OPERATION_MATRIX_FP16, 1024},
	{"gfx908", PROBE_OPERATION_MATRIX_FP32, 256},
	{"gfx908", PROBE_OPERATION_MATRIX_I8, 1024},
	{"gfx90a", PROBE_OPERATION_FP16, 256},
	{"gfx90a", PROBE_OPERATION_FP32, 256},
	{"gfx90a", PROBE_OPERATION_FP64, 128},
	{"gfx90a", PROBE_OPERATION_SPECIAL, 16},
	{"gfx90a", PROBE_OPERATION_MATRIX_FP16, 1024},
	{"gfx90a", PROBE_OPERATION_MATRIX_FP32, 256},
	{"gfx90a", PROBE_OPERATION_MATRIX_FP64, 256},
	{"gfx90a", PROBE_OPERATION_MATRIX_I8, 1024},
	{"gfx942", PROBE_OPERATION_FP16, 256},
	{"gfx942", PROBE_OPERATION_FP32, 256},
	{"gfx942", PROBE_OPERATION_FP64, 128},
	{"gfx942", PROBE_OPERATION_SPECIAL, 16},
	{"gfx942", PROBE_OPERATION_MATRIX_FP16, 2048},
	{"gfx942", PROBE_OPERATION_MATRIX_FP32, 256},
	{"gfx942", PROBE_OPERATION_MATRIX_FP64, 256},
	{"gfx942", PROBE_OPERATION_MATRIX_I8, 4096},
	{"gfx942", PROBE_OPERATION_MATRIX_FP8, 4096},
};

static void peak(sqlite3_context *context, int count, sqlite3_value **values)
{
	const char *target = (const char *)sqlite3_value_text(values[0]);
	int operation = sqlite3_value_int(values[1]);
	size_t len = target ? strcspn(target, ":") : 0; /* without features */

	(void)count;
	for (size_t i = 0; target && i < sizeof(peaks) / sizeof(peaks[0]); i++)
		if (strlen(peaks[i].target) == len && !memcmp(peaks[i].target, target, len) &&
		    (int)peaks[i].operation == operation)
			sqlite3_result_int(context, peaks[i].rate);
}

int report_operation_table_register(sqlite3 *db, struct report_code_cache *cache)
{
	static const sqlite3_module module = {
		.xConnect = connect,
		.xBestIndex = best_index,
		.xDisconnect = report_vtab_disconnect,
		.xOpen = open_cursor,
		.xClose = close_cursor,
		.xFilter = filter,
		.xNext = next,
		.xEof = at_end,
		.xColumn = cell,
		.xRowid = rowid,
	};
	int rc = sqlite3_create_module_v2(db, "probe_operations", &module, cache, NULL);

	return rc ? rc
		  : sqlite3_create_function_v2(db, "probe_peak", 2,
					       SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, peak, NULL,
					       NULL, NULL);
}
