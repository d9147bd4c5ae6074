/* SPDX-License-Identifier: MIT */
/* libdwarf through its object-access interface, whose names differ between releases. */
#include "codeobj/dwarf_units.h"

#include <dwarf.h>

#include "common/err.h"
#include "common/memory_watch.h"
#include "common/source_path.h"

/* Release 20210528 (Debian 12), or 0.4 and later. CMakeLists.txt detects which. */
#ifdef PROBE_LIBDWARF_2021
#define MEMBER(prefix, name) name
typedef Dwarf_Half section_number;
typedef Dwarf_Endianness byte_order_number;
typedef Dwarf_Obj_Access_Section access_section;
typedef Dwarf_Obj_Access_Methods access_methods;
typedef Dwarf_Obj_Access_Interface access_interface;
#else
#define MEMBER(prefix, name) prefix##_##name
#define DW_OBJECT_LSB	     DW_END_little
typedef Dwarf_Unsigned section_number;
typedef Dwarf_Small byte_order_number;
typedef Dwarf_Obj_Access_Section_a access_section;
typedef Dwarf_Obj_Access_Methods_a access_methods;
typedef Dwarf_Obj_Access_Interface_a access_interface;
#endif

struct object {
	const struct probe_dwarf_section *sections;
};

/* Section 0 is the null section of ELF; ours follow. */
static int section_info(void *user, section_number index, access_section *ret, int *error)
{
	const struct object *object = user;

	(void)error;
	*ret = (access_section){.MEMBER(as, name) = ""};
	if (index > PROBE_DWARF_GIVEN)
		return DW_DLV_NO_ENTRY;
	if (index) {
		ret->MEMBER(as, name) = probe_dwarf_section_name((size_t)index - 1);
		ret->MEMBER(as, size) = object->sections[index - 1].size;
		ret->MEMBER(as, type) = 1; /* SHT_PROGBITS */
	}
	return DW_DLV_OK;
}

static int section_load(void *user, section_number index, Dwarf_Small **ret, int *error)
{
	const struct object *object = user;

	(void)error;
	if (!index || index > PROBE_DWARF_GIVEN || !object->sections[index - 1].bytes)
		return DW_DLV_NO_ENTRY;
	*ret = (Dwarf_Small *)object->sections[index - 1].bytes;
	return DW_DLV_OK;
}

static byte_order_number byte_order(void *user)
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
	return PROBE_DWARF_GIVEN + 1;
}

#ifndef PROBE_LIBDWARF_2021
/* An upper bound of the sizes of sections. */
static Dwarf_Unsigned file_size(void *user)
{
	const struct object *object = user;
	Dwarf_Unsigned size = 0;

	for (size_t i = 0; i < PROBE_DWARF_GIVEN; i++)
		size += object->sections[i].size;
	return size;
}
#endif

static const access_methods methods = {
	.MEMBER(om, get_section_info) = section_info,
	.MEMBER(om, get_byte_order) = byte_order,
	.MEMBER(om, get_length_size) = length_size,
	.MEMBER(om, get_pointer_size) = pointer_size,
	.MEMBER(om, get_section_count) = section_count,
	.MEMBER(om, load_section) = section_load,
#ifndef PROBE_LIBDWARF_2021
	.om_get_filesize = file_size,
#endif
};

struct probe_err *probe_dwarf_damaged(struct probe_dwarf_reader *reader, const char *doing,
				      Dwarf_Error error)
{
	struct probe_err *err;

	err = probe_err_at(reader->name, PROBE_ERR_NO_OFFSET, "damaged debug information: %s: %s",
			   doing, error ? dwarf_errmsg(error) : "nothing there");
	/* The only allocation whose size no file decides. */
	if (error && dwarf_errno(error) == DW_DLE_DBG_ALLOC)
		probe_memory_note_failure();
	if (error)
		dwarf_dealloc_error(reader->dbg, error);
	return err;
}

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

