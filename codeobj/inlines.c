/* SPDX-License-Identifier: MIT */
#include "codeobj/inlines.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/child.h"
#include "codeobj/dwarf_inlines.h"
#include "codeobj/elf_image.h"
#include "common/buf.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/fnv.h"

#define SCOPES_MAX (4u << 20)
#define RANGES_MAX (8u << 20)
#define NAMES_MAX  (1u << 20)

/* ---- In the child --------------------------------------------------------------------------- */

struct range {
	uint64_t low, high;
	uint32_t scope;
	uint32_t depth;
};

struct builder {
	const char *name;
	struct probe_inlines *inlines;
	size_t scope_capacity, name_capacity;
	struct range *ranges;
	size_t range_count, range_capacity;
	uint32_t *slots; /* hash of names: index + 1 */
	size_t slot_capacity;
};

static void builder_deinit(struct builder *builder)
{
	free(builder->ranges);
	free(builder->slots);
}

/* Grow the array so that items[count] exists; false: out of memory. */
static bool grow(void **items, size_t count, size_t *capacity, size_t size)
{
	size_t more = *capacity ? 2 * *capacity : 256;
	void *grown;

	if (count < *capacity)
		return true;
	grown = reallocarray(*items, more, size);
	if (!grown)
		return false;
	*items = grown;
	*capacity = more;
	return true;
}

static size_t hash_text(const char *text)
{
	return (size_t)probe_fnv1a(text, strlen(text));
}

static bool rehash(struct builder *builder)
{
	size_t capacity = builder->slot_capacity ? 2 * builder->slot_capacity : 1024;
	uint32_t *slots = calloc(capacity, sizeof(*slots));

	if (!slots)
		return false;
	for (uint32_t i = 0; i < builder->inlines->name_count; i++) {
		size_t at = hash_text(builder->inlines->names[i]) & (capacity - 1);

		while (slots[at])
			at = (at + 1) & (capacity - 1);
		slots[at] = i + 1;
	}
	free(builder->slots);
	builder->slots = slots;
	builder->slot_capacity = capacity;
	return true;
}

static struct probe_err *add_name(struct builder *builder, const char *text, uint32_t *ret)
{
	struct probe_inlines *inlines = builder->inlines;
	size_t at;

	if (2 * (inlines->name_count + 1ul) > builder->slot_capacity && !rehash(builder))
		return probe_err_oom();
	for (at = hash_text(text) & (builder->slot_capacity - 1); builder->slots[at];
	     at = (at + 1) & (builder->slot_capacity - 1)) {
		*ret = builder->slots[at] - 1;
		if (!strcmp(inlines->names[*ret], text))
			return NULL;
	}
	if (inlines->name_count >= NAMES_MAX)
		return probe_err_at(builder->name, PROBE_ERR_NO_OFFSET, "over %u names", NAMES_MAX);
	if (!grow((void **)&inlines->names, inlines->name_count, &builder->name_capacity,
		  sizeof(*inlines->names)))
		return probe_err_oom();
	inlines->names[inlines->name_count] = strdup(text);
	if (!inlines->names[inlines->name_count])
		return probe_err_oom();
	*ret = inlines->name_count++;
	builder->slots[at] = *ret + 1;
	return NULL;
}

static uint32_t number(uint64_t value)
{
	return value > UINT32_MAX ? 0 : (uint32_t)value;
}

static struct probe_err *add_scope(void *user, const struct probe_dwarf_scope *scope, uint32_t *ret)
{
	struct builder *builder = user;
	struct probe_inlines *inlines = builder->inlines;
	struct probe_scope row = {
		.parent = scope->parent,
		.call_line = number(scope->call_line),
		.call_column = number(scope->call_column),
		.implicit = scope->implicit,
	};
	struct probe_err *err = add_name(builder, scope->function, &row.function);

	if (err)
		return err;
	err = add_name(builder, scope->call_file, &row.call_file);
	if (err)
		return err;
	if (inlines->scope_count >= SCOPES_MAX)
		return probe_err_at(builder->name, PROBE_ERR_NO_OFFSET, "over %u inlined calls",
				    SCOPES_MAX);
	if (!grow((void **)&inlines->scopes, inlines->scope_count, &builder->scope_capacity,
		  sizeof(*inlines->scopes)))
		return probe_err_oom();
	*ret = (uint32_t)inlines->scope_count;
	inlines->scopes[inlines->scope_count++] = row;
	return NULL;
}

