/* SPDX-License-Identifier: MIT */
#include "cmds/report/unpack_samples.h"

#include <stdlib.h>
#include <string.h>

#include "pcsample/decode.h"
#include "pcsample/profile.h"
#include "cmds/report/virtual_table.h"

#define RAW_SIZE (PROBE_PCS_RECORD_SIZE + 16u)

enum column {
	C_DISPATCH,
	C_CODE_OBJECT,
	C_OFFSET, /* address of a raw sample */
	C_ISSUED,
	C_CODE,
	C_SAMPLES,
	C_LANES,
	C_WAVES,
	C_DUAL,
	C_TIME,
	C_EXEC,
	C_TYPE,
	C_REASON,
	C_CORRELATION,
	C_VALID,
	C_BYTES, /* first argument */
	C_ARCH,
	C_METHOD,
};

static const char declaration[] =
	"CREATE TABLE x (dispatch INTEGER, code_object INTEGER, offset INTEGER, issued INTEGER, "
	"code INTEGER, samples INTEGER, lanes INTEGER, waves INTEGER, dual INTEGER, time INTEGER, "
	"exec INTEGER, type INTEGER, reason INTEGER, correlation INTEGER, "
	"valid INTEGER, "
	"bytes HIDDEN, arch HIDDEN, method HIDDEN)";

/* One of the two tables, and which of them it is. */
struct table {
	sqlite3_vtab base;
	bool raw;
};

struct cursor {
	sqlite3_vtab_cursor base;
	uint8_t *bytes;
	struct probe_pcs_unpack unpack;
	/* Raw. */
	struct probe_pcs_layout layout;
	struct probe_pc_sample sample;
	uint64_t dispatch;
	uint32_t code_object;
	bool raw, good, valid, end;
	sqlite3_int64 row;
};

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **ret,
		   char **error)
{
	int rc = report_vtab_connect(db, declaration, sizeof(struct table), ret);

	(void)argc;
	(void)argv;
	(void)error;
	if (rc)
		return rc;
	((struct table *)*ret)->raw = aux != NULL;
	return SQLITE_OK;
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	return report_vtab_best_index(info, C_BYTES, ((struct table *)table)->raw ? 3 : 1, 1000);
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **ret)
{
	int rc = report_vtab_open(sizeof(struct cursor), ret);

	if (rc)
		return rc;
	((struct cursor *)*ret)->raw = ((struct table *)table)->raw;
	((struct cursor *)*ret)->end = true;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct cursor *cursor = (struct cursor *)base;

	sqlite3_free(cursor->bytes);
	sqlite3_free(cursor);
	return SQLITE_OK;
}

static int damaged(struct cursor *cursor)
{
	sqlite3_free(cursor->base.pVtab->zErrMsg);
	cursor->base.pVtab->zErrMsg = sqlite3_mprintf("packed samples are malformed");
	cursor->end = true;
	return SQLITE_CORRUPT_VTAB;
}

static int next_raw(struct cursor *cursor)
{
	const uint8_t *record = cursor->unpack.pos, *tail = record + PROBE_PCS_RECORD_SIZE;
	uint32_t good;

	if (record == cursor->unpack.end) {
		cursor->end = true;
		return SQLITE_OK;
	}
	cursor->valid =
		probe_pcs_decode(&cursor->layout, record, &cursor->sample) == PROBE_PCS_VALID;
	memcpy(&cursor->dispatch, tail, 8);
	memcpy(&cursor->code_object, tail + 8, 4);
	memcpy(&good, tail + 12, 4);
	cursor->good = good != 0;
	cursor->unpack.pos += RAW_SIZE;
	return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct cursor *cursor = (struct cursor *)base;

	cursor->row++;
	if (cursor->raw)
		return next_raw(cursor);
	if (probe_pcs_unpack_next(&cursor->unpack))
		return SQLITE_OK;
	cursor->end = true;
	return cursor->unpack.bad ? damaged(cursor) : SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *name, int count,
		  sqlite3_value **values)
{
	struct cursor *cursor = (struct cursor *)base;
	size_t size = (size_t)sqlite3_value_bytes(values[0]);
	const void *bytes = sqlite3_value_blob(values[0]);

	(void)number;
	(void)name;
	sqlite3_free(cursor->bytes);
	cursor->bytes = sqlite3_malloc((int)size + 1);
	if (!cursor->bytes)
		return SQLITE_NOMEM;
	if (size)
		memcpy(cursor->bytes, bytes, size);
	cursor->unpack =
		(struct probe_pcs_unpack){.pos = cursor->bytes, .end = cursor->bytes + size};
	cursor->end = false;
	cursor->row = 0;
	if (cursor->raw && (size % RAW_SIZE || count < 3 || !sqlite3_value_text(values[1]) ||
			    !probe_pcs_layout((const char *)sqlite3_value_text(values[1]),
					      sqlite3_value_int(values[2]) ? PROBE_PCS_STOCHASTIC
									   : PROBE_PCS_HOST_TRAP,
					      &cursor->layout)))
		return damaged(cursor);
	return next(base);
}

