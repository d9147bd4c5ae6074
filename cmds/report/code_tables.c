/* SPDX-License-Identifier: MIT */
#include "cmds/report/code_tables.h"

#include <stdlib.h>

#include "cmds/report/kernel_code.h"
#include "cmds/report/stored_code.h"
#include "cmds/report/virtual_table.h"
#include "codeobj/instruction_text.h"
#include "codeobj/users_place.h"
#include "codeobj/wait_producers.h"

/* One module for two tables. */
enum kind { INSTRUCTIONS, WAITS };

static const char *const declarations[] = {
	[INSTRUCTIONS] = "CREATE TABLE x (address INTEGER, size INTEGER, text TEXT, file TEXT, "
			 "line INTEGER, \"column\" INTEGER, space TEXT, at TEXT, "
			 "users_file TEXT, users_line INTEGER, code_object HIDDEN, symbol HIDDEN)",
	[WAITS] = "CREATE TABLE x (wait INTEGER, producer INTEGER, weight REAL, "
		  "code_object HIDDEN, symbol HIDDEN)",
};
static const int hidden_at[] = {[INSTRUCTIONS] = 10, [WAITS] = 3};

enum {
	LINE = 4,    /* a column of INSTRUCTIONS */
	BY_LINE = 1, /* idxNum: the third argument is a line */
};

struct table {
	sqlite3_vtab base;
	struct report_code_cache *cache;
	enum kind kind;
};

struct cursor {
	sqlite3_vtab_cursor base;
	struct report_code *code;
	struct kernel_code kernel;
	const struct line_row *by_line; /* those of a line; NULL = all of the kernel */
	size_t count, at;
	struct probe_waits waits; /* for WAITS */
};

/* ---- Interface to SQLite -----------------------------------------------------------------------
 */

