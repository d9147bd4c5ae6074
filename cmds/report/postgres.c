/* SPDX-License-Identifier: MIT */
#include "cmds/report/postgres.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/report/escape.h"
#include "cmds/report/optional_library.h"
#include "cmds/report/report_db.h"
#include "common/cleanup.h"
#include "common/err.h"

/*
 * Of libpq-fe.h, whose functions and numbers are the same since version 8. Declared here, so that
 * Probe can be built without it.
 */
typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
enum { CONNECTION_OK = 0 };
enum { PGRES_COMMAND_OK = 1, PGRES_TUPLES_OK = 2, PGRES_COPY_IN = 4 };

static struct {
	PGconn *(*connect)(const char *info);
	int (*status)(const PGconn *connection);
	void (*finish)(PGconn *connection);
	char *(*error)(const PGconn *connection);
	PGresult *(*exec)(PGconn *connection, const char *sql);
	PGresult *(*get_result)(PGconn *connection);
	int (*result_status)(const PGresult *result);
	char *(*result_error)(const PGresult *result);
	int (*rows)(const PGresult *result);
	char *(*value)(const PGresult *result, int row, int column);
	void (*clear)(PGresult *result);
	int (*put_copy)(PGconn *connection, const char *bytes, int size);
	int (*put_copy_end)(PGconn *connection, const char *error);
	void (*(*set_notice)(PGconn *connection, void (*notice)(void *user, const char *text),
			     void *user))(void *user, const char *text);
} pq;

static const struct optional_function functions[] = {
	{"PQconnectdb", &pq.connect},
	{"PQstatus", &pq.status},
	{"PQfinish", &pq.finish},
	{"PQerrorMessage", &pq.error},
	{"PQexec", &pq.exec},
	{"PQgetResult", &pq.get_result},
	{"PQresultStatus", &pq.result_status},
	{"PQresultErrorMessage", &pq.result_error},
	{"PQntuples", &pq.rows},
	{"PQgetvalue", &pq.value},
	{"PQclear", &pq.clear},
	{"PQputCopyData", &pq.put_copy},
	{"PQputCopyEnd", &pq.put_copy_end},
	{"PQsetNoticeProcessor", &pq.set_notice},
	{NULL, NULL},
};

enum { FLUSH_BYTES = 64 << 10 };

struct postgres {
	PGconn *connection;
	/* Of a COPY: rows that were not sent yet. */
	char *bytes;
	size_t size, capacity;
	bool first;  /* the next field is the first of its row */
	bool failed; /* the connection says why, or memory is out */
	bool oom;
};

bool postgres_is_address(const char *word)
{
	return !strncmp(word, "postgresql://", 13) || !strncmp(word, "postgres://", 11);
}

/* "NOTICE: relation exists, skipping" and the like. */
static void ignore(void *user, const char *text)
{
	(void)user;
	(void)text;
}

/* In one line: libpq's messages have several, such as the row of an error. */
static struct probe_err *failure(const char *text)
{
	char line[1000];
	size_t length = 0;

	if (!strncmp(text, "ERROR:", 6))
		text += 6 + strspn(text + 6, " ");
	for (; *text && length < sizeof(line) - 3; text++) {
		if (*text != '\n' && *text != '\t')
			line[length++] = *text;
		else if (text[strspn(text, "\n\t ")] && *text == '\n')
			length += (size_t)sprintf(line + length, "; ");
	}
	return probe_err_create("PostgreSQL: %.*s", (int)length, line);
}

static void postgres_release(struct postgres **postgres)
{
	postgres_close(*postgres);
}

struct probe_err *postgres_open(const char *address, struct postgres **ret)
{
	PROBE_AUTO(postgres_release) struct postgres *postgres = NULL;
	struct probe_err *err = optional_library_load("libpq.so.5", "load", "libpq5", functions);

	if (err)
		return err;
	postgres = calloc(1, sizeof(*postgres));
	if (!postgres)
		return probe_err_oom();
	postgres->connection = pq.connect(address);
	if (!postgres->connection)
		return probe_err_oom();
	if (pq.status(postgres->connection) != CONNECTION_OK)
		return failure(pq.error(postgres->connection));
	pq.set_notice(postgres->connection, ignore, NULL);
	err = postgres_exec(postgres, "SET client_encoding = 'UTF8'");
	if (err)
		return err;
	*ret = PROBE_KEEP(postgres);
	return NULL;
}

void postgres_close(struct postgres *postgres)
{
	if (!postgres)
		return;
	if (postgres->connection)
		pq.finish(postgres->connection);
	free(postgres->bytes);
	free(postgres);
}

static void result_release(PGresult **result)
{
	if (*result)
		pq.clear(*result);
}

/* *cell: NULL, or the first one, allocated; `status`: the expected one, or that of a query. */
static struct probe_err *run(struct postgres *postgres, const char *format, va_list args,
			     int status, char **cell)
{
	REPORT_AUTO_SQL char *sql = sqlite3_vmprintf(format, args);
	PROBE_AUTO(result_release) PGresult *result = NULL;
	int got;

	if (!sql)
		return probe_err_oom();
	result = pq.exec(postgres->connection, sql);
	if (!result)
		return failure(pq.error(postgres->connection));
	got = pq.result_status(result);
	if (got != status && got != PGRES_TUPLES_OK)
		return failure(pq.result_error(result));
	if (!cell || !pq.rows(result))
		return NULL;
	*cell = strdup(pq.value(result, 0, 0));
	return *cell ? NULL : probe_err_oom();
}

