/* SPDX-License-Identifier: MIT */
/* A kernel's instructions and what its waits wait for, as tables for SQL; see kernel_code.h. */
#include "cmds/report/kernel_code.h"

#include <stdlib.h>
#include <string.h>

#include <probe/user_source.h>

#include "cmds/report/virtual_table.h"

/* One module, two tables. */
enum kind { INSTRUCTIONS, WAITS };

static const char *const declarations[] = {
	[INSTRUCTIONS] = "CREATE TABLE x (address INTEGER, size INTEGER, text TEXT, file TEXT, "
			 "line INTEGER, \"column\" INTEGER, space TEXT, at TEXT, "
			 "users_file TEXT, users_line INTEGER, code_object HIDDEN, symbol HIDDEN)",
	[WAITS] = "CREATE TABLE x (wait INTEGER, producer INTEGER, weight REAL, "
		  "code_object HIDDEN, symbol HIDDEN)",
};
static const int hidden_at[] = {[INSTRUCTIONS] = 10, [WAITS] = 3};

struct table {
	sqlite3_vtab base;
	struct report_code_cache *cache;
	enum kind kind;
};

struct wait {
	uint64_t wait, producer;
	double weight;
};

struct cursor {
	sqlite3_vtab_cursor base;
	struct report_code *code;
	const struct probe_instruction *rows; /* of the kernel */
	size_t count, at;
	struct wait *waits; /* of the other table */
	size_t wait_count, wait_room;
};

/* ---- Which instructions are a kernel's ------------------------------------------------------- */

static const struct probe_kernel *kernel_of(const struct report_code *code, const char *symbol)
{
	const struct probe_kernels *kernels = code->codeobj ? code->codeobj->kernels : NULL;

	for (size_t i = 0; kernels && symbol && i < kernels->count; i++)
		if (!strcmp(kernels->kernels[i].symbol, symbol))
			return &kernels->kernels[i];
	return NULL;
}

