/* SPDX-License-Identifier: MIT */
#include "cmds/record/handler_instance.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/options/handler_plugins.h"
#include "cmds/options/run_options.h"
#include "cmds/record/allocation_records.h"
#include "cmds/record/handler_channel.h"
#include "cmds/record/handler_tables.h"
#include "cmds/record/process_objects.h"
#include "common/err.h"

enum { TABLES_MAX = 64 };

struct handler_instance {
	const struct run_plugin *plugin;
	const struct run_handler_spec *spec;
	struct handler_channel *channel;
	struct handler_source source; /* zero until attached */
	struct handler_tables tables; /* only declared: probe-run owns the database */
	struct handler_table *numbers[TABLES_MAX];
	size_t table_count;
	struct probe_run_info run; /* size = 0: no run_begin yet */
	struct probe_host host;
	void *state;
	bool opened, failed;
	char names[256];    /* the arguments that the handler knows: " name," each */
	uint64_t looked_up; /* bit i: it has read argument i; arguments after 63 are not checked */
};

/* ---- What a handler may call ---------------------------------------------------------------- */

/* A handler accepts the argument names that it looks up. */
static void add_name(struct handler_instance *instance, const char *key)
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
	struct handler_instance *instance = ctx;
	size_t len = strlen(key);
	const char *ret = NULL;

	add_name(instance, key);
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

static const struct run_code *code_of(const struct handler_instance *instance, uint32_t code_object)
{
	const struct process_objects *objects = instance->source.objects;
	const struct run_code *code = objects ? run_table_get(&objects->codes, code_object) : NULL;

	return code && code->sites ? code : NULL;
}

static const struct probe_site_info *host_site(void *ctx, uint32_t code_object, uint32_t site)
{
	const struct run_code *code = code_of(ctx, code_object);

	if (!code || site >= code->site_count)
		return NULL;
	/* Ids after a kernel's sites are counter rows that several sites share. */
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
	const struct handler_instance *instance = ctx;
	const struct run_allocations *allocations = instance->source.allocations;

	return allocations ? run_allocations_find(allocations, dispatch->id, address) : NULL;
}

static int host_table(void *ctx, const char *name, const struct probe_column *columns, size_t count)
{
	struct handler_instance *instance = ctx;
	struct handler_table *table;
	int err = handler_tables_get(&instance->tables, instance->plugin->handler.name, name,
				     columns, count, &table);

	if (err)
		return err;
	for (size_t i = 0; i < instance->table_count; i++)
		if (instance->numbers[i] == table)
			return (int)i;
	if (instance->table_count == TABLES_MAX)
		return -ENOSPC;
	instance->numbers[instance->table_count] = table;
	handler_channel_table(instance->channel, name, columns, count);
	return (int)instance->table_count++;
}

static int host_row(void *ctx, int number, const union probe_value *values, size_t count)
{
	const struct handler_instance *instance = ctx;

	if (number < 0 || (size_t)number >= instance->table_count)
		return -EBADF;
	if (count != handler_table_columns(instance->numbers[number]))
		return -EINVAL;
	handler_channel_row(instance->channel, (uint32_t)number,
			    handler_table_types(instance->numbers[number]), values, count);
	return 0;
}

__attribute__((format(printf, 3, 4))) static void host_log(void *ctx, enum probe_level level,
							   const char *format, ...)
{
	struct handler_instance *instance = ctx;
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	handler_channel_log(instance->channel, level, text);
}

/* ---- Calls ---------------------------------------------------------------------------------- */

/*
 * Evaluates a call into the handler's code, so that probe-run sees which one it is and how long it
 * takes.
 */
#define INSIDE(instance, which, call)                                                              \
	(handler_channel_enter((instance)->channel, which), inside_result = (call),                \
	 handler_channel_leave((instance)->channel), inside_result)
static int inside_result;

static void check(struct handler_instance *instance, enum handler_call which, int err)
{
	if (!err || instance->failed)
		return;
	instance->failed = true;
	if (which != HANDLER_CALL_OPEN) /* handler_instance_open() returns this error */
		handler_channel_failed(instance->channel, which, err < 0 ? -err : err);
}

static struct probe_err *check_opened(const struct handler_instance *instance, int err)
{
	const struct run_handler_spec *spec = instance->spec;
	const char *name = instance->plugin->handler.name;
	size_t names = strlen(instance->names);

