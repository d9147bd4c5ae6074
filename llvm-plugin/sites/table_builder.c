/* SPDX-License-Identifier: MIT */
/* The site table of wire.h: one constant blob without relocations. */
#include "llvm-plugin/sites/table_builder.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include <probe/lds_size.h>
#include <probe/wire.h>

#include "common/fnv.h"
#include "llvm-plugin/analysis/ir_edit.h"
#include "llvm-plugin/base/call_units.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/sites/access_sites.h"
#include "llvm-plugin/sites/site_location.h"

static void append_bytes(struct table_bytes *bytes, const void *data, size_t size)
{
	if (bytes->size + size > bytes->capacity) {
		bytes->capacity = 2 * (bytes->size + size) + 256;
		bytes->data = pass_alloc(bytes->data, bytes->capacity);
	}
	if (size)
		memcpy(bytes->data + bytes->size, data, size);
	bytes->size += size;
}

void site_table_init(struct site_table *table)
{
	*table = (struct site_table){0};
	site_table_string(table, "", 0);
}

void site_table_deinit(struct site_table *table)
{
	free(table->sites.data);
	free(table->proofs.data);
	free(table->groups.data);
	free(table->predicates.data);
	expr_graph_deinit(&table->exprs);
	free(table->kernels.data);
	free(table->frames.data);
	free(table->strings.data);
	free(table->uncovered.data);
	free(table->variables.data);
	free(table->variable_rows.data);
	free(table->operations.data);
	free(table->terms.data);
	free(table->slot);
}

uint32_t site_table_sites(const struct site_table *table)
{
	return (uint32_t)(table->sites.size / sizeof(struct probe_site));
}

static uint32_t *find_string(struct site_table *table, const char *text, size_t size)
{
	size_t at = probe_fnv1a(text, size) & (table->slots - 1);

	for (; table->slot[at]; at = (at + 1) & (table->slots - 1)) {
		const char *have = (const char *)table->strings.data + table->slot[at] - 1;

		if (strlen(have) == size && !memcmp(have, text, size))
			break;
	}
	return &table->slot[at];
}

static void grow_strings(struct site_table *table)
{
	if (2 * table->string_count < table->slots)
		return;
	table->slots = table->slots ? 2 * table->slots : 256;
	table->slot = pass_alloc(table->slot, table->slots * sizeof(*table->slot));
	memset(table->slot, 0, table->slots * sizeof(*table->slot));
	for (size_t at = 0; at < table->strings.size;) {
		const char *text = (const char *)table->strings.data + at;
		size_t size = strlen(text);

		*find_string(table, text, size) = (uint32_t)at + 1;
		at += size + 1;
	}
}

uint32_t site_table_string(struct site_table *table, const char *text, size_t size)
{
	uint32_t *slot;

	/* A NUL inside of the string would end it for every reader: cut it there. */
	size = strnlen(text, size);
	grow_strings(table);
	slot = find_string(table, text, size);
	if (!*slot) {
		*slot = (uint32_t)table->strings.size + 1;
		append_bytes(&table->strings, text, size);
		append_bytes(&table->strings, "", 1);
		table->string_count++;
	}
	return *slot - 1;
}

static uint32_t value_name(struct site_table *table, LLVMValueRef value)
{
	size_t size;
	const char *name = LLVMGetValueName2(value, &size);

	return site_table_string(table, name, size);
}

/* One level of a debug location. A clone's own subprogram is reported as its original's. */
static struct probe_site_frame read_frame(struct site_table *table, LLVMMetadataRef location,
					  LLVMMetadataRef clone, LLVMValueRef owner)
{
	LLVMMetadataRef scope = LLVMDILocationGetScope(location);
	LLVMMetadataRef subprogram = ir_scope_subprogram(scope);
	struct probe_site_frame frame = {
		.line = LLVMDILocationGetLine(location),
		.column = LLVMDILocationGetColumn(location),
	};
	char file[PASS_PATH_MAX];
	const char *name;
	size_t size;

	pass_location_file(scope, file, sizeof(file));
	frame.file = site_table_string(table, file, strlen(file));
	if (!subprogram || subprogram == clone) {
		frame.function = value_name(table, owner);
	} else {
		name = ir_subprogram_name(subprogram, &size);
		frame.function = site_table_string(table, name, size);
	}
	return frame;
}

