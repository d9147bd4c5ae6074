/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/run/recorder_service.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmds/record/handler_channel.h"
#include "cmds/run/child_process.h"
#include "cmds/run/recorder_server.h"
#include "cmds/run/sample_then_probe.h"
#include "common/err.h"
#include "common/log.h"
#include "common/memory_watch.h"
#include "common/progress.h"

#define URGENT_NS 5000000000ull /* time for the recorder to end after the user has requested it */

/* The recorders of a run that may die: a damaged record must not have them started for ever. */
#define DEATHS_MAX 8

/*
 * How often a recorder is continued that somebody stops. One that a handler stops again and again
 * would never end.
 */
#define STOPS_MAX 100

enum { TEXT_MAX = 4096, LOOK_MS = 100 };

/* One message from the recorder; the text follows. */
struct report {
	uint64_t lost;
	uint32_t several, probed; /* struct run_pass */
	uint32_t nothing;
	uint32_t failed; /* the text is an error; otherwise the path of the only database, or "" */
	char text[TEXT_MAX];
};

/* ---- In the recorder ------------------------------------------------------------------------ */

/* Signals and hang-ups of the terminal are for the application. */
static void detach(void)
{
	/* The soft limits are meant for the program. Each process that runs costs some files. */
	static const int resources[] = {RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_AS, RLIMIT_CPU};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct rlimit limit;

	for (size_t i = 0; i < sizeof(resources) / sizeof(*resources); i++)
		if (!getrlimit((__rlimit_resource_t)resources[i], &limit)) {
			limit.rlim_cur = limit.rlim_max;
			setrlimit((__rlimit_resource_t)resources[i], &limit);
		}
	setsid();
	prctl(PR_SET_NAME, "probe-recorder");
	if (null < 0)
		return;
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	close(null);
}

/* Records until the application has ended. */
static void record(const struct run_service_work *work, bool again, struct report *ret)
{
	struct run_pass pass = {0};

	if (again)
		run_server_continue(work->server);
	if (!run_server_serve(work->server))
		return;
	/* The terminal was the application's until now. */
	probe_progress_setup(work->quiet);
	run_server_finish(work->server);
	run_server_handle(work->server);
	probe_progress_end();
	work->end(work->user, &pass);
	ret->lost = pass.lost;
	ret->several = pass.several;
	ret->probed = pass.probed;
	ret->nothing = pass.nothing;
	snprintf(ret->text, sizeof(ret->text), "%s", pass.database ? pass.database : "");
}

__attribute__((noreturn)) static void serve(const struct run_service_work *work, int fd, bool again)
{
	struct report report = {0};
	struct probe_err *err;

	detach();
	err = work->begin(work->user);
	err = err ? err : run_server_watch(work->server, fd);
	if (err) {
		report.failed = 1;
		probe_err_format(err, report.text, sizeof(report.text));
	}
	send(fd, &report, sizeof(report), MSG_NOSIGNAL);
	if (!report.failed)
		record(work, again, &report);
	run_server_deinit(work->server);
	if (probe_memory_ran_out())
		probe_log(PROBE_LOG_ERROR, "out of memory: the recording may be incomplete");
	send(fd, &report, sizeof(report), MSG_NOSIGNAL);
	fflush(NULL);
	_exit(0);
}

/* ---- In probe-run --------------------------------------------------------------------------- */

/* Beyond its hard limit of processor time, Linux kills a process. */
static struct probe_err *died_of_limit(int signal_number)
{
	struct rlimit limit;

	if ((signal_number != SIGKILL && signal_number != SIGXCPU) ||
	    getrlimit(RLIMIT_CPU, &limit) || limit.rlim_max == RLIM_INFINITY)
		return NULL;
	return probe_err_create(
		"the recorder was killed, perhaps because the limit of processor "
		"time (ulimit -t) is %llu s; complete the databases with: probe-run "
		"--recover DIR",
		(unsigned long long)limit.rlim_max);
}

