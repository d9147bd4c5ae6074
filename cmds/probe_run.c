/* SPDX-License-Identifier: MIT */
/*
 * probe-run: start a program with the tool in it, record what its kernels do, end as it ends. This
 * file holds the order of things; the parts are in probe_run_*.c.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <probe/env.h>

#include "common/err.h"
#include "common/log.h"
#include "cmds/run/agent_query.h"
#include "cmds/options/filter_options.h"
#include "cmds/options/handler_plugins.h"
#include "cmds/options/kind_choice.h"
#include "cmds/run/child_process.h"
#include "cmds/options/run_options.h"
#include "cmds/options/install_paths.h"
#include "cmds/run/recorder_server.h"
#include "cmds/record/handler_set.h"
#include "cmds/record/recorder.h"
#include "cmds/run/sample_then_probe.h"
#include "probe_version.h"

#define VARIABLES_MAX 32

struct run {
	struct run_config config;
	struct run_layout layout;
	struct run_plugins plugins;
	struct run_server server;
	struct run_variable variables[VARIABLES_MAX];
	size_t variable_count;
	bool simulated;
};

static bool gpu_present(void)
{
	int fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static struct probe_err *choose_device(struct run *run)
{
	bool sim = run_file_exists(run->layout.sim, "libhsakmt.so.1");
	bool gpu = run->config.device != RUN_DEVICE_SIM && gpu_present();
	const char *why = strerror(errno);

	if (gpu) {
		probe_log(PROBE_LOG_INFO, "device: the AMD GPU of this machine");
		return NULL;
	}
	if (run->config.device == RUN_DEVICE_GPU)
		return probe_err_create("no AMD GPU: /dev/kfd: %s; --device sim runs on the "
					"simulated one",
					why);
	if (!sim)
		return probe_err_create("no %s: %s/libhsakmt.so.1 does not exist",
					run->config.device == RUN_DEVICE_SIM
						? "simulated GPU"
						: "AMD GPU (/dev/kfd), and no simulated one",
					run->layout.sim);
	run->simulated = true;
	probe_log(PROBE_LOG_INFO, "device: simulated gfx90a%s",
		  run->config.device == RUN_DEVICE_SIM ? "" : " (no AMD GPU here: /dev/kfd)");
	return NULL;
}

static void warn_idle_handlers(const struct run *run)
{
	uint32_t streams = run_kind_streams(run->config.kind);

	for (size_t i = 0; i < run->plugins.count; i++) {
		const struct probe_handler *handler = &run->plugins.items[i].handler;

		if (run->config.instrumented && !(handler->streams & streams))
			probe_log(PROBE_LOG_WARNING,
				  "handler %s takes nothing of --kind %s: it will see no data",
				  handler->name, probe_kind_name(run->config.kind));
	}
}

static bool set(struct run *run, const char *name, char *value)
{
	if (!value || run->variable_count == VARIABLES_MAX) {
		free(value);
		return false;
	}
	run->variables[run->variable_count++] = (struct run_variable){name, value};
	return true;
}

static char *copy(const char *text)
{
	return strdup(text ? text : "");
}

/* In front of what is there: `ours` alone if nothing is. */
static char *in_front(const char *ours, const char *variable, char separator)
{
	const char *old = getenv(variable);
	char *ret;

	if (!old || !*old)
		return strdup(ours);
	return asprintf(&ret, "%s%c%s", ours, separator, old) < 0 ? NULL : ret;
}

/* The tool's name in HSA_TOOLS_LIB, where blanks separate and backslashes quote (ROCr 5.2.3). */
static char *quoted_tool(const char *path)
{
	char *ret = malloc(2 * strlen(path) + 1), *out = ret;

	for (; ret && *path; path++) {
		if (strchr(" \t\"'\\", *path))
			*out++ = '\\';
		*out++ = *path;
	}
	if (ret)
		*out = 0;
	return ret;
}

/* The contract with libprobe-hsa.so; other tools the user has set stay, behind ours. */
static struct probe_err *make_variables(struct run *run)
{
	const struct run_config *config = &run->config;
	static const char *const sampling[RUN_SAMPLING_OPTIONS] = {
		PROBE_ENV_SAMPLING_METHOD, PROBE_ENV_SAMPLING_UNIT, PROBE_ENV_SAMPLING_INTERVAL};
	char *tool = quoted_tool(run->layout.tool);
	char policy[PROBE_FULL_POLICY_TEXT];
	bool ok = tool != NULL;

	probe_full_policy_format(config->full, policy);

