/* SPDX-License-Identifier: MIT */
/*
 * probe-run: starts a program with libprobe-hsa.so in it, records what its kernels do, and exits
 * with the program's status. This file has the order of the steps; the steps are in options/,
 * record/ and run/.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmds/options/filter_options.h"
#include "cmds/options/handler_plugins.h"
#include "cmds/options/install_paths.h"
#include "cmds/options/kind_choice.h"
#include "cmds/options/output_path.h"
#include "cmds/options/run_options.h"
#include "cmds/record/handler_workers.h"
#include "cmds/record/loss_accounting.h"
#include "cmds/record/program_targets.h"
#include "cmds/record/recorder.h"
#include "cmds/run/agent_query.h"
#include "cmds/run/application_environment.h"
#include "cmds/run/child_process.h"
#include "cmds/run/device_choice.h"
#include "cmds/run/left_processes.h"
#include "cmds/run/listing.h"
#include "cmds/run/output_check.h"
#include "cmds/run/process_limit.h"
#include "cmds/run/program_file.h"
#include "cmds/run/recorder_server.h"
#include "cmds/run/recorder_service.h"
#include "cmds/run/recover_runs.h"
#include "cmds/run/register_conflict.h"
#include "cmds/run/run_ledger.h"
#include "cmds/run/sample_then_probe.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/log.h"
#include "common/memory_watch.h"
#include "common/progress.h"
#include "common/standard_files.h"
#include "store/store.h"

struct run {
	struct run_config config;
	struct run_layout layout;
	struct run_plugins plugins;
	struct run_server server;
	struct run_environment environment;
	struct run_signals signals;
	char **program;		    /* to run, and its arguments */
	int status;		    /* exit status if it cannot be recorded */
	bool simulated, announced;  /* the device: chosen; announced to the user */
	struct run_targets targets; /* of the program, if simulated */
};

static void report(struct probe_err *err)
{
	probe_log_err(PROBE_LOG_ERROR, err);
	probe_err_destroy(err);
}

static void warn_idle_handlers(const struct run *run)
{
	uint32_t streams = run_kind_streams(run->config.kind);

	for (size_t i = 0; i < run->plugins.count; i++) {
		const struct probe_handler *handler = &run->plugins.items[i].handler;

		if (run->config.instrumented && !(handler->streams & streams))
			probe_log(PROBE_LOG_WARNING, "handler %s gets no data from --kind %s",
				  handler->name, probe_kind_name(run->config.kind));
	}
}

static struct probe_err *check_tool(const struct run *run)
{
	if (!access(run->layout.tool, R_OK))
		return NULL;
	return probe_err_create("%s does not exist: the installation is incomplete",
				run->layout.tool);
}

/*
 * Rejects unsupported sampling before the program starts; otherwise the samples would be missing at
 * its end.
 */
static struct probe_err *check_sampling(const struct run *run)
{
	static struct run_agents agents;
	struct probe_err *err;

	if (!run->config.sampling.on) {
		if (run->config.pc_sampling_raw && !run->config.twice)
			probe_log(PROBE_LOG_WARNING,
				  "--pc-sampling-raw has no effect without --pc-sampling-method or "
				  "--twice");
		return NULL;
	}
	err = run_agents_read(&run->layout, run->simulated, &agents);
	if (err)
		return err;
	err = run_agents_check(&agents, &run->config.sampling);
	if (err)
		return err;
	if (run->config.instrumented)
		probe_log(PROBE_LOG_WARNING,
			  "PC sampling of instrumented kernels: the times are the clones', not "
			  "the originals'");
	else if (!run->config.twice && (run->config.kernel_include || run->config.kernel_exclude ||
					strcmp(run->config.dispatches, "all")))
		probe_log(PROBE_LOG_WARNING,
			  "filters of kernels and dispatches apply to probes: without probes all "
			  "kernels are sampled; select among them with probe-report -k and "
			  "--dispatches");
	return NULL;
}

static struct probe_err *make_environment(struct run *run)
{
	return run_environment_make(&run->environment, &run->config, &run->layout, run->server.path,
				    run->simulated);
}

static void warn_rights(const char *program)
{
	PROBE_AUTO_FREE char *path = run_program_path(program);
	const char *rights = path ? run_program_rights(path) : NULL;

	if (rights)
		probe_log(PROBE_LOG_WARNING,
			  "%s has %s, so it ignores LD_PRELOAD and Probe's variables: it is not "
			  "recorded and has no simulated GPU; run a copy without these rights",
			  path, rights);
}

