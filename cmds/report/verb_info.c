/* SPDX-License-Identifier: MIT */
/*
 * probe-report info: describes a file - a database, a code object, or a program that contains code
 * objects.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmds/report/accounting_text.h"
#include "cmds/report/escape.h"
#include "cmds/report/report_db.h"
#include "cmds/report/terminal_text.h"
#include "cmds/report/verb_table.h"
#include "codeobj/bundle.h"
#include "codeobj/inspect.h"
#include "codeobj/digest.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/selection.h"

/* ---- One code object ------------------------------------------------------------------------- */

struct origin {
	const char *name;  /* shown to the user */
	const char *entry; /* entry id in a bundle, "" if none */
	uint64_t offset;
	const void *bytes;
	size_t size;
};

static const struct probe_site_kernel *site_kernel(const struct probe_codeobj *codeobj,
						   const char *symbol)
{
	return codeobj->sites ? probe_sites_kernel(codeobj->sites, symbol) : NULL;
}

static const char *position(const struct probe_codeobj *codeobj, const struct probe_kernel *kernel,
			    uint32_t *line)
{
	const struct probe_function *function =
		codeobj->lines ? probe_lines_function(codeobj->lines, kernel->address) : NULL;

	*line = function ? function->line : 0;
	return function ? codeobj->lines->files[function->file] : NULL;
}

/* Bit set of kinds for which clones of the kernel exist: "memory trace". */
static unsigned clone_kinds(const struct probe_codeobj *codeobj, size_t original)
{
	unsigned kinds = 0;

	for (size_t i = 0; i < codeobj->kernels->count; i++)
		if (codeobj->kernels->kernels[i].kind &&
		    codeobj->kernels->kernels[i].original == original)
			kinds |= 1u << codeobj->kernels->kernels[i].kind;
	return kinds;
}

static void print_error(const struct report *report, const char *what, const struct probe_err *err)
{
	char text[512];

	if (!err)
		return;
	probe_err_format(err, text, sizeof(text));
	printf("  %s%s: ", report_red(report), what);
	report_put(text);
	printf("%s\n", report_plain(report));
}

static void print_kernel(const struct probe_codeobj *codeobj, size_t index)
{
	const struct probe_kernel *kernel = &codeobj->kernels->kernels[index];
	const struct probe_site_kernel *sites = site_kernel(codeobj, kernel->symbol);
	unsigned kinds = clone_kinds(codeobj, index);
	const char *file, *between = "; clones: ";
	uint32_t line;

	fputs("  kernel ", stdout);
	report_put(kernel->name);
	file = position(codeobj, kernel, &line);
	if (file) {
		fputs(" at ", stdout);
		report_put(file);
		printf(":%u", line);
	}
	printf("\n    wave%u, %u vgprs, %u agprs, %u sgprs, %u B LDS, %u B scratch, %u B arguments",
	       kernel->wave_size, kernel->vgprs, kernel->agprs, kernel->sgprs, kernel->group_size,
	       kernel->private_size, kernel->kernarg_size);
	for (int kind = 1; kind < PROBE_KINDS; kind++) {
		if (!(kinds >> kind & 1))
			continue;
		printf("%s%s", between, probe_kind_name((enum probe_kind)kind));
		between = ", ";
	}
	printf("%s", kinds ? "" : "; no clones");
	if (sites)
		printf("; %u sites", sites->site_count);
	putchar('\n');
}

static void print_uncovered(const struct probe_sites *sites, uint32_t i)
{
	const struct probe_site_uncovered *row = &sites->uncovered_list[i];

	printf("  not covered: ");
	report_put(row->line ? probe_sites_string(sites, row->file) : "(no line)");
	if (row->line)
		printf(":%u:%u", row->line, row->column);
	printf(": ");
	report_put(probe_sites_string(sites, row->what));
	printf(" in ");
	report_put(probe_sites_string(sites, row->function));
	printf(": %s\n", probe_uncovered_text(row->reason));
}

