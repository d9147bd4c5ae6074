/* SPDX-License-Identifier: MIT */
/* Command line of probe-run: the option table and what it says. */
#ifndef PROBE_CMDS_OPTIONS_RUN_OPTIONS_H
#define PROBE_CMDS_OPTIONS_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <probe/wire.h>

#include "common/log.h"
#include "common/option.h"
#include "cmds/options/sampling_options.h"

struct probe_err;
struct proved_groups;

enum run_device { RUN_DEVICE_AUTO = 0, RUN_DEVICE_GPU = 1, RUN_DEVICE_SIM = 2 };

/* What to do instead of running a program. */
enum run_action {
	RUN_ACTION_RUN = 0,
	RUN_ACTION_HELP,
	RUN_ACTION_VERSION,
	RUN_ACTION_LIST,
	RUN_ACTION_PRINT_ENV,
	RUN_ACTION_PRINT_OPTIONS,
};

/* One handler of -a, "name:key=value:key=value"; words are separate strings. */
struct run_handler_spec {
	char *name; /* or a path, if it has a '/' */
	char **args;
	size_t arg_count;
};

struct run_config {
	enum run_action action;
	const char *directory; /* keys not expanded */
	const char *file;
	struct run_handler_spec *handlers;
	size_t handler_count;
	enum probe_kind kind; /* NONE = chosen by the handlers */
	enum probe_when_full when_full;
	uint32_t sample_every;
	const char *groups[3]; /* workgroups that record, x y z; NULL = all */
	enum run_device device;
	const char *kernel_include, *kernel_exclude, *dispatches;
	char *library_include, *library_exclude; /* globs, one per line; NULL = all, none */
	bool instrumented, strict, force, report;
	bool probes_asked;    /* by name: sampling alone runs the originals */
	bool pc_sampling_raw; /* keep each sample as well */
	bool twice;	      /* sampled, then probed, into one file */
	struct run_sampling sampling;
	int verbosity; /* -1 quiet, 0, 1 and more: verbose */
	enum probe_color color;
	int program; /* index in argv */
};

extern const struct probe_command run_command;

/* Variables PROBE_* first, then options. Release with run_config_deinit(), also after an error. */
struct probe_err *run_config_init(struct run_config *config, int argc, char **argv);
void run_config_deinit(struct run_config *config);

/* Add what -a says: "name:key=value,name". */
struct probe_err *run_config_handlers(struct run_config *config, const char *list);

const char *run_kind_name(enum probe_kind kind);

/* --when-full and --filter-x, -y, -z, which the device decides about (device_options.c). */
struct probe_err *run_policy_parse(const char *option, const char *value,
				   struct run_config *config);
struct probe_err *run_groups_check(const char *option, const char *value);
/* False: all of them. */
bool run_groups_chosen(const struct run_config *config, struct proved_groups *ret);
/* Does the kind that was chosen heed the policy, if there is one? */
struct probe_err *run_policy_apply(const struct run_config *config);
/* As the tool in the application reads it; to be freed, NULL without memory. */
char *run_policy_text(const struct run_config *config);

enum run_filter {
	RUN_FILTER_KERNEL,
	RUN_FILTER_NOT_KERNEL,
	RUN_FILTER_LIBRARY,
	RUN_FILTER_NOT_LIBRARY,
	RUN_FILTER_DISPATCHES,
};

/* Take an option or variable (its name is for messages); libraries may be given several times. */
struct probe_err *run_take_filter(struct run_config *config, enum run_filter filter,
				  const char *option, const char *value);

/* The dispatch filter, as hsa-plugin/filters.h says. */
bool run_dispatches_valid(const char *text);

#endif
