/* SPDX-License-Identifier: MIT */
/*
 * A host for one handler instance with as many sites as a test likes; keeps the rows of all tables
 * in the order in which they were written.
 */
#ifndef PROBE_TESTS_HANDLERS_HOST_H
#define PROBE_TESTS_HANDLERS_HOST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <probe/handler.h>

enum {
	HOST_SITES = 64,
	HOST_TABLES = 4,
	HOST_ROWS = 8192,
	HOST_COLUMNS = 40,
	HOST_TEXT = 4 << 20,
	HOST_ARGS = 8,
};

struct host_table {
	char name[64];
	char names[HOST_COLUMNS][32];
	enum probe_type types[HOST_COLUMNS];
	size_t columns;
};

struct host_row {
	size_t table;
	union {
		int64_t integer;
		double real;
		size_t text; /* in host_state.text */
	} cell[HOST_COLUMNS];
};

struct host_state {
	struct probe_site_info sites[HOST_SITES];
	uint32_t site_count;
	const char *args[HOST_ARGS][2]; /* key, value */
	struct host_table tables[HOST_TABLES];
	size_t table_count;
	struct host_row rows[HOST_ROWS];
	size_t row_count;
	char text[HOST_TEXT];
	size_t text_used;
	unsigned logged;
	enum probe_level level; /* of the last message, and its text */
	char message[512];
};

static inline const struct probe_site_info *host_site(void *ctx, uint32_t code_object,
						      uint32_t site)
{
	struct host_state *state = ctx;

	(void)code_object;
	return site < state->site_count ? &state->sites[site] : NULL;
}

static inline uint32_t host_site_count(void *ctx, uint32_t code_object)
{
	(void)code_object;
	return ((struct host_state *)ctx)->site_count;
}

static inline const char *host_arg(void *ctx, const char *key)
{
	struct host_state *state = ctx;

	for (size_t i = 0; i < HOST_ARGS && state->args[i][0]; i++)
		if (!strcmp(state->args[i][0], key))
			return state->args[i][1];
	return NULL;
}

static inline int host_table(void *ctx, const char *name, const struct probe_column *columns,
			     size_t count)
{
	struct host_state *state = ctx;
	struct host_table *table = &state->tables[state->table_count];

	assert_true(count <= HOST_COLUMNS);
	assert_true(state->table_count < HOST_TABLES);
	snprintf(table->name, sizeof(table->name), "%s", name);
	for (size_t i = 0; i < count; i++) {
		snprintf(table->names[i], sizeof(table->names[i]), "%s", columns[i].name);
		table->types[i] = columns[i].type;
	}
	table->columns = count;
	return 7 + (int)state->table_count++;
}

static inline int host_row(void *ctx, int table, const union probe_value *values, size_t count)
{
	struct host_state *state = ctx;
	struct host_row *row = &state->rows[state->row_count++];
	const char *text;

	assert_true(state->row_count <= HOST_ROWS);
	assert_in_range(table, 7, 7 + state->table_count - 1);
	row->table = (size_t)table - 7;
	assert_int_equal(count, state->tables[row->table].columns);
	for (size_t i = 0; i < count; i++) {
		switch (state->tables[row->table].types[i]) {
		case PROBE_TYPE_INTEGER:
			row->cell[i].integer = values[i].integer;
			break;
		case PROBE_TYPE_REAL:
			row->cell[i].real = values[i].real;
			break;
		case PROBE_TYPE_TEXT:
			text = values[i].text ? values[i].text : "";
			assert_true(state->text_used + strlen(text) < HOST_TEXT);
			row->cell[i].text = state->text_used;
			strcpy(state->text + state->text_used, text);
			state->text_used += strlen(text) + 1;
			break;
		}
	}
	return 0;
}

__attribute__((format(printf, 3, 4))) static inline void host_log(void *ctx, enum probe_level level,
								  const char *format, ...)
{
	struct host_state *state = ctx;
	va_list args;

	va_start(args, format);
	vsnprintf(state->message, sizeof(state->message), format, args);
	va_end(args);
	state->level = level;
	state->logged++;
}

static inline struct probe_host host_of(struct host_state *state)
{
	return (struct probe_host){
		.size = sizeof(struct probe_host),
		.abi = PROBE_HANDLER_ABI,
		.ctx = state,
		.arg = host_arg,
		.site = host_site,
		.site_count = host_site_count,
		.table = host_table,
		.row = host_row,
		.log = host_log,
	};
}

/* A site of code object 3; returns its id. */
static inline uint32_t host_add_site(struct host_state *state, enum probe_access_kind access,
				     enum probe_space space, uint16_t bytes, uint16_t unit)
{
	uint32_t id = state->site_count++;

	state->sites[id] = (struct probe_site_info){
		.size = sizeof(struct probe_site_info),
		.id = id,
		.code_object = 3,
		.access = (uint8_t)access,
		.space = (uint8_t)space,
		.bytes = bytes,
		.unit = unit,
		.file = "a.hip",
		.function = "f",
	};
	return id;
}

static inline size_t host_column(const struct host_state *state, size_t row, const char *name)
{
	const struct host_table *table = &state->tables[state->rows[row].table];

	assert_true(row < state->row_count);
	for (size_t i = 0; i < table->columns; i++)
		if (!strcmp(table->names[i], name))
			return i;
	fail_msg("no column %s", name);
	return 0;
}

static inline int64_t host_get(const struct host_state *state, size_t row, const char *name)
{
	return state->rows[row].cell[host_column(state, row, name)].integer;
}

static inline double host_real(const struct host_state *state, size_t row, const char *name)
{
	return state->rows[row].cell[host_column(state, row, name)].real;
}

static inline const char *host_text(const struct host_state *state, size_t row, const char *name)
{
	return state->text + state->rows[row].cell[host_column(state, row, name)].text;
}

static inline const char *host_table_of(const struct host_state *state, size_t row)
{
	assert_true(row < state->row_count);
	return state->tables[state->rows[row].table].name;
}

#endif