static void print_codeobj(const struct report *report, const struct origin *origin,
			  const struct probe_codeobj *codeobj)
{
	char hash[PROBE_SHA256_HEX];

	probe_sha256_hex(origin->bytes, origin->size, hash);
	printf("%scode object ", report_bold(report));
	report_put(*origin->entry ? origin->entry : origin->name);
	printf("%s: target ", report_plain(report));
	report_put(codeobj->target);
	printf(", %zu bytes at offset %llu\n  sha256 %s\n", origin->size,
	       (unsigned long long)origin->offset, hash);
	if (codeobj->sites)
		printf("  site table: %u sites, %u kernels; %u accesses that no probe covers\n",
		       codeobj->sites->site_count, codeobj->sites->kernel_count,
		       codeobj->sites->uncovered);
	if (codeobj->sites && codeobj->sites->code_before)
		printf("  code: %u IR instructions, and %u in clones\n",
		       codeobj->sites->code_before, codeobj->sites->code_after);
	for (uint32_t i = 0; codeobj->sites && i < codeobj->sites->uncovered_count; i++)
		print_uncovered(codeobj->sites, i);
	if (!codeobj->sites && !codeobj->sites_err)
		puts("  no site table: not compiled with the plugin");
	print_error(report, "site table unreadable", codeobj->sites_err);
	print_error(report, "kernels unreadable", codeobj->kernels_err);
	print_error(report, "lines unreadable", codeobj->lines_err);
	if (codeobj->lines)
		printf("  line table: %zu rows, %u files\n", codeobj->lines->count,
		       codeobj->lines->file_count);
	else if (!codeobj->lines_err)
		puts("  no line table: compiled without -g");
	for (size_t i = 0; codeobj->kernels && i < codeobj->kernels->count; i++)
		if (!codeobj->kernels->kernels[i].kind ||
		    codeobj->kernels->kernels[i].original == i)
			print_kernel(codeobj, i);
}

static void json_error(struct report_json *json, const char *key, const struct probe_err *err)
{
	char text[512];

	report_json_key(json, key);
	probe_err_format(err, text, sizeof(text));
	report_json_text(json, err ? text : NULL);
}

static void json_kernel(struct report_json *json, const struct probe_codeobj *codeobj, size_t index)
{
	const struct probe_kernel *kernel = &codeobj->kernels->kernels[index];
	const struct probe_site_kernel *sites = site_kernel(codeobj, kernel->symbol);
	const struct {
		const char *key;
		uint32_t value;
	} numbers[] = {
		{"wave_size", kernel->wave_size},
		{"vgprs", kernel->vgprs},
		{"agprs", kernel->agprs},
		{"sgprs", kernel->sgprs},
		{"lds", kernel->group_size},
		{"scratch", kernel->private_size},
		{"arguments", kernel->kernarg_size},
		{"sites", sites ? sites->site_count : 0},
	};
	unsigned kinds = clone_kinds(codeobj, index);
	uint32_t line;

	report_json_open(json, '{');
	report_json_member(json, "kernel", kernel->name);
	report_json_member(json, "symbol", kernel->symbol);
	report_json_member(json, "file", position(codeobj, kernel, &line));
	report_json_int_member(json, "line", line);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		report_json_int_member(json, numbers[i].key, numbers[i].value);
	}
	report_json_key(json, "clones");
	report_json_open(json, '[');
	for (int kind = 1; kind < PROBE_KINDS; kind++)
		if (kinds >> kind & 1)
			report_json_text(json, probe_kind_name((enum probe_kind)kind));
	report_json_close(json, ']');
	report_json_close(json, '}');
}