struct probe_err *postgres_exec(struct postgres *postgres, const char *format, ...)
{
	struct probe_err *err;
	va_list args;

	va_start(args, format);
	err = run(postgres, format, args, PGRES_COMMAND_OK, NULL);
	va_end(args);
	return err;
}

struct probe_err *postgres_cell(struct postgres *postgres, char **ret, const char *format, ...)
{
	struct probe_err *err;
	va_list args;

	*ret = NULL;
	va_start(args, format);
	err = run(postgres, format, args, PGRES_TUPLES_OK, ret);
	va_end(args);
	return err;
}

/* ---- COPY ------------------------------------------------------------------------------------ */

struct probe_err *postgres_copy(struct postgres *postgres, const char *format, ...)
{
	struct probe_err *err;
	va_list args;

	postgres->size = 0;
	postgres->first = true;
	postgres->failed = postgres->oom = false;
	va_start(args, format);
	err = run(postgres, format, args, PGRES_COPY_IN, NULL);
	va_end(args);
	return err;
}

static bool flush(struct postgres *postgres)
{
	/* Without PQsetnonblocking, 0 does not happen. */
	if (postgres->size &&
	    pq.put_copy(postgres->connection, postgres->bytes, (int)postgres->size) != 1)
		postgres->failed = true;
	postgres->size = 0;
	return !postgres->failed;
}

/* Room for `size` more bytes, which the caller fills in; NULL after a failure. */
static char *reserve(struct postgres *postgres, size_t size)
{
	size_t capacity = postgres->capacity;
	char *grown;

	if (postgres->failed)
		return NULL;
	if (postgres->size >= FLUSH_BYTES && !flush(postgres))
		return NULL;
	while (capacity < postgres->size + size)
		capacity = capacity ? 2 * capacity : 2 * (size_t)FLUSH_BYTES;
	if (capacity != postgres->capacity) {
		grown = realloc(postgres->bytes, capacity);
		if (!grown) {
			postgres->failed = postgres->oom = true;
			return NULL;
		}
		postgres->bytes = grown;
		postgres->capacity = capacity;
	}
	return postgres->bytes + postgres->size;
}

static void append(struct postgres *postgres, const char *bytes, size_t size)
{
	char *to = reserve(postgres, size);

	if (to)
		memcpy(to, bytes, size);
	if (to)
		postgres->size += size;
}

static void begin_field(struct postgres *postgres)
{
	if (!postgres->first)
		append(postgres, "\t", 1);
	postgres->first = false;
}

void postgres_text(struct postgres *postgres, const char *text, size_t length)
{
	char *to, *begin;

	begin_field(postgres);
	/* A byte becomes at most three. */
	to = begin = reserve(postgres, 3 * length);
	for (size_t at = 0; to && at < length;) {
		uint32_t code;
		unsigned size = report_utf8(text + at, length - at, &code);

		if (!size || !code) {
			memcpy(to, "\xef\xbf\xbd", 3);
			to += 3;
		} else if (strchr("\\\t\n\r", text[at])) {
			*to++ = '\\';
			*to++ = text[at] == '\t'   ? 't'
				: text[at] == '\n' ? 'n'
				: text[at] == '\r' ? 'r'
						   : '\\';
		} else {
			memcpy(to, text + at, size);
			to += size;
		}
		at += size ? size : 1;
	}
	if (to)
		postgres->size += (size_t)(to - begin);
}

void postgres_bytes(struct postgres *postgres, const unsigned char *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	char *to;

	begin_field(postgres);
	append(postgres, "\\\\x", 3);
	to = reserve(postgres, 2 * size);
	for (size_t i = 0; to && i < size; i++) {
		*to++ = digits[bytes[i] >> 4];
		*to++ = digits[bytes[i] & 15];
	}
	if (to)
		postgres->size += 2 * size;
}

void postgres_int(struct postgres *postgres, int64_t value)
{
	char text[24];

	begin_field(postgres);
	append(postgres, text, (size_t)snprintf(text, sizeof(text), "%lld", (long long)value));
}

void postgres_real(struct postgres *postgres, double value)
{
	char text[40];

	begin_field(postgres);
	append(postgres, text, (size_t)snprintf(text, sizeof(text), "%.17g", value));
}

void postgres_null(struct postgres *postgres)
{
	begin_field(postgres);
	append(postgres, "\\N", 2);
}

void postgres_row(struct postgres *postgres)
{
	append(postgres, "\n", 1);
	postgres->first = true;
}

struct probe_err *postgres_copy_end(struct postgres *postgres)
{
	struct probe_err *err = NULL;
	PGresult *result;

	flush(postgres);
	if (postgres->oom)
		err = probe_err_oom();
	if (pq.put_copy_end(postgres->connection, err ? "out of memory" : NULL) != 1 && !err)
		err = failure(pq.error(postgres->connection));
	while ((result = pq.get_result(postgres->connection))) {
		if (!err && pq.result_status(result) != PGRES_COMMAND_OK)
			err = failure(pq.result_error(result));
		pq.clear(result);
	}
	return err;
}
