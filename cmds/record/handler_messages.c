/* SPDX-License-Identifier: MIT */
#include "cmds/record/handler_messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmds/options/handler_plugins.h"
#include "cmds/options/run_options.h"
#include "cmds/record/handler_channel.h"
#include "cmds/record/handler_report.h"
#include "cmds/record/handler_worker.h"
#include "cmds/record/handler_workers.h"
#include "cmds/record/record_log.h"
#include "common/buf.h"
#include "common/err.h"
#include "common/log.h"
#include "store/store.h"

enum { CELLS_MAX = 64, READ_BYTES = 256 << 10 };

static struct probe_err *read_text(struct probe_buf *buf, char **ret)
{
	const char *text;
	struct probe_err *err = probe_buf_string(buf, &text);

	if (err)
		return err;
	free(*ret);
	*ret = strdup(text);
	return *ret ? NULL : probe_err_oom();
}

static struct probe_err *handle_log(struct worker *worker, struct probe_buf *buf)
{
	const struct handler_run *run = worker->set->run;
	const char *name = worker->plugin->handler.name, *text;
	struct record_log none = {0};
	uint32_t level;
	struct probe_err *err = probe_buf_u32(buf, &level);

	if (err)
		return err;
	err = probe_buf_string(buf, &text);
	if (err)
		return err;
	record_log_put(run ? run->log : &none, level > PROBE_LOG_INFO ? PROBE_LOG_INFO : (int)level,
		       name, "handler %s: %s", name, text);
	return NULL;
}

static struct probe_err *handle_failure(struct worker *worker, struct probe_buf *buf)
{
	uint32_t call = 0, number = 0;
	struct probe_err *err = probe_buf_u32(buf, &call);

	if (err)
		return err;
	err = probe_buf_u32(buf, &number);
	if (err)
		return err;
	worker->failed = true;
	handler_report_failure(worker, handler_call_word(call), (int)(number & 0xffff));
	return NULL;
}

static struct probe_err *handle_table(struct worker *worker, struct probe_buf *buf)
{
	struct probe_column columns[CELLS_MAX];
	const char *name;
	uint32_t count = 0, type = 0;
	struct probe_err *err = probe_buf_string(buf, &name);
	int rc;

	if (err)
		return err;
	err = probe_buf_u32(buf, &count);
	if (err)
		return err;
	if (count > CELLS_MAX || worker->table_count == HANDLER_TABLES_MAX)
		return probe_buf_error(buf, "a table of %u columns", count);
	for (uint32_t i = 0; i < count; i++) {
		err = probe_buf_u32(buf, &type);
		if (err)
			return err;
		columns[i].type = (enum probe_type)type;
		err = probe_buf_string(buf, &columns[i].name);
		if (err)
			return err;
	}
	rc = handler_tables_get(&worker->set->tables, worker->plugin->handler.name, name, columns,
				count, &worker->tables[worker->table_count]);
	if (rc)
		worker->tables[worker->table_count] = NULL;
	/* A failure of the store is not the handler's fault; the recording reports it once. */
	if (rc && worker->set->run && !probe_store_failure(worker->set->run->store))
		handler_report_failure(worker, "table", -rc);
	worker->table_count++;
	return NULL;
}

static struct probe_err *read_cell(struct probe_buf *buf, enum probe_type type,
				   union probe_value *ret)
{
	uint64_t word = 0;
	uint32_t there = 0;
	struct probe_err *err;

	if (type != PROBE_TYPE_TEXT) {
		err = probe_buf_u64(buf, &word);
		memcpy(ret, &word, sizeof(word));
		return err;
	}
	ret->text = NULL;
	err = probe_buf_u32(buf, &there);
	return err || !there ? err : probe_buf_string(buf, &ret->text);
}

static struct probe_err *handle_row(struct worker *worker, struct probe_buf *buf)
{
	union probe_value values[CELLS_MAX];
	struct handler_table *table;
	uint32_t number = 0;
	size_t count;
	struct probe_err *err = probe_buf_u32(buf, &number);

	if (err)
		return err;
	if (number >= worker->table_count)
		return probe_buf_error(buf, "a row of table %u", number);
	table = worker->tables[number];
	if (!table)
		return NULL;
	count = handler_table_columns(table);
	for (size_t i = 0; i < count; i++) {
		err = read_cell(buf, handler_table_types(table)[i], &values[i]);
		if (err)
			return err;
	}
	handler_table_add(table, values, count); /* a failure belongs to the store */
	return NULL;
}