static void json_codeobj(struct report_json *json, const struct origin *origin,
			 const struct probe_codeobj *codeobj)
{
	char hash[PROBE_SHA256_HEX];

	probe_sha256_hex(origin->bytes, origin->size, hash);
	report_json_open(json, '{');
	report_json_member(json, "file", origin->name);
	report_json_member(json, "entry", origin->entry);
	report_json_member(json, "target", codeobj->target);
	report_json_int_member(json, "offset", (int64_t)origin->offset);
	report_json_int_member(json, "bytes", (int64_t)origin->size);
	report_json_member(json, "sha256", hash);
	report_json_int_member(json, "sites", codeobj->sites ? codeobj->sites->site_count : 0);
	report_json_int_member(json, "uncovered", codeobj->sites ? codeobj->sites->uncovered : 0);
	report_json_int_member(json, "line_rows",
			       codeobj->lines ? (int64_t)codeobj->lines->count : 0);
	json_error(json, "sites_error", codeobj->sites_err);
	json_error(json, "kernels_error", codeobj->kernels_err);
	json_error(json, "lines_error", codeobj->lines_err);
	report_json_key(json, "kernels");
	report_json_open(json, '[');
	for (size_t i = 0; codeobj->kernels && i < codeobj->kernels->count; i++)
		if (!codeobj->kernels->kernels[i].kind ||
		    codeobj->kernels->kernels[i].original == i)
			json_kernel(json, codeobj, i);
	report_json_close(json, ']');
	report_json_close(json, '}');
}

/* One array over all files. */
static struct report_json info_json;

/* A part that cannot be read is reported; the command then fails at the end. */
static struct probe_err *print_one(const struct report *report, const struct origin *origin,
				   bool *damaged)
{
	PROBE_AUTO(probe_codeobj_release) struct probe_codeobj *codeobj = NULL;
	struct probe_err *err;

	err = probe_codeobj_inspect(
		origin->name, origin->bytes, origin->size,
		PROBE_INSPECT_SITES | PROBE_INSPECT_KERNELS | PROBE_INSPECT_LINES, &codeobj);
	if (err)
		return err;
	if (report->format == REPORT_JSON)
		json_codeobj(&info_json, origin, codeobj);
	else
		print_codeobj(report, origin, codeobj);
	*damaged |= codeobj->sites_err || codeobj->kernels_err || codeobj->lines_err;
	return NULL;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static struct probe_err *print_file(const struct report *report, const char *path,
				    const uint8_t *bytes, size_t size)
{
	PROBE_AUTO(probe_bundle_release) struct probe_bundle *bundle = NULL;
	struct probe_err *err = probe_bundle_find(path, bytes, size, &bundle);
	bool damaged = false;

	if (err)
		return err;
	if (!bundle->count)
		return probe_err_create("%s: no AMDGPU code objects in it", path);
	for (size_t i = 0; i < bundle->count; i++) {
		struct origin origin = {
			.name = path,
			.entry = bundle->entries[i].id,
			.offset = bundle->entries[i].offset,
			.bytes = bytes + bundle->entries[i].offset,
			.size = bundle->entries[i].size,
		};

		err = print_one(report, &origin, &damaged);
		if (err)
			return err;
	}
	if (damaged)
		return probe_err_create("%s: parts of it could not be read (see above)", path);
	return NULL;
}

static void print_pair(sqlite3_stmt *stmt)
{
	fputs("  ", stdout);
	report_put(report_cell(stmt, 0));
	fputs(": ", stdout);
	report_put(report_cell(stmt, 1));
	putchar('\n');
}

static struct probe_err *print_pairs(const struct report *report, const struct report_db *db,
				     const char *title, const char *sql)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err = report_prepare_sql(db, sql, &stmt);
	bool any = false;

	if (err)
		return err;
	while (report_next(db, stmt, &err)) {
		if (!any)
			printf("%s%s%s\n", report_bold(report), title, report_plain(report));
		any = true;
		print_pair(stmt);
	}
	return err;
}

/* One row of the query below. */
static struct probe_err *print_stored_object(const struct report *report, sqlite3_stmt *stmt,
					     bool *damaged)
{
	REPORT_AUTO_SQL char *name =
		sqlite3_mprintf("%s (%s)", report_cell(stmt, 0), report_cell(stmt, 2));
	struct origin origin = {
		.name = name,
		.entry = "",
		.bytes = sqlite3_column_blob(stmt, 1),
		.size = (size_t)sqlite3_column_bytes(stmt, 1),
	};

	if (!name)
		return probe_err_oom();
	return origin.size ? print_one(report, &origin, damaged) : NULL;
}

