/* SPDX-License-Identifier: MIT */
/*
 * Handler plugins (handler.h): describing, listing and loading them. Only a handler's own process
 * (handler_workers.h) loads one: its code may print, hang or exit as soon as it is loaded.
 */
#ifndef PROBE_CMDS_OPTIONS_HANDLER_PLUGINS_H
#define PROBE_CMDS_OPTIONS_HANDLER_PLUGINS_H

#include <stddef.h>
#include <stdio.h>

#include <probe/handler.h>

struct probe_err;
struct run_config;
struct run_layout;

struct run_plugin {
	char *path;
	/* Fields that an older plugin lacks are zero, functions until it is loaded. */
	struct probe_handler handler;
	size_t spec; /* index of its -a in the configuration */
};

struct run_plugins {
	struct run_plugin *items;
	size_t count;
	uint32_t streams; /* of all handlers, or-ed */
};

/* Finds the handlers of -a; the error names one that does not exist or cannot be used. */
struct probe_err *run_plugins_find(const struct run_config *config, const struct run_layout *layout,
				   struct run_plugins *ret);
void run_plugins_deinit(struct run_plugins *plugins);

/* Loads the plugin into this process, for good. */
struct probe_err *run_plugin_load(const char *path, struct probe_handler *ret);

/* One line per handler in the directory: name and summary, or why it cannot be used. */
void run_plugins_list(const struct run_layout *layout, FILE *out);

#endif