static struct probe_err *recorder_died(struct run_service *service)
{
	struct probe_err *err;
	int status = 0;

	while (waitpid(service->pid, &status, 0) < 0 && errno == EINTR)
		;
	service->pid = 0;
	err = WIFSIGNALED(status) ? died_of_limit(WTERMSIG(status)) : NULL;
	if (err)
		return err;
	if (WIFSIGNALED(status))
		return probe_err_create("the recorder died of signal %d (%s); if another one does "
					"not finish, use probe-run --recover DIR",
					WTERMSIG(status), strsignal(WTERMSIG(status)));
	return probe_err_create("the recorder ended with status %d; if another one does not "
				"finish, use probe-run --recover DIR",
				WEXITSTATUS(status));
}

/* A handler has the user's rights, so it can stop its recorder, which cannot end it then. */
static void continue_stopped(struct run_service *service)
{
	siginfo_t info = {0};

	if (service->pid <= 0 || waitid(P_PID, (id_t)service->pid, &info, WSTOPPED | WNOHANG) ||
	    !info.si_pid)
		return;
	kill(service->pid, ++service->stops > STOPS_MAX ? SIGKILL : SIGCONT);
}

static struct probe_err *receive(struct run_service *service, struct report *ret)
{
	ssize_t got;

	do
		got = recv(service->fd, ret, sizeof(*ret), 0);
	while (got < 0 && errno == EINTR);
	if (got != (ssize_t)sizeof(*ret))
		return recorder_died(service);
	ret->text[TEXT_MAX - 1] = 0;
	return ret->failed ? probe_err_create("%s", ret->text) : NULL;
}

static void end(struct run_service *service)
{
	if (service->fd >= 0)
		close(service->fd);
	while (service->pid > 0 && waitpid(service->pid, NULL, 0) < 0 && errno == EINTR)
		;
	service->pid = 0;
	service->fd = -1;
}

/* Until the recorder says something or dies. */
static struct probe_err *await_message(struct run_service *service, struct report *ret)
{
	struct pollfd fd = {.fd = service->fd, .events = POLLIN};

	while (poll(&fd, 1, LOOK_MS) <= 0)
		continue_stopped(service);
	return receive(service, ret);
}

static struct probe_err *launch(struct run_service *service, bool again)
{
	struct report report;
	struct probe_err *err;
	int fds[2];

	service->fd = -1;
	service->pid = 0;
	service->stops = 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return probe_err_create("cannot make a socket: %s", strerror(errno));
	fflush(NULL); /* flush once, not in both processes */
	service->pid = fork();
	if (!service->pid) {
		close(fds[0]);
		serve(service->work, fds[1], again);
	}
	close(fds[1]);
	service->fd = fds[0];
	if (service->pid < 0) {
		service->pid = 0;
		err = probe_err_create("cannot start the recorder: %s", strerror(errno));
	} else {
		err = await_message(service, &report);
	}
	if (err)
		end(service);
	return err;
}

struct probe_err *run_service_start(struct run_service *service,
				    const struct run_service_work *work)
{
	*service = (struct run_service){.work = work, .fd = -1};
	return launch(service, false);
}

static void send_order(const struct run_service *service, enum run_order_type type, pid_t child)
{
	const struct run_order order = {type, child};

	send(service->fd, &order, sizeof(order), MSG_NOSIGNAL);
}

/*
 * After the death of a recorder, `died`: starts another one, which may die as well. Returns an
 * error if there is none.
 */
static struct probe_err *replace(struct run_service *service, struct probe_err *died)
{
	while (++service->deaths <= DEATHS_MAX) {
		struct probe_err *err;

		end(service);
		err = launch(service, true);
		if (err) {
			probe_err_destroy(died);
			died = err;
			continue;
		}
		probe_log_err(PROBE_LOG_WARNING, died);
		probe_err_destroy(died);
		return NULL;
	}
	return died;
}