static struct probe_err *print_stored_objects(const struct report *report,
					      const struct report_db *db)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err;
	bool damaged = false;

	err = report_prepare_sql(db,
				 "SELECT c.code_object_id, c.bytes, coalesce(o.uri, '') "
				 "FROM probe_code c LEFT JOIN rocpd_info_code_object o "
				 "ON o.id = c.code_object_id ORDER BY c.code_object_id",
				 &stmt);
	if (err)
		return err;
	while (report_next(db, stmt, &err)) {
		err = print_stored_object(report, stmt, &damaged);
		if (err)
			return err;
	}
	if (err || !damaged)
		return err;
	return probe_err_create("%s: parts of its code objects could not be read (see above)",
				db->path);
}

static struct probe_err *print_run(const struct report *report, const struct report_db *db)
{
	static const struct {
		const char *title, *sql;
	} lists[] = {
		{"run", "SELECT key, value FROM probe_run ORDER BY key"},
		{"agents", "SELECT absolute_index, type || ' ' || name || ' (' || "
			   "product_name || ')' FROM rocpd_info_agent ORDER BY id"},
		{"tables of handlers", "SELECT name, 'handler table' FROM sqlite_schema WHERE "
				       "type = 'table' AND name LIKE 'probe\\_%\\_%' ESCAPE '\\' "
				       "ORDER BY name"},
	};
	struct probe_err *err = report_head(report, db);

	if (err)
		return err;
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		err = print_pairs(report, db, lists[i].title, lists[i].sql);
		if (err)
			return err;
	}
	return report_account(report, db);
}

static struct probe_err *print_database(const struct report *report, const char *path)
{
	REPORT_AUTO_DB struct report_db db = {0};
	struct probe_err *err = report_db_open(report, path, &db);

	if (err)
		return err;
	if (report->format != REPORT_JSON) {
		err = print_run(report, &db);
		if (err)
			return err;
	}
	return print_stored_objects(report, &db);
}

struct mapped_file {
	const uint8_t *bytes;
	size_t size;
};

static void mapped_file_deinit(struct mapped_file *file)
{
	if (file->bytes)
		munmap((void *)file->bytes, file->size);
}

static struct probe_err *map_file(const char *path, struct mapped_file *ret)
{
	PROBE_AUTO_CLOSE int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat st;
	void *map;

	if (fd < 0)
		return probe_err_create("cannot open %s: %s", path, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return probe_err_create("%s is %s", path,
					S_ISREG(st.st_mode) ? "an empty file"
							    : "not a regular file");
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return probe_err_create("cannot read %s: %s", path, strerror(errno));
	*ret = (struct mapped_file){.bytes = map, .size = (size_t)st.st_size};
	return NULL;
}

static struct probe_err *show(const struct report *report, struct report_db *db, bool first,
			      bool last)
{
	static const char sqlite_magic[] = "SQLite format 3";
	PROBE_AUTO(mapped_file_deinit) struct mapped_file file = {0};
	bool json = report->format == REPORT_JSON;
	struct probe_err *err;

	if (json && first) {
		info_json = (struct report_json){.out = stdout, .compact = true};
		report_json_open(&info_json, '[');
	}
	err = map_file(db->path, &file);
	if (err)
		return err;
	if (file.size >= sizeof(sqlite_magic) &&
	    !memcmp(file.bytes, sqlite_magic, sizeof(sqlite_magic)))
		err = print_database(report, db->path);
	else
		err = print_file(report, db->path, file.bytes, file.size);
	if (err)
		return err;
	if (json && last)
		report_json_close(&info_json, ']');
	return NULL;
}

const struct report_verb report_verb_info = {
	.name = "info",
	.help = "what is in a database, a code object or a program",
	.formats = 1 << REPORT_TABLE | 1 << REPORT_JSON,
	.input = REPORT_ANY_FILES,
	.show = show,
};
