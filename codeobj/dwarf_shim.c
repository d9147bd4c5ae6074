/* SPDX-License-Identifier: MIT */
/*
 * libdwarf 20210528 through its object-access interface; see dwarf_shim.h. Later releases (0.x)
 * rename the interface types and drop arguments: adding them means changing this file only, and
 * CMakeLists.txt refuses them until then.
 */
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "codeobj/dwarf_shim_priv.h"
#include "common/err.h"

const char *const probe_dwarf_section_names[PROBE_DWARF_SECTIONS] = {
	".debug_info", ".debug_abbrev",	  ".debug_line",
	".debug_str",  ".debug_line_str", ".debug_str_offsets",
	".debug_addr", ".debug_ranges",	  ".debug_rnglists",
};

/* A unit with more files than this is not a compiler's. */
#define FILES_MAX 1000000u
/* Namespaces in namespaces. */
#define DEPTH_MAX 32

struct object {
	const struct probe_dwarf_section *sections;
};

/* Section 0 is ELF's null section; ours follow. */
static int section_info(void *user, Dwarf_Half index, Dwarf_Obj_Access_Section *ret, int *error)
{
	const struct object *object = user;

	(void)error;
	*ret = (Dwarf_Obj_Access_Section){.name = ""};
	if (index > PROBE_DWARF_OFFERED)
		return DW_DLV_NO_ENTRY;
	if (index) {
		ret->name = probe_dwarf_section_names[index - 1];
		ret->size = object->sections[index - 1].size;
		ret->type = 1; /* SHT_PROGBITS */
	}
	return DW_DLV_OK;
}

static int section_load(void *user, Dwarf_Half index, Dwarf_Small **ret, int *error)
{
	const struct object *object = user;

	(void)error;
	if (!index || index > PROBE_DWARF_OFFERED || !object->sections[index - 1].bytes)
		return DW_DLV_NO_ENTRY;
	*ret = (Dwarf_Small *)object->sections[index - 1].bytes;
	return DW_DLV_OK;
}

static Dwarf_Endianness byte_order(void *user)
{
	(void)user;
	return DW_OBJECT_LSB;
}

static Dwarf_Small length_size(void *user)
{
	(void)user;
	return 4;
}

static Dwarf_Small pointer_size(void *user)
{
	(void)user;
	return 8;
}

static Dwarf_Unsigned section_count(void *user)
{
	(void)user;
	return PROBE_DWARF_OFFERED + 1;
}

static const Dwarf_Obj_Access_Methods methods = {
	.get_section_info = section_info,
	.get_byte_order = byte_order,
	.get_length_size = length_size,
	.get_pointer_size = pointer_size,
	.get_section_count = section_count,
	.load_section = section_load,
};

static struct probe_err *refuse(struct probe_dwarf_reader *reader, const char *doing,
				Dwarf_Error error)
{
	struct probe_err *err;

	err = probe_err_at(reader->name, PROBE_ERR_NO_OFFSET, "damaged debug information: %s: %s",
			   doing, error ? dwarf_errmsg(error) : "nothing there");
	if (error)
		dwarf_dealloc_error(reader->dbg, error);
	return err;
}

static struct probe_err *room_for_file(struct probe_dwarf_reader *reader, Dwarf_Unsigned number)
{
	size_t room = reader->file_room ? reader->file_room : 64;
	uint32_t *files;

	if (number < reader->file_room)
		return NULL;
	while (room <= number)
		room *= 2;
	files = realloc(reader->files, room * sizeof(*files));
	if (!files)
		return probe_err_oom();
	memset(files + reader->file_room, 0, (room - reader->file_room) * sizeof(*files));
	reader->files = files;
	reader->file_room = room;
	return NULL;
}

/* dwarf_linesrc() joins names and directories, and allocates: once per file of a unit. */
static struct probe_err *file_of(struct probe_dwarf_reader *reader, Dwarf_Line line, uint32_t *ret)
{
	Dwarf_Unsigned number;
	Dwarf_Error error = NULL;
	struct probe_err *err;
	char *path;

