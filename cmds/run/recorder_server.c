/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/run/recorder_server.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmds/options/run_options.h"
#include "cmds/record/handler_channel.h"
#include "cmds/record/handler_workers.h"
#include "cmds/record/recorder.h"
#include "cmds/record/spool.h"
#include "cmds/run/database_creation.h"
#include "cmds/run/hello_messages.h"
#include "cmds/run/pending_handlers.h"
#include "cmds/run/run_ledger.h"
#include "cmds/run/socket_directory.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/log.h"
#include "common/progress.h"

#define GRACE_NS     1000000000ull /* time limit for processes that outlive the application */
#define TERMINATE_NS 5000000000ull /* for the application, once the recorder is to end */

/* Without one, a process that connects could not even be refused. */
static void reserve_descriptor(struct run_server *server)
{
	if (server->reserve < 0)
		server->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

struct probe_err *run_server_init(struct run_server *server, const struct run_config *config,
				  const struct run_plugins *plugins)
{
	struct probe_err *err;

	*server = (struct run_server)RUN_SERVER_EMPTY;
	server->config = config;
	server->plugins = plugins;
	server->ledger = run_ledger_create();
	server->ended_recordings = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!server->ledger)
		return probe_err_oom();
	if (server->ended_recordings < 0)
		return probe_err_create("cannot make an eventfd: %s", strerror(errno));
	reserve_descriptor(server);
	err = run_socket_directory(&server->directory, &server->path);
	if (err)
		return err;
	return run_socket_listen(server->path, RUN_HELLOS, &server->fd);
}

void run_server_refuse(struct run_server *server)
{
	close(server->fd);
	server->fd = -1;
}

void run_server_deinit(struct run_server *server)
{
	for (size_t i = 0; i < server->hello_count; i++)
		close(server->hellos[i]);
	while (server->recorders) {
		struct recorder *next = server->recorders->next;

		recorder_destroy(server->recorders);
		server->recorders = next;
	}
	handler_workers_destroy(server->workers);
	if (server->fd >= 0)
		close(server->fd);
	if (server->path)
		unlink(server->path);
	if (server->directory)
		rmdir(server->directory);
	free(server->path);
	free(server->directory);
	if (server->reserve >= 0)
		close(server->reserve);
	if (server->signals >= 0)
		close(server->signals);
	if (server->orders >= 0)
		close(server->orders);
	if (server->ended_recordings >= 0)
		close(server->ended_recordings);
	run_ledger_destroy(server->ledger);
	*server = (struct run_server)RUN_SERVER_EMPTY;
}

static void accept_all(struct run_server *server)
{
	while (server->hello_count < RUN_HELLOS) {
		int fd = accept4(server->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		bool full = fd < 0 && (errno == EMFILE || errno == ENFILE);

		if (full && server->reserve >= 0) {
			close(server->reserve);
			server->reserve = -1;
			continue;
		}
		server->deaf = full;
		if (fd < 0)
			return;
		server->hellos[server->hello_count++] = fd;
	}
}

/* exec keeps the process id, so the previous program has ended, whatever its pidfd says. */
static void end_predecessor(struct run_server *server, pid_t pid)
{
	for (struct recorder *recorder = server->recorders; recorder; recorder = recorder->next) {
		if (recorder->pid != pid || atomic_load(&recorder->done))
			continue;
		recorder_stop(recorder, RECORDER_STOP_REPLACED);
	}
}

/*
 * The database is closed, so from here on the ledger says all that is known. False: it could not be
 * written.
 */
static bool end_recording(struct run_server *server, struct recorder *recorder)
{
	size_t size = 0;
	PROBE_AUTO_FREE char *summary =
		server->config->report ? accounting_summary(&recorder->recording, &size) : NULL;

	run_ledger_end(server->ledger, recorder->entry, &recorder->recording, summary, size);
	recorder_finish(recorder);
	return !recorder->entry->outcome.failed;
}

/*
 * A program may start thousands of processes, of which few run at a time. The records of one whose
 * database could not be written are in its spool, which stays locked until the run ends.
 */
static void end_recordings(struct run_server *server)
{
	struct recorder **at = &server->recorders;
	bool any = false;

	while (*at) {
		struct recorder *recorder = *at;

		if (!atomic_load(&recorder->done) || recorder->joined) {
			at = &recorder->next;
			continue;
		}
		recorder_join(recorder);
		if (!end_recording(server, recorder)) {
			at = &recorder->next;
			continue;
		}
		*at = recorder->next;
		recorder_destroy(recorder);
		any = true;
	}
	/* Threads come and go, each with a heap of its own, which keeps what it has had. */
	if (any)
		malloc_trim(0);
}

static struct probe_err *start(struct run_server *server, struct recorder *recorder)
{
	struct probe_err *err;

	recorder->notify = server->ended_recordings;
	err = recorder_start(recorder);
	if (err)
		return err;
	recorder->next = server->recorders;
	server->recorders = recorder;
	return NULL;
}

/* For --recover: the lock is held until the recorder's process ends, for whatever reason. */
static int lock_database(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd >= 0)
		flock(fd, LOCK_EX | LOCK_NB);
	return fd;
}

