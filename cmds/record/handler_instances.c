/* SPDX-License-Identifier: MIT */
/*
 * Handler instances of one session: what handler.h promises them, and their failures contained. An
 * instance that fails is named, fed no more and closed; the others do not notice.
 */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "common/log.h"
#include "cmds/record/allocation_records.h"
#include "cmds/options/handler_plugins.h"
#include "cmds/options/run_options.h"
#include "cmds/record/run_session.h"

#define TABLES_MAX  64
#define COLUMNS_MAX 64
#define NAME_BYTES  64 /* of tables and columns */

struct run_handler_table {
	struct run_handler_table *next; /* of the session */
	char name[NAME_BYTES];
	enum probe_type types[COLUMNS_MAX];
	char columns[COLUMNS_MAX][NAME_BYTES];
	size_t count;
	struct probe_rows *rows;
};

struct run_instance {
	struct run_session *session;
	const struct run_plugin *plugin;
	const struct run_handler_spec *spec;
	struct probe_host host;
	void *state;
	bool opened, failed;
	char names[256];
	uint64_t asked; /* bit i: the handler has asked for argument i; those behind 63 are not kept
			 */
	struct run_handler_table *tables[TABLES_MAX];
	size_t table_count;
};

/* ---- Crashes -------------------------------------------------------------------------------- */

/* The handler this thread is in; NULL = our own code. */
static _Thread_local const char *running;

/* Say which handler it was and die of the signal as before; what was committed stays readable. */
static void crashed(int number)
{
	static const char before[] = "probe: error: handler ",
			  after[] = " crashed; the database has what was stored before\n";
	const char *name = running;

	if (name && write(2, before, sizeof(before) - 1) > 0 && write(2, name, strlen(name)) > 0 &&
	    write(2, after, sizeof(after) - 1) > 0)
		running = NULL;
	signal(number, SIG_DFL);
	raise(number);
}

static void watch_crashes(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	struct sigaction action = {.sa_handler = crashed, .sa_flags = SA_NODEFER};

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &action, NULL);
}

/* Evaluate a call into a handler's code. */
#define INSIDE(instance, call)                                                                     \
	(running = (instance)->plugin->handler.name, inside_result = (call), running = NULL,       \
	 inside_result)
static _Thread_local int inside_result;

/* Names that a handler has asked for are those that it takes: " name," each. */
static void note_name(struct run_instance *instance, const char *key)
{
	size_t used = strlen(instance->names);
	char name[64];

	if (snprintf(name, sizeof(name), " %s,", key) >= (int)sizeof(name) ||
	    strstr(instance->names, name) || used + strlen(name) >= sizeof(instance->names))
		return;
	strcpy(instance->names + used, name);
}

static const char *host_arg(void *ctx, const char *key)
{
	struct run_instance *instance = ctx;
	size_t len = strlen(key);
	const char *ret = NULL;

	note_name(instance, key);
	for (size_t i = 0; i < instance->spec->arg_count; i++) {
		const char *word = instance->spec->args[i];

		if (strncmp(word, key, len) || word[len] != '=')
			continue;
		if (i < 64)
			instance->asked |= 1ull << i;
		ret = ret ? ret : word + len + 1;
	}
	return ret;
}

static const struct probe_site_info *host_site(void *ctx, uint32_t code_object, uint32_t site)
{
	const struct run_instance *instance = ctx;
	const struct run_code *code = run_table_get(&instance->session->objects.codes, code_object);

	if (!code || !code->sites || site >= code->site_count)
		return NULL;
	/* Ids behind a kernel's sites are rows of counters that several share. */
	return probe_site_is_row(code->sites[site].access) ? NULL : &code->sites[site];
}

static uint32_t host_site_count(void *ctx, uint32_t code_object)
{
	const struct run_instance *instance = ctx;
	const struct run_code *code = run_table_get(&instance->session->objects.codes, code_object);

	return code && code->sites ? code->site_count : 0;
}

static const struct probe_allocation_info *
host_allocation(void *ctx, const struct probe_dispatch_info *dispatch, uint64_t address)
{
	const struct run_instance *instance = ctx;

	return run_allocations_find(instance->session->allocations, dispatch->id, address);
}

static bool identifier(const char *name)
{
	size_t len = name ? strlen(name) : 0;

	if (!len || len >= NAME_BYTES || !isalpha((unsigned char)*name))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return false;
	return true;
}