/* A row that the handler adds before there is a database. */
static struct probe_err *keep_row(struct worker *worker, struct probe_buf *buf)
{
	struct handler_message_head head = {.type = HANDLER_MESSAGE_ROW};
	size_t size = probe_buf_left(buf);
	unsigned char *grown = realloc(worker->early, worker->early_size + sizeof(head) + size);

	if (!grown)
		return probe_err_oom();
	worker->early = grown;
	head.size = (uint32_t)size;
	memcpy(grown + worker->early_size, &head, sizeof(head));
	worker->early_size += sizeof(head) + size;
	return probe_buf_copy(buf, grown + worker->early_size - size, size);
}

static struct probe_err *handle_end(struct worker *worker, struct probe_buf *buf)
{
	struct probe_err *err = read_text(buf, &worker->why_not);

	worker->done = false;
	if (err)
		return err;
	err = probe_buf_copy(buf, &worker->counts, sizeof(worker->counts));
	if (err)
		return err;
	worker->done = true;
	return NULL;
}

static struct probe_err *handle_message(struct worker *worker, uint32_t type, struct probe_buf *buf)
{
	bool running = worker->set->run != NULL;

	if (type == HANDLER_MESSAGE_LOG)
		return handle_log(worker, buf);
	if (type == HANDLER_MESSAGE_OPENED && !worker->opened) {
		worker->opened = true;
		return read_text(buf, &worker->why_not);
	}
	if (type == HANDLER_MESSAGE_TABLE)
		return handle_table(worker, buf);
	if (type == HANDLER_MESSAGE_ROW)
		return running ? handle_row(worker, buf) : keep_row(worker, buf);
	if (type == HANDLER_MESSAGE_FAILED && running)
		return handle_failure(worker, buf);
	if (type == HANDLER_MESSAGE_DONE && running)
		return handle_end(worker, buf);
	return probe_buf_error(buf, "a message of type %u", type);
}

/* Handles the complete messages of these bytes; *ret_used: their size. False: some are malformed.
 */
static bool handle_messages(struct worker *worker, const unsigned char *bytes, size_t size,
			    size_t *ret_used)
{
	struct handler_message_head head;
	bool good = true;
	size_t at = 0;

	while (size - at >= sizeof(head)) {
		struct probe_buf buf;
		struct probe_err *err;

		memcpy(&head, bytes + at, sizeof(head));
		if (head.size > HANDLER_MESSAGE_MAX) {
			good = false;
			break;
		}
		if (size - at - sizeof(head) < head.size)
			break;
		probe_buf_init(&buf, worker->plugin->handler.name, bytes + at + sizeof(head),
			       head.size);
		err = handle_message(worker, head.type, &buf);
		good = good && !err;
		probe_err_destroy(err);
		at += sizeof(head) + head.size;
	}
	*ret_used = at;
	return good;
}

void handler_messages_start(struct worker *worker)
{
	size_t used;

	/* They are not malformed in another way than those that come later. */
	handle_messages(worker, worker->early, worker->early_size, &used);
	free(worker->early);
	worker->early = NULL;
	worker->early_size = 0;
}

bool handler_messages_read(struct worker *worker, enum worker_kill *why)
{
	size_t used = 0;
	ssize_t n;

	if (worker->capacity - worker->used < READ_BYTES) {
		size_t capacity = 2 * worker->capacity + READ_BYTES;
		unsigned char *grown = realloc(worker->buffer, capacity);

		if (!grown) {
			*why = WORKER_MALFORMED;
			return false;
		}
		worker->buffer = grown;
		worker->capacity = capacity;
	}
	n = read(worker->fd, worker->buffer + worker->used, worker->capacity - worker->used);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	worker->used += (size_t)n;
	worker->output += (uint64_t)n;
	if (worker->output > worker->set->config->limits.output)
		*why = WORKER_EXCESSIVE;
	else if (!handle_messages(worker, worker->buffer, worker->used, &used))
		*why = WORKER_MALFORMED;
	memmove(worker->buffer, worker->buffer + used, worker->used - used);
	worker->used -= used;
	return n > 0 && !*why;
}
