/* SPDX-License-Identifier: MIT */
#include "codeobj/dwarf_lines.h"

#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "codeobj/dwarf_units.h"
#include "codeobj/dwarf_unset_file.h"
#include "common/err.h"
#include "common/source_path.h"

/* No compiler writes a unit with more files than this. */
#define FILES_MAX 1000000u
/* Depth of nested namespaces. */
#define DEPTH_MAX 32

/* The line table of a unit, while it is read. */
struct line_reader {
	struct probe_dwarf_reader *dwarf;
	const struct probe_dwarf_sink *sink;
	/* By number in the unit: the sink's index + 1; 0 = not seen. */
	uint32_t *files;
	size_t file_capacity;
	const struct probe_dwarf_section *section; /* .debug_line */
	/* Rows of the unit that libdwarf puts into file 0 by mistake, and the current row. */
	struct probe_unset_file unset;
	char *first_file; /* the name of file 1; NULL: nothing is corrected */
	size_t sequence;
	uint32_t row;
};

static struct probe_err *grow_files(struct line_reader *reader, Dwarf_Unsigned number)
{
	size_t capacity = reader->file_capacity ? reader->file_capacity : 64;
	uint32_t *files;

	if (number < reader->file_capacity)
		return NULL;
	while (capacity <= number)
		capacity *= 2;
	files = realloc(reader->files, capacity * sizeof(*files));
	if (!files)
		return probe_err_oom();
	memset(files + reader->file_capacity, 0,
	       (capacity - reader->file_capacity) * sizeof(*files));
	reader->files = files;
	reader->file_capacity = capacity;
	return NULL;
}

/* dwarf_linesrc() joins names and directories, and allocates: once per file of a unit. */
static struct probe_err *file_of(struct line_reader *reader, Dwarf_Line line, uint32_t *ret)
{
	Dwarf_Unsigned number;
	Dwarf_Error error = NULL;
	struct probe_err *err;
	char *path;

	if (dwarf_line_srcfileno(line, &number, &error) != DW_DLV_OK)
		return probe_dwarf_damaged(reader->dwarf, "reading a file number", error);
	if (!number && reader->first_file && reader->sequence < reader->unset.count &&
	    reader->row < reader->unset.rows[reader->sequence])
		number = 1;
	if (number > FILES_MAX)
		return probe_err_at(reader->dwarf->name, PROBE_ERR_NO_OFFSET,
				    "damaged debug information: file number %llu",
				    (unsigned long long)number);
	err = grow_files(reader, number);
	if (err)
		return err;
	if (!reader->files[number] && number == 1 && reader->first_file) {
		err = reader->sink->file(reader->sink->user, reader->first_file, ret);
		if (err)
			return err;
		reader->files[number] = *ret + 1;
	} else if (!reader->files[number]) {
		if (dwarf_linesrc(line, &path, &error) != DW_DLV_OK)
			return probe_dwarf_damaged(reader->dwarf, "reading a file name", error);
		probe_source_path_clean(path);
		err = reader->sink->file(reader->sink->user, path, ret);
		dwarf_dealloc(reader->dwarf->dbg, path, DW_DLA_STRING);
		if (err)
			return err;
		reader->files[number] = *ret + 1;
	}
	*ret = reader->files[number] - 1;
	return NULL;
}

static struct probe_err *read_row(struct line_reader *reader, Dwarf_Line line)
{
	Dwarf_Unsigned number = 0, column = 0;
	Dwarf_Error error = NULL;
	struct probe_err *err;
	Dwarf_Addr address;
	Dwarf_Bool end;
	uint32_t file = 0;

	if (dwarf_lineaddr(line, &address, &error) != DW_DLV_OK ||
	    dwarf_lineendsequence(line, &end, &error) != DW_DLV_OK ||
	    dwarf_lineno(line, &number, &error) != DW_DLV_OK ||
	    dwarf_lineoff_b(line, &column, &error) != DW_DLV_OK)
		return probe_dwarf_damaged(reader->dwarf, "reading a line", error);
	if (!end) {
		err = file_of(reader, line, &file);
		if (err)
			return err;
	}
	reader->row = end ? 0 : reader->row + 1;
	reader->sequence += end;
	return reader->sink->row(reader->sink->user, address, file, number, column, end);
}

/* Find the rows before the first DW_LNS_set_file of the unit's table. */
static void find_unset_files(struct line_reader *reader, Dwarf_Die die)
{
	struct probe_dwarf_files files;
	Dwarf_Attribute attr;
	Dwarf_Off offset = 0;
	bool found;

	reader->sequence = 0;
	reader->row = 0;
	if (!probe_dwarf_ok(reader->dwarf,
			    dwarf_attr(die, DW_AT_stmt_list, &attr, &reader->dwarf->error)))
		return;
	found = probe_dwarf_ok(reader->dwarf,
			       dwarf_global_formref(attr, &offset, &reader->dwarf->error));
	dwarf_dealloc_attribute(attr);
	if (!found || !reader->section->bytes)
		return;
	probe_unset_file_read(reader->section->bytes, reader->section->size, offset,
			      &reader->unset);
	if (!reader->unset.count || !probe_dwarf_open_files(reader->dwarf, die, 5, &files))
		return;
	if (files.count > 1)
		reader->first_file = strdup(files.names[1]);
	probe_dwarf_close_files(reader->dwarf, &files);
}

static void forget_unset_files(struct line_reader *reader)
{
	probe_unset_file_deinit(&reader->unset);
	free(reader->first_file);
	reader->first_file = NULL;
}

