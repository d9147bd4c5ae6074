/* SPDX-License-Identifier: MIT */
/* What code objects of the database say, as SQL functions; each is read once, in throw-away
 * children.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "cmds/report/report.h"
#include "cmds/report/kernel_code.h"

struct report_code_cache {
	sqlite3 *db;
	struct report_code **codes;
	size_t count;
};

static void cache_destroy(void *user)
{
	struct report_code_cache *cache = user;

	for (size_t i = 0; i < cache->count; i++) {
		probe_codeobj_destroy(cache->codes[i]->codeobj);
		probe_disassembly_destroy(cache->codes[i]->disassembly);
		probe_codeobj_destroy(cache->codes[i]->scopes);
		probe_codeobj_destroy(cache->codes[i]->table);
		free(cache->codes[i]);
	}
	free(cache->codes);
	free(cache);
}

/* Its bytes, to be finalised with *stmt; NULL if the database has none. */
static const void *code_bytes(sqlite3 *db, int64_t id, sqlite3_stmt **stmt, size_t *size)
{
	const void *bytes;

	*stmt = NULL;
	if (sqlite3_prepare_v2(db, "SELECT bytes FROM probe_code WHERE code_object_id = ?", -1,
			       stmt, NULL))
		return NULL;
	sqlite3_bind_int64(*stmt, 1, id);
	if (sqlite3_step(*stmt) != SQLITE_ROW)
		return NULL;
	bytes = sqlite3_column_blob(*stmt, 0);
	*size = (size_t)sqlite3_column_bytes(*stmt, 0);
	return bytes;
}

/* A code object that cannot be read costs its positions; `info` says why. */
static struct probe_codeobj *inspect(sqlite3 *db, int64_t id, unsigned parts)
{
	struct probe_codeobj *codeobj = NULL;
	sqlite3_stmt *stmt;
	size_t size;
	const void *bytes = code_bytes(db, id, &stmt, &size);

	if (bytes)
		probe_err_destroy(
			probe_codeobj_inspect("code object", bytes, size, parts, &codeobj));
	sqlite3_finalize(stmt);
	return codeobj;
}

struct report_code *report_code_find(struct report_code_cache *cache, int64_t id)
{
	struct report_code **codes, *code;

	for (size_t i = 0; i < cache->count; i++)
		if (cache->codes[i]->id == id)
			return cache->codes[i];
	codes = realloc(cache->codes, (cache->count + 1) * sizeof(*codes));
	if (!codes)
		return NULL;
	cache->codes = codes;
	code = calloc(1, sizeof(*code));
	if (!code)
		return NULL;
	*code = (struct report_code){.db = cache->db,
				     .id = id,
				     .codeobj =
					     inspect(cache->db, id,
						     PROBE_INSPECT_KERNELS | PROBE_INSPECT_LINES |
							     PROBE_INSPECT_FUNCTIONS)};
	return codes[cache->count++] = code;
}

/* The code object of argument 0, as far as it could be read. */
static struct report_code *argument(sqlite3_context *context, sqlite3_value **values)
{
	return report_code_find(sqlite3_user_data(context), sqlite3_value_int64(values[0]));
}

static const struct probe_kernel *kernel_named(const struct report_code *known, const char *symbol)
{
	const struct probe_kernels *kernels =
		known && known->codeobj ? known->codeobj->kernels : NULL;

	for (size_t i = 0; kernels && symbol && i < kernels->count; i++)
		if (!strcmp(kernels->kernels[i].symbol, symbol))
			return &kernels->kernels[i];
	return NULL;
}

static void position(sqlite3_context *context, int count, sqlite3_value **values)
{
	const struct report_code *known = argument(context, values);
	const struct probe_kernel *kernel =
		kernel_named(known, (const char *)sqlite3_value_text(values[1]));
	const struct probe_function *function;
	char *text;

	(void)count;
	if (!kernel || !known->codeobj->lines)
		return;
	function = probe_lines_function(known->codeobj->lines, kernel->address);
	if (!function)
		return;
	text = sqlite3_mprintf("%s:%u", known->codeobj->lines->files[function->file],
			       function->line);
	sqlite3_result_text(context, text, -1, sqlite3_free);
}

