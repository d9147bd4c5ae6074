/* SPDX-License-Identifier: MIT */
/* Handler plugins (handler.h): loading, checking and listing them. */
#ifndef PROBE_CMDS_OPTIONS_HANDLER_PLUGINS_H
#define PROBE_CMDS_OPTIONS_HANDLER_PLUGINS_H

#include <stddef.h>
#include <stdio.h>

#include <probe/handler.h>

struct probe_err;
struct run_config;
struct run_layout;

struct run_plugin {
	void *library;
	struct probe_handler handler; /* our copy; fields that an older plugin lacks are zero */
	size_t spec;		      /* index of its -a in the configuration */
};

struct run_plugins {
	struct run_plugin *items;
	size_t count;
	uint32_t streams; /* of all handlers, or-ed */
};

/* Loads the handlers of -a; the error names one that does not exist or cannot be used. */
struct probe_err *run_plugins_load(const struct run_config *config, const struct run_layout *layout,
				   struct run_plugins *ret);
void run_plugins_unload(struct run_plugins *plugins);

/* One line per handler in the directory: name and summary, or why it cannot be used. */
void run_plugins_list(const struct run_layout *layout, FILE *out);

#endif