struct module {
	struct report_code_cache *cache;
	enum kind kind;
};

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **ret,
		   char **error)
{
	const struct module *module = aux;
	int rc = report_vtab_connect(db, declarations[module->kind], sizeof(struct table), ret);

	(void)argc;
	(void)argv;
	(void)error;
	if (rc)
		return rc;
	((struct table *)*ret)->cache = module->cache;
	((struct table *)*ret)->kind = module->kind;
	return SQLITE_OK;
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	enum kind kind = ((struct table *)table)->kind;
	int rc = report_vtab_best_index(info, hidden_at[kind], 2, 10000);

	for (int i = 0; !rc && kind == INSTRUCTIONS && i < info->nConstraint; i++) {
		if (info->aConstraint[i].iColumn != LINE || !info->aConstraint[i].usable ||
		    info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		info->aConstraintUsage[i].argvIndex = 3;
		info->idxNum = BY_LINE;
		info->estimatedCost = 100;
		break;
	}
	return rc;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **ret)
{
	(void)table;
	return report_vtab_open(sizeof(struct cursor), ret);
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	free(((struct cursor *)base)->waits.rows);
	sqlite3_free(base);
	return SQLITE_OK;
}

/* Only those of one line. NULL and other types equal no line. */
static int choose_line(struct cursor *cursor, sqlite3_value *value)
{
	sqlite3_int64 line = sqlite3_value_int64(value);

	cursor->count = 0;
	if (!cursor->kernel.count || sqlite3_value_numeric_type(value) != SQLITE_INTEGER ||
	    line <= 0 || line > UINT32_MAX)
		return SQLITE_OK;
	cursor->count =
		report_kernel_line(cursor->code, &cursor->kernel, (uint32_t)line, &cursor->by_line);
	return cursor->by_line ? SQLITE_OK : SQLITE_NOMEM;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *name, int count,
		  sqlite3_value **values)
{
	struct cursor *cursor = (struct cursor *)base;
	const struct table *table = (const struct table *)base->pVtab;

	(void)name;
	(void)count;
	cursor->at = cursor->count = cursor->waits.count = 0;
	cursor->by_line = NULL;
	cursor->code = report_code_find(table->cache, sqlite3_value_int64(values[0]));
	if (!cursor->code)
		return SQLITE_NOMEM;
	cursor->kernel =
		report_kernel_code(cursor->code, (const char *)sqlite3_value_text(values[1]));
	cursor->count = cursor->kernel.count;
	if (table->kind == WAITS &&
	    !probe_wait_producers(cursor->kernel.rows, cursor->count, &cursor->waits))
		return SQLITE_NOMEM;
	return number == BY_LINE ? choose_line(cursor, values[2]) : SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	((struct cursor *)base)->at++;
	return SQLITE_OK;
}

static bool is_waits(const struct cursor *cursor)
{
	return ((const struct table *)cursor->base.pVtab)->kind == WAITS;
}

static int at_end(sqlite3_vtab_cursor *base)
{
	const struct cursor *cursor = (const struct cursor *)base;

	return cursor->at >= (is_waits(cursor) ? cursor->waits.count : cursor->count);
}

static void result_line(const struct cursor *cursor, sqlite3_context *context, uint64_t address,
			int column)
{
	const struct probe_line *line = report_code_line(cursor->code, address);

	if (!line)
		return;
	if (column == 3)
		sqlite3_result_text(context, cursor->code->codeobj->lines->files[line->file], -1,
				    SQLITE_TRANSIENT);
	else
		sqlite3_result_int64(context, column == 4 ? line->line : line->column);
}

static void result_users(const struct cursor *cursor, sqlite3_context *context, uint64_t address,
			 bool want_file)
{
	struct probe_place place;

	if (!report_code_users_place(cursor->code, address, &place))
		return;
	if (want_file)
		sqlite3_result_text(context, place.file, -1, SQLITE_TRANSIENT);
	else
		sqlite3_result_int64(context, place.line);
}

/* The position in the function itself of the call that the code was inlined from. */
static void result_call(const struct cursor *cursor, sqlite3_context *context, uint64_t address)
{
	const struct probe_inlines *inlines = report_code_inlines(cursor->code);
	const struct probe_scope *scope = inlines ? probe_inlines_find(inlines, address) : NULL;
	const struct probe_scope *call = NULL;

	for (; scope && probe_scope_parent(inlines, scope);
	     scope = probe_scope_parent(inlines, scope))
		call = scope;
	if (call)
		sqlite3_result_text(
			context,
			sqlite3_mprintf("%s:%u", inlines->names[call->call_file], call->call_line),
			-1, sqlite3_free);
}

static int cell(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
	const struct cursor *cursor = (const struct cursor *)base;
	const struct probe_instruction *row;

	if (is_waits(cursor)) {
		const struct probe_wait *wait = &cursor->waits.rows[cursor->at];

		if (column == 2)
			sqlite3_result_double(context, wait->weight);
		else if (column < 2)
			sqlite3_result_int64(context,
					     (sqlite3_int64)(column ? wait->producer : wait->wait));
		return SQLITE_OK;
	}
	row = cursor->by_line ? &cursor->code->disassembly->rows[cursor->by_line[cursor->at].row]
			      : &cursor->kernel.rows[cursor->at];
	if (column == 0)
		sqlite3_result_int64(context, (sqlite3_int64)row->address);
	else if (column == 1)
		sqlite3_result_int64(context, row->size);
	else if (column == 2)
		sqlite3_result_text(context, row->text, -1, SQLITE_TRANSIENT);
	else if (column < 6)
		result_line(cursor, context, row->address, column);
	else if (column == 6)
		sqlite3_result_text(context, probe_instruction_memory(row->text), -1,
				    SQLITE_STATIC);
	else if (column == 7)
		result_call(cursor, context, row->address);
	else if (column < 10)
		result_users(cursor, context, row->address, column == 8);
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
	*ret = (sqlite3_int64)((const struct cursor *)base)->at;
	return SQLITE_OK;
}

int report_code_tables_register(sqlite3 *db, struct report_code_cache *cache)
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
	static const char *const names[] = {
		[INSTRUCTIONS] = "probe_instructions", [WAITS] = "probe_waits"};
	int rc = SQLITE_OK;

	for (int kind = INSTRUCTIONS; kind <= WAITS && !rc; kind++) {
		struct module *aux = malloc(sizeof(*aux));

		if (!aux)
			return SQLITE_NOMEM;
		*aux = (struct module){cache, (enum kind)kind};
		rc = sqlite3_create_module_v2(db, names[kind], &module, aux, free);
	}
	return rc;
}