	if (dwarf_line_srcfileno(line, &number, &error) != DW_DLV_OK)
		return refuse(reader, "reading a file number", error);
	if (!number && reader->first_file && reader->sequence < reader->start.count &&
	    reader->row < reader->start.rows[reader->sequence])
		number = 1;
	if (number > FILES_MAX)
		return probe_err_at(reader->name, PROBE_ERR_NO_OFFSET,
				    "damaged debug information: file number %llu",
				    (unsigned long long)number);
	err = room_for_file(reader, number);
	if (err)
		return err;
	if (!reader->files[number] && number == 1 && reader->first_file) {
		err = reader->sink->file(reader->sink->user, reader->first_file, ret);
		if (err)
			return err;
		reader->files[number] = *ret + 1;
	} else if (!reader->files[number]) {
		if (dwarf_linesrc(line, &path, &error) != DW_DLV_OK)
			return refuse(reader, "reading a file name", error);
		err = reader->sink->file(reader->sink->user, path, ret);
		dwarf_dealloc(reader->dbg, path, DW_DLA_STRING);
		if (err)
			return err;
		reader->files[number] = *ret + 1;
	}
	*ret = reader->files[number] - 1;
	return NULL;
}

static struct probe_err *read_row(struct probe_dwarf_reader *reader, Dwarf_Line line)
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
		return refuse(reader, "reading a line", error);
	if (!end) {
		err = file_of(reader, line, &file);
		if (err)
			return err;
	}
	reader->row = end ? 0 : reader->row + 1;
	reader->sequence += end;
	return reader->sink->row(reader->sink->user, address, file, number, column, end);
}

/* Find out which rows of the unit's table are in front of its first DW_LNS_set_file. */
static void read_start(struct probe_dwarf_reader *reader, Dwarf_Die die)
{
	struct probe_dwarf_files files;
	Dwarf_Attribute attr;
	Dwarf_Off offset = 0;
	bool found;

	reader->sequence = 0;
	reader->row = 0;
	if (!probe_dwarf_ok(reader, dwarf_attr(die, DW_AT_stmt_list, &attr, &reader->error)))
		return;
	found = probe_dwarf_ok(reader, dwarf_global_formref(attr, &offset, &reader->error));
	dwarf_dealloc_attribute(attr);
	if (!found || !reader->line->bytes)
		return;
	probe_line_start_read(reader->line->bytes, reader->line->size, offset, &reader->start);
	if (!reader->start.count || !probe_dwarf_open_files(reader, die, 5, &files))
		return;
	if (files.count > 1)
		reader->first_file = strdup(files.names[1]);
	probe_dwarf_close_files(reader, &files);
}

static void forget_start(struct probe_dwarf_reader *reader)
{
	probe_line_start_deinit(&reader->start);
	free(reader->first_file);
	reader->first_file = NULL;
}

static struct probe_err *read_unit(struct probe_dwarf_reader *reader, Dwarf_Die die)
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
		return refuse(reader, "reading a line table", error);
	read_start(reader, die);
	if (dwarf_srclines_from_linecontext(context, &lines, &count, &error) != DW_DLV_OK) {
		err = refuse(reader, "decoding a line table", error);
	} else {
		if (reader->files)
			memset(reader->files, 0, reader->file_room * sizeof(*reader->files));
		for (Dwarf_Signed i = 0; i < count && !err; i++)
			err = read_row(reader, lines[i]);
	}
	forget_start(reader);
	dwarf_srclines_dealloc_b(context);
	return err;
}

/* ---- Functions: what cannot be read is left out, the line table does not depend on it. ------ */

bool probe_dwarf_ok(struct probe_dwarf_reader *reader, int result)
{
	if (result == DW_DLV_ERROR) {
		dwarf_dealloc_error(reader->dbg, reader->error);
		reader->error = NULL;
	}
	return result == DW_DLV_OK;
}

