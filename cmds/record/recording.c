/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/record/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "cmds/options/run_options.h"
#include "cmds/record/allocation_records.h"
#include "cmds/record/foreign_code.h"
#include "cmds/record/handler_workers.h"
#include "cmds/record/host_records.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/log.h"
#include "common/memory_watch.h"
#include "probe_version.h"

struct probe_err *recording_init(struct recording *recording, const struct run_config *config,
				 pid_t pid, struct probe_store *store,
				 struct segment_reader *segment)
{
	*recording = (struct recording){.config = config, .store = store, .log.store = store};
	process_objects_init(&recording->objects, pid);
	recording->facts = probe_facts_create(store, (uint32_t)pid);
	recording->allocations = run_allocations_create();
	if (!recording->facts || !recording->allocations)
		return probe_err_oom();
	return trace_init(&recording->trace, segment);
}

void recording_deinit(struct recording *recording)
{
	probe_facts_destroy(recording->facts);
	probe_store_destroy(recording->store);
	trace_deinit(&recording->trace);
	samples_deinit(&recording->samples);
	calls_deinit(&recording->calls);
	counters_deinit(&recording->counters);
	process_objects_deinit(&recording->objects);
	run_allocations_destroy(recording->allocations);
	launch_stacks_deinit(&recording->stacks);
	source_files_deinit(&recording->sources);
	free(recording->foreign);
}

/* Stores the handlers in the form of -a, for a replay if this program does not get to run them. */
static void store_handlers(const struct recording *recording)
{
	const struct run_config *config = recording->config;
	char text[1024] = "";
	size_t n = 0;

	for (size_t i = 0; i < config->handler_count; i++) {
		const struct run_handler_spec *spec = &config->handlers[i];

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", i ? "," : "", spec->name);
		for (size_t k = 0; k < spec->arg_count && n < sizeof(text); k++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, ":%s", spec->args[k]);
		if (n >= sizeof(text))
			return;
	}
	probe_store_set(recording->store, "handlers", text);
	probe_store_set_int(recording->store, "handlers_ended", 0);
}

static void store_settings(struct recording *recording)
{
	struct probe_store *store = recording->store;
	char policy[PROBE_FULL_POLICY_TEXT];

	/* Stays true until the end: a kill leaves it so. */
	probe_store_set_int(store, "partial", 1);
	probe_store_set(store, "partial_reason", "the recording was not ended");
	/* --recover replaces this database only by one of the same recording. */
	if (recording->name && *recording->name)
		probe_store_set(store, "recording", recording->name);
	probe_store_set_int(store, "pid", recording->objects.pid);
	probe_store_set(store, "probe_version", PROBE_VERSION);
	probe_store_set(store, "sqlite_version", probe_store_sqlite_version());
	probe_store_set(store, "kind", probe_kind_name(recording->config->kind));
	probe_full_policy_format(recording->config->full, policy);
	probe_store_set(store, "when_full", policy);
	accounting_store_filters(recording);
	store_handlers(recording);
	/*
	 * Committed now, so that a kill at any time leaves a readable file that describes itself.
	 */
	probe_store_commit(store);
}

void recording_begin(struct recording *recording)
{
	struct probe_err *err = probe_store_schema(recording->store);

	if (err)
		probe_err_destroy(err); /* the store keeps the failure */
	else
		store_settings(recording);
	probe_facts_prepare(recording->facts);
	probe_facts_node(recording->facts);
}

static void find_partial(struct recording *recording, const char *ended)
{
	struct record_log *log = &recording->log;

	if (probe_store_failure(recording->store))
		record_log_partial(log, "the database could not be written");
	else if (ended)
		record_log_partial(log, "%s", ended);
	if (probe_memory_ran_out())
		record_log_partial(log, "memory ran out");
	if (recording->counts.unfinished)
		record_log_partial(log, "%llu dispatches did not complete",
				   (unsigned long long)recording->counts.unfinished);
	if (accounting_lost(recording))
		record_log_partial(log, "data were lost");
}

