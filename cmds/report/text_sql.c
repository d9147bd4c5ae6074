/* SPDX-License-Identifier: MIT */
#include "cmds/report/text_sql.h"

#include <stdio.h>

#include "codeobj/digest.h"
#include "common/crc32.h"

enum {
	KEY_MAX = 64,
	HEAD_BYTES = 1000,
	TAIL_BYTES = 200,
};

static void text_key(sqlite3_context *context, int count, sqlite3_value **values)
{
	const void *text = sqlite3_value_blob(values[0]);
	size_t length = (size_t)sqlite3_value_bytes(values[0]);
	char digest[PROBE_SHA256_HEX];

	(void)count;
	if (length <= KEY_MAX) {
		sqlite3_result_value(context, values[0]);
		return;
	}
	probe_sha256_hex(text, length, digest);
	sqlite3_result_text(context, digest, -1, SQLITE_TRANSIENT);
}

const char *text_cut(const char *text, size_t length, char room[TEXT_CUT_MAX])
{
	const char *tail;
	int head = HEAD_BYTES;

	if (!text || length <= TEXT_CUT_MAX)
		return text;
	tail = text + length - TAIL_BYTES;
	/* No character is divided. */
	while (head && ((unsigned char)text[head] & 0xc0) == 0x80)
		head--;
	while (((unsigned char)*tail & 0xc0) == 0x80)
		tail++;
	snprintf(room, TEXT_CUT_MAX, "%.*s [...%zu bytes, %08x...] %s", head, text, length,
		 (unsigned)probe_crc32(0, text, length), tail);
	return room;
}

static void cut(sqlite3_context *context, int count, sqlite3_value **values)
{
	const char *text = (const char *)sqlite3_value_text(values[0]);
	size_t length = (size_t)sqlite3_value_bytes(values[0]);
	char room[TEXT_CUT_MAX];

	(void)count;
	sqlite3_result_text(context, text_cut(text, length, room), -1, SQLITE_TRANSIENT);
}

int text_sql_register(sqlite3 *db)
{
	const int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY | SQLITE_DETERMINISTIC;
	int rc =
		sqlite3_create_function(db, "probe_text_key", 1, flags, NULL, text_key, NULL, NULL);

	return rc ? rc
		  : sqlite3_create_function(db, "probe_text_cut", 1, flags, NULL, cut, NULL, NULL);
}
