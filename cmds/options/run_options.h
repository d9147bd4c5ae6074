/* SPDX-License-Identifier: MIT */
/* Command line of probe-run: the option table and the configuration that results from it. */
#ifndef PROBE_CMDS_OPTIONS_RUN_OPTIONS_H
#define PROBE_CMDS_OPTIONS_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/wire.h>

#include "common/log.h"
#include "common/option.h"
#include "common/selection.h"
#include "cmds/options/handler_limits.h"
#include "cmds/options/sampling_options.h"

struct probe_err;

/* From RUN_DEVICE_SIM on: simulated, of the default or of a named target. */
enum run_device {
	RUN_DEVICE_AUTO = 0,
	RUN_DEVICE_GPU = 1,
	RUN_DEVICE_SIM = 2,
	RUN_DEVICE_SIM_GFX90A = 3,
	RUN_DEVICE_SIM_GFX942 = 4,
};

/* What probe-run does; by default it runs a program. */
enum run_action {
	RUN_ACTION_RUN = 0,
	RUN_ACTION_HELP,
	RUN_ACTION_VERSION,
	RUN_ACTION_LIST,
	RUN_ACTION_RECOVER,
	RUN_ACTION_PRINT_ENV,
	RUN_ACTION_PRINT_OPTIONS,
};

/* One handler of -a, "name:key=value:key=value"; words are separate strings. */
struct run_handler_spec {
	char *name; /* or a path, if it contains '/' */
	char **args;
	size_t arg_count;
};

struct run_config {
	enum run_action action;
	const char *recover;   /* --recover: a directory */
	const char *directory; /* keys are not expanded yet */
	const char *file;
	const char *source_dir; /* whose files may be stored as sources, too; NULL = none */
	struct run_handler_spec *handlers;
	size_t handler_count;
	enum probe_kind kind; /* NONE = the handlers decide */
	struct probe_full_policy full;
	const char *groups[3]; /* --filter-x, -y, -z as given; NULL = all */
	struct probe_workgroups workgroups;
	enum run_device device;
	const char *kernel_include, *kernel_exclude, *dispatches;
	char *library_include, *library_exclude; /* globs, one per line; NULL = all, none */
	bool instrumented, strict, force, report;
	bool probes_requested; /* requested explicitly: sampling alone runs the originals */
	bool pc_sampling_raw;  /* store each sample as well */
	bool twice;	       /* --twice: first sampled, then probed */
	bool tracing;	       /* one of the options of tracing is given */
	uint32_t traced;       /* bits of enum probe_traced */
	bool truncate_kernels, stats;
	struct run_sampling sampling;
	struct run_handler_limits limits;
	int verbosity; /* -1 quiet, 0, 1 and more: verbose */
	enum probe_color color;
	int program; /* index in argv */
	/* The variables and options that it was made from, as strings; "" between them. */
	char *words;
	uint32_t words_size;
};

extern const struct probe_command run_command;

/* Reads variables PROBE_* first, then options. Call run_config_deinit() also after an error. */
struct probe_err *run_config_init(struct run_config *config, int argc, char **argv);
void run_config_deinit(struct run_config *config);
/* Makes it again from words of another process. Changes this process's environment. */
struct probe_err *run_config_restore(struct run_config *config, const char *words, size_t size);

#endif