static struct probe_site new_site(struct site_table *table, const struct access_site *info,
				  LLVMValueRef owner, uint32_t kinds)
{
	return (struct probe_site){
		.function = value_name(table, owner),
		.access = (uint8_t)info->access,
		.space = (uint8_t)info->space,
		.size = (uint16_t)info->size,
		.unit = (uint16_t)info->unit,
		.align = info->align,
		.owner = value_name(table, owner),
		.kinds = kinds,
		.first_frame = (uint32_t)(table->frames.size / sizeof(struct probe_site_frame)),
		.near_site = site_table_sites(table),
	};
}

static void emit_site(struct site_table *table, const struct probe_site *site)
{
	const struct probe_site_proof none = {.group = PROBE_ROW_NONE};

	append_bytes(&table->sites, site, sizeof(*site));
	append_bytes(&table->proofs, &none, sizeof(none));
}

/* The location and its callers; returns how many they are. */
static uint16_t add_frames(struct site_table *table, LLVMMetadataRef location,
			   LLVMMetadataRef clone, LLVMValueRef owner)
{
	uint16_t count = 0;

	for (; location && count < UINT16_MAX; location = LLVMDILocationGetInlinedAt(location)) {
		struct probe_site_frame frame = read_frame(table, location, clone, owner);

		append_bytes(&table->frames, &frame, sizeof(frame));
		count++;
	}
	return count;
}

void site_table_add_site(struct site_table *table, LLVMValueRef inst,
			 const struct access_site *info, LLVMValueRef owner, uint32_t kinds)
{
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst));
	LLVMMetadataRef clone = LLVMGetSubprogram(function);
	bool likely;
	LLVMMetadataRef location = site_location(inst, &likely);
	struct probe_site site =
		new_site(table, info, owner, kinds | (likely ? PROBE_SITE_LIKELY_LINE : 0));

	if (location) {
		struct probe_site_frame own = read_frame(table, location, clone, owner);

		site.file = own.file;
		site.function = own.function;
		site.line = own.line;
		site.column = own.column;
		location = LLVMDILocationGetInlinedAt(location);
	}
	site.frame_count = add_frames(table, location, clone, owner);
	emit_site(table, &site);
}

void site_table_add_function(struct site_table *table, LLVMValueRef function,
			     const struct access_site *info, LLVMValueRef owner, uint32_t kinds)
{
	LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
	struct probe_site site = new_site(table, info, owner, kinds);
	char file[PASS_PATH_MAX];

	if (subprogram) {
		pass_location_file(subprogram, file, sizeof(file));
		site.file = site_table_string(table, file, strlen(file));
		site.line = LLVMDISubprogramGetLine(subprogram);
	}
	emit_site(table, &site);
}

/* The elements of an array, and the rows, its innermost arrays, of an array of arrays. */
static struct probe_site_variable rows_of(LLVMValueRef variable)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(variable));
	LLVMTypeRef array = NULL, type = LLVMGlobalGetValueType(variable);
	unsigned depth = 0;

	while (LLVMGetTypeKind(type) == LLVMArrayTypeKind) {
		array = type;
		type = LLVMGetElementType(type);
		depth++;
	}
	/* Of an array without a size, a row or an element may be larger than LDS. */
	if (!depth || LLVMABISizeOfType(layout, array) > PROBE_LDS_MOST ||
	    LLVMABISizeOfType(layout, type) > PROBE_LDS_MOST)
		return (struct probe_site_variable){0};
	return (struct probe_site_variable){
		.row = depth > 1 ? (uint32_t)LLVMABISizeOfType(layout, array) : 0,
		.element = (uint32_t)LLVMABISizeOfType(layout, type),
	};
}