const struct probe_line *report_code_line(const struct report_code *known, uint64_t address)
{
	return known && known->codeobj && known->codeobj->lines
		       ? probe_lines_find(known->codeobj->lines, address)
		       : NULL;
}

static void line_at(sqlite3_context *context, int count, sqlite3_value **values)
{
	const struct report_code *known = argument(context, values);
	const struct probe_line *line =
		report_code_line(known, (uint64_t)sqlite3_value_int64(values[1]));
	char *text;

	(void)count;
	if (!line)
		return;
	text = sqlite3_mprintf("%s:%u", known->codeobj->lines->files[line->file], line->line);
	sqlite3_result_text(context, text, -1, sqlite3_free);
}

/* NULL: none are known. */
const struct probe_inlines *report_code_inlines(struct report_code *known)
{
	if (!known)
		return NULL;
	if (!known->inlines)
		known->scopes = inspect(known->db, known->id, PROBE_INSPECT_INLINES);
	known->inlines = true;
	return known->scopes ? known->scopes->inlines : NULL;
}

/* The function that an address is in, however deep calls are inlined there. NULL: not known. */
const struct probe_scope *report_code_function(const struct probe_inlines *inlines,
					       uint64_t address)
{
	const struct probe_scope *scope = inlines ? probe_inlines_find(inlines, address) : NULL;

	while (scope && probe_scope_parent(inlines, scope))
		scope = probe_scope_parent(inlines, scope);
	return scope;
}

/* Whose code it is by the symbol table. NULL: nobody's. */
static const struct probe_symbol *symbol_at(const struct report_code *known, uint64_t address)
{
	return known && known->codeobj && known->codeobj->functions
		       ? probe_functions_find(known->codeobj->functions, address)
		       : NULL;
}

/* Bytes of a kernel's code, by the symbol table. */
static void code_size(sqlite3_context *context, int count, sqlite3_value **values)
{
	const struct report_code *known = argument(context, values);
	const struct probe_kernel *kernel =
		kernel_named(known, (const char *)sqlite3_value_text(values[1]));
	const struct probe_symbol *symbol = kernel ? symbol_at(known, kernel->address) : NULL;

	(void)count;
	if (symbol && symbol->size && symbol->address == kernel->address)
		sqlite3_result_int64(context, (sqlite3_int64)symbol->size);
}

/* The kernel whose code begins last at or before the address, and has not ended before it. */
static const struct probe_kernel *kernel_before(const struct report_code *known, uint64_t address)
{
	const struct probe_kernel *best = NULL;
	const struct probe_symbol *symbol;

	if (!known || !known->codeobj || !known->codeobj->kernels)
		return NULL;
	for (size_t i = 0; i < known->codeobj->kernels->count; i++) {
		const struct probe_kernel *kernel = &known->codeobj->kernels->kernels[i];

		if (kernel->address && kernel->address <= address &&
		    (!best || best->address < kernel->address))
			best = kernel;
	}
	if (!best)
		return NULL;
	/* A symbol that does not tell its size ends at the next function. */
	symbol = symbol_at(known, best->address);
	if (symbol && symbol->address == best->address &&
	    (symbol->size ? address - symbol->address >= symbol->size
			  : symbol_at(known, address) != symbol))
		return NULL;
	return best;
}

/*
 * The kernel whose code it is. Functions that were not inlined have code of their own, which any
 * kernel may have called: *function is then its name, "?" where neither debug information nor a
 * symbol tells it.
 */
static const struct probe_kernel *find_kernel(struct report_code *known, uint64_t address,
					      const char **function)
{
	const struct probe_kernel *kernel = kernel_before(known, address);
	const struct probe_inlines *inlines = report_code_inlines(known);
	const struct probe_scope *scope = report_code_function(inlines, address);
	const struct probe_symbol *symbol = symbol_at(known, address);

	*function = NULL;
	if (kernel && (!scope || report_code_function(inlines, kernel->address) == scope))
		return kernel;
	if (scope)
		*function = inlines->names[scope->function];
	else if (known && known->codeobj && known->codeobj->kernels)
		*function = symbol ? symbol->name : "?";
	return NULL;
}