bool probe_dwarf_number(struct probe_dwarf_reader *reader, Dwarf_Die die, Dwarf_Half name,
			Dwarf_Unsigned *ret)
{
	Dwarf_Attribute attr;
	bool found;

	if (!probe_dwarf_ok(reader, dwarf_attr(die, name, &attr, &reader->error)))
		return false;
	found = probe_dwarf_ok(reader, dwarf_formudata(attr, ret, &reader->error));
	dwarf_dealloc_attribute(attr);
	return found;
}

/* The entry that an out-of-line function completes: its declaration or abstract origin. */
Dwarf_Die probe_dwarf_origin(struct probe_dwarf_reader *reader, Dwarf_Die die)
{
	static const Dwarf_Half names[] = {DW_AT_specification, DW_AT_abstract_origin};
	Dwarf_Attribute attr;
	Dwarf_Die next = NULL;
	Dwarf_Off offset;

	for (size_t i = 0; i < 2 && !next; i++) {
		if (!probe_dwarf_ok(reader, dwarf_attr(die, names[i], &attr, &reader->error)))
			continue;
		if (!probe_dwarf_ok(reader, dwarf_global_formref(attr, &offset, &reader->error)) ||
		    !probe_dwarf_ok(reader,
				    dwarf_offdie_b(reader->dbg, offset, 1, &next, &reader->error)))
			next = NULL;
		dwarf_dealloc_attribute(attr);
	}
	return next;
}

static bool declared_at(struct probe_dwarf_reader *reader, Dwarf_Die die, unsigned chain,
			Dwarf_Unsigned *file, Dwarf_Unsigned *line)
{
	Dwarf_Die next;
	bool found;

	if (probe_dwarf_number(reader, die, DW_AT_decl_line, line) &&
	    probe_dwarf_number(reader, die, DW_AT_decl_file, file))
		return true;
	next = chain < PROBE_DWARF_CHAIN_MAX ? probe_dwarf_origin(reader, die) : NULL;
	if (!next)
		return false;
	found = declared_at(reader, next, chain + 1, file, line);
	dwarf_dealloc_die(next);
	return found;
}

