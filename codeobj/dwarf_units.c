/* SPDX-License-Identifier: MIT */
/*
 * libdwarf 20210528 through its object-access interface. Later releases (0.x) rename the interface
 * types and drop arguments: supporting them changes this file and the calls in dwarf_lines.c and
 * dwarf_inlines.c. CMakeLists.txt refuses them until then.
 */
#include "codeobj/dwarf_units.h"

#include <dwarf.h>

#include "common/err.h"

struct object {
	const struct probe_dwarf_section *sections;
};

/* Section 0 is the null section of ELF; ours follow. */
static int section_info(void *user, Dwarf_Half index, Dwarf_Obj_Access_Section *ret, int *error)
{
	const struct object *object = user;

	(void)error;
	*ret = (Dwarf_Obj_Access_Section){.name = ""};
	if (index > PROBE_DWARF_GIVEN)
		return DW_DLV_NO_ENTRY;
	if (index) {
		ret->name = probe_dwarf_section_name(index - 1);
		ret->size = object->sections[index - 1].size;
		ret->type = 1; /* SHT_PROGBITS */
	}
	return DW_DLV_OK;
}

static int section_load(void *user, Dwarf_Half index, Dwarf_Small **ret, int *error)
{
	const struct object *object = user;

	(void)error;
	if (!index || index > PROBE_DWARF_GIVEN || !object->sections[index - 1].bytes)
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
	return PROBE_DWARF_GIVEN + 1;
}

static const Dwarf_Obj_Access_Methods methods = {
	.get_section_info = section_info,
	.get_byte_order = byte_order,
	.get_length_size = length_size,
	.get_pointer_size = pointer_size,
	.get_section_count = section_count,
	.load_section = section_load,
};

struct probe_err *probe_dwarf_damaged(struct probe_dwarf_reader *reader, const char *doing,
				      Dwarf_Error error)
{
	struct probe_err *err;

	err = probe_err_at(reader->name, PROBE_ERR_NO_OFFSET, "damaged debug information: %s: %s",
			   doing, error ? dwarf_errmsg(error) : "nothing there");
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
	Dwarf_Obj_Access_Interface interface = {.object = &object, .methods = &methods};
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
	error = NULL;
	dwarf_object_finish(reader->dbg, &error);
	return err;
}

void probe_dwarf_never_free(void)
{
	dwarf_set_de_alloc_flag(0);
}
