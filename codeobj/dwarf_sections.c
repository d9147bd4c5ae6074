/* SPDX-License-Identifier: MIT */
#include "codeobj/dwarf_sections.h"

#include <stdbool.h>

#include <elf.h>

#include "codeobj/elf_image.h"
#include "common/buf.h"
#include "common/err.h"

static const char *const names[PROBE_DWARF_SECTIONS] = {
	[PROBE_DWARF_INFO] = ".debug_info",
	[PROBE_DWARF_ABBREV] = ".debug_abbrev",
	[PROBE_DWARF_LINE] = ".debug_line",
	[PROBE_DWARF_STR] = ".debug_str",
	[PROBE_DWARF_LINE_STR] = ".debug_line_str",
	[PROBE_DWARF_STR_OFFSETS] = ".debug_str_offsets",
	[PROBE_DWARF_ADDR] = ".debug_addr",
	[PROBE_DWARF_RANGES] = ".debug_ranges",
	[PROBE_DWARF_RNGLISTS] = ".debug_rnglists",
};

const char *probe_dwarf_section_name(enum probe_dwarf_section_id id)
{
	return names[id];
}

struct probe_err *probe_dwarf_sections_find(const struct probe_elf *elf,
					    struct probe_dwarf_section ret[PROBE_DWARF_SECTIONS])
{
	if (elf->type == ET_REL)
		return probe_err_at(elf->name, PROBE_ERR_NO_OFFSET,
				    "unlinked object: its line table needs relocations; link it");
	for (size_t i = 0; i < PROBE_DWARF_SECTIONS; i++) {
		struct probe_err *err;
		struct probe_buf buf;
		bool found;

		ret[i] = (struct probe_dwarf_section){0};
		err = probe_elf_section(elf, names[i], &found, &buf);
		if (err)
			return err;
		if (found && probe_buf_left(&buf))
			ret[i] = (struct probe_dwarf_section){buf.pos, probe_buf_left(&buf)};
	}
	return NULL;
}
