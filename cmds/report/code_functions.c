/* SPDX-License-Identifier: MIT */
#include "cmds/report/code_functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/report/code_tables.h"
#include "cmds/report/stored_code.h"
#include "codeobj/users_place.h"
#include "common/selection.h"

/* The code object of argument 0, as far as it could be read. */
static struct report_code *argument(sqlite3_context *context, sqlite3_value **values)
{
	return report_code_find(sqlite3_user_data(context), sqlite3_value_int64(values[0]));
}

static void position(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct report_code *known = argument(context, values);
	struct probe_code code = report_code_view(known);
	const struct probe_kernel *kernel =
		probe_code_kernel(&code, (const char *)sqlite3_value_text(values[1]));
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

static void users_line_at(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct probe_place place;

	(void)count;
	if (report_code_users_place(argument(context, values),
				    (uint64_t)sqlite3_value_int64(values[1]), &place))
		sqlite3_result_text(context, sqlite3_mprintf("%s:%u", place.file, place.line), -1,
				    sqlite3_free);
}

/* 1: the line is that of the code before the address. */
static void approximate_at(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct probe_place place;

	(void)count;
	if (report_code_users_place(argument(context, values),
				    (uint64_t)sqlite3_value_int64(values[1]), &place))
		sqlite3_result_int(context, place.approximate);
}

/* Of a site: is its function, by name, one that the compiler made? */
static void implicit(sqlite3_context *context, int count, sqlite3_value **values)
{
	const struct probe_inlines *inlines = report_code_inlines(argument(context, values));
	const char *name = (const char *)sqlite3_value_text(values[1]);
	bool found = false;

	(void)count;
	/* Debug information has few of them, and most programs none. */
	for (size_t i = 0; inlines && name && i < inlines->scope_count && !found; i++)
		found = inlines->scopes[i].implicit &&
			!strcmp(inlines->names[inlines->scopes[i].function], name);
	sqlite3_result_int(context, found);
}

/* Bytes of a kernel's code, by the symbol table. */
static void code_size(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct report_code *known = argument(context, values);
	struct probe_code code = report_code_view(known);
	const struct probe_kernel *kernel =
		probe_code_kernel(&code, (const char *)sqlite3_value_text(values[1]));
	const struct probe_symbol *symbol =
		kernel ? probe_code_symbol(&code, kernel->address) : NULL;

	(void)count;
	if (symbol && symbol->size && symbol->address == kernel->address)
		sqlite3_result_int64(context, (sqlite3_int64)symbol->size);
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
	struct report_code *known = argument(context, values);
	struct probe_code code = report_code_view(known);
	const struct probe_kernel *kernel =
		probe_code_kernel_at(&code, (uint64_t)sqlite3_value_int64(values[1]), &function);

	(void)count;
	if (kernel)
		sqlite3_result_text(context, kernel_text(known, kernel), -1, sqlite3_free);
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
	struct probe_code code = report_code_view(known);
	const struct probe_kernel *kernel = probe_code_kernel_at(&code, address, &function);
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
	sites = code ? report_code_sites(code) : NULL;
	if (!sites || site < 0 || site >= sites->site_count)
		return;
	sqlite3_result_text(context,
			    probe_sites_member(sites, (uint32_t)site) ? "derived" : "measured", -1,
			    SQLITE_STATIC);
}

int report_code_functions_register(sqlite3 *db)
{
	static const struct {
		const char *name;
		void (*fn)(sqlite3_context *context, int count, sqlite3_value **values);
	} functions[] = {
		{"probe_basis", basis},
		{"probe_code_size", code_size},
		{"probe_line_at", line_at},
		{"probe_users_line_at", users_line_at},
		{"probe_approximate_at", approximate_at},
		{"probe_implicit", implicit},
		{"probe_kernel_at", kernel_at},
		{"probe_instruction_at", instruction_at},
		{"probe_comment_at", comment_at},
		{"probe_stack_at", stack_at},
		{"probe_position", position}, /* last: the cache goes with it */
	};
	const size_t last = sizeof(functions) / sizeof(*functions) - 1;
	struct report_code_cache *cache = report_code_cache_create(db);
	int rc = cache ? SQLITE_OK : SQLITE_NOMEM;

	for (size_t i = 0; i <= last && !rc; i++)
		rc = sqlite3_create_function_v2(
			db, functions[i].name, 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, cache,
			functions[i].fn, NULL, NULL, i == last ? report_code_cache_destroy : NULL);
	return rc ? rc : report_code_tables_register(db, cache);
}
