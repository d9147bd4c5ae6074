/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/record/handler_report.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "cmds/options/handler_list.h"
#include "cmds/options/handler_plugins.h"
#include "cmds/options/replay_command.h"
#include "cmds/options/run_options.h"
#include "cmds/record/handler_channel.h"
#include "cmds/record/handler_worker.h"
#include "cmds/record/handler_workers.h"
#include "cmds/record/record_log.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/log.h"
#include "store/store.h"

static const char *const calls[HANDLER_CALLS] = {
#define WORD(name, word) word,
	HANDLER_CALL_TABLE(WORD)
#undef WORD
};

const char *handler_call_word(unsigned call)
{
	return call < HANDLER_CALLS ? calls[call] : "?";
}

/* Handlers seldom check for memory, so the end of it looks like any other crash. */
static const char *memory_hint(const struct worker *worker)
{
	uint64_t limit = worker->set->config->limits.memory;

	return limit != UINT64_MAX && worker->memory > limit / 2
		       ? ", with over half of the memory that --handler-memory allows"
		       : "";
}

void handler_describe_end(const struct worker *worker, char *text, size_t size)
{
	const struct run_handler_limits *limits = &worker->set->config->limits;
	const char *call = handler_call_word(atomic_load(&worker->progress->call));
	int status = worker->wait_status;

	switch (worker->killed) {
	case WORKER_OVERDUE:
		snprintf(text, size, "took over %llu s in %s and was ended (--handler-timeout)",
			 (unsigned long long)limits->seconds, call);
		return;
	case WORKER_EXCESSIVE:
		snprintf(text, size,
			 "wrote over %llu MiB of rows and messages and was ended "
			 "(--handler-output)",
			 (unsigned long long)(limits->output >> 20));
		return;
	case WORKER_STOPPED:
		snprintf(text, size, "was ended by request");
		return;
	case WORKER_MALFORMED:
		snprintf(text, size, "sent a malformed message in %s and was ended", call);
		return;
	case WORKER_UNSTORED:
	case WORKER_NOT_KILLED:
		break;
	}
	if (WIFSIGNALED(status))
		snprintf(text, size, "died of signal %d (%s) in %s%s", WTERMSIG(status),
			 strsignal(WTERMSIG(status)), call, memory_hint(worker));
	else
		snprintf(text, size, "exited with status %d in %s", WEXITSTATUS(status), call);
}

/* `how` follows the handler's name; `rest` says what becomes of its rows. */
static void report(const struct worker *worker, const char *how, const char *rest)
{
	const struct handler_run *run = worker->set->run;
	const char *name = worker->plugin->handler.name;
	PROBE_AUTO_FREE char *command = NULL;
	char spec[512];

	run_handler_text(worker->spec, spec, sizeof(spec));
	command = replay_command(spec, run->rerun);
	record_log_put(run->log, PROBE_LOG_ERROR, name,
		       "handler %s %s; %s; no record is lost: run it again with: %s", name, how,
		       rest, command ? command : "probe-report replay");
}

/* The part of the store's failure that is of use here. */
static void describe_failure(const struct worker *worker, char *text, size_t size)
{
	const struct probe_err *failure = probe_store_failure(worker->set->run->store);
	char whole[400] = "";

	if (failure)
		probe_err_format(failure, whole, sizeof(whole));
	whole[strcspn(whole, ";")] = 0;
	snprintf(text, size, "wrote rows that cannot be stored: %.150s", whole);
}

void handler_report_death(const struct worker *worker)
{
	char how[200];

	if (probe_store_failure(worker->set->run->store))
		describe_failure(worker, how, sizeof(how));
	else if (worker->done)
		snprintf(how, sizeof(how), "cannot read the records: %.150s", worker->why_not);
	else
		handler_describe_end(worker, how, sizeof(how));
	report(worker, how, "its tables are not stored");
	record_log_partial(worker->set->run->log, "handler %s %s", worker->plugin->handler.name,
			   how);
}

void handler_report_failure(const struct worker *worker, const char *call, int number)
{
	char how[200];

	snprintf(how, sizeof(how), "failed in %s: %s", call, strerror(number));
	report(worker, how, "it gets no more data, and rows that it writes in close are stored");
	record_log_partial(worker->set->run->log, "handler %s failed in %s",
			   worker->plugin->handler.name, call);
}