static struct probe_err *read_unit(struct line_reader *reader, Dwarf_Die die)
{
	Dwarf_Line_Context context = NULL;
	Dwarf_Unsigned version;
	Dwarf_Small tables;
	Dwarf_Error error = NULL;
	struct probe_err *err = NULL;
	Dwarf_Signed count;
	Dwarf_Line *lines;
	int result;

	result = dwarf_srclines_b(die, &version, &tables, &context, &error);
	if (result == DW_DLV_NO_ENTRY)
		return NULL;
	if (result != DW_DLV_OK)
		return probe_dwarf_damaged(reader->dwarf, "reading a line table", error);
	if (!probe_dwarf_files_sound(reader->dwarf, version, context)) {
		dwarf_srclines_dealloc_b(context);
		return probe_err_at(reader->dwarf->name, PROBE_ERR_NO_OFFSET,
				    "damaged debug information: a file in no directory");
	}
	find_unset_files(reader, die);
	if (dwarf_srclines_from_linecontext(context, &lines, &count, &error) != DW_DLV_OK) {
		err = probe_dwarf_damaged(reader->dwarf, "decoding a line table", error);
	} else {
		if (reader->files)
			memset(reader->files, 0, reader->file_capacity * sizeof(*reader->files));
		for (Dwarf_Signed i = 0; i < count && !err; i++)
			err = read_row(reader, lines[i]);
	}
	forget_unset_files(reader);
	dwarf_srclines_dealloc_b(context);
	return err;
}

/* ---- Functions: those that cannot be read are left out; the line table does not need them. --- */

static bool declared_at(struct line_reader *reader, Dwarf_Die die, unsigned chain,
			Dwarf_Unsigned *file, Dwarf_Unsigned *line)
{
	Dwarf_Die next;
	bool found;

	if (probe_dwarf_number(reader->dwarf, die, DW_AT_decl_line, line) &&
	    probe_dwarf_number(reader->dwarf, die, DW_AT_decl_file, file))
		return true;
	next = chain < PROBE_DWARF_CHAIN_MAX ? probe_dwarf_origin(reader->dwarf, die) : NULL;
	if (!next)
		return false;
	found = declared_at(reader, next, chain + 1, file, line);
	dwarf_dealloc_die(next);
	return found;
}

static struct probe_err *read_function(struct line_reader *reader, Dwarf_Die die,
				       const struct probe_dwarf_files *files)
{
	Dwarf_Unsigned file, line;
	struct probe_err *err;
	Dwarf_Addr address;
	uint32_t index;

	if (!probe_dwarf_ok(reader->dwarf, dwarf_lowpc(die, &address, &reader->dwarf->error)) ||
	    !declared_at(reader, die, 0, &file, &line))
		return NULL;
	if (file < (Dwarf_Unsigned)files->first ||
	    file - (Dwarf_Unsigned)files->first >= (Dwarf_Unsigned)files->count)
		return NULL;
	err = reader->sink->file(reader->sink->user,
				 files->names[file - (Dwarf_Unsigned)files->first], &index);
	if (err)
		return err;
	return reader->sink->function(reader->sink->user, address, index, line);
}

static struct probe_err *read_children(struct line_reader *reader, Dwarf_Die parent, unsigned depth,
				       const struct probe_dwarf_files *files)
{
	struct probe_err *err = NULL;
	Dwarf_Die die, next;
	Dwarf_Half tag;

	if (depth > DEPTH_MAX ||
	    !probe_dwarf_ok(reader->dwarf, dwarf_child(parent, &die, &reader->dwarf->error)))
		return NULL;
	while (die && !err) {
		if (!probe_dwarf_ok(reader->dwarf, dwarf_tag(die, &tag, &reader->dwarf->error)))
			tag = 0;
		if (tag == DW_TAG_subprogram)
			err = read_function(reader, die, files);
		else if (tag == DW_TAG_namespace)
			err = read_children(reader, die, depth + 1, files);
		if (!probe_dwarf_ok(reader->dwarf, dwarf_siblingof_b(reader->dwarf->dbg, die, 1,
								     &next, &reader->dwarf->error)))
			next = NULL;
		dwarf_dealloc_die(die);
		die = next;
	}
	if (die)
		dwarf_dealloc_die(die);
	return err;
}

static struct probe_err *read_functions(struct line_reader *reader, Dwarf_Die die,
					Dwarf_Half version)
{
	struct probe_dwarf_files files;
	struct probe_err *err;

	if (!probe_dwarf_open_files(reader->dwarf, die, version, &files))
		return NULL;
	err = read_children(reader, die, 0, &files);
	probe_dwarf_close_files(reader->dwarf, &files);
	return err;
}

static struct probe_err *read_all_of_unit(struct probe_dwarf_reader *dwarf, Dwarf_Die die,
					  Dwarf_Half version, void *user)
{
	struct line_reader *reader = user;
	struct probe_err *err;

	reader->dwarf = dwarf;
	err = read_unit(reader, die);
	return err ? err : read_functions(reader, die, version);
}

struct probe_err *probe_dwarf_lines(const char *name,
				    const struct probe_dwarf_section sections[PROBE_DWARF_SECTIONS],
				    const struct probe_dwarf_sink *sink)
{
	struct probe_dwarf_reader dwarf = {.name = name};
	struct line_reader reader = {.sink = sink, .section = &sections[PROBE_DWARF_LINE]};
	struct probe_err *err = probe_dwarf_read(&dwarf, sections, read_all_of_unit, &reader);

	free(reader.files);
	return err;
}