/* To be freed with sqlite3_free(). Clones go by their original's name. */
static char *kernel_text(const struct report_code *known, const struct probe_kernel *kernel)
{
	const struct probe_kernels *kernels = known->codeobj->kernels;

	if (kernel->kind == PROBE_KIND_NONE || &kernels->kernels[kernel->original] == kernel)
		return sqlite3_mprintf("%s", kernel->name);
	return sqlite3_mprintf("%s [%s clone]", kernels->kernels[kernel->original].name,
			       probe_kind_name(kernel->kind));
}

/* What probes call is in the program's code objects, but not the program's. */
static const char *function_class(const char *function)
{
	return strncmp(function, "__probe_dev_", strlen("__probe_dev_")) ? "[function]" : "[probe]";
}

static void kernel_at(sqlite3_context *context, int count, sqlite3_value **values)
{
	const char *function;
	const struct probe_kernel *kernel = find_kernel(
		argument(context, values), (uint64_t)sqlite3_value_int64(values[1]), &function);

	(void)count;
	if (kernel)
		sqlite3_result_text(context, kernel_text(argument(context, values), kernel), -1,
				    sqlite3_free);
	else if (function)
		sqlite3_result_text(context,
				    sqlite3_mprintf("%s %s", function_class(function), function),
				    -1, sqlite3_free);
}

/* As rocprofv3 has it: where the line is, then where each call is that it was inlined by. */
static void comment_at(sqlite3_context *context, int count, sqlite3_value **values)
{
	uint64_t address = (uint64_t)sqlite3_value_int64(values[1]);
	struct report_code *known = argument(context, values);
	const struct probe_line *line = report_code_line(known, address);
	const struct probe_inlines *inlines;
	char *text = NULL;
	size_t size;
	FILE *out;

	(void)count;
	if (!line)
		return;
	out = open_memstream(&text, &size);
	if (!out) {
		sqlite3_result_error_nomem(context);
		return;
	}
	fprintf(out, "%s:%u", known->codeobj->lines->files[line->file], line->line);
	inlines = report_code_inlines(known);
	for (const struct probe_scope *scope = inlines ? probe_inlines_find(inlines, address)
						       : NULL;
	     scope && probe_scope_parent(inlines, scope);
	     scope = probe_scope_parent(inlines, scope))
		fprintf(out, " -> %s:%u", inlines->names[scope->call_file], scope->call_line);
	fclose(out);
	sqlite3_result_text(context, text, -1, free);
}

/* A semicolon would be taken for the end of the frame. */
static void put_frame(FILE *out, const char *name)
{
	for (; *name; name++)
		fputc(*name == ';' ? ',' : *name, out);
}

/* Outermost first: functions of the scope; the kernel itself has been put. */
static void put_scopes(FILE *out, const struct probe_inlines *inlines,
		       const struct probe_scope *scope, const char *kernel)
{
	const struct probe_scope *parent = probe_scope_parent(inlines, scope);
	const char *name = inlines->names[scope->function];

	if (parent)
		put_scopes(out, inlines, parent, kernel);
	if (!parent && !strcmp(name, kernel))
		return;
	fputc(';', out);
	put_frame(out, *name ? name : "(unknown)");
}