/* Looks from the last one on, because a kernel's variables are added together. */
static uint16_t variable_number(struct site_table *table, LLVMValueRef variable)
{
	size_t count = table->variables.size / sizeof(variable);
	struct probe_site_variable rows;

	if (!variable)
		return 0;
	for (size_t i = count; i; i--)
		if (((LLVMValueRef *)table->variables.data)[i - 1] == variable)
			return (uint16_t)i;
	if (count == UINT16_MAX)
		return 0;
	rows = rows_of(variable);
	append_bytes(&table->variables, &variable, sizeof(variable));
	append_bytes(&table->variable_rows, &rows, sizeof(rows));
	return (uint16_t)(count + 1);
}

void site_table_set_address(struct site_table *table, const struct address_description *address,
			    uint32_t first_site)
{
	struct probe_site site;
	unsigned char *row = table->sites.data + table->sites.size - sizeof(site);

	memcpy(&site, row, sizeof(site));
	site.address = site_table_string(table, address->text, strlen(address->text));
	site.index_source = site_table_string(table, address->source, strlen(address->source));
	site.near_site = first_site + address->near_access;
	site.near_distance = address->distance;
	site.address_class = (uint8_t)address->kind;
	site.address_flags = (uint8_t)address->flags;
	site.variable = variable_number(table, address->variable);
	memcpy(row, &site, sizeof(site));
	for (unsigned i = 0; i < address->term_count; i++) {
		struct probe_site_term term = address->term[i];

		term.site = site_table_sites(table) - 1;
		append_bytes(&table->terms, &term, sizeof(term));
	}
}

void site_table_set_proof(struct site_table *table, const struct probe_site_proof *proof)
{
	memcpy(table->proofs.data + table->proofs.size - sizeof(*proof), proof, sizeof(*proof));
}

uint32_t site_table_uncovered(const struct site_table *table)
{
	return (uint32_t)(table->uncovered.size / sizeof(struct probe_site_uncovered));
}

void site_table_add_uncovered(struct site_table *table, LLVMValueRef inst, LLVMValueRef owner,
			      enum probe_uncovered_reason reason, const char *what)
{
	bool likely;
	LLVMMetadataRef location = site_location(inst, &likely);
	struct probe_site_uncovered row = {
		.function = value_name(table, owner),
		.owner = value_name(table, owner),
		.what = site_table_string(table, what, strlen(what)),
		.reason = reason,
	};

	if (location) {
		struct probe_site_frame own =
			read_frame(table, location, LLVMGetSubprogram(owner), owner);

		row.file = own.file;
		row.function = own.function;
		row.line = own.line;
		row.column = own.column;
	}
	append_bytes(&table->uncovered, &row, sizeof(row));
}

void site_table_add_operations(struct site_table *table, LLVMValueRef inst, LLVMValueRef owner,
			       bool again, struct probe_site_operations operations)
{
	LLVMValueRef function;
	struct probe_site_operations last;

	if (again) {
		memcpy(&last, table->operations.data + table->operations.size - sizeof(last),
		       sizeof(last));
		operations.first_frame = last.first_frame;
		operations.frame_count = last.frame_count;
	} else if (inst) {
		function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst));
		operations.first_frame =
			(uint32_t)(table->frames.size / sizeof(struct probe_site_frame));
		operations.frame_count = add_frames(table, LLVMInstructionGetDebugLoc(inst),
						    LLVMGetSubprogram(function), owner);
	}
	append_bytes(&table->operations, &operations, sizeof(operations));
}

void site_table_add_group(struct site_table *table, const struct probe_site_group *group)
{
	append_bytes(&table->groups, group, sizeof(*group));
}

void site_table_add_predicate(struct site_table *table,
			      const struct probe_site_predicate *predicate)
{
	append_bytes(&table->predicates, predicate, sizeof(*predicate));
}

