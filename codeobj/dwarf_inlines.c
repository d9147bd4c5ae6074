/* SPDX-License-Identifier: MIT */
#include <dwarf.h>

#include "codeobj/dwarf_inlines.h"
#include "codeobj/dwarf_units.h"
#include "codeobj/range_lists.h"
#include "common/err.h"

/* Depth of nested blocks and inlined calls. */
#define DEPTH_MAX 256

struct walk {
	struct probe_dwarf_reader *reader;
	const struct probe_dwarf_scopes *scopes;
	const struct probe_dwarf_section *sections;
	const struct probe_dwarf_files *files;
	struct probe_range_unit unit;
	/* Of the entry whose ranges are being read. */
	uint32_t scope;
	unsigned depth;
	struct probe_err *err;
};

/* An offset into another section; 0 if there is none. */
static Dwarf_Off attr_offset(struct probe_dwarf_reader *reader, Dwarf_Die die, Dwarf_Half name)
{
	Dwarf_Attribute attr;
	Dwarf_Off offset = 0;

	if (!probe_dwarf_ok(reader, dwarf_attr(die, name, &attr, &reader->error)))
		return 0;
	if (!probe_dwarf_ok(reader, dwarf_global_formref(attr, &offset, &reader->error)))
		offset = 0;
	dwarf_dealloc_attribute(attr);
	return offset;
}

static bool add_range(void *user, uint64_t low, uint64_t high)
{
	struct walk *walk = user;

	walk->err = walk->scopes->range(walk->scopes->user, walk->scope, walk->depth, low, high);
	return !walk->err;
}

/* What DW_AT_ranges points to: an offset (DWARF 4, 5) or an index (5). */
static bool list_of(struct probe_dwarf_reader *reader, Dwarf_Die die, uint64_t *ret, bool *indexed)
{
	Dwarf_Attribute attr;
	Dwarf_Half form;
	Dwarf_Unsigned value = 0;
	Dwarf_Off offset = 0;
	bool found;

	if (!probe_dwarf_ok(reader, dwarf_attr(die, DW_AT_ranges, &attr, &reader->error)))
		return false;
	found = probe_dwarf_ok(reader, dwarf_whatform(attr, &form, &reader->error));
	*indexed = found && form == DW_FORM_rnglistx;
	if (found && *indexed)
		found = probe_dwarf_ok(reader, dwarf_formudata(attr, &value, &reader->error));
	else if (found)
		found = probe_dwarf_ok(reader, dwarf_global_formref(attr, &offset, &reader->error));
	*ret = *indexed ? value : offset;
	dwarf_dealloc_attribute(attr);
	return found;
}

/* low_pc alone is an entry point, no range. */
static bool bounds(struct probe_dwarf_reader *reader, Dwarf_Die die, Dwarf_Addr *low,
		   Dwarf_Addr *high)
{
	enum Dwarf_Form_Class class;
	Dwarf_Half form;

	if (!probe_dwarf_ok(reader, dwarf_lowpc(die, low, &reader->error)) ||
	    !probe_dwarf_ok(reader, dwarf_highpc_b(die, high, &form, &class, &reader->error)))
		return false;
	if (class == DW_FORM_CLASS_CONSTANT)
		*high += *low;
	return *low < *high;
}

static bool has_code(struct probe_dwarf_reader *reader, Dwarf_Die die)
{
	Dwarf_Addr low, high;
	Dwarf_Bool found;

	return bounds(reader, die, &low, &high) ||
	       (probe_dwarf_ok(reader, dwarf_hasattr(die, DW_AT_ranges, &found, &reader->error)) &&
		found);
}

static void read_ranges(struct walk *walk, Dwarf_Die die, uint32_t scope, unsigned depth)
{
	struct probe_dwarf_reader *reader = walk->reader;
	Dwarf_Addr low, high;
	uint64_t offset;
	bool indexed;

	walk->scope = scope;
	walk->depth = depth;
	if (bounds(reader, die, &low, &high))
		add_range(walk, low, high);
	else if (list_of(reader, die, &offset, &indexed))
		probe_ranges_read(&walk->unit, offset, indexed, add_range, walk);
}

static bool attr_text(struct probe_dwarf_reader *reader, Dwarf_Die die, Dwarf_Half name, char **ret)
{
	Dwarf_Attribute attr;
	bool found;

	if (!probe_dwarf_ok(reader, dwarf_attr(die, name, &attr, &reader->error)))
		return false;
	found = probe_dwarf_ok(reader, dwarf_formstring(attr, ret, &reader->error));
	dwarf_dealloc_attribute(attr);
	return found;
}

/* The text belongs to libdwarf's sections. */
static const char *function_name(struct probe_dwarf_reader *reader, Dwarf_Die die, unsigned chain)
{
	const char *ret = "";
	Dwarf_Die origin;
	char *text;

	if (attr_text(reader, die, DW_AT_linkage_name, &text) ||
	    attr_text(reader, die, DW_AT_MIPS_linkage_name, &text))
		return text;
	origin = chain < PROBE_DWARF_CHAIN_MAX ? probe_dwarf_origin(reader, die) : NULL;
	if (origin) {
		ret = function_name(reader, origin, chain + 1);
		dwarf_dealloc_die(origin);
	}
	if (!*ret && attr_text(reader, die, DW_AT_name, &text))
		return text;
	return ret;
}