static bool begins(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* Nothing runs on behind it. */
static bool terminates(const char *text)
{
	return begins(text, "s_endpgm") || begins(text, "s_branch") || begins(text, "s_setpc");
}

static const struct probe_symbol *symbol_of(const struct report_code *code, uint64_t address)
{
	return code->codeobj && code->codeobj->functions
		       ? probe_functions_find(code->codeobj->functions, address)
		       : NULL;
}

/* Where code that begins at the address must have ended, by the symbols. */
static uint64_t end_of(const struct report_code *code, uint64_t address)
{
	const struct probe_kernels *kernels = code->codeobj->kernels;
	const struct probe_symbol *symbol = symbol_of(code, address);
	uint64_t end = UINT64_MAX;

	if (symbol && symbol->address == address && symbol->size &&
	    symbol->size < UINT64_MAX - address)
		end = address + symbol->size;
	for (size_t i = 0; i < kernels->count; i++)
		if (kernels->kernels[i].address > address && kernels->kernels[i].address < end)
			end = kernels->kernels[i].address;
	return end;
}

/* Up to the next kernel or function, without what pads the end. */
static size_t length_of(struct report_code *code, const struct probe_instruction *rows, size_t most)
{
	const struct probe_inlines *inlines = report_code_inlines(code);
	const struct probe_scope *own = report_code_function(inlines, rows->address);
	uint64_t end = end_of(code, rows->address);
	size_t count = 0;

	while (count < most && rows[count].address < end) {
		const struct probe_scope *scope =
			report_code_function(inlines, rows[count].address);

		if (scope && own && scope != own)
			break;
		count++;
	}
	/* What pads the end disassembles to anything. */
	for (size_t n = count; n; n--)
		if (terminates(rows[n - 1].text))
			return n;
	return count;
}

/* Where the function begins that an address is in; 0: not known. */
static uint64_t function_start(struct report_code *code,
			       const struct probe_disassembly *disassembly, uint64_t address)
{
	const struct probe_symbol *symbol = symbol_of(code, address);
	const struct probe_inlines *inlines = report_code_inlines(code);
	const struct probe_scope *scope = report_code_function(inlines, address);
	const struct probe_instruction *row = probe_disassembly_find(disassembly, address);

	if (symbol)
		return symbol->address;
	if (!row || !scope)
		return 0;
	while (row > disassembly->rows && report_code_function(inlines, row[-1].address) == scope)
		row--;
	return row->address;
}

/* "@ADDRESS": of the function there. */
static void find_rows(struct cursor *cursor, const char *symbol)
{
	struct report_code *code = cursor->code;
	const struct probe_kernel *kernel = kernel_of(code, symbol);
	bool function = symbol && *symbol == '@';
	const struct probe_disassembly *disassembly =
		kernel || function ? report_code_disassembly(code) : NULL;
	const struct probe_instruction *first;
	uint64_t start;

	cursor->count = 0;
	if (!disassembly)
		return;
	start = kernel ? kernel->address
		       : function_start(code, disassembly, strtoull(symbol + 1, NULL, 10));
	first = probe_disassembly_find(disassembly, start);
	if (!first)
		return;
	cursor->rows = first;
	cursor->count =
		length_of(code, first, disassembly->count - (size_t)(first - disassembly->rows));
}

/* ---- Waits ----------------------------------------------------------------------------------- */

static const char *space_of(const char *text)
{
	if (begins(text, "ds_"))
		return "lds";
	if (begins(text, "global_") || begins(text, "flat_") || begins(text, "buffer_"))
		return "global";
	if (begins(text, "s_load") || begins(text, "s_buffer_load"))
		return "scalar";
	return begins(text, "s_waitcnt") ? "wait" : "";
}

enum counter { VM, LGKM, COUNTERS };

/* Accesses under way, oldest first, by the counter that tells. */
struct outstanding {
	uint64_t address[64];
	unsigned count;
};

static void issue(struct outstanding *queue, uint64_t address)
{
	if (queue->count == 64) {
		memmove(queue->address, queue->address + 1, 63 * sizeof(*queue->address));
		queue->count--;
	}
	queue->address[queue->count++] = address;
}

static void issue_access(struct outstanding queues[COUNTERS], const struct probe_instruction *row)
{
	const char *space = space_of(row->text);

	if (!strcmp(space, "global"))
		issue(&queues[VM], row->address);
	if (!strcmp(space, "lds") || !strcmp(space, "scalar") || begins(row->text, "flat_"))
		issue(&queues[LGKM], row->address);
}

/* "vmcnt(3)": 3; UINT_MAX if it is not named. */
static unsigned allowed(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? (unsigned)strtoul(at + strlen(name), NULL, 10) : ~0u;
}

static bool add_wait(struct cursor *cursor, uint64_t wait, uint64_t producer)
{
	if (cursor->wait_count == cursor->wait_room) {
		size_t room = cursor->wait_room ? 2 * cursor->wait_room : 64;
		struct wait *waits = reallocarray(cursor->waits, room, sizeof(*waits));

		if (!waits)
			return false;
		cursor->waits = waits;
		cursor->wait_room = room;
	}
	cursor->waits[cursor->wait_count++] = (struct wait){wait, producer, 0};
	return true;
}

/* What had to end for the wait to end. */
static bool complete(struct cursor *cursor, struct outstanding queues[COUNTERS],
		     const struct probe_instruction *row)
{
	static const char *const names[COUNTERS] = {"vmcnt(", "lgkmcnt("};
	size_t first = cursor->wait_count;

	for (int i = 0; i < COUNTERS; i++) {
		struct outstanding *queue = &queues[i];
		unsigned left = allowed(row->text, names[i]), n;

		if (left >= queue->count)
			continue;
		n = queue->count - left;
		for (unsigned k = 0; k < n; k++)
			if (!add_wait(cursor, row->address, queue->address[k]))
				return false;
		memmove(queue->address, queue->address + n, left * sizeof(*queue->address));
		queue->count = left;
	}
	for (size_t i = first; i < cursor->wait_count; i++)
		cursor->waits[i].weight = 1.0 / (double)(cursor->wait_count - first);
	return true;
}

static bool find_waits(struct cursor *cursor)
{
	struct outstanding queues[COUNTERS] = {0};

	for (size_t i = 0; i < cursor->count; i++) {
		const struct probe_instruction *row = &cursor->rows[i];

		if (begins(row->text, "s_waitcnt ") && !complete(cursor, queues, row))
			return false;
		issue_access(queues, row);
		/* What follows is reached from elsewhere, with other things under way. */
		if (terminates(row->text))
			memset(queues, 0, sizeof(queues));
	}
	return true;
}

/* ---- As SQLite wants it ---------------------------------------------------------------------- */

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
	return report_vtab_best_index(info, hidden_at[((struct table *)table)->kind], 2, 10000);
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **ret)
{
	struct cursor *cursor = sqlite3_malloc(sizeof(*cursor));

	(void)table;
	if (!cursor)
		return SQLITE_NOMEM;
	*cursor = (struct cursor){0};
	*ret = &cursor->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	free(((struct cursor *)base)->waits);
	sqlite3_free(base);
	return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *name, int count,
		  sqlite3_value **values)
{
	struct cursor *cursor = (struct cursor *)base;
	const struct table *table = (const struct table *)base->pVtab;

	(void)number;
	(void)name;
	(void)count;
	cursor->at = cursor->count = cursor->wait_count = 0;
	cursor->code = report_code_find(table->cache, sqlite3_value_int64(values[0]));
	if (!cursor->code)
		return SQLITE_NOMEM;
	find_rows(cursor, (const char *)sqlite3_value_text(values[1]));
	if (table->kind == WAITS && !find_waits(cursor))
		return SQLITE_NOMEM;
	return SQLITE_OK;
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

	return cursor->at >= (is_waits(cursor) ? cursor->wait_count : cursor->count);
}