	if (err)
		return probe_err_create("handler %s cannot be opened: %s", name,
					strerror(err < 0 ? -err : err));
	for (size_t i = 0; i < spec->arg_count && i < 64; i++)
		if (!(instance->looked_up >> i & 1))
			return probe_err_create(
				"unknown argument '%.*s' of handler %s; it takes%.*s",
				(int)strcspn(spec->args[i], "="), spec->args[i], name,
				names ? (int)names - 1 : 5, names ? instance->names : " none");
	return NULL;
}

struct handler_instance *handler_instance_create(const struct run_plugin *plugin,
						 const struct run_handler_spec *spec,
						 struct handler_channel *channel)
{
	struct handler_instance *instance = calloc(1, sizeof(*instance));

	if (!instance)
		return NULL;
	instance->plugin = plugin;
	instance->spec = spec;
	instance->channel = channel;
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
	return instance;
}

void handler_instance_destroy(struct handler_instance *instance)
{
	if (!instance)
		return;
	handler_instance_close(instance);
	handler_tables_deinit(&instance->tables);
	free(instance);
}

struct probe_err *handler_instance_open(struct handler_instance *instance)
{
	int err = INSIDE(instance, HANDLER_CALL_OPEN,
			 instance->plugin->handler.open(&instance->host, &instance->state));

	instance->opened = !err;
	check(instance, HANDLER_CALL_OPEN, err);
	return check_opened(instance, err);
}

void handler_instance_attach(struct handler_instance *instance, const struct handler_source *source)
{
	instance->source = *source;
}

static bool active(const struct handler_instance *instance)
{
	return instance->opened && !instance->failed;
}

void handler_instance_begin_run(struct handler_instance *instance)
{
	const struct process_objects *objects = instance->source.objects;
	const struct probe_handler *handler = &instance->plugin->handler;

	instance->run = (struct probe_run_info){
		.size = sizeof(instance->run),
		.pid = (uint32_t)objects->pid,
		.kind = instance->source.kind,
		.flags = instance->source.flags |
			 (objects->simulated ? (uint32_t)PROBE_RUN_SIMULATED : 0),
		.command = objects->command ? objects->command : "",
	};
	if (active(instance) && handler->run_begin)
		check(instance, HANDLER_CALL_RUN_BEGIN,
		      INSIDE(instance, HANDLER_CALL_RUN_BEGIN,
			     handler->run_begin(instance->state, &instance->run)));
}

void handler_instance_begin_dispatch(struct handler_instance *instance,
				     const struct probe_dispatch_info *info)
{
	const struct probe_handler *handler = &instance->plugin->handler;

	if (active(instance) && handler->dispatch_begin)
		check(instance, HANDLER_CALL_DISPATCH_BEGIN,
		      INSIDE(instance, HANDLER_CALL_DISPATCH_BEGIN,
			     handler->dispatch_begin(instance->state, info)));
}

void handler_instance_batch(struct handler_instance *instance, const struct probe_batch *batch)
{
	const struct probe_handler *handler = &instance->plugin->handler;

	if (batch->count && active(instance) && (handler->streams & batch->stream))
		check(instance, HANDLER_CALL_BATCH,
		      INSIDE(instance, HANDLER_CALL_BATCH, handler->batch(instance->state, batch)));
}

void handler_instance_end_dispatch(struct handler_instance *instance,
				   const struct probe_dispatch_info *info)
{
	const struct probe_handler *handler = &instance->plugin->handler;

	if (active(instance) && handler->dispatch_end)
		check(instance, HANDLER_CALL_DISPATCH_END,
		      INSIDE(instance, HANDLER_CALL_DISPATCH_END,
			     handler->dispatch_end(instance->state, info)));
}

void handler_instance_close(struct handler_instance *instance)
{
	const struct probe_handler *handler = &instance->plugin->handler;

	if (instance->run.size && active(instance) && handler->run_end)
		check(instance, HANDLER_CALL_RUN_END,
		      INSIDE(instance, HANDLER_CALL_RUN_END,
			     handler->run_end(instance->state, &instance->run)));
	if (instance->opened)
		check(instance, HANDLER_CALL_CLOSE,
		      INSIDE(instance, HANDLER_CALL_CLOSE, handler->close(instance->state)));
	instance->opened = false;
}