static struct probe_err *add_range(void *user, uint32_t scope, unsigned depth, uint64_t low,
				   uint64_t high)
{
	struct builder *builder = user;

	if (low >= high)
		return NULL;
	if (builder->range_count >= RANGES_MAX)
		return probe_err_at(builder->name, PROBE_ERR_NO_OFFSET,
				    "over %u pieces of inlined code", RANGES_MAX);
	if (!grow((void **)&builder->ranges, builder->range_count, &builder->range_capacity,
		  sizeof(*builder->ranges)))
		return probe_err_oom();
	builder->ranges[builder->range_count++] =
		(struct range){.low = low, .high = high, .scope = scope, .depth = depth};
	return NULL;
}

/* Outer ranges first if they begin at one address. */
static int compare(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return (x->scope > y->scope) - (x->scope < y->scope);
}

static void put_row(struct probe_inlines *inlines, uint64_t address, uint32_t scope)
{
	if (inlines->row_count && inlines->rows[inlines->row_count - 1].address == address)
		inlines->row_count--;
	if (inlines->row_count ? inlines->rows[inlines->row_count - 1].scope == scope
			       : scope == PROBE_INLINE_NONE)
		return;
	inlines->rows[inlines->row_count++] =
		(struct probe_scope_row){.address = address, .scope = scope};
}

/*
 * One pass with a stack of open ranges. Inner ranges that extend beyond the outer range are
 * truncated, so that ranges end in order.
 */
static bool flatten(struct builder *builder)
{
	PROBE_AUTO_FREE struct range *stack = calloc(builder->range_count + 1, sizeof(*stack));
	struct probe_inlines *inlines = builder->inlines;
	size_t open = 0;

	inlines->rows = calloc(2 * builder->range_count + 1, sizeof(*inlines->rows));
	if (!stack || !inlines->rows)
		return false;
	if (builder->range_count)
		qsort(builder->ranges, builder->range_count, sizeof(*builder->ranges), compare);
	for (size_t i = 0; i <= builder->range_count; i++) {
		bool end = i == builder->range_count;
		struct range range = end ? (struct range){.low = UINT64_MAX} : builder->ranges[i];

		for (; open && stack[open - 1].high <= range.low; open--)
			put_row(inlines, stack[open - 1].high,
				open > 1 ? stack[open - 2].scope : PROBE_INLINE_NONE);
		if (end)
			break;
		if (open && range.high > stack[open - 1].high)
			range.high = stack[open - 1].high;
		put_row(inlines, range.low, range.scope);
		stack[open++] = range;
	}
	return true;
}

static struct probe_err *build(const char *name, const struct probe_dwarf_section *sections,
			       struct probe_inlines *inlines)
{
	PROBE_AUTO(builder_deinit) struct builder builder = {.name = name, .inlines = inlines};
	struct probe_dwarf_scopes scopes = {
		.user = &builder, .scope = add_scope, .range = add_range};
	struct probe_err *err = probe_dwarf_inlines(name, sections, &scopes);

	if (err)
		return err;
	return flatten(&builder) ? NULL : probe_err_oom();
}

struct probe_err *probe_inlines_read(const char *name, const void *bytes, size_t size,
				     struct probe_inlines **ret)
{
	struct probe_dwarf_section sections[PROBE_DWARF_SECTIONS] = {0};
	PROBE_AUTO(probe_inlines_release) struct probe_inlines *inlines = NULL;
	PROBE_AUTO(probe_elf_close) struct probe_elf elf = {0};
	struct probe_err *err;

	err = probe_elf_open(name, bytes, size, &elf);
	if (err)
		return err;
	inlines = calloc(1, sizeof(*inlines));
	if (!inlines)
		return probe_err_oom();
	err = probe_dwarf_sections_find(&elf, sections);
	if (err)
		return err;
	err = build(name, sections, inlines);
	if (err)
		return err;
	*ret = PROBE_KEEP(inlines);
	return NULL;
}