/*
 * A recorder died between making a segment for this process and sending it, or before the process
 * used it. So it has asked again.
 */
static struct recorder *find_unused(struct run_server *server, pid_t pid)
{
	for (struct recorder *recorder = server->recorders; recorder; recorder = recorder->next)
		if (recorder->pid == pid && recorder->unused && !atomic_load(&recorder->done))
			return recorder;
	return NULL;
}

/* Of a process that did not take its segment. */
static void discard(struct recorder *recorder)
{
	recorder->sock = -1; /* the caller still owns it */
	spool_remove(&recorder->spool);
	recorder_destroy(recorder);
}

/* Takes ownership of the store. */
static struct probe_err *record_into(struct run_server *server, struct probe_store *store,
				     const struct recorder_process *process,
				     struct ledger_entry *entry)
{
	struct recorder *recorder = NULL;
	struct probe_err *err = recorder_create(process, server->config, store, &recorder);

	if (err)
		return err;
	recorder->entry = entry;
	/* Locked before the application learns that it is recorded. */
	recorder->lock = lock_database(entry->path);
	if (run_hello_reply(recorder->sock, 0, &recorder->seg))
		err = start(server, recorder);
	else
		err = probe_err_create("process %d did not take its segment: %s", (int)process->pid,
				       strerror(errno));
	if (err)
		discard(recorder);
	return err;
}

static struct probe_err *record(struct run_server *server, const struct recorder_process *process)
{
	struct recorder *recorder = find_unused(server, process->pid);
	struct probe_store *store = NULL;
	struct ledger_entry *entry;
	struct probe_err *err;

	if (recorder && run_hello_reply(process->sock, 0, &recorder->seg)) {
		recorder->unused = false;
		recorder->sock = process->sock;
		return NULL;
	}
	end_recordings(server);
	end_predecessor(server, process->pid);
	err = run_database_create(server, process->pid, &store);
	if (err)
		return err;
	/*
	 * Before the spool is made: a recorder that is killed meanwhile leaves nothing that the
	 * next one misses.
	 */
	entry = run_ledger_add(server->ledger, process->pid, probe_store_path(store));
	if (!entry) {
		probe_store_destroy(store);
		return probe_err_create("the run has too many processes");
	}
	err = record_into(server, store, process, entry);
	if (err) {
		/* An empty file would look like a run without kernels. */
		probe_err_destroy(probe_store_remove(entry->path));
		atomic_store(&entry->state, LEDGER_DISCARDED);
	}
	return err;
}

/*
 * The process has not been sent a segment, and asks again. Destroys `recorder`, which is NULL if
 * there is no spool, either.
 */
static void start_over(const char *spool, struct recorder *recorder)
{
	PROBE_AUTO_FREE char *database = strndup(spool, strlen(spool) - strlen(SPOOL_SUFFIX));
	struct stat status;

	if (recorder)
		spool_remove(&recorder->spool);
	recorder_destroy(recorder);
	if (database && !lstat(database, &status) && S_ISREG(status.st_mode) && !status.st_size)
		unlink(database);
}

static struct probe_err *continue_one(struct run_server *server, struct ledger_entry *entry,
				      const char *spool)
{
	PROBE_AUTO(recorder_release) struct recorder *recorder = NULL;
	struct probe_store *store = NULL; /* the recorder's */
	struct probe_err *err;
	bool absent;

	err = recorder_open(spool, &recorder, &absent);
	if (absent) {
		/* It was not made, or given up. */
		probe_err_destroy(err);
		start_over(spool, NULL);
		atomic_store(&entry->state, LEDGER_DISCARDED);
		return NULL;
	}
	if (err)
		return err;
	if (recorder->unused && !recorder->seg.linked && spool_is_empty(&recorder->spool)) {
		start_over(spool, PROBE_KEEP(recorder));
		atomic_store(&entry->state, LEDGER_DISCARDED);
		return NULL;
	}
	end_predecessor(server, recorder->pid);
	err = recorder_recreate(recorder, server->config, &store);
	if (err)
		return err;
	atomic_store(&entry->state, LEDGER_OPEN);
	recorder->entry = entry;
	recorder->lock = lock_database(probe_store_path(store));
	err = start(server, recorder);
	if (err)
		return err;
	(void)PROBE_KEEP(recorder);
	return NULL;
}