static bool columns_valid(const struct probe_column *columns, size_t count)
{
	if (!count || count > COLUMNS_MAX)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!identifier(columns[i].name) || !strcasecmp(columns[i].name, "id") ||
		    columns[i].type < PROBE_TYPE_INTEGER || columns[i].type > PROBE_TYPE_TEXT)
			return false;
		for (size_t k = 0; k < i; k++)
			if (!strcasecmp(columns[i].name, columns[k].name))
				return false;
	}
	return true;
}

static bool same_columns(const struct run_handler_table *table, const struct probe_column *columns,
			 size_t count)
{
	if (table->count != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (strcmp(table->columns[i], columns[i].name) ||
		    table->types[i] != columns[i].type)
			return false;
	return true;
}

/* CREATE TABLE and the list of columns; every name in it has passed identifier(). */
static int create_table(struct probe_store *store, struct run_handler_table *table, bool replay)
{
	static const char *const types[] = {"", "INTEGER", "REAL", "TEXT"};
	char create[COLUMNS_MAX * (NAME_BYTES + 12) + 128], list[COLUMNS_MAX * (NAME_BYTES + 4)];
	size_t c, l = 0;
	int err;

	/* Rows of the handler's last run over these records are replaced. */
	if (replay) {
		snprintf(create, sizeof(create), "DROP TABLE IF EXISTS \"%s\"", table->name);
		err = probe_store_exec(store, create);
		if (err)
			return err;
	}
	c = (size_t)snprintf(create, sizeof(create),
			     "CREATE TABLE IF NOT EXISTS \"%s\" (id INTEGER PRIMARY KEY",
			     table->name);
	for (size_t i = 0; i < table->count; i++) {
		c += (size_t)snprintf(create + c, sizeof(create) - c, ", \"%s\" %s",
				      table->columns[i], types[table->types[i]]);
		l += (size_t)snprintf(list + l, sizeof(list) - l, "%s\"%s\"", i ? ", " : "",
				      table->columns[i]);
	}
	snprintf(create + c, sizeof(create) - c, ")");
	err = probe_store_exec(store, create);
	if (err)
		return err;
	table->rows = probe_store_rows(store, table->name, list, NULL, (unsigned)table->count, 50);
	return table->rows ? 0 : -EIO;
}

/* Two instances of a handler share its tables: a prepared insert serves both. */
static struct run_handler_table *find_table(const struct run_session *session, const char *name)
{
	struct run_handler_table *table = session->handler_tables;

	while (table && strcmp(table->name, name))
		table = table->next;
	return table;
}

static int make_table(struct run_session *session, const char *name,
		      const struct probe_column *columns, size_t count,
		      struct run_handler_table **ret)
{
	struct run_handler_table *table = calloc(1, sizeof(*table));
	int err;

	if (!table)
		return -ENOMEM;
	strcpy(table->name, name);
	table->count = count;
	for (size_t i = 0; i < count; i++) {
		strcpy(table->columns[i], columns[i].name);
		table->types[i] = columns[i].type;
	}
	/* Before the program starts there is no database yet: adopt() makes it. */
	err = session->store ? create_table(session->store, table, session->replay) : 0;
	if (err) {
		free(table);
		return err;
	}
	table->next = session->handler_tables;
	session->handler_tables = table;
	*ret = table;
	return 0;
}

/* Names of our own schema (store/schema): a handler called "run" must not write to probe_run_....
 */
static bool table_taken(const char *name)
{
	static const char *const ours[] = {"probe_run",	     "probe_code",     "probe_site",
					   "probe_source",   "probe_counter",  "probe_record",
					   "probe_account",  "probe_loss",     "probe_log",
					   "probe_dispatch", "probe_uncovered"};

	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if (!strcasecmp(name, ours[i]))
			return true;
	return false;
}

static int host_table(void *ctx, const char *name, const struct probe_column *columns, size_t count)
{
	struct run_instance *instance = ctx;
	struct run_handler_table *table;
	char full[NAME_BYTES];
	int err;

	if (!identifier(name) || !columns_valid(columns, count) ||
	    snprintf(full, sizeof(full), "probe_%s_%s", instance->plugin->handler.name, name) >=
		    (int)sizeof(full) ||
	    table_taken(full))
		return -EINVAL;
	for (size_t i = 0; i < instance->table_count; i++)
		if (!strcmp(instance->tables[i]->name, full))
			return same_columns(instance->tables[i], columns, count) ? (int)i : -EINVAL;
	if (instance->table_count == TABLES_MAX)
		return -ENOSPC;
	table = find_table(instance->session, full);
	if (table && !same_columns(table, columns, count))
		return -EINVAL;
	err = table ? 0 : make_table(instance->session, full, columns, count, &table);
	if (err)
		return err;
	instance->tables[instance->table_count] = table;
	return (int)instance->table_count++;
}

static int host_row(void *ctx, int number, const union probe_value *values, size_t count)
{
	struct run_instance *instance = ctx;
	struct probe_cell cells[COLUMNS_MAX];
	const struct run_handler_table *table;

	if (number < 0 || (size_t)number >= instance->table_count)
		return -EBADF;
	table = instance->tables[number];
	if (count != table->count)
		return -EINVAL;
	for (size_t i = 0; i < count; i++) {
		switch (table->types[i]) {
		case PROBE_TYPE_INTEGER:
			cells[i] = probe_cell_int((uint64_t)values[i].integer);
			break;
		case PROBE_TYPE_REAL:
			cells[i] = probe_cell_real(values[i].real);
			break;
		case PROBE_TYPE_TEXT:
			cells[i] = probe_cell_text(values[i].text);
			break;
		}
	}
	return table->rows ? probe_rows_add(table->rows, cells) : 0;
}

__attribute__((format(printf, 3, 4))) static void host_log(void *ctx, enum probe_level level,
							   const char *format, ...)
{
	struct run_instance *instance = ctx;
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	run_session_log(instance->session, level > PROBE_LOG_INFO ? PROBE_LOG_INFO : (int)level,
			instance->plugin->handler.name, "handler %s: %s",
			instance->plugin->handler.name, text);
}

/* A failure of the store is not the handler's: it has been told, and told once. */
static void check(struct run_instance *instance, const char *call, int err)
{
	if (!err || instance->failed)
		return;
	instance->failed = true;
	if (!instance->session->store)
		return; /* run_instances_prepare() tells */
	if (err == -EIO && probe_store_failure(instance->session->store))
		return;
	run_session_log(instance->session, PROBE_LOG_ERROR, instance->plugin->handler.name,
			"handler %s failed in %s: %s; it is fed no more, the run goes on",
			instance->plugin->handler.name, call, strerror(err < 0 ? -err : err));
	run_session_partial(instance->session, "handler %s failed in %s",
			    instance->plugin->handler.name, call);
}

/* An errno, or 0. */
static int open_instance(struct run_session *session, struct run_instance *instance,
			 const struct run_plugin *plugin)
{
	int err;

	*instance = (struct run_instance){
		.session = session,
		.plugin = plugin,
		.spec = &session->config->handlers[plugin->spec],
		.host =
			{
				.size = sizeof(instance->host),
				.abi = PROBE_HANDLER_ABI,
				.wave_fields = 1,
				.ctx = instance,
				.arg = host_arg,
				.site = host_site,
				.site_count = host_site_count,
				.table = host_table,
				.row = host_row,
				.log = host_log,
				.allocation = host_allocation,
			},
	};
	err = INSIDE(instance, plugin->handler.open(&instance->host, &instance->state));
	instance->opened = !err;
	check(instance, "open", err);
	return err < 0 ? -err : err;
}

/* What was opened before the program started, with the tables it asked for. */
static void adopt(struct run_session *session)
{
	struct run_session *from = session->prepared;

	session->prepared = NULL;
	session->instances = from->instances;
	session->instance_count = from->instance_count;
	session->handler_tables = from->handler_tables;
	for (struct run_handler_table *table = session->handler_tables; table; table = table->next)
		create_table(session->store, table, session->replay);
	for (size_t i = 0; i < session->instance_count; i++)
		session->instances[i].session = session;
	free(from);
}

static struct probe_err *check_opened(const struct run_instance *instance, int err,
				      const char *instead)
{
	const struct run_handler_spec *spec = instance->spec;
	size_t names = strlen(instance->names);

	if (!instance->opened)
		return probe_err_create("handler %s cannot be opened: %s; %s",
					instance->plugin->handler.name, strerror(err), instead);
	for (size_t i = 0; i < spec->arg_count && i < 64; i++)
		if (!(instance->asked >> i & 1))
			return probe_err_create(
				"handler %s knows no argument '%.*s'; it takes%.*s; %s",
				instance->plugin->handler.name, (int)strcspn(spec->args[i], "="),
				spec->args[i], names ? (int)names - 1 : 5,
				names ? instance->names : " none", instead);
	return NULL;
}

struct probe_err *run_instances_prepare(const struct run_config *config,
					const struct run_plugins *plugins, const char *instead,
					struct run_session **ret)
{
	struct run_session *session = calloc(1, sizeof(*session));
	struct probe_err *err = NULL;

	if (session)
		session->instances = calloc(plugins->count + 1, sizeof(*session->instances));
	if (!session || !session->instances) {
		free(session);
		return probe_err_oom();
	}
	session->config = config;
	session->plugins = plugins;
	watch_crashes();
	for (size_t i = 0; i < plugins->count && !err; i++) {
		session->instance_count = i + 1;
		err = check_opened(
			&session->instances[i],
			open_instance(session, &session->instances[i], &plugins->items[i]),
			instead);
	}
	if (err)
		run_instances_discard(session);
	else
		*ret = session;
	return err;
}

void run_instances_discard(struct run_session *prepared)
{
	if (!prepared)
		return;
	run_instances_close(prepared);
	free(prepared);
}

bool run_instances_open(struct run_session *session)
{
	const struct run_plugins *plugins = session->plugins;

	if (session->prepared) {
		adopt(session);
		return true;
	}
	session->instances = calloc(plugins->count + 1, sizeof(*session->instances));
	if (!session->instances)
		return false;
	for (size_t i = 0; i < plugins->count; i++) {
		session->instance_count = i + 1;
		open_instance(session, &session->instances[i], &plugins->items[i]);
	}
	return true;
}

static bool fed(const struct run_instance *instance)
{
	return instance->opened && !instance->failed;
}

void run_instances_run(struct run_session *session)
{
	struct probe_run_info *run = &session->run;

	if (run->size)
		return;
	*run = (struct probe_run_info){
		.size = sizeof(*run),
		.pid = (uint32_t)session->pid,
		.kind = session->config->kind,
		.flags = (session->simulated ? PROBE_RUN_SIMULATED : 0) |
			 (session->replay ? PROBE_RUN_REPLAY : 0),
		.command = session->objects.command ? session->objects.command : "",
	};
	for (size_t i = 0; i < session->instance_count; i++) {
		struct run_instance *instance = &session->instances[i];
		const struct probe_handler *handler = &instance->plugin->handler;

		if (fed(instance) && handler->run_begin)
			check(instance, "run_begin",
			      INSIDE(instance, handler->run_begin(instance->state, run)));
	}
}

void run_instances_begin(struct run_session *session, const struct probe_dispatch_info *info)
{
	run_instances_run(session);
	for (size_t i = 0; i < session->instance_count; i++) {
		struct run_instance *instance = &session->instances[i];
		const struct probe_handler *handler = &instance->plugin->handler;

		if (fed(instance) && handler->dispatch_begin)
			check(instance, "dispatch_begin",
			      INSIDE(instance, handler->dispatch_begin(instance->state, info)));
	}
}

void run_instances_batch(struct run_session *session, const struct probe_batch *batch)
{
	if (!batch->count)
		return;
	for (size_t i = 0; i < session->instance_count; i++) {
		struct run_instance *instance = &session->instances[i];
		const struct probe_handler *handler = &instance->plugin->handler;

		if (fed(instance) && (handler->streams & batch->stream))
			check(instance, "batch",
			      INSIDE(instance, handler->batch(instance->state, batch)));
	}
}

void run_instances_end(struct run_session *session, const struct probe_dispatch_info *info)
{
	for (size_t i = 0; i < session->instance_count; i++) {
		struct run_instance *instance = &session->instances[i];
		const struct probe_handler *handler = &instance->plugin->handler;

		if (fed(instance) && handler->dispatch_end)
			check(instance, "dispatch_end",
			      INSIDE(instance, handler->dispatch_end(instance->state, info)));
	}
}

void run_instances_close(struct run_session *session)
{
	for (size_t i = 0; i < session->instance_count; i++) {
		struct run_instance *instance = &session->instances[i];

		if (fed(instance) && session->run.size && instance->plugin->handler.run_end)
			check(instance, "run_end",
			      INSIDE(instance, instance->plugin->handler.run_end(instance->state,
										 &session->run)));
		if (instance->opened)
			check(instance, "close",
			      INSIDE(instance, instance->plugin->handler.close(instance->state)));
	}
	while (session->handler_tables) {
		struct run_handler_table *next = session->handler_tables->next;

		free(session->handler_tables);
		session->handler_tables = next;
	}
	free(session->instances);
	session->instances = NULL;
	session->instance_count = 0;
}
