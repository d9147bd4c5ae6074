/* SPDX-License-Identifier: MIT */
/* A host for one handler instance with as many sites as a test likes; keeps the rows. */
#ifndef PROBE_TESTS_HANDLERS_HOST_H
#define PROBE_TESTS_HANDLERS_HOST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <probe/handler.h>

enum { HOST_SITES = 64, HOST_ROWS = 256, HOST_COLUMNS = 32, HOST_TEXT = 400 };

struct host_row {
	int64_t integer[HOST_COLUMNS];
	char text[HOST_COLUMNS][HOST_TEXT];
};

struct host_state {
	struct probe_site_info sites[HOST_SITES];
	uint32_t site_count;
	char table[64];
	char names[HOST_COLUMNS][32];
	enum probe_type types[HOST_COLUMNS];
	size_t columns;
	struct host_row rows[HOST_ROWS];
	size_t row_count;
	unsigned logged;
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
	(void)ctx, (void)key;
	return NULL;
}

static inline int host_table(void *ctx, const char *name, const struct probe_column *columns,
			     size_t count)
{
	struct host_state *state = ctx;

	assert_true(count <= HOST_COLUMNS);
	snprintf(state->table, sizeof(state->table), "%s", name);
	for (size_t i = 0; i < count; i++) {
		snprintf(state->names[i], sizeof(state->names[i]), "%s", columns[i].name);
		state->types[i] = columns[i].type;
	}
	state->columns = count;
	return 7;
}

static inline int host_row(void *ctx, int table, const union probe_value *values, size_t count)
{
	struct host_state *state = ctx;
	struct host_row *row = &state->rows[state->row_count++];

	assert_int_equal(table, 7);
	assert_int_equal(count, state->columns);
	assert_true(state->row_count <= HOST_ROWS);
	for (size_t i = 0; i < count; i++)
		if (state->types[i] == PROBE_TYPE_TEXT)
			snprintf(row->text[i], HOST_TEXT, "%s", values[i].text);
		else
			row->integer[i] = values[i].integer;
	return 0;
}

static inline void host_log(void *ctx, enum probe_level level, const char *format, ...)
{
	(void)level, (void)format;
	((struct host_state *)ctx)->logged++;
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

static inline size_t host_column(const struct host_state *state, const char *name)
{
	for (size_t i = 0; i < state->columns; i++)
		if (!strcmp(state->names[i], name))
			return i;
	fail_msg("no column %s", name);
	return 0;
}

static inline int64_t host_get(const struct host_state *state, size_t row, const char *name)
{
	assert_true(row < state->row_count);
	return state->rows[row].integer[host_column(state, name)];
}

static inline const char *host_text(const struct host_state *state, size_t row, const char *name)
{
	assert_true(row < state->row_count);
	return state->rows[row].text[host_column(state, name)];
}

#endif