void site_table_add_kernel(struct site_table *table, const struct call_unit *unit, uint32_t kinds)
{
	struct probe_site_kernel kernel = {
		.name = value_name(table, unit->original),
		.kinds = unit->probed ? kinds : kinds & 1u << PROBE_KIND_COUNT,
	};

	if (kernel.kinds) {
		kernel.first_site = unit->range_first;
		kernel.site_count = unit->range_end - unit->range_first;
	}
	append_bytes(&table->kernels, &kernel, sizeof(kernel));
}

static uint32_t count_of(const struct table_bytes *rows, size_t row_size)
{
	return (uint32_t)(rows->size / row_size);
}

/* The header, then all sections without gaps. */
static struct table_bytes make_blob(const struct site_table *table)
{
	struct probe_sites_header header = {
		.magic = PROBE_SITES_MAGIC,
		.version = PROBE_SITES_VERSION,
		.header_size = sizeof(header),
		.site_count = site_table_sites(table),
		.kernel_count = count_of(&table->kernels, sizeof(struct probe_site_kernel)),
		.frame_count = count_of(&table->frames, sizeof(struct probe_site_frame)),
		.strings_size = (uint32_t)table->strings.size,
		.uncovered = site_table_uncovered(table),
		.uncovered_count = site_table_uncovered(table),
		.code_before = table->code_before,
		.code_after = table->code_after,
		.proof_count = count_of(&table->proofs, sizeof(struct probe_site_proof)),
		.expr_count = table->exprs.count,
		.group_count = count_of(&table->groups, sizeof(struct probe_site_group)),
		.predicate_count =
			count_of(&table->predicates, sizeof(struct probe_site_predicate)),
		.variable_count =
			count_of(&table->variable_rows, sizeof(struct probe_site_variable)),
		.operation_count =
			count_of(&table->operations, sizeof(struct probe_site_operations)),
		.term_count = count_of(&table->terms, sizeof(struct probe_site_term)),
	};
	const size_t exprs_size = table->exprs.count * sizeof(*table->exprs.node);
	const struct {
		uint32_t *offset;
		const void *rows;
		size_t size;
	} sections[] = {
		{&header.sites_offset, table->sites.data, table->sites.size},
		{&header.proofs_offset, table->proofs.data, table->proofs.size},
		{&header.groups_offset, table->groups.data, table->groups.size},
		{&header.predicates_offset, table->predicates.data, table->predicates.size},
		{&header.exprs_offset, table->exprs.node, exprs_size},
		{&header.kernels_offset, table->kernels.data, table->kernels.size},
		{&header.frames_offset, table->frames.data, table->frames.size},
		{&header.uncovered_offset, table->uncovered.data, table->uncovered.size},
		{&header.variables_offset, table->variable_rows.data, table->variable_rows.size},
		{&header.operations_offset, table->operations.data, table->operations.size},
		{&header.terms_offset, table->terms.data, table->terms.size},
		{&header.strings_offset, table->strings.data, table->strings.size},
	};
	struct table_bytes blob = {0};

	append_bytes(&blob, &header, sizeof(header));
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		*sections[i].offset = (uint32_t)blob.size;
		append_bytes(&blob, sections[i].rows, sections[i].size);
	}
	header.total_size = (uint32_t)blob.size;
	memcpy(blob.data, &header, sizeof(header));
	return blob;
}

void site_table_emit(struct site_table *table, LLVMModuleRef module)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	struct table_bytes blob = make_blob(table);
	LLVMValueRef value, global;

	value = LLVMConstStringInContext(context, (const char *)blob.data, (unsigned)blob.size, 1);
	global = LLVMAddGlobalInAddressSpace(module, LLVMTypeOf(value), "__probe_sites",
					     PROBE_SPACE_CONSTANT);
	LLVMSetInitializer(global, value);
	LLVMSetGlobalConstant(global, 1);
	LLVMSetSection(global, ".probe_sites");
	LLVMSetAlignment(global, 8);
	LLVMSetVisibility(global, LLVMProtectedVisibility);
	ir_keep_global(module, global);
	free(blob.data);
}