	if (run->server.path)
		ok = ok && set(run, PROBE_ENV_SOCKET, copy(run->server.path));
	ok = ok && set(run, "HSA_TOOLS_LIB", in_front(tool, "HSA_TOOLS_LIB", ' ')) &&
	     set(run, "HSA_TOOLS_REPORT_LOAD_FAILURE", copy("1")) &&
	     set(run, PROBE_ENV_KIND, copy(probe_kind_name(config->kind))) &&
	     set(run, PROBE_ENV_WHEN_FULL, copy(policy)) &&
	     set(run, PROBE_ENV_GROUPS_X, copy(config->groups[0])) &&
	     set(run, PROBE_ENV_GROUPS_Y, copy(config->groups[1])) &&
	     set(run, PROBE_ENV_GROUPS_Z, copy(config->groups[2])) &&
	     set(run, PROBE_ENV_INSTRUMENTED, copy(config->instrumented ? "1" : "0")) &&
	     set(run, PROBE_ENV_KERNEL_INCLUDE, copy(config->kernel_include)) &&
	     set(run, PROBE_ENV_KERNEL_EXCLUDE, copy(config->kernel_exclude)) &&
	     set(run, PROBE_ENV_LIBRARY_INCLUDE, copy(config->library_include)) &&
	     set(run, PROBE_ENV_LIBRARY_EXCLUDE, copy(config->library_exclude)) &&
	     set(run, PROBE_ENV_DISPATCHES, copy(config->dispatches));
	for (int i = 0; i < RUN_SAMPLING_OPTIONS && config->sampling.on; i++)
		ok = ok && set(run, sampling[i], copy(config->sampling.text[i]));
	if (ok && run->simulated)
		ok = set(run, "LD_LIBRARY_PATH", in_front(run->layout.sim, "LD_LIBRARY_PATH", ':'));
	free(tool);
	return ok ? NULL : probe_err_oom();
}

static void print_variables(const struct run *run)
{
	for (size_t i = 0; i < run->variable_count; i++) {
		printf("export %s='", run->variables[i].name);
		for (const char *c = run->variables[i].value; *c; c++)
			*c == '\'' ? (void)fputs("'\\''", stdout) : (void)putchar(*c);
		printf("'\n");
	}
}

static struct probe_err *check_output(const struct run *run)
{
	const struct run_config *config = &run->config;
	struct run_keys keys = {.pid = getpid()};
	struct probe_err *err = run_keys_check(config->directory);
	char *path;

	if (!err)
		err = run_keys_check(config->file);
	if (err || config->force || run_keys_vary(config->directory) || run_keys_vary(config->file))
		return err;
	path = run_output_path(config->directory, config->file, &keys);
	if (!path)
		return probe_err_oom();
	if (!access(path, F_OK))
		err = probe_err_create("%s exists; --force overwrites it, -o names another", path);
	free(path);
	return err;
}

/* The directory in a whole path of -o: whoever names one means one that is there. */
static struct probe_err *check_whole_path(const char *file)
{
	char *path = strdup(file);
	struct probe_err *err = NULL;
	char *slash = path ? strrchr(path, '/') : NULL;

	if (!slash)
		return probe_err_oom();
	slash[slash == path] = 0;
	if (!run_keys_vary(path) && access(path, W_OK | X_OK))
		err = probe_err_create("cannot write %s: its directory %s: %s; make it, or name "
				       "another with -o",
				       file, path, strerror(errno));
	free(path);
	return err;
}

/* A directory whose name is known is made now: failing later would cost the recording. */
static struct probe_err *check_directory(const struct run *run)
{
	const char *directory = run->config.directory;
	struct run_keys keys = {.pid = getpid()};
	char *path;
	int rc;

	if (*run->config.file == '/')
		return check_whole_path(run->config.file);
	if (run_keys_vary(directory))
		return NULL;
	path = run_output_path(directory, "x", &keys);
	if (!path)
		return probe_err_oom();
	rc = run_make_parents(path);
	*strrchr(path, '/') = 0;
	if (!rc && access(path, W_OK | X_OK))
		rc = -errno;
	free(path);
	return rc ? probe_err_create("cannot write to the directory %s: %s; -d names another",
				     directory, strerror(-rc))
		  : NULL;
}

static struct probe_err *check_tool(const struct run *run)
{
	if (!access(run->layout.tool, R_OK))
		return NULL;
	return probe_err_create("the tool %s does not exist: the installation is incomplete",
				run->layout.tool);
}

static int is_pass(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "llvm-", 5);
}

/* Majors of LLVM the installation has a pass for: " 15 16". */
static void print_passes(const struct run *run)
{
	char *parent = strdup(run->layout.handlers);
	struct dirent **entries = NULL;
	int count = 0;

	if (parent) {
		*strrchr(parent, '/') = 0;
		count = scandir(parent, &entries, is_pass, versionsort);
	}
	for (int i = 0; i < count; i++) {
		printf(" %s", entries[i]->d_name + strlen("llvm-"));
		free(entries[i]);
	}
	printf("%s\n", count > 0 ? "" : " none");
	free(entries);
	free(parent);
}