bool probe_dwarf_files_sound(struct probe_dwarf_reader *reader, Dwarf_Unsigned version,
			     Dwarf_Line_Context context)
{
	Dwarf_Signed base = 0, count = 0, end = 0, directories = 0;

	if (version < 5)
		return true;
	if (!probe_dwarf_ok(reader, dwarf_srclines_files_indexes(context, &base, &count, &end,
								 &reader->error)) ||
	    !probe_dwarf_ok(reader, dwarf_srclines_include_dir_count(context, &directories,
								     &reader->error)))
		return false;
	for (Dwarf_Signed i = base; i < end; i++) {
		Dwarf_Unsigned directory, modified, length;
		Dwarf_Form_Data16 *md5 = NULL;
		const char *name;

		if (!probe_dwarf_ok(reader, dwarf_srclines_files_data_b(
						    context, i, &name, &directory, &modified,
						    &length, &md5, &reader->error)) ||
		    directory >= (Dwarf_Unsigned)directories)
			return false;
	}
	return true;
}

/* The same of the unit's table. */
static bool unit_files_sound(struct probe_dwarf_reader *reader, Dwarf_Die die)
{
	Dwarf_Line_Context context = NULL;
	Dwarf_Unsigned version;
	Dwarf_Small tables;
	bool ret;

	if (!probe_dwarf_ok(reader,
			    dwarf_srclines_b(die, &version, &tables, &context, &reader->error)))
		return false;
	ret = probe_dwarf_files_sound(reader, version, context);
	dwarf_srclines_dealloc_b(context);
	return ret;
}

bool probe_dwarf_open_files(struct probe_dwarf_reader *reader, Dwarf_Die die, Dwarf_Half version,
			    struct probe_dwarf_files *ret)
{
	struct probe_dwarf_files files = {.first = version >= 5 ? 0 : 1};

	if (!unit_files_sound(reader, die) ||
	    !probe_dwarf_ok(reader,
			    dwarf_srcfiles(die, &files.names, &files.count, &reader->error)))
		return false;
	for (Dwarf_Signed i = 0; i < files.count; i++)
		probe_source_path_clean(files.names[i]);
	*ret = files;
	return true;
}

void probe_dwarf_close_files(struct probe_dwarf_reader *reader, struct probe_dwarf_files *files)
{
	for (Dwarf_Signed i = 0; i < files->count; i++)
		dwarf_dealloc(reader->dbg, files->names[i], DW_DLA_STRING);
	dwarf_dealloc(reader->dbg, files->names, DW_DLA_LIST);
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
			return probe_dwarf_damaged(reader, "reading a unit", error);
		result = dwarf_siblingof_b(reader->dbg, NULL, 1, &die, &error);
		if (result == DW_DLV_NO_ENTRY)
			continue;
		if (result != DW_DLV_OK)
			return probe_dwarf_damaged(reader, "reading a unit's first entry", error);
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
	access_interface interface = {.MEMBER(ai, object) = &object,
				      .MEMBER(ai, methods) = &methods};
	Dwarf_Error error = NULL;
	struct probe_err *err;
	int result;

	if (!sections[PROBE_DWARF_INFO].bytes || !sections[PROBE_DWARF_LINE].bytes)
		return NULL;
	result = dwarf_object_init_b(&interface, NULL, NULL, DW_GROUPNUMBER_ANY, &reader->dbg,
				     &error);
	if (result == DW_DLV_NO_ENTRY)
		return NULL;
	if (result != DW_DLV_OK)
		return probe_dwarf_damaged(reader, "opening it", error);
	err = each_unit(reader, fn, user);
#ifdef PROBE_LIBDWARF_2021
	error = NULL;
	dwarf_object_finish(reader->dbg, &error);
#else
	dwarf_object_finish(reader->dbg);
#endif
	return err;
}

void probe_dwarf_never_free(void)
{
	dwarf_set_de_alloc_flag(0);
}
