/* SPDX-License-Identifier: MIT */
#include "cmds/record/handler_set.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmds/options/handler_plugins.h"
#include "cmds/options/run_options.h"
#include "cmds/record/allocation_records.h"
#include "cmds/record/handler_tables.h"
#include "cmds/record/process_objects.h"
#include "cmds/record/record_log.h"
#include "common/err.h"
#include "common/log.h"
#include "store/store.h"

enum { TABLES_MAX = 64 };

struct instance {
	struct handler_set *set;
	const struct run_plugin *plugin;
	const struct run_handler_spec *spec;
	struct probe_host host;
	void *state;
	bool opened, failed;
	char names[256]; /* of arguments the handler knows: " name," each */
	uint64_t
		looked_up; /* bit i: the handler knows argument i; those after 63 are not checked */
	struct handler_table *tables[TABLES_MAX];
	size_t table_count;
};

struct handler_set {
	const struct run_config *config;
	const struct run_plugins *plugins;
	struct handler_source source; /* zero until it is attached */
	struct handler_tables tables;
	struct probe_run_info run; /* size = 0: no run_begin yet */
	size_t count;		   /* of instances, open or not */
	struct instance instances[];
};

/* ---- Crashes -------------------------------------------------------------------------------- */

/* The handler this thread is in; NULL = our own code. */
static _Thread_local const char *running;

/* Name the handler and die of the signal as before; what was committed stays readable. */
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

/* ---- What a handler may call ---------------------------------------------------------------- */

/* Names that a handler looks up are those that it takes. */
static void note_name(struct instance *instance, const char *key)
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
	struct instance *instance = ctx;
	size_t len = strlen(key);
	const char *ret = NULL;

	note_name(instance, key);
	for (size_t i = 0; i < instance->spec->arg_count; i++) {
		const char *word = instance->spec->args[i];

		if (strncmp(word, key, len) || word[len] != '=')
			continue;
		if (i < 64)
			instance->looked_up |= 1ull << i;
		ret = ret ? ret : word + len + 1;
	}
	return ret;
}

static const struct run_code *code_of(const struct instance *instance, uint32_t code_object)
{
	const struct process_objects *objects = instance->set->source.objects;
	const struct run_code *code = objects ? run_table_get(&objects->codes, code_object) : NULL;

	return code && code->sites ? code : NULL;
}

static const struct probe_site_info *host_site(void *ctx, uint32_t code_object, uint32_t site)
{
	const struct run_code *code = code_of(ctx, code_object);

	if (!code || site >= code->site_count)
		return NULL;
	/* Ids behind a kernel's sites are rows of counters that several share. */
	return probe_site_is_row(code->sites[site].access) ? NULL : &code->sites[site];
}

static uint32_t host_site_count(void *ctx, uint32_t code_object)
{
	const struct run_code *code = code_of(ctx, code_object);

	return code ? code->site_count : 0;
}

static const struct probe_allocation_info *
host_allocation(void *ctx, const struct probe_dispatch_info *dispatch, uint64_t address)
{
	const struct instance *instance = ctx;
	const struct run_allocations *allocations = instance->set->source.allocations;

	return allocations ? run_allocations_find(allocations, dispatch->id, address) : NULL;
}

static int host_table(void *ctx, const char *name, const struct probe_column *columns, size_t count)
{
	struct instance *instance = ctx;
	struct handler_table *table;
	int err = handler_tables_get(&instance->set->tables, instance->plugin->handler.name, name,
				     columns, count, &table);

	if (err)
		return err;
	for (size_t i = 0; i < instance->table_count; i++)
		if (instance->tables[i] == table)
			return (int)i;
	if (instance->table_count == TABLES_MAX)
		return -ENOSPC;
	instance->tables[instance->table_count] = table;
	return (int)instance->table_count++;
}

static int host_row(void *ctx, int number, const union probe_value *values, size_t count)
{
	const struct instance *instance = ctx;

	if (number < 0 || (size_t)number >= instance->table_count)
		return -EBADF;
	return handler_table_add(instance->tables[number], values, count);
}

__attribute__((format(printf, 3, 4))) static void host_log(void *ctx, enum probe_level level,
							   const char *format, ...)
{
	struct instance *instance = ctx;
	const char *name = instance->plugin->handler.name;
	struct record_log none = {0}, *log = instance->set->source.log;
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	record_log_put(log ? log : &none, level > PROBE_LOG_INFO ? PROBE_LOG_INFO : (int)level,
		       name, "handler %s: %s", name, text);
}

/* ---- Instances ------------------------------------------------------------------------------ */

/* Evaluate a call into a handler's code. */
#define INSIDE(instance, call)                                                                     \
	(running = (instance)->plugin->handler.name, inside_result = (call), running = NULL,       \
	 inside_result)
static _Thread_local int inside_result;

static void check(struct instance *instance, const char *call, int err)
{
	const struct handler_source *source = &instance->set->source;
	const char *name = instance->plugin->handler.name;

	if (!err || instance->failed)
		return;
	instance->failed = true;
	if (!source->store)
		return; /* handler_set_open() returns it */
	/* A failure of the store is not the handler's, and is reported once, by the recording. */
	if (err == -EIO && probe_store_failure(source->store))
		return;
	record_log_put(source->log, PROBE_LOG_ERROR, name,
		       "handler %s failed in %s: %s; it gets no more data, the run continues", name,
		       call, strerror(err < 0 ? -err : err));
	record_log_partial(source->log, "handler %s failed in %s", name, call);
}

/* An errno, or 0. */
static int open_instance(struct instance *instance)
{
	int err;

	instance->host = (struct probe_host){
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
	};
	err = INSIDE(instance, instance->plugin->handler.open(&instance->host, &instance->state));
	instance->opened = !err;
	check(instance, "open", err);
	return err < 0 ? -err : err;
}

