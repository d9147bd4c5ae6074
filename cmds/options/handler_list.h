/* SPDX-License-Identifier: MIT */
/* The option -a of probe-run and probe-report replay. */
#ifndef PROBE_CMDS_OPTIONS_HANDLER_LIST_H
#define PROBE_CMDS_OPTIONS_HANDLER_LIST_H

struct probe_err;
struct run_config;

/* Adds the handlers of one -a, "name:key=value,name", without those that are there already. */
struct probe_err *run_config_handlers(struct run_config *config, const char *list);

void run_config_free_handlers(struct run_config *config);

#endif