static struct probe_err *continue_entry(struct run_server *server, struct ledger_entry *entry)
{
	enum ledger_state state = atomic_load(&entry->state);
	PROBE_AUTO_FREE char *spool = spool_path(entry->path);

	if (!spool)
		return probe_err_oom();
	if (state == LEDGER_OPEN || state == LEDGER_FAILED)
		return continue_one(server, entry, spool);
	/* The recorder was killed before it could remove the spool. */
	if (state == LEDGER_COMPLETE && !access(spool, F_OK))
		spool_remove_stale(spool);
	return NULL;
}

void run_server_continue(struct run_server *server)
{
	struct ledger_entry *entry = NULL;

	while ((entry = run_ledger_next(server->ledger, entry))) {
		struct probe_err *err = continue_entry(server, entry);

		if (err)
			probe_log_err(PROBE_LOG_ERROR, err);
		probe_err_destroy(err);
	}
}

/* Takes ownership of `err`. */
static void refuse(struct run_server *server, int sock, pid_t pid, struct probe_err *err)
{
	server->refused++;
	err = probe_err_wrap(err, "process %d is not recorded", (int)pid);
	probe_log_err(PROBE_LOG_ERROR, err);
	probe_err_destroy(err);
	run_hello_reply(sock, -EPERM, NULL);
	close(sock);
}

/* Reads a process's hello, and records the process or refuses to. */
static void answer_hello(struct run_server *server, int sock)
{
	struct probe_hello hello = {0};
	struct recorder_process process;
	struct ucred peer = {0};
	socklen_t size = sizeof(peer);
	ssize_t got = recv(sock, &hello, sizeof(hello), 0);
	struct probe_err *err;

	if (got == 0 || getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &size)) {
		close(sock);
		return;
	}
	/* The kernel identifies the peer; the hello message is not trusted. */
	err = run_hello_check(&hello, got, &peer);
	process = (struct recorder_process){
		.pid = peer.pid, .sock = sock, .rings_wanted = hello.ring_count};
	err = err ? err : record(server, &process);
	if (err)
		refuse(server, sock, peer.pid, err);
}

/* Waits for the socket, `extra` descriptors, or the timeout; handles the socket. */
static void poll_once(struct run_server *server, const int *extra, size_t extra_count,
		      int timeout_ms)
{
	struct pollfd fds[RUN_HELLOS + 8];
	size_t hellos = server->hello_count, n = 0;
	bool listens = !server->deaf && hellos < RUN_HELLOS;

	fds[n++] = (struct pollfd){.fd = listens ? server->fd : -1, .events = POLLIN};
	for (size_t i = 0; i < hellos; i++)
		fds[n++] = (struct pollfd){.fd = server->hellos[i], .events = POLLIN};
	for (size_t i = 0; i < extra_count; i++)
		fds[n++] = (struct pollfd){.fd = extra[i], .events = POLLIN};
	if (poll(fds, n, timeout_ms) <= 0)
		return;
	for (size_t i = hellos; i-- > 0;) {
		if (!fds[1 + i].revents)
			continue;
		answer_hello(server, server->hellos[i]);
		server->deaf = false;
		reserve_descriptor(server);
		server->hellos[i] = server->hellos[--server->hello_count];
	}
	if (fds[0].revents)
		accept_all(server);
}

/* One descriptor for what the loops below wait for. SIGTERM is blocked (child_process.c). */
struct probe_err *run_server_watch(struct run_server *server, int control)
{
	struct epoll_event event = {.events = EPOLLIN};
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	server->control = control;
	server->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	server->orders = epoll_create1(EPOLL_CLOEXEC);
	if (server->signals < 0 || server->orders < 0 ||
	    epoll_ctl(server->orders, EPOLL_CTL_ADD, control, &event) ||
	    epoll_ctl(server->orders, EPOLL_CTL_ADD, server->signals, &event) ||
	    epoll_ctl(server->orders, EPOLL_CTL_ADD, server->ended_recordings, &event))
		return probe_err_create("cannot wait for signals and orders: %s", strerror(errno));
	return NULL;
}

/*
 * SIGTERM asks for an end with everything stored: when the application has ended, which often gets
 * the same signal, or after TERMINATE_NS; a second one at once.
 */