static struct probe_err *check_opened(const struct instance *instance, int err, const char *instead)
{
	const struct run_handler_spec *spec = instance->spec;
	const char *name = instance->plugin->handler.name;
	size_t names = strlen(instance->names);

	if (!instance->opened)
		return probe_err_create("handler %s cannot be opened: %s; %s", name, strerror(err),
					instead);
	for (size_t i = 0; i < spec->arg_count && i < 64; i++)
		if (!(instance->looked_up >> i & 1))
			return probe_err_create(
				"unknown argument '%.*s' of handler %s; it takes%.*s; %s",
				(int)strcspn(spec->args[i], "="), spec->args[i], name,
				names ? (int)names - 1 : 5, names ? instance->names : " none",
				instead);
	return NULL;
}

static bool active(const struct instance *instance)
{
	return instance->opened && !instance->failed;
}

/* ---- The set -------------------------------------------------------------------------------- */

struct handler_set *handler_set_create(const struct run_config *config,
				       const struct run_plugins *plugins)
{
	size_t bytes = sizeof(struct handler_set) + plugins->count * sizeof(struct instance);
	struct handler_set *set = calloc(1, bytes);

	if (!set)
		return NULL;
	set->config = config;
	set->plugins = plugins;
	set->count = plugins->count;
	for (size_t i = 0; i < set->count; i++) {
		set->instances[i].set = set;
		set->instances[i].plugin = &plugins->items[i];
		set->instances[i].spec = &config->handlers[plugins->items[i].spec];
	}
	watch_crashes();
	return set;
}

void handler_set_destroy(struct handler_set *set)
{
	if (!set)
		return;
	handler_set_close(set);
	free(set);
}

struct probe_err *handler_set_open(struct handler_set *set, const char *instead)
{
	struct probe_err *err = NULL;

	for (size_t i = 0; i < set->count && !err; i++)
		err = check_opened(&set->instances[i], open_instance(&set->instances[i]), instead);
	return err;
}

void handler_set_attach(struct handler_set *set, const struct handler_source *source)
{
	set->source = *source;
	set->tables.replace = source->replay;
	handler_tables_attach(&set->tables, source->store);
	for (size_t i = 0; i < set->count; i++)
		if (!set->instances[i].opened)
			open_instance(&set->instances[i]);
}

enum event { BEGIN_RUN, BEGIN_DISPATCH, END_DISPATCH, END_RUN };

static const char *const event_names[] = {
	[BEGIN_RUN] = "run_begin",
	[BEGIN_DISPATCH] = "dispatch_begin",
	[END_DISPATCH] = "dispatch_end",
	[END_RUN] = "run_end",
};

/* An optional callback. `info` is that of events of a dispatch. */
static int call(struct instance *instance, enum event event, const struct probe_dispatch_info *info)
{
	const struct probe_handler *handler = &instance->plugin->handler;
	const struct probe_run_info *run = &instance->set->run;
	void *state = instance->state;

	if (event == BEGIN_RUN && handler->run_begin)
		return INSIDE(instance, handler->run_begin(state, run));
	if (event == BEGIN_DISPATCH && handler->dispatch_begin)
		return INSIDE(instance, handler->dispatch_begin(state, info));
	if (event == END_DISPATCH && handler->dispatch_end)
		return INSIDE(instance, handler->dispatch_end(state, info));
	if (event == END_RUN && handler->run_end)
		return INSIDE(instance, handler->run_end(state, run));
	return 0;
}

static void call_active(struct instance *instance, enum event event,
			const struct probe_dispatch_info *info)
{
	if (active(instance))
		check(instance, event_names[event], call(instance, event, info));
}

void handler_set_begin_run(struct handler_set *set)
{
	const struct process_objects *objects = set->source.objects;

	if (set->run.size)
		return;
	set->run = (struct probe_run_info){
		.size = sizeof(set->run),
		.pid = (uint32_t)objects->pid,
		.kind = set->config->kind,
		.flags = (objects->simulated ? PROBE_RUN_SIMULATED : 0) |
			 (set->source.replay ? PROBE_RUN_REPLAY : 0),
		.command = objects->command ? objects->command : "",
	};
	for (size_t i = 0; i < set->count; i++)
		call_active(&set->instances[i], BEGIN_RUN, NULL);
}

void handler_set_begin_dispatch(struct handler_set *set, const struct probe_dispatch_info *info)
{
	handler_set_begin_run(set);
	for (size_t i = 0; i < set->count; i++)
		call_active(&set->instances[i], BEGIN_DISPATCH, info);
}

void handler_set_batch(struct handler_set *set, const struct probe_batch *batch)
{
	if (!batch->count)
		return;
	for (size_t i = 0; i < set->count; i++) {
		struct instance *instance = &set->instances[i];
		const struct probe_handler *handler = &instance->plugin->handler;

		if (active(instance) && (handler->streams & batch->stream))
			check(instance, "batch",
			      INSIDE(instance, handler->batch(instance->state, batch)));
	}
}

void handler_set_end_dispatch(struct handler_set *set, const struct probe_dispatch_info *info)
{
	for (size_t i = 0; i < set->count; i++)
		call_active(&set->instances[i], END_DISPATCH, info);
}

void handler_set_close(struct handler_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		struct instance *instance = &set->instances[i];

		if (set->run.size)
			call_active(instance, END_RUN, NULL);
		if (instance->opened)
			check(instance, "close",
			      INSIDE(instance, instance->plugin->handler.close(instance->state)));
	}
	handler_tables_deinit(&set->tables);
	set->count = 0;
}