static struct probe_err *choose_device(struct run *run)
{
	const char *program = run->program[0];
	struct probe_err *err = run_device_choose(&run->config, &run->layout, program,
						  &run->simulated, &run->targets);

	if (err)
		return err;
	if (!run->announced) {
		run_device_announce(&run->config, program, run->simulated, &run->targets);
		run_register_announce();
		warn_rights(program);
		run_processes_announce((unsigned)run->plugins.count);
	}
	run->announced = true;
	return NULL;
}

/* Nothing connected to probe-run: prints the reason if it is known. */
static void warn_not_called(const char *program)
{
	PROBE_AUTO_FREE char *path = run_program_path(program);
	char why[512];

	if (path && run_program_static(path))
		probe_log(
			PROBE_LOG_WARNING,
			"nothing recorded: %s is linked statically, so neither Probe nor the "
			"simulated GPU can be loaded into it: link it dynamically; no database was "
			"written",
			path);
	else if (run_register_kept() && run_register_conflict(why, sizeof(why)))
		probe_log(
			PROBE_LOG_WARNING,
			"nothing recorded: ROCr did not call Probe. %s, and "
			"HSA_TOOLS_DISABLE_REGISTER is not 1: ROCr 6.1 and later call that profiler "
			"instead; no database was written",
			why);
	else if (run_register_kept())
		probe_log(
			PROBE_LOG_WARNING,
			"nothing recorded: ROCr did not call Probe. The program did not start the "
			"HSA runtime, or died while the runtime started, or a library of it exports "
			"rocprofiler_configure: ROCr 6.1 and later then call that profiler instead, unless "
			"HSA_TOOLS_DISABLE_REGISTER is 1; no database was written");
	else
		probe_log(
			PROBE_LOG_WARNING,
			"nothing recorded: the program did not start the HSA runtime, died while the "
			"runtime started, loads it with dlmopen(), cleared its environment first, or "
			"cannot reach probe-run (another user or root directory); no database was written");
}

static struct probe_err *prepare(struct run *run)
{
	struct probe_err *err = run_output_check(&run->config);

	if (err)
		return err;
	err = check_tool(run);
	if (err)
		return err;
	err = run_plugins_find(&run->config, &run->layout, &run->plugins);
	if (err)
		return err;
	err = run_kind_choose(&run->plugins, &run->config.kind);
	if (err)
		return err;
	warn_idle_handlers(run);
	err = run_full_policy_check(&run->config);
	if (err)
		return err;
	err = choose_device(run);
	if (err)
		return err;
	err = check_sampling(run);
	if (err)
		return err;
	err = run_server_init(&run->server, &run->config, &run->plugins);
	return err ? err : make_environment(run);
}

static void print_summary(const struct run *run, const struct ledger_entry *entry, bool several)
{
	char who[32] = "";

	if (several)
		snprintf(who, sizeof(who), "process %d: ", (int)entry->pid);
	if (*entry->outcome.partial)
		probe_log(PROBE_LOG_WARNING, "%spartial: %s", who, entry->outcome.partial);
	accounting_print(run_ledger_summary(run->server.ledger, entry), who);
	if (!entry->outcome.tables)
		probe_log(PROBE_LOG_WARNING, "%snothing could be stored in %s: it was removed", who,
			  entry->path);
	else if (run_ledger_in_place(entry))
		accounting_print_database(&run->config, entry->path,
					  entry->outcome.stored || !entry->outcome.failed, who);
	else
		probe_log(PROBE_LOG_WARNING, "%sthe database %s was moved, removed or replaced",
			  who, entry->path);
}

/* After a second signal, the user knows. */
static void warn_left(const struct run *run)
{
	struct left_processes left = run_left_processes(run->server.path);

	if (left.count && !run->server.stop)
		probe_log(
			PROBE_LOG_WARNING,
			"%u of the program's processes still %s (%s, process %d): what they do from "
			"now on is not recorded",
			left.count, left.count > 1 ? "run" : "runs", left.name, (int)left.pid);
}

