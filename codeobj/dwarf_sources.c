/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "codeobj/dwarf_sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codeobj/dwarf_units.h"
#include "common/cleanup.h"
#include "common/err.h"

/* No compiler writes a unit with more files than this. */
#define FILES_MAX 1000000

static struct probe_err *read_directories(struct probe_dwarf_reader *dwarf, Dwarf_Die die,
					  Dwarf_Line_Context context,
					  const struct probe_dwarf_sources *sink)
{
	PROBE_AUTO_FREE char *path = NULL;
	const char *directory = NULL;
	struct probe_err *err = NULL;
	char *name, *slash;

	if (!probe_dwarf_ok(dwarf, dwarf_srclines_comp_dir(context, &directory, &dwarf->error)) ||
	    !directory)
		directory = "";
	if (*directory)
		err = sink->directory(sink->user, directory);
	if (err || !probe_dwarf_ok(dwarf, dwarf_diename(die, &name, &dwarf->error)))
		return err;
	if (asprintf(&path, "%s/%s", *name == '/' ? "" : directory, name) < 0)
		return probe_err_oom();
	slash = strrchr(path, '/');
	*slash = 0;
	return *path ? sink->directory(sink->user, path) : NULL;
}

static struct probe_err *read_table(struct probe_dwarf_reader *dwarf, Dwarf_Die die,
				    Dwarf_Line_Context context,
				    const struct probe_dwarf_sources *sink)
{
	struct probe_err *err = read_directories(dwarf, die, context, sink);
	Dwarf_Signed base = 0, count = 0, end = 0;

	if (!probe_dwarf_ok(dwarf, dwarf_srclines_files_indexes(context, &base, &count, &end,
								&dwarf->error)) ||
	    end - base > FILES_MAX)
		return err;
	for (Dwarf_Signed i = base; i < end && !err; i++) {
		Dwarf_Unsigned number, modified, length;
		Dwarf_Form_Data16 *md5 = NULL;
		const char *name;

		if (probe_dwarf_ok(dwarf, dwarf_srclines_files_data_b(context, i, &name, &number,
								      &modified, &length, &md5,
								      &dwarf->error)) &&
		    md5)
			err = sink->md5(sink->user, (const uint8_t *)md5);
	}
	return err;
}

static struct probe_err *read_unit(struct probe_dwarf_reader *dwarf, Dwarf_Die die,
				   Dwarf_Half version, void *user)
{
	Dwarf_Line_Context context = NULL;
	Dwarf_Unsigned table_version;
	struct probe_err *err;
	Dwarf_Small tables;

	(void)version;
	if (!probe_dwarf_ok(
		    dwarf, dwarf_srclines_b(die, &table_version, &tables, &context, &dwarf->error)))
		return NULL;
	err = read_table(dwarf, die, context, user);
	dwarf_srclines_dealloc_b(context);
	return err;
}

struct probe_err *
probe_dwarf_sources_read(const char *name,
			 const struct probe_dwarf_section sections[PROBE_DWARF_SECTIONS],
			 const struct probe_dwarf_sources *sink)
{
	struct probe_dwarf_reader dwarf = {.name = name};

	return probe_dwarf_read(&dwarf, sections, read_unit, (void *)sink);
}