struct probe_err *probe_inlined_calls_at(const char *name, const void *bytes, size_t size,
					 uint64_t address,
					 void (*call)(void *user, const char *path, uint64_t line),
					 void *user)
{
	struct probe_inlines *inlines;
	struct probe_err *err = probe_inlines_read(name, bytes, size, &inlines);
	const struct probe_scope *scope, *parent;

	if (err)
		return err;
	for (scope = probe_inlines_find(inlines, address); scope; scope = parent) {
		parent = probe_scope_parent(inlines, scope);
		if (parent)
			call(user, inlines->names[scope->call_file], scope->call_line);
	}
	probe_inlines_destroy(inlines);
	return NULL;
}

void probe_inlines_send(const struct probe_inlines *inlines, FILE *out)
{
	probe_put_u32(out, inlines->name_count);
	for (uint32_t i = 0; i < inlines->name_count; i++)
		probe_put_string(out, inlines->names[i]);
	/* Unconverted: both ends are the same program. */
	probe_put_u64(out, inlines->scope_count);
	if (inlines->scope_count)
		fwrite(inlines->scopes, sizeof(*inlines->scopes), inlines->scope_count, out);
	probe_put_u64(out, inlines->row_count);
	if (inlines->row_count)
		fwrite(inlines->rows, sizeof(*inlines->rows), inlines->row_count, out);
}

/* ---- In the parent -------------------------------------------------------------------------- */

static struct probe_err *check(struct probe_buf *buf, const struct probe_inlines *inlines)
{
	for (size_t i = 0; i < inlines->scope_count; i++) {
		const struct probe_scope *scope = &inlines->scopes[i];

		if ((scope->parent != PROBE_INLINE_NONE && scope->parent >= i) ||
		    scope->function >= inlines->name_count || scope->implicit > 1 ||
		    scope->call_file >= inlines->name_count)
			return probe_buf_error(buf, "inlined call %zu is malformed", i);
	}
	for (size_t i = 0; i < inlines->row_count; i++) {
		const struct probe_scope_row *row = &inlines->rows[i];

		if ((row->scope != PROBE_INLINE_NONE && row->scope >= inlines->scope_count) ||
		    (i && row->address <= row[-1].address))
			return probe_buf_error(buf, "rows out of order");
	}
	return NULL;
}

struct probe_err *probe_inlines_receive(struct probe_buf *buf, struct probe_inlines **ret)
{
	PROBE_AUTO(probe_inlines_release)
	struct probe_inlines *inlines = calloc(1, sizeof(*inlines));
	struct probe_err *err;

	if (!inlines)
		return probe_err_oom();
	err = probe_receive_strings(buf, "names", &inlines->names, &inlines->name_count);
	if (err)
		return err;
	err = probe_receive_array(buf, "inlined calls", sizeof(*inlines->scopes),
				  (void **)&inlines->scopes, &inlines->scope_count);
	if (err)
		return err;
	err = probe_receive_array(buf, "rows", sizeof(*inlines->rows), (void **)&inlines->rows,
				  &inlines->row_count);
	if (err)
		return err;
	err = check(buf, inlines);
	if (err)
		return err;
	*ret = PROBE_KEEP(inlines);
	return NULL;
}

void probe_inlines_destroy(struct probe_inlines *inlines)
{
	if (!inlines)
		return;
	for (uint32_t i = 0; i < inlines->name_count; i++)
		free(inlines->names[i]);
	free(inlines->names);
	free(inlines->scopes);
	free(inlines->rows);
	free(inlines);
}

const struct probe_scope *probe_inlines_find(const struct probe_inlines *inlines, uint64_t address)
{
	size_t low = 0, high = inlines->row_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (inlines->rows[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || inlines->rows[low - 1].scope == PROBE_INLINE_NONE)
		return NULL;
	return &inlines->scopes[inlines->rows[low - 1].scope];
}

const struct probe_scope *probe_scope_parent(const struct probe_inlines *inlines,
					     const struct probe_scope *scope)
{
	return scope->parent == PROBE_INLINE_NONE ? NULL : &inlines->scopes[scope->parent];
}