static void list_agents_of(const struct run *run, bool simulated)
{
	static struct run_agents agents;
	struct probe_err *err = run_agents_read(&run->layout, simulated, &agents);

	printf("agents and PC sampling (method, unit, interval)%s:\n",
	       simulated ? ", simulated" : "");
	if (err) {
		char text[512];

		probe_err_format(err, text, sizeof(text));
		printf("  not known: %s\n", text);
		probe_err_destroy(err);
		return;
	}
	run_agents_print(&agents, stdout);
}

static void list_agents(const struct run *run)
{
	fflush(stdout);
	if (run->config.device != RUN_DEVICE_SIM && gpu_present())
		list_agents_of(run, false);
	if (run->config.device != RUN_DEVICE_GPU &&
	    run_file_exists(run->layout.sim, "libhsakmt.so.1"))
		list_agents_of(run, true);
}

static void list(const struct run *run)
{
	printf("handlers (-a):\n");
	run_plugins_list(&run->layout, stdout);
	printf("kinds of probes (--kind):\n  memory           counters made on the device\n"
	       "  trace            every address\n"
	       "  time             time stamps of kernels, functions and regions\n"
	       "  count            executions and lanes of blocks\n");
	printf("devices (--device):\n");
	printf("  gpu              %s\n", gpu_present() ? "/dev/kfd" : "none (/dev/kfd)");
	printf("  sim              %s\n", run_file_exists(run->layout.sim, "libhsakmt.so.1")
						  ? "gfx90a, simulated"
						  : "not installed");
	list_agents(run);
	printf("passes for LLVM:");
	print_passes(run);
}

static void version(const struct run *run)
{
	printf("probe-run %s (%s)\nsegment %u, handler ABI %u to %u, schema %d\nSQLite %s\n"
	       "passes for LLVM:",
	       PROBE_VERSION, PROBE_GIT_ID, PROBE_SEG_VERSION, PROBE_HANDLER_ABI_MIN,
	       PROBE_HANDLER_ABI, PROBE_STORE_VERSION, probe_store_sqlite_version());
	print_passes(run);
}

/* Refused before the program starts rather than found missing when it has ended. */
static struct probe_err *check_sampling(const struct run *run)
{
	static struct run_agents agents;
	struct probe_err *err = run_agents_read(&run->layout, run->simulated, &agents);

	if (!err)
		err = run_agents_check(&agents, &run->config.sampling);
	if (!err && run->config.instrumented)
		probe_log(PROBE_LOG_WARNING,
			  "PC samples of instrumented kernels are of the clones: their times are "
			  "not the originals'");
	else if (!err && !run->config.twice &&
		 (run->config.kernel_include || run->config.kernel_exclude ||
		  strcmp(run->config.dispatches, "all")))
		probe_log(PROBE_LOG_WARNING,
			  "filters of kernels and dispatches choose what gets probes: without "
			  "probes all are sampled; probe-report -k and --dispatches choose among "
			  "them");
	return err;
}

static struct probe_err *open_handlers(struct run *run)
{
	run->server.handlers = handler_set_create(&run->config, &run->plugins);
	if (!run->server.handlers)
		return probe_err_oom();
	return handler_set_open(run->server.handlers, "the program was not started");
}

static struct probe_err *prepare(struct run *run)
{
	struct probe_err *err = check_output(run);

	if (!err)
		err = check_directory(run);
	if (!err)
		err = check_tool(run);
	if (!err)
		err = run_plugins_load(&run->config, &run->layout, &run->plugins);
	if (!err)
		err = run_kind_choose(&run->plugins, &run->config.kind);
	if (err)
		return err;
	warn_idle_handlers(run);
	err = run_full_policy_check(&run->config);
	if (!err)
		err = choose_device(run);
	if (!err && run->config.sampling.on)
		err = check_sampling(run);
	else if (!err && run->config.pc_sampling_raw && !run->config.twice)
		probe_log(PROBE_LOG_WARNING,
			  "--pc-sampling-raw: no sampling is asked for (--pc-sampling-method, or "
			  "--twice)");
	if (!err)
		err = run_server_init(&run->server, &run->config, &run->plugins);
	if (!err)
		err = open_handlers(run);
	return err ? err : make_variables(run);
}

static uint64_t summary(const struct run *run)
{
	const struct recorder *recorders = run->server.recorders;
	uint64_t lost = 0;

	probe_log_release();
	for (const struct recorder *recorder = recorders; recorder; recorder = recorder->next) {
		lost += accounting_lost(&recorder->recording);
		if (run->config.report)
			accounting_print(&recorder->recording, recorders->next != NULL);
	}
	if (!recorders && !run->server.refused)
		probe_log(PROBE_LOG_WARNING,
			  "nothing recorded: the program did not start the HSA runtime (or closed "
			  "its environment before); no database was written");
	return lost + run->server.refused;
}

