/* SPDX-License-Identifier: MIT */
#include "cmds/record/code_sites.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmds/record/access_groups.h"
#include "cmds/record/kernel_names.h"
#include "cmds/record/process_objects.h"
#include "codeobj/sites.h"
#include "common/elf_section.h"
#include "common/err.h"

/*
 * Number of functions that a table names: one per site, then one per frame, then one per uncovered
 * access.
 */
static size_t function_count(const struct probe_sites *table)
{
	return (size_t)table->site_count + table->frame_count + table->uncovered_count;
}

/* Debug information has mangled function names; handlers and reports show demangled ones. */
static char **read_functions(const struct probe_sites *table)
{
	const char **symbols = calloc(function_count(table) + 1, sizeof(*symbols));
	char **ret = NULL;
	size_t n = 0;

	if (!symbols)
		return NULL;
	for (uint32_t i = 0; i < table->site_count; i++)
		symbols[n++] = probe_sites_string(table, table->sites[i].function);
	for (uint32_t i = 0; i < table->frame_count; i++)
		symbols[n++] = probe_sites_string(table, table->frames[i].function);
	for (uint32_t i = 0; i < table->uncovered_count; i++)
		symbols[n++] = probe_sites_string(table, table->uncovered_list[i].function);
	ret = run_names_demangle(symbols, n);
	free(symbols);
	return ret;
}

void run_code_destroy(struct run_code *code)
{
	if (!code)
		return;
	free(code->bytes);
	access_groups_destroy(code->groups);
	if (code->sites)
		for (uint32_t i = 0; i < code->site_count; i++)
			free((void *)code->sites[i].frames);
	free(code->sites);
	if (code->functions)
		run_names_destroy(code->functions, function_count(code->table));
	probe_sites_destroy(code->table);
	free(code);
}

/*
 * The member of a group whose strides handlers may use: those of ids alone, by proof. Where the
 * addresses are known only as an expression per lane, or are measured, the strides are 0 without a
 * meaning.
 */
static const struct site_member *strided_member(const struct probe_sites *table, uint32_t id)
{
	const struct site_member *member = probe_sites_member(table, id);

	if (!member ||
	    table->groups[member->group].flags & (PROBE_GROUP_LANES_ONLY | PROBE_GROUP_SAMPLED))
		return NULL;
	for (int i = 0; i < PROBE_BITFIELDS; i++)
		if (member->field[i].scale && member->field[i].multiplier)
			return NULL;
	return member;
}

static uint16_t measured_every(const struct probe_sites *table, uint32_t id)
{
	const struct site_member *member = probe_sites_member(table, id);

	return member ? (uint16_t)site_group_every(&table->groups[member->group]) : 0;
}

/* Terms from *term on are those of this site and of later ones. */
static bool fill_site(const struct run_code *code, uint32_t id, uint32_t *term,
		      struct probe_site_info *ret)
{
	const struct probe_sites *table = code->table;
	const struct probe_site *site = &table->sites[id];
	const struct site_member *member = strided_member(table, id);
	struct probe_frame_info *frames = NULL;

	if (site->frame_count)
		frames = calloc(site->frame_count, sizeof(*frames));
	if (site->frame_count && !frames)
		return false;
	for (unsigned i = 0; i < site->frame_count; i++) {
		const struct probe_site_frame *frame = &table->frames[site->first_frame + i];

		frames[i] = (struct probe_frame_info){
			.file = probe_sites_string(table, frame->file),
			.function = code->functions[table->site_count + site->first_frame + i],
			.line = frame->line,
			.column = frame->column,
		};
	}
	*ret = (struct probe_site_info){
		.size = sizeof(*ret),
		.id = id,
		.code_object = code->hr.id,
		.line = site->line,
		.column = site->column,
		.access = site->access,
		.space = site->space,
		.bytes = site->size,
		.unit = site->unit,
		.frame_count = site->frame_count,
		.align = probe_site_is_mark(site->access) ? 0 : site->align,
		.file = probe_sites_string(table, site->file),
		.function = code->functions[id],
		.frames = frames,
		.name = probe_site_is_mark(site->access) && site->access != PROBE_ACCESS_FUNCTION
				? probe_sites_string(table, site->name)
				: "",
		.address = probe_sites_string(table, site->address),
		.index_source = probe_sites_string(table, site->index_source),
		.near_site = site->near_site,
		.near_distance = site->near_distance,
		.address_class = site->address_class,
		.address_flags = site->address_flags,
		.strides = member ? member->stride : NULL,
		.bitfields = member ? member->field : NULL,
		.variable = site->variable,
		.measured_every = measured_every(table, id),
		.terms = table->terms + *term,
	};
	for (; *term < table->term_count && table->terms[*term].site == id; (*term)++)
		ret->term_count++;
	if (site->variable && site->variable <= table->variable_count) {
		ret->row = table->variables[site->variable - 1].row;
		ret->element = table->variables[site->variable - 1].element;
	}
	return true;
}

static void describe_sites(struct run_code *code)
{
	struct probe_site_info *sites = calloc(code->table->site_count + 1, sizeof(*sites));
	uint32_t count = 0, term = 0;

	code->functions = read_functions(code->table);
	while (sites && code->functions && count < code->table->site_count &&
	       fill_site(code, count, &term, &sites[count]))
		count++;
	code->sites = sites;
	code->site_count = count;
	code->groups = access_groups_create(code->table);
}

/*
 * This process reads the table itself: bounded reads of one section, without a library
 * (elf_section.h).
 */
struct probe_err *run_code_read(struct run_code *code, const unsigned char *bytes)
{
	const uint8_t *section = NULL;
	struct probe_err *err;
	char name[40];
	size_t size = 0;

	snprintf(name, sizeof(name), "code object %u", code->hr.id);
	err = probe_image_section(name, bytes, code->hr.bytes, ".probe_sites", &section, &size);
	if (err || !section)
		return err;
	err = probe_sites_parse(name, section, size, &code->table);
	if (err)
		return err;
	describe_sites(code);
	return NULL;
}