static int at_end(sqlite3_vtab_cursor *base)
{
	return ((struct cursor *)base)->end;
}

static void packed_cell(const struct cursor *cursor, sqlite3_context *context, int column)
{
	const struct probe_pcs_profile_row *row = &cursor->unpack.row;
	bool issued = row->state < PROBE_PCS_TYPES;

	switch ((enum column)column) {
	case C_DISPATCH:
		sqlite3_result_int64(context, (sqlite3_int64)cursor->unpack.dispatch);
		break;
	case C_CODE_OBJECT:
		sqlite3_result_int64(context, cursor->unpack.code_object);
		break;
	case C_OFFSET:
		sqlite3_result_int64(context, 4ll * row->index);
		break;
	case C_ISSUED:
		sqlite3_result_int(context, issued);
		break;
	case C_CODE:
		sqlite3_result_int(context, issued ? row->state : row->state - PROBE_PCS_TYPES);
		break;
	case C_SAMPLES:
		sqlite3_result_int64(context, (sqlite3_int64)row->samples);
		break;
	case C_LANES:
		sqlite3_result_int64(context, (sqlite3_int64)row->lanes);
		break;
	default:
		break; /* NULL: this value is not kept */
	}
}

static void raw_cell(const struct cursor *cursor, sqlite3_context *context, int column)
{
	const struct probe_pc_sample *sample = &cursor->sample;
	bool stochastic = cursor->layout.method == PROBE_PCS_STOCHASTIC;
	bool issued = sample->issued || !stochastic;
	const sqlite3_int64 values[] = {
		[C_DISPATCH] = (sqlite3_int64)cursor->dispatch,
		[C_CODE_OBJECT] = cursor->code_object,
		[C_OFFSET] = (sqlite3_int64)sample->pc,
		[C_ISSUED] = issued,
		[C_CODE] = !stochastic ? 0
			   : issued    ? sample->type
				       : sample->reason,
		[C_SAMPLES] = cursor->good,
		[C_LANES] = __builtin_popcountll(sample->exec),
		[C_WAVES] = sample->wave_count,
		[C_DUAL] = sample->dual,
		[C_TIME] = (sqlite3_int64)sample->timestamp,
		[C_EXEC] = (sqlite3_int64)sample->exec,
		[C_TYPE] = sample->type,
		[C_REASON] = sample->reason,
		[C_CORRELATION] = (sqlite3_int64)sample->correlation,
		[C_VALID] = cursor->valid,
	};

	if (column < C_BYTES)
		sqlite3_result_int64(context, values[column]);
}

static int cell(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
	const struct cursor *cursor = (struct cursor *)base;

	if (cursor->raw)
		raw_cell(cursor, context, column);
	else
		packed_cell(cursor, context, column);
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
	*ret = ((struct cursor *)base)->row;
	return SQLITE_OK;
}

int report_unpack_register(sqlite3 *db)
{
	/* Without xCreate: the tables exist for queries only, and no schema can create them. */
	static const sqlite3_module module = {
		.xConnect = connect,
		.xBestIndex = best_index,
		.xDisconnect = report_vtab_disconnect,
		.xOpen = open_cursor,
		.xClose = close_cursor,
		.xFilter = filter,
		.xNext = next,
		.xEof = at_end,
		.xColumn = cell,
		.xRowid = rowid,
	};
	static char raw;
	int rc = sqlite3_create_module(db, "probe_unpack", &module, NULL);

	return rc ? rc : sqlite3_create_module(db, "probe_unraw", &module, &raw);
}