/* A folded stack: kernel, functions inlined into it, file:line. */
static void stack_at(sqlite3_context *context, int count, sqlite3_value **values)
{
	uint64_t address = (uint64_t)sqlite3_value_int64(values[1]);
	struct report_code *known = argument(context, values);
	const char *function;
	const struct probe_kernel *kernel = find_kernel(known, address, &function);
	const struct probe_line *line = report_code_line(known, address);
	const struct probe_inlines *inlines = report_code_inlines(known);
	const struct probe_scope *scope = inlines ? probe_inlines_find(inlines, address) : NULL;
	char *of_kernel = kernel ? kernel_text(known, kernel) : NULL;
	const char *name = of_kernel  ? of_kernel
			   : function ? function_class(function)
				      : "(unknown)";
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)count;
	if (!out) {
		sqlite3_free(of_kernel);
		sqlite3_result_error_nomem(context);
		return;
	}
	put_frame(out, name);
	if (scope) {
		put_scopes(out, inlines, scope, kernel ? kernel->name : name);
	} else if (function) {
		fputc(';', out);
		put_frame(out, function);
	}
	fputc(';', out);
	if (line) {
		put_frame(out, known->codeobj->lines->files[line->file]);
		fprintf(out, ":%u", line->line);
	} else {
		fprintf(out, "0x%llx", (unsigned long long)address);
	}
	fclose(out);
	sqlite3_free(of_kernel);
	sqlite3_result_text(context, text, -1, free);
}

const struct probe_disassembly *report_code_disassembly(struct report_code *code)
{
	sqlite3_stmt *stmt;
	const void *bytes;
	uint64_t within;
	size_t size;

	if (code->disassembled || !code->codeobj || !code->codeobj->kernels ||
	    !code->codeobj->kernels->count)
		return code->disassembly;
	/* All kernels are in one section; a sample's address may be anything. */
	within = code->codeobj->kernels->kernels[0].address;
	code->disassembled = true;
	bytes = code_bytes(code->db, code->id, &stmt, &size);
	if (bytes)
		probe_err_destroy(
			probe_disassemble("code object", bytes, size, within, &code->disassembly));
	sqlite3_finalize(stmt);
	return code->disassembly;
}

static void instruction_at(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct report_code *known = argument(context, values);
	uint64_t address = (uint64_t)sqlite3_value_int64(values[1]);
	const struct probe_disassembly *disassembly = known ? report_code_disassembly(known) : NULL;
	const struct probe_instruction *instruction =
		disassembly ? probe_disassembly_find(disassembly, address) : NULL;

	(void)count;
	if (instruction)
		sqlite3_result_text(context, instruction->text, -1, SQLITE_TRANSIENT);
}

/* Arguments: code object, site. */
static void basis(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct report_code *code = argument(context, values);
	const struct probe_sites *sites;
	int64_t site = sqlite3_value_int64(values[1]);

	(void)count;
	if (code && !code->sites_read)
		code->table = inspect(code->db, code->id, PROBE_INSPECT_SITES);
	if (!code)
		return;
	code->sites_read = true;
	sites = code->table ? code->table->sites : NULL;
	if (!sites || site < 0 || site >= sites->site_count)
		return;
	sqlite3_result_text(context,
			    sites->proofs && sites->proofs[site].group != PROBE_ROW_NONE
				    ? "proved"
				    : "measured",
			    -1, SQLITE_STATIC);
}

int report_position_register(sqlite3 *db)
{
	static const struct {
		const char *name;
		void (*fn)(sqlite3_context *context, int count, sqlite3_value **values);
	} functions[] = {
		{"probe_basis", basis},
		{"probe_code_size", code_size},
		{"probe_line_at", line_at},
		{"probe_kernel_at", kernel_at},
		{"probe_instruction_at", instruction_at},
		{"probe_comment_at", comment_at},
		{"probe_stack_at", stack_at},
		{"probe_position", position}, /* last: the cache goes with it */
	};
	const size_t last = sizeof(functions) / sizeof(*functions) - 1;
	struct report_code_cache *cache = calloc(1, sizeof(*cache));
	int rc = cache ? SQLITE_OK : SQLITE_NOMEM;

	if (cache)
		cache->db = db;

	for (size_t i = 0; i <= last && !rc; i++)
		rc = sqlite3_create_function_v2(
			db, functions[i].name, 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, cache,
			functions[i].fn, NULL, NULL, i == last ? cache_destroy : NULL);
	return rc ? rc : report_code_register(db, cache);
}
