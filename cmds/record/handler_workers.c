/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/record/handler_workers.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmds/options/handler_plugins.h"
#include "cmds/options/run_options.h"
#include "cmds/record/handler_channel.h"
#include "cmds/record/handler_messages.h"
#include "cmds/record/handler_report.h"
#include "cmds/record/handler_tables.h"
#include "cmds/record/handler_worker.h"
#include "cmds/record/handler_worker_process.h"
#include "cmds/record/record_log.h"
#include "common/err.h"
#include "common/log.h"
#include "common/progress.h"
#include "store/store.h"

enum { LOOK_MS = 100 };

/* ---- Processes ------------------------------------------------------------------------------ */

static struct probe_err *start(struct worker *worker)
{
	int fds[2];

	worker->progress = mmap(NULL, sizeof(*worker->progress), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (worker->progress == MAP_FAILED) {
		worker->progress = NULL;
		return probe_err_oom();
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return probe_err_create("cannot make a socket for handler %s: %s",
					worker->plugin->handler.name, strerror(errno));
	fflush(NULL); /* flush once, not in both processes */
	worker->pid = fork();
	if (!worker->pid) {
		const struct handler_worker_task task = {
			.plugin = worker->plugin,
			.spec = worker->spec,
			.fd = fds[1],
			.progress = worker->progress,
			.memory = worker->set->config->limits.memory,
		};

		handler_worker_main(&task);
	}
	close(fds[1]);
	worker->fd = fds[0];
	return worker->pid > 0 ? NULL
			       : probe_err_create("cannot start a process for handler %s: %s",
						  worker->plugin->handler.name, strerror(errno));
}

static void end(struct worker *worker, enum worker_kill why)
{
	if (worker->pid <= 0 || worker->killed)
		return;
	worker->killed = why;
	kill(worker->pid, SIGKILL);
}

static bool has_died(const struct worker *worker)
{
	siginfo_t info = {0};

	return worker->pid > 0 &&
	       !waitid(P_PID, (id_t)worker->pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
	       info.si_pid == worker->pid;
}

/* The processes that the handler started end with it: they are in its group. */
static void wait_for(struct worker *worker)
{
	struct rusage usage = {0};
	siginfo_t info;

	while (worker->pid > 0 && waitid(P_PID, (id_t)worker->pid, &info, WEXITED | WNOWAIT) < 0 &&
	       errno == EINTR)
		;
	if (worker->pid > 0)
		kill(-worker->pid, SIGKILL);
	while (worker->pid > 0 && wait4(worker->pid, &worker->wait_status, 0, &usage) < 0 &&
	       errno == EINTR)
		;
	worker->memory = (uint64_t)usage.ru_maxrss * 1024;
	worker->pid = -1;
}

/* ---- Waiting -------------------------------------------------------------------------------- */

static void check_deadline(struct worker *worker)
{
	uint64_t limit = worker->set->config->limits.seconds, now = handler_clock_ns();
	uint64_t since = atomic_load(&worker->progress->since);

	if (limit != UINT64_MAX && since && !atomic_load(&worker->progress->writing) &&
	    now > since && now - since > limit * 1000000000ull)
		end(worker, WORKER_OVERDUE);
}

static void end_all(struct handler_workers *set, enum worker_kill why)
{
	for (size_t i = 0; i < set->count; i++)
		if (!set->worker[i].done)
			end(&set->worker[i], why);
}

/*
 * Reads until the socket ends or, with `opening`, until the worker reports that it is open. A
 * process that the handler started may keep the socket open when the worker has died.
 */
static void serve(struct worker *worker, bool opening)
{
	struct handler_workers *set = worker->set;
	const struct handler_stop *stop =
		set->run && set->run->stop.requested ? &set->run->stop : NULL;
	struct pollfd fds[] = {
		{.fd = worker->fd, .events = POLLIN},
		{.fd = stop ? stop->fd : -1, .events = POLLIN},
	};
	enum worker_kill why = WORKER_NOT_KILLED;
	bool more = true;

	while (more && !(opening && worker->opened)) {
		bool died = has_died(worker); /* before poll(): what it sent is there by then */
		int n = poll(fds, 2, LOOK_MS);

		probe_progress_tick();
		if (n > 0 && fds[0].revents)
			more = handler_messages_read(worker, &why);
		else if (died && n >= 0)
			more = false;
		if (!why && set->run && probe_store_failure(set->run->store))
			why = WORKER_UNSTORED;
		if (why)
			end(worker, why);
		more = more && !why;
		if (n > 0 && stop && fds[1].revents && stop->requested(stop->user))
			end_all(set, WORKER_STOPPED);
		for (size_t i = 0; i < set->count; i++)
			if (set->worker[i].pid > 0 && set->worker[i].progress)
				check_deadline(&set->worker[i]);
	}
}

/* ---- The set -------------------------------------------------------------------------------- */

static struct probe_err *open_worker(struct worker *worker, const char *instead)
{
	const char *name = worker->plugin->handler.name;
	char how[200];

	serve(worker, true);
	if (worker->opened && !worker->why_not[0])
		return NULL;
	if (worker->opened)
		return probe_err_create("%s; %s", worker->why_not, instead);
	close(worker->fd);
	worker->fd = -1;
	wait_for(worker);
	handler_describe_end(worker, how, sizeof(how));
	return probe_err_create("handler %s %s; %s", name, how, instead);
}

struct probe_err *handler_workers_open(const struct run_config *config,
				       const struct run_plugins *plugins, const char *instead,
				       struct handler_workers **ret)
{
	struct handler_workers *set =
		calloc(1, sizeof(*set) + plugins->count * sizeof(struct worker));
	struct probe_err *err = NULL;

	if (!set)
		return probe_err_oom();
	set->config = config;
	for (; set->count < plugins->count && !err; set->count++) {
		struct worker *worker = &set->worker[set->count];

		*worker = (struct worker){
			.set = set,
			.plugin = &plugins->items[set->count],
			.spec = &config->handlers[plugins->items[set->count].spec],
			.pid = -1,
			.fd = -1,
		};
		err = start(worker);
	}
	for (size_t i = 0; i < set->count && !err; i++)
		err = open_worker(&set->worker[i], instead);
	if (err) {
		handler_workers_destroy(set);
		return err;
	}
	*ret = set;
	return NULL;
}

/* A worker that does not receive the order has died; reading from its socket shows that. */
static void send_order(const struct worker *worker, const struct handler_run *run)
{
	const struct handler_worker_order order = {
		.kind = run->kind,
		.flags = run->replay ? PROBE_RUN_REPLAY : 0,
		.used = run->used,
		.path_size = (uint32_t)strlen(run->database) + 1,
	};

	if (send(worker->fd, &order, sizeof(order), MSG_NOSIGNAL) == (ssize_t)sizeof(order))
		send(worker->fd, run->database, order.path_size, MSG_NOSIGNAL);
}

/* Stores what the worker writes, or nothing of it if it does not come to its end. */
static void run_worker(struct worker *worker)
{
	struct handler_workers *set = worker->set;

	probe_progress_step("handler %s", worker->plugin->handler.name);
	record_log_hold(set->run->log);
	for (size_t i = 0; i < worker->table_count; i++)
		if (worker->tables[i])
			handler_table_create(&set->tables, worker->tables[i]);
	handler_messages_start(worker);
	serve(worker, false);
	close(worker->fd);
	worker->fd = -1;
	wait_for(worker);
	worker->dead = !worker->done || worker->why_not[0] || !handler_tables_commit(&set->tables);
	if (worker->dead) {
		handler_report_death(worker);
		handler_tables_discard(&set->tables);
	}
	record_log_release(set->run->log);
}

unsigned handler_workers_run(struct handler_workers *set, const struct handler_run *run,
			     struct replay_counts *counts)
{
	unsigned failed = 0;
	bool known = false;

	set->run = run;
	set->tables.replace = run->replay;
	set->tables.store = run->store;
	for (size_t i = 0; i < set->count; i++)
		send_order(&set->worker[i], run);
	/* All work at the same time; their output is read in the order of -a. */
	for (size_t i = 0; i < set->count; i++) {
		struct worker *worker = &set->worker[i];

		run_worker(worker);
		failed += worker->dead || worker->failed;
		if (worker->done && !known && counts) {
			*counts = worker->counts;
			known = true;
		}
	}
	handler_tables_deinit(&set->tables);
	return failed;
}

void handler_workers_destroy(struct handler_workers *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->count; i++) {
		struct worker *worker = &set->worker[i];

		/*
		 * When its socket ends, a worker closes its handler; a worker that does not end is
		 * killed.
		 */
		if (worker->fd >= 0) {
			shutdown(worker->fd, SHUT_WR);
			serve(worker, false);
			close(worker->fd);
		}
		wait_for(worker);
		if (worker->progress)
			munmap(worker->progress, sizeof(*worker->progress));
		free(worker->why_not);
		free(worker->buffer);
		free(worker->early);
	}
	handler_tables_deinit(&set->tables);
	free(set);
}