static void read_signals(struct run_server *server)
{
	struct signalfd_siginfo info;

	while (server->signals >= 0 &&
	       read(server->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (server->terminated)
			server->ended = server->stop = true;
		else
			server->terminated = handler_clock_ns();
	}
}

static void read_orders(struct run_server *server)
{
	struct run_order order;
	ssize_t got = 1;
	uint64_t ended;

	read_signals(server);
	if (read(server->ended_recordings, &ended, sizeof(ended)) > 0)
		end_recordings(server);
	while (server->control >= 0 && got > 0) {
		got = recv(server->control, &order, sizeof(order), MSG_DONTWAIT);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (got != (ssize_t)sizeof(order)) {
			/* probe-run has died; its descriptor stays open */
			epoll_ctl(server->orders, EPOLL_CTL_DEL, server->control, NULL);
			server->control = -1;
			return;
		}
		if (order.type == RUN_ORDER_APPLICATION)
			server->application = order.pid;
		server->ended = server->ended || order.type != RUN_ORDER_APPLICATION;
		server->stop = server->stop || order.type == RUN_ORDER_STOP;
	}
}

/* For the case that probe-run, which waits for the application, has died. */
static bool application_ended(int pidfd, pid_t pid)
{
	struct pollfd fd = {.fd = pidfd, .events = POLLIN};

	return pidfd >= 0 ? poll(&fd, 1, 0) > 0 : kill(pid, 0) != 0;
}

static bool all_done(const struct run_server *server)
{
	for (struct recorder *recorder = server->recorders; recorder; recorder = recorder->next)
		if (!atomic_load(&recorder->done))
			return false;
	return true;
}

bool run_server_serve(struct run_server *server)
{
	uint64_t orphaned = 0;
	int pidfd = -1;

	while (!server->ended) {
		int extra[] = {server->orders, pidfd};
		bool look = (pidfd < 0 && server->control < 0) || server->terminated;

		/* Without pidfds (Linux before 5.3), check every 20 ms. */
		poll_once(server, extra, 2, look ? 20 : -1);
		read_orders(server);
		if (server->application && pidfd < 0)
			pidfd = (int)syscall(SYS_pidfd_open, server->application, 0);
		if (server->control < 0 && !orphaned)
			orphaned = handler_clock_ns();
		if (orphaned && server->application)
			server->ended = application_ended(pidfd, server->application);
		else if (orphaned) /* probe-run was killed before it could send the pid of the
				    * application */
			server->ended =
				handler_clock_ns() - orphaned > GRACE_NS && all_done(server);
		else if (!server->ended && pidfd >= 0 &&
			 application_ended(pidfd, server->application))
			poll_once(server, &server->orders, 1,
				  -1); /* the order is about to arrive */
		if (server->stop ||
		    (server->terminated && handler_clock_ns() - server->terminated > TERMINATE_NS))
			server->ended = server->stop = true;
	}
	if (pidfd >= 0)
		close(pidfd);
	return server->application || run_ledger_next(server->ledger, NULL);
}

static void stop_all(const struct run_server *server)
{
	for (struct recorder *recorder = server->recorders; recorder; recorder = recorder->next)
		recorder_stop(recorder,
			      server->terminated ? RECORDER_STOP_TERMINATED : RECORDER_STOP_LEFT);
}

/* A file without tables holds nothing. It was the spool's lock until now. */
static void remove_empty(const struct run_server *server)
{
	for (struct recorder *recorder = server->recorders; recorder; recorder = recorder->next) {
		const struct ledger_entry *entry = recorder->entry;

		if (!entry->outcome.tables && run_ledger_in_place(entry))
			probe_err_destroy(probe_store_remove(entry->path));
	}
}

void run_server_finish(struct run_server *server)
{
	uint64_t start = handler_clock_ns();
	bool stopped = false;

	poll_once(server, NULL, 0, 0); /* handle processes that connected just before the end */
	poll_once(server, NULL, 0, 0);
	probe_progress_step("completing the database");
	while (!all_done(server)) {
		recorder_show_progress(server->recorders);
		poll_once(server, &server->orders, 1, 1);
		read_orders(server);
		if (!stopped && (server->stop || handler_clock_ns() - start >= GRACE_NS)) {
			stopped = true;
			stop_all(server);
		}
	}
	end_recordings(server);
	remove_empty(server);
}

static bool stop_requested(void *user)
{
	struct run_server *server = user;

	read_orders(server);
	return server->stop;
}

void run_server_handle(struct run_server *server)
{
	const struct handler_stop stop = {server->orders, stop_requested, server};
	struct ledger_entry *entry = NULL;

	while ((entry = run_ledger_next(server->ledger, entry)) && !stop_requested(server))
		run_handlers_pending(server, entry, &stop);
}