static struct probe_err *read_function(struct probe_dwarf_reader *reader, Dwarf_Die die,
				       const struct probe_dwarf_files *files)
{
	Dwarf_Unsigned file, line;
	struct probe_err *err;
	Dwarf_Addr address;
	uint32_t index;

	if (!probe_dwarf_ok(reader, dwarf_lowpc(die, &address, &reader->error)) ||
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

static struct probe_err *read_children(struct probe_dwarf_reader *reader, Dwarf_Die parent,
				       unsigned depth, const struct probe_dwarf_files *files)
{
	struct probe_err *err = NULL;
	Dwarf_Die die, next;
	Dwarf_Half tag;

	if (depth > DEPTH_MAX || !probe_dwarf_ok(reader, dwarf_child(parent, &die, &reader->error)))
		return NULL;
	while (die && !err) {
		if (!probe_dwarf_ok(reader, dwarf_tag(die, &tag, &reader->error)))
			tag = 0;
		if (tag == DW_TAG_subprogram)
			err = read_function(reader, die, files);
		else if (tag == DW_TAG_namespace)
			err = read_children(reader, die, depth + 1, files);
		if (!probe_dwarf_ok(reader,
				    dwarf_siblingof_b(reader->dbg, die, 1, &next, &reader->error)))
			next = NULL;
		dwarf_dealloc_die(die);
		die = next;
	}
	if (die)
		dwarf_dealloc_die(die);
	return err;
}

bool probe_dwarf_open_files(struct probe_dwarf_reader *reader, Dwarf_Die die, Dwarf_Half version,
			    struct probe_dwarf_files *ret)
{
	struct probe_dwarf_files files = {.first = version >= 5 ? 0 : 1};

	if (!probe_dwarf_ok(reader,
			    dwarf_srcfiles(die, &files.names, &files.count, &reader->error)))
		return false;
	*ret = files;
	return true;
}

void probe_dwarf_close_files(struct probe_dwarf_reader *reader, struct probe_dwarf_files *files)
{
	for (Dwarf_Signed i = 0; i < files->count; i++)
		dwarf_dealloc(reader->dbg, files->names[i], DW_DLA_STRING);
	dwarf_dealloc(reader->dbg, files->names, DW_DLA_LIST);
}

static struct probe_err *read_functions(struct probe_dwarf_reader *reader, Dwarf_Die die,
					Dwarf_Half version)
{
	struct probe_dwarf_files files;
	struct probe_err *err;

	if (!probe_dwarf_open_files(reader, die, version, &files))
		return NULL;
	err = read_children(reader, die, 0, &files);
	probe_dwarf_close_files(reader, &files);
	return err;
}

/* ---- All units ----------------------------------------------------------------------------- */

static struct probe_err *read_all_of_unit(struct probe_dwarf_reader *reader, Dwarf_Die die,
					  Dwarf_Half version, void *unused)
{
	struct probe_err *err = read_unit(reader, die);

	(void)unused;
	return err ? err : read_functions(reader, die, version);
}

static struct probe_err *each_unit(struct probe_dwarf_reader *reader, probe_dwarf_unit_fn fn,
				   void *user)
{
	for (;;) {
		Dwarf_Unsigned length, type_offset, next;
		Dwarf_Half version, address_size, offset_size, extension, unit_type;
		Dwarf_Off abbrev;
		Dwarf_Sig8 signature;
		Dwarf_Error error = NULL;
		struct probe_err *err;
		Dwarf_Die die;
		int result;

		result = dwarf_next_cu_header_d(reader->dbg, 1, &length, &version, &abbrev,
						&address_size, &offset_size, &extension, &signature,
						&type_offset, &next, &unit_type, &error);
		if (result == DW_DLV_NO_ENTRY)
			return NULL;
		if (result != DW_DLV_OK)
			return refuse(reader, "reading a unit", error);
		result = dwarf_siblingof_b(reader->dbg, NULL, 1, &die, &error);
		if (result == DW_DLV_NO_ENTRY)
			continue;
		if (result != DW_DLV_OK)
			return refuse(reader, "reading a unit's first entry", error);
		err = fn(reader, die, version, user);
		dwarf_dealloc_die(die);
		if (err)
			return err;
	}
}

struct probe_err *probe_dwarf_read(struct probe_dwarf_reader *reader,
				   const struct probe_dwarf_section sections[PROBE_DWARF_SECTIONS],
				   probe_dwarf_unit_fn fn, void *user)
{
	struct object object = {.sections = sections};
	Dwarf_Obj_Access_Interface interface = {.object = &object, .methods = &methods};
	Dwarf_Error error = NULL;
	struct probe_err *err;
	int result;

	if (!sections[0].bytes || !sections[2].bytes)
		return NULL;
	result = dwarf_object_init_b(&interface, NULL, NULL, DW_GROUPNUMBER_ANY, &reader->dbg,
				     &error);
	if (result == DW_DLV_NO_ENTRY)
		return NULL;
	if (result != DW_DLV_OK)
		return refuse(reader, "opening it", error);
	reader->line = &sections[2];
	err = each_unit(reader, fn, user);
	free(reader->files);
	error = NULL;
	dwarf_object_finish(reader->dbg, &error);
	return err;
}

struct probe_err *probe_dwarf_lines(const char *name,
				    const struct probe_dwarf_section sections[PROBE_DWARF_SECTIONS],
				    const struct probe_dwarf_sink *sink)
{
	struct probe_dwarf_reader reader = {.name = name, .sink = sink};

	return probe_dwarf_read(&reader, sections, read_all_of_unit, NULL);
}

void probe_dwarf_keep_nothing(void)
{
	dwarf_set_de_alloc_flag(0);
}