/* Run the program once. *status is what to exit with if it fails. */
static struct probe_err *record(struct run *run, char **argv, const struct run_signals *signals,
				bool again, struct run_pass *pass, int *status)
{
	struct probe_err *err = prepare(run);
	pid_t child = -1;

	*status = RUN_STATUS_OURS;
	if (!err)
		err = run_child_start(argv, run->variables, run->variable_count, signals, again,
				      &child, status);
	if (err)
		return err;
	probe_log_hold();
	run_server_serve(&run->server, child, signals, &pass->wait_status);
	run_server_finish(&run->server);
	pass->lost = summary(run);
	run_pass_database(&run->server, pass);
	run_server_deinit(&run->server);
	return NULL;
}

/* What belongs to one run of the program. */
static void forget(struct run *run)
{
	run_server_deinit(&run->server);
	for (size_t i = 0; i < run->variable_count; i++)
		free(run->variables[i].value);
	run->variable_count = 0;
	run_plugins_unload(&run->plugins);
}

static struct probe_err *record_twice(struct run *run, char **argv,
				      const struct run_signals *signals,
				      struct run_pass passes[RUN_PASSES], int *status)
{
	const struct run_config config = run->config;
	struct probe_err *err = NULL;

	for (int i = 0; i < RUN_PASSES && !err; i++) {
		char *file = NULL;

		err = run_pass_config(&config, (enum run_pass_kind)i,
				      run->config.device != RUN_DEVICE_SIM && gpu_present(),
				      &run->config, &file);
		if (!err)
			err = record(run, argv, signals, i != 0, &passes[i], status);
		forget(run);
		free(file);
		if (!err && !run_pass_next(&passes[i], i))
			break;
	}
	run->config = config;
	if (!err)
		run_passes_merge(passes);
	return err;
}

static int run_program(struct run *run, char **argv)
{
	struct run_pass passes[RUN_PASSES] = {0};
	struct run_signals signals;
	int status = RUN_STATUS_OURS;
	struct probe_err *err = run_signals_init(&signals);

	if (!err && run->config.twice)
		err = record_twice(run, argv, &signals, passes, &status);
	else if (!err)
		err = record(run, argv, &signals, false, &passes[0], &status);
	free(passes[0].database);
	free(passes[1].database);
	if (err) {
		probe_log_err(PROBE_LOG_ERROR, err);
		probe_err_destroy(err);
		return status;
	}
	status = run_end_like(run_passes_status(passes), &signals);
	if (!status && passes[0].lost + passes[1].lost && run->config.strict) {
		probe_log(PROBE_LOG_ERROR, "data were lost: exit status %d (--strict)",
			  RUN_STATUS_LOST);
		return RUN_STATUS_LOST;
	}
	return status;
}

static int act(struct run *run, char **argv)
{
	struct probe_err *err = NULL;

	switch (run->config.action) {
	case RUN_ACTION_HELP:
		probe_command_help(&run_command, stdout);
		break;
	case RUN_ACTION_VERSION:
		version(run);
		break;
	case RUN_ACTION_PRINT_OPTIONS:
		probe_command_list(&run_command, stdout);
		break;
	case RUN_ACTION_LIST:
		list(run);
		break;
	case RUN_ACTION_PRINT_ENV:
		run->simulated = run->config.device != RUN_DEVICE_GPU && !gpu_present();
		err = run_kind_choose(&run->plugins, &run->config.kind);
		if (!err)
			err = make_variables(run);
		print_variables(run);
		break;
	case RUN_ACTION_RUN:
		return run_program(run, argv + run->config.program);
	}
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = probe_err_create("cannot write: %s", strerror(errno));
	if (!err)
		return 0;
	probe_log_err(PROBE_LOG_ERROR, err);
	probe_err_destroy(err);
	return RUN_STATUS_OURS;
}

int main(int argc, char **argv)
{
	struct run run = {.server = {.fd = -1}};
	struct probe_err *err = run_config_init(&run.config, argc, argv);
	int level = PROBE_LOG_INFO + run.config.verbosity;
	int status = RUN_STATUS_OURS;

	probe_log_setup(run.config.verbosity < 0 ? PROBE_LOG_ERROR : level, run.config.color);
	if (!err)
		err = run_layout_init(&run.layout);
	if (err) {
		probe_log_err(PROBE_LOG_ERROR, err);
		probe_err_destroy(err);
	} else {
		status = act(&run, argv);
	}
	forget(&run);
	run_layout_deinit(&run.layout);
	run_config_deinit(&run.config);
	return status;
}