static void put_line(const struct cursor *cursor, sqlite3_context *context, uint64_t address,
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

/* The line, or the innermost call in a file of the user's that it is inlined from. */
static void put_users(const struct cursor *cursor, sqlite3_context *context, uint64_t address,
		      bool want_file)
{
	const struct probe_line *line = report_code_line(cursor->code, address);
	const char *file = line ? cursor->code->codeobj->lines->files[line->file] : "";
	const struct probe_inlines *inlines =
		probe_is_user_source(file) ? NULL : report_code_inlines(cursor->code);
	const struct probe_scope *scope = inlines ? probe_inlines_find(inlines, address) : NULL;
	uint32_t number = line ? line->line : 0;

	for (; scope && probe_scope_parent(inlines, scope);
	     scope = probe_scope_parent(inlines, scope))
		if (scope->call_line && probe_is_user_source(inlines->names[scope->call_file])) {
			file = inlines->names[scope->call_file];
			number = scope->call_line;
			break;
		}
	if (!line)
		return;
	if (want_file)
		sqlite3_result_text(context, file, -1, SQLITE_TRANSIENT);
	else
		sqlite3_result_int64(context, number);
}

/* Where the function itself calls what the code was inlined from. */
static void put_call(const struct cursor *cursor, sqlite3_context *context, uint64_t address)
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
	const struct probe_instruction *row = &cursor->rows[cursor->at];

	if (is_waits(cursor)) {
		const struct wait *wait = &cursor->waits[cursor->at];

		if (column == 2)
			sqlite3_result_double(context, wait->weight);
		else if (column < 2)
			sqlite3_result_int64(context,
					     (sqlite3_int64)(column ? wait->producer : wait->wait));
		return SQLITE_OK;
	}
	if (column == 0)
		sqlite3_result_int64(context, (sqlite3_int64)row->address);
	else if (column == 1)
		sqlite3_result_int64(context, row->size);
	else if (column == 2)
		sqlite3_result_text(context, row->text, -1, SQLITE_TRANSIENT);
	else if (column < 6)
		put_line(cursor, context, row->address, column);
	else if (column == 6)
		sqlite3_result_text(context, space_of(row->text), -1, SQLITE_STATIC);
	else if (column == 7)
		put_call(cursor, context, row->address);
	else if (column < 10)
		put_users(cursor, context, row->address, column == 8);
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
	*ret = (sqlite3_int64)((const struct cursor *)base)->at;
	return SQLITE_OK;
}

int report_code_register(sqlite3 *db, struct report_code_cache *cache)
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
