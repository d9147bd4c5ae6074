/* SPDX-License-Identifier: MIT */
/* The option -a of probe-run and probe-report replay. */
#ifndef PROBE_CMDS_OPTIONS_HANDLER_LIST_H
#define PROBE_CMDS_OPTIONS_HANDLER_LIST_H

#include <stddef.h>

struct probe_err;
struct run_config;
struct run_handler_spec;

/* Adds the handlers of one -a, "name:key=value,name", without those that are there already. */
struct probe_err *run_config_handlers(struct run_config *config, const char *list);

void run_config_free_handlers(struct run_config *config);
/* Removes the handler with this index. */
void run_config_drop_handler(struct run_config *config, size_t index);

/* The text of -a for the handler. */
void run_handler_text(const struct run_handler_spec *spec, char *text, size_t size);

#endif