/* While the application runs. */
static void check_recorder(struct run_service *service)
{
	struct probe_err *err;
	ssize_t got;
	char byte;

	got = recv(service->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	service->reported = got > 0;
	if (service->reported)
		return;
	err = replace(service, recorder_died(service));
	if (err) {
		probe_log_err(PROBE_LOG_ERROR, err);
		probe_err_destroy(err);
		end(service);
		run_server_refuse(service->work->server);
	} else {
		send_order(service, RUN_ORDER_APPLICATION, service->application);
	}
}

void run_service_application(struct run_service *service, pid_t child)
{
	service->application = child;
	send_order(service, child > 0 ? RUN_ORDER_APPLICATION : RUN_ORDER_STOP, child);
}

void run_service_wait(struct run_service *service, pid_t child, struct run_signals *signals,
		      int *wait_status)
{
	int pidfd = (int)syscall(SYS_pidfd_open, child, 0);
	struct pollfd fds[] = {{.fd = signals->fd, .events = POLLIN},
			       {.fd = -1, .events = POLLRDHUP},
			       {.fd = pidfd, .events = POLLIN}};

	/* Without pidfds (Linux before 5.3), check every 20 ms. */
	while (waitpid(child, wait_status, WNOHANG) == 0) {
		if (signals->ends >= 2) {
			probe_log(PROBE_LOG_WARNING,
				  "ended by a second signal: the program still runs, and is no "
				  "longer recorded");
			*wait_status = signals->last;
			send_order(service, RUN_ORDER_STOP, -1);
			break;
		}
		fds[1].fd = service->reported ? -1 : service->fd;
		poll(fds, pidfd < 0 ? 2 : 3, pidfd < 0 ? 20 : -1);
		run_signals_forward(signals, child);
		continue_stopped(service);
		if (fds[1].revents)
			check_recorder(service);
	}
	if (pidfd >= 0)
		close(pidfd);
	group_witness_end(&signals->witness);
	send_order(service, RUN_ORDER_ENDED, -1);
}

/* Waits until the recorder says something or dies. False: the user does not wait. */
static bool wait_for_recorder(struct run_service *service, struct run_signals *signals,
			      uint64_t *urgent)
{
	struct pollfd fds[] = {{.fd = service->fd, .events = POLLIN},
			       {.fd = signals->fd, .events = POLLIN}};
	unsigned before = signals->ends;

	while (poll(fds, 2, LOOK_MS) < 0 || !fds[0].revents) {
		run_signals_forward(signals, -1);
		continue_stopped(service);
		if (!*urgent && signals->ends > before) {
			*urgent = handler_clock_ns();
			send_order(service, RUN_ORDER_STOP, -1);
		}
		if (*urgent && handler_clock_ns() - *urgent > URGENT_NS)
			return false;
	}
	return true;
}

/* Until a recorder has reported the end of its work; each that dies is replaced. */
static struct probe_err *await_report(struct run_service *service, struct run_signals *signals,
				      struct report *ret)
{
	uint64_t urgent = signals->ends >= 2 ? handler_clock_ns() : 0;

	for (;;) {
		struct probe_err *err;
		bool died;

		if (service->fd < 0)
			return probe_err_create("there is no recorder any more");
		if (!wait_for_recorder(service, signals, &urgent)) {
			close(service->fd);
			service->fd = -1;
			service->pid = 0;
			return probe_err_create("ended by a signal before all records were stored: "
						"the recorder continues");
		}
		err = receive(service, ret);
		died = err && !service->pid;
		if (!died || urgent)
			return err;
		err = replace(service, err);
		if (err)
			return err;
		send_order(service, RUN_ORDER_ENDED, -1);
	}
}

struct probe_err *run_service_finish(struct run_service *service, struct run_signals *signals,
				     struct run_pass *pass)
{
	struct report report;
	struct probe_err *err = await_report(service, signals, &report);

	end(service);
	if (err)
		return err;
	pass->lost = report.lost;
	pass->several = report.several;
	pass->probed = report.probed;
	pass->nothing = report.nothing;
	pass->database = *report.text ? strdup(report.text) : NULL;
	return NULL;
}