static uint64_t summary(const struct run *run)
{
	struct run_ledger *ledger = run->server.ledger;
	const struct ledger_entry *first = run_ledger_ended(ledger, NULL), *entry = first;
	uint64_t lost = 0;

	probe_log_release();
	for (; entry; entry = run_ledger_ended(ledger, entry)) {
		lost += entry->outcome.lost;
		if (run->config.report)
			print_summary(run, entry, run_ledger_ended(ledger, first) != NULL);
	}
	if (!first && !run->server.refused)
		warn_not_called(run->program[0]);
	warn_left(run);
	return lost + run->server.refused;
}

/* ---- In the recorder's process ---- */

static struct probe_err *begin_recording(void *user)
{
	struct run *run = user;
	struct probe_err *err = handler_workers_open(
		&run->config, &run->plugins, "the program was not started", &run->server.workers);

	if (err)
		return err;
	probe_log_hold();
	return NULL;
}

static bool stored_nothing(const struct run *run)
{
	struct run_ledger *ledger = run->server.ledger;
	const struct ledger_entry *entry = run_ledger_ended(ledger, NULL);

	if (!entry)
		return run->server.refused;
	for (; entry; entry = run_ledger_ended(ledger, entry))
		if (!entry->outcome.failed || entry->outcome.stored)
			return false;
	return true;
}

static void end_recording(void *user, struct run_pass *pass)
{
	struct run *run = user;

	pass->lost = summary(run);
	pass->nothing = stored_nothing(run);
	run_pass_database(&run->server, pass);
}

/* ---- In probe-run ---- */

/* Runs the program once; `again`: for the second time. */
static struct probe_err *record(struct run *run, bool again, struct run_pass *pass)
{
	const struct run_child program = {run->program, &run->environment, &run->signals, again};
	const struct run_service_work work = {
		.server = &run->server,
		.begin = begin_recording,
		.end = end_recording,
		.user = run,
		.quiet = run->config.verbosity < 0,
	};
	struct probe_err *err = prepare(run);
	struct run_service service;
	pid_t child = -1;

	run->status = RUN_STATUS_OURS;
	if (err)
		return err;
	err = run_service_start(&service, &work);
	if (err)
		return err;
	err = run_child_start(&program, &child, &run->status);
	run_service_application(&service, child);
	if (err) {
		probe_err_destroy(run_service_finish(&service, &run->signals, pass));
		return err;
	}
	run_service_wait(&service, child, &run->signals, &pass->wait_status);
	err = run_service_finish(&service, &run->signals, pass);
	if (err) {
		/* The program's status is kept, without --strict and without a second run. */
		report(err);
		pass->lost = 1;
	}
	run_server_deinit(&run->server);
	return NULL;
}

/* Frees the state of one run of the program. */
static void free_run(struct run *run)
{
	run_server_deinit(&run->server);
	run_environment_clear(&run->environment);
	run_plugins_deinit(&run->plugins);
}

/* One of --twice. The caller frees the run, and then *file, after an error as well. */
static struct probe_err *record_pass(struct run *run, const struct run_config *config, int i,
				     struct run_pass *pass, char **file)
{
	bool gpu = run->config.device < RUN_DEVICE_SIM && run_gpu_present();
	struct probe_err *err =
		run_pass_config(config, (enum run_pass_kind)i, gpu, &run->config, file);

	return err ? err : record(run, i != 0, pass);
}

static struct probe_err *record_twice(struct run *run, struct run_pass passes[RUN_PASSES])
{
	const struct run_config config = run->config;
	struct probe_err *err = NULL;

	for (int i = 0; i < RUN_PASSES; i++) {
		PROBE_AUTO_FREE char *file = NULL;

		err = record_pass(run, &config, i, &passes[i], &file);
		free_run(run);
		if (err || !run_pass_next(&passes[i], i))
			break;
	}
	run->config = config;
	if (err)
		return err;
	run_passes_merge(passes);
	return NULL;
}

/* --stats: on stderr, since stdout is the program's. */
static void print_stats(const struct run *run, const char *database)
{
	PROBE_AUTO_FREE char *program = NULL;
	pid_t child;

	if (!database || asprintf(&program, "%s/bin/probe-report", run->layout.root) < 0)
		return;
	fflush(stderr);
	child = fork();
	if (!child) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execl(program, "probe-report", "stats", database, (char *)NULL);
		_exit(127);
	}
	if (child > 0)
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
		}
}