/* DW_AT_artificial is at the declaration, not at the definition. */
static bool is_implicit(struct probe_dwarf_reader *reader, Dwarf_Die die, unsigned chain)
{
	Dwarf_Bool found = 0;
	Dwarf_Die origin;
	bool ret;

	if (probe_dwarf_ok(reader, dwarf_hasattr(die, DW_AT_artificial, &found, &reader->error)) &&
	    found)
		return true;
	origin = chain < PROBE_DWARF_CHAIN_MAX ? probe_dwarf_origin(reader, die) : NULL;
	if (!origin)
		return false;
	ret = is_implicit(reader, origin, chain + 1);
	dwarf_dealloc_die(origin);
	return ret;
}

static const char *call_file(struct walk *walk, Dwarf_Die die)
{
	const struct probe_dwarf_files *files = walk->files;
	Dwarf_Unsigned file;

	if (!probe_dwarf_number(walk->reader, die, DW_AT_call_file, &file) ||
	    file < (Dwarf_Unsigned)files->first ||
	    file - (Dwarf_Unsigned)files->first >= (Dwarf_Unsigned)files->count)
		return "";
	return files->names[file - (Dwarf_Unsigned)files->first];
}

static uint32_t make_scope(struct walk *walk, Dwarf_Die die, uint32_t parent, bool call)
{
	struct probe_dwarf_scope scope = {
		.parent = parent,
		.function = function_name(walk->reader, die, 0),
		.call_file = call ? call_file(walk, die) : "",
		.implicit = is_implicit(walk->reader, die, 0),
	};
	Dwarf_Unsigned number;
	uint32_t ret = PROBE_DWARF_NO_SCOPE;

	if (call && probe_dwarf_number(walk->reader, die, DW_AT_call_line, &number))
		scope.call_line = number;
	if (call && probe_dwarf_number(walk->reader, die, DW_AT_call_column, &number))
		scope.call_column = number;
	walk->err = walk->scopes->scope(walk->scopes->user, &scope, &ret);
	return ret;
}

static void walk_children(struct walk *walk, Dwarf_Die parent, uint32_t scope, unsigned depth,
			  unsigned nesting);

static void visit(struct walk *walk, Dwarf_Die die, uint32_t scope, unsigned depth,
		  unsigned nesting)
{
	struct probe_dwarf_reader *reader = walk->reader;
	bool inside = scope != PROBE_DWARF_NO_SCOPE, function;
	Dwarf_Half tag;

	if (!probe_dwarf_ok(reader, dwarf_tag(die, &tag, &reader->error)))
		return;
	function = tag == DW_TAG_subprogram && !inside;
	if (function || (tag == DW_TAG_inlined_subroutine && inside)) {
		if (!has_code(reader, die))
			return;
		scope = make_scope(walk, die, scope, !function);
		depth = function ? 0 : depth + 1;
		if (!walk->err)
			read_ranges(walk, die, scope, depth);
	} else if (tag != DW_TAG_lexical_block && tag != DW_TAG_namespace) {
		return;
	}
	if (!walk->err)
		walk_children(walk, die, scope, depth, nesting + 1);
}

static void walk_children(struct walk *walk, Dwarf_Die parent, uint32_t scope, unsigned depth,
			  unsigned nesting)
{
	struct probe_dwarf_reader *reader = walk->reader;
	Dwarf_Die die, next;

	if (nesting > DEPTH_MAX ||
	    !probe_dwarf_ok(reader, dwarf_child(parent, &die, &reader->error)))
		return;
	while (die) {
		visit(walk, die, scope, depth, nesting);
		next = NULL;
		if (!walk->err && !probe_dwarf_ok(reader, dwarf_siblingof_b(reader->dbg, die, 1,
									    &next, &reader->error)))
			next = NULL;
		dwarf_dealloc_die(die);
		die = next;
	}
}

static struct probe_err *walk_unit(struct probe_dwarf_reader *reader, Dwarf_Die die,
				   Dwarf_Half version, void *user)
{
	struct walk *walk = user;
	struct probe_dwarf_files files;
	Dwarf_Addr low;

	if (!probe_dwarf_open_files(reader, die, version, &files))
		return NULL;
	walk->files = &files;
	walk->unit = (struct probe_range_unit){
		.ranges = &walk->sections[PROBE_DWARF_RANGES],
		.rnglists = &walk->sections[PROBE_DWARF_RNGLISTS],
		.addr = &walk->sections[PROBE_DWARF_ADDR],
		.version = version,
		.rnglists_base = attr_offset(reader, die, DW_AT_rnglists_base),
		.addr_base = attr_offset(reader, die, DW_AT_addr_base),
	};
	if (probe_dwarf_ok(reader, dwarf_lowpc(die, &low, &reader->error)))
		walk->unit.low = low;
	walk_children(walk, die, PROBE_DWARF_NO_SCOPE, 0, 0);
	probe_dwarf_close_files(reader, &files);
	return walk->err;
}

struct probe_err *
probe_dwarf_inlines(const char *name,
		    const struct probe_dwarf_section sections[PROBE_DWARF_SECTIONS],
		    const struct probe_dwarf_scopes *scopes)
{
	struct probe_dwarf_reader reader = {.name = name};
	struct walk walk = {.reader = &reader, .scopes = scopes, .sections = sections};

	return probe_dwarf_read(&reader, sections, walk_unit, &walk);
}