static void store_process_end(struct recording *recording)
{
	const struct process_objects *objects = &recording->objects;
	struct timespec now;
	uint64_t end;

	if (!objects->process_known)
		return;
	clock_gettime(CLOCK_BOOTTIME, &now);
	end = (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
	probe_facts_process(recording->facts, &objects->process, objects->command,
			    objects->environment, end);
	calls_end_ranges(recording, end);
}

/* Stores the cost of the recording: this thread's CPU time. */
static void store_own_cost(struct recording *recording)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		return;
	probe_store_set_int(recording->store, "supervisor_user_us",
			    usage.ru_utime.tv_sec * 1000000ll + usage.ru_utime.tv_usec);
	probe_store_set_int(recording->store, "supervisor_system_us",
			    usage.ru_stime.tv_sec * 1000000ll + usage.ru_stime.tv_usec);
}

static void set_partial(struct probe_store *store, const char *why)
{
	probe_store_set_int(store, "partial", *why != 0);
	probe_store_set(store, "partial_reason", why);
}

static void store_foreign(struct recording *recording)
{
	recording->foreign = foreign_code_reason(recording);
	if (recording->foreign)
		probe_store_set(recording->store, "foreign_code", recording->foreign);
}

void recording_end(struct recording *recording, const char *ended)
{
	struct probe_store *store = recording->store;
	bool ok = false;

	recording->counts.unfinished = recording->objects.in_flight;
	unknown_loss_find(recording);
	counters_abandon(recording);
	host_records_store_in_flight(recording);
	run_allocations_resolve(recording->allocations);
	run_allocations_store(recording->allocations, recording->facts);
	launch_stacks_store(recording);
	samples_store(recording);
	store_process_end(recording);
	store_foreign(recording);
	if (!probe_store_failure(store))
		probe_facts_dispatch_sums(recording->facts);
	accounting_check(recording);
	/* A full disk often has space for a few rows after the large transaction is rolled back. */
	for (int i = 0; i < 2 && !ok; i++) {
		find_partial(recording, ended);
		if (probe_store_failure(store))
			probe_store_final_attempt(store);
		accounting_store(recording, true);
		store_own_cost(recording);
		set_partial(store, recording->log.partial);
		ok = probe_store_commit(store);
	}
}

static void report_end(struct probe_store *store, bool one_file)
{
	if (!one_file && !probe_store_failure(store))
		probe_log(PROBE_LOG_ERROR,
			  "%s: could not be checkpointed into one file: keep %s-wal",
			  probe_store_path(store), probe_store_path(store));
	if (probe_store_failure(store))
		probe_log_err(PROBE_LOG_ERROR, probe_store_failure(store));
}

void recording_finish(struct recording *recording)
{
	struct probe_store *store = recording->store;
	bool finished = recording->config->handler_count ? probe_store_fold(store)
							 : probe_store_finish(store);

	report_end(store, finished);
}

void recording_outcome(const struct recording *recording, struct recording_outcome *ret)
{
	*ret = (struct recording_outcome){
		.lost = accounting_lost(recording),
		.stored = accounting_stored(recording),
		.tables = probe_store_has_schema(recording->store),
		.failed = probe_store_failure(recording->store) != NULL,
		.used = recording->objects.process_known,
		.probed = recording->counts.verdicts[PROBE_V_SWAPPED] != 0,
	};
	snprintf(ret->partial, sizeof(ret->partial), "%s", recording->log.partial);
}

struct probe_err *recording_run_handlers(const char *path, struct recording_outcome *outcome,
					 const struct run_config *config,
					 struct handler_workers *workers,
					 const struct handler_stop *stop)
{
	PROBE_AUTO(probe_store_release) struct probe_store *store = NULL;
	struct probe_err *err = probe_store_append(path, &store);
	struct record_log log = {.store = store};
	const struct handler_run run = {
		.database = path,
		.store = store,
		.log = &log,
		.kind = config->kind,
		.used = outcome->used,
		.rerun = path,
		.stop = *stop,
	};

	if (err)
		return err;
	snprintf(log.partial, sizeof(log.partial), "%s", outcome->partial);
	handler_workers_run(workers, &run, NULL);
	snprintf(outcome->partial, sizeof(outcome->partial), "%s", log.partial);
	probe_store_set_int(store, "handlers_ended", 1);
	set_partial(store, log.partial);
	if (!probe_store_commit(store))
		return probe_err_create("%s: the tables of handlers could not be written; all "
					"records are in it: run the handlers with: probe-run "
					"--recover %s",
					path, path);
	report_end(store, probe_store_finish(store));
	return NULL;
}