static struct probe_err *record_passes(struct run *run, struct run_pass passes[RUN_PASSES])
{
	struct probe_err *err = run_signals_init(&run->signals);

	if (err)
		return err;
	err = run->config.twice ? record_twice(run, passes) : record(run, false, &passes[0]);
	if (err)
		return err;
	if (run->config.stats)
		print_stats(run, passes[0].database);
	return NULL;
}

/* A program that failed keeps its status. */
static int end_with_nothing(int wait_status)
{
	if (wait_status) {
		probe_log(PROBE_LOG_ERROR, "nothing could be stored in a database");
		return run_end_like(wait_status);
	}
	probe_log(PROBE_LOG_ERROR, "nothing could be stored in a database: exit status %d",
		  RUN_STATUS_LOST);
	return RUN_STATUS_LOST;
}

static int run_program(struct run *run)
{
	struct run_pass passes[RUN_PASSES] = {0};
	struct probe_err *err = record_passes(run, passes);
	int status;

	free(passes[0].database);
	free(passes[1].database);
	if (err) {
		report(err);
		return run->status;
	}
	status = run_passes_status(passes);
	/* Before this process may end by the program's signal. */
	if (passes[0].nothing || passes[1].nothing)
		return end_with_nothing(status);
	status = run_end_like(status);
	if (!status && passes[0].lost + passes[1].lost && run->config.strict) {
		probe_log(PROBE_LOG_ERROR, "data were lost: exit status %d (--strict)",
			  RUN_STATUS_LOST);
		return RUN_STATUS_LOST;
	}
	return status;
}

static struct probe_err *print_environment(struct run *run)
{
	struct probe_err *err;

	run->simulated = run->config.device != RUN_DEVICE_GPU && !run_gpu_present();
	err = run_kind_choose(&run->plugins, &run->config.kind);
	err = err ? err : make_environment(run);
	run_environment_print(&run->environment, stdout);
	return err;
}

/* Every action but that of running a program. */
static struct probe_err *print(struct run *run)
{
	struct probe_err *err = NULL;

	switch (run->config.action) {
	case RUN_ACTION_RUN:
		break;
	case RUN_ACTION_HELP:
		probe_command_help(&run_command, stdout);
		break;
	case RUN_ACTION_VERSION:
		run_version(&run->layout);
		break;
	case RUN_ACTION_PRINT_OPTIONS:
		probe_command_list(&run_command, stdout);
		break;
	case RUN_ACTION_LIST:
		run_list(&run->config, &run->layout);
		break;
	case RUN_ACTION_RECOVER:
		probe_progress_setup(run->config.verbosity < 0);
		err = run_recover(run->config.recover, &run->layout, &run->config.limits);
		break;
	case RUN_ACTION_PRINT_ENV:
		err = print_environment(run);
		break;
	}
	if (err)
		return err;
	if (fflush(stdout) || ferror(stdout))
		return probe_err_create("cannot write: %s", strerror(errno));
	return NULL;
}

static int act(struct run *run)
{
	struct probe_err *err;

	if (run->config.action == RUN_ACTION_RUN)
		return run_program(run);
	err = print(run);
	if (err) {
		report(err);
		return RUN_STATUS_OURS;
	}
	return 0;
}

static struct probe_err *read_command(struct run *run, int argc, char **argv)
{
	struct probe_err *err = run_config_init(&run->config, argc, argv);
	int level = PROBE_LOG_INFO + run->config.verbosity;

	probe_log_setup(run->config.verbosity < 0 ? PROBE_LOG_ERROR : level, run->config.color);
	run->program = argv + run->config.program;
	return err ? err : run_layout_init(&run->layout);
}

int main(int argc, char **argv)
{
	struct run run = {.server = RUN_SERVER_EMPTY, .status = RUN_STATUS_OURS};
	int status = RUN_STATUS_OURS;
	struct probe_err *err;

	probe_standard_files_reserve();
	probe_store_watch_memory();
	err = read_command(&run, argc, argv);
	if (err) {
		report(err);
	} else {
		status = act(&run);
		if (probe_memory_ran_out())
			probe_log(PROBE_LOG_ERROR,
				  "out of memory: the recording may be incomplete");
	}
	free_run(&run);
	run_layout_deinit(&run.layout);
	run_config_deinit(&run.config);
	return status;
}
