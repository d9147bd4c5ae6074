/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/run/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmds/run/application_environment.h"
#include "common/err.h"
#include "common/process_stat.h"

/*
 * Those that a process may send to another one, with the real-time signals. Not faults; not job
 * control, which is for the whole group; not what is ignored below.
 */
static const int forwarded[] = {SIGINT,	   SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2,	 SIGALRM,
				SIGVTALRM, SIGPROF, SIGIO,   SIGPWR, SIGURG,  SIGSTKFLT, SIGWINCH};

struct probe_err *run_signals_init(struct run_signals *signals)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, plain = {.sa_handler = SIG_DFL};
	sigset_t taken;

	signals->ends = 0;
	signals->last = 0;
	signals->witness.pid = -1;
	/* These signals are blocked below; if ignored, they would not reach the descriptor. */
	sigaction(SIGINT, &plain, &signals->interrupt);
	sigaction(SIGQUIT, &plain, &signals->quit);
	sigaction(SIGPIPE, &ignore, &signals->pipe);
	/* A file-size limit must cause an error that can be counted, not end this process. */
	sigaction(SIGXFSZ, &ignore, &signals->file_size);
	/* If ignored, it would have the kernel forget how children ended. */
	sigaction(SIGCHLD, &plain, &signals->children);
	sigemptyset(&taken);
	sigaddset(&taken, SIGCHLD);
	for (size_t i = 0; i < sizeof(forwarded) / sizeof(*forwarded); i++)
		sigaddset(&taken, forwarded[i]);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		sigaddset(&taken, number);
	sigprocmask(SIG_BLOCK, &taken, &signals->mask);
	signals->fd = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals->fd < 0)
		return probe_err_create("cannot make a signal descriptor: %s", strerror(errno));
	return NULL;
}

void run_signals_restore(const struct run_signals *signals)
{
	sigaction(SIGINT, &signals->interrupt, NULL);
	sigaction(SIGQUIT, &signals->quit, NULL);
	sigaction(SIGPIPE, &signals->pipe, NULL);
	sigaction(SIGXFSZ, &signals->file_size, NULL);
	sigaction(SIGCHLD, &signals->children, NULL);
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

static int64_t used_ticks(pid_t pid)
{
	return probe_process_stat(pid, PROBE_STAT_USER_TICKS) +
	       probe_process_stat(pid, PROBE_STAT_SYSTEM_TICKS);
}

/*
 * timeout(1) sends its signal to probe-run, and then to the group, for which the witness would be
 * asked too early. So the sender gets the time to end, to wait for something, or to use processor
 * time that is enough for any such pair.
 */
static void wait_for_sender(pid_t pid)
{
	enum { TICKS_ENOUGH = 5 };
	int64_t used;

	if (pid <= 0) /* it is in another namespace */
		return;
	used = used_ticks(pid);
	while (probe_process_stat(pid, PROBE_STAT_STATE) == 'R' &&
	       used_ticks(pid) - used < TICKS_ENOUGH)
		poll(NULL, 0, 1);
}

/*
 * Whether the child has this signal because it was sent to the whole group. Of the two that
 * timeout(1) sends, the child has that of the group. Both reach this process: `*again` is the
 * second one if another process has sent it, and otherwise it needs no answer.
 */
static bool reached_group(struct run_signals *signals, int number, pid_t sender, siginfo_t *again)
{
	const struct timespec now = {0};
	bool group = group_witness_has(&signals->witness, number);
	sigset_t set;

	if (number >= SIGRTMIN) /* these are queued, one by one */
		return group;
	wait_for_sender(sender);
	sigemptyset(&set);
	sigaddset(&set, number);
	if (sigtimedwait(&set, again, &now) == number && again->si_pid == sender)
		again->si_signo = 0;
	return group_witness_has(&signals->witness, number) || group;
}

static void forward(struct run_signals *signals, pid_t child, siginfo_t info)
{
	while (info.si_signo && info.si_signo != SIGCHLD) { /* SIGCHLD only wakes this process */
		bool sent = info.si_code <= 0;		    /* by a process, not by the terminal */
		int number = info.si_signo;

		info.si_signo = 0;
		if (sent && child > 0 && reached_group(signals, number, info.si_pid, &info))
			continue; /* the child has it, too, and may have sent it itself */
		if (number == SIGINT || number == SIGTERM) {
			signals->ends++;
			signals->last = number;
		}
		if (sent && child > 0)
			kill(child, number);
	}
}

void run_signals_forward(struct run_signals *signals, pid_t child)
{
	struct signalfd_siginfo info;

	while (read(signals->fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		forward(signals, child,
			(siginfo_t){.si_signo = (int)info.ssi_signo,
				    .si_code = info.ssi_code,
				    .si_pid = (pid_t)info.ssi_pid});
}

/* For a second run: only the first run's output is shown. */
static void redirect(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		_exit(RUN_STATUS_OURS);
	/* A terminal or pipe cannot be read again. */
	if (lseek(STDIN_FILENO, 0, SEEK_SET) < 0)
		dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
}

/* In the child, between fork and exec. A failure is written to `report`. */
static void become(const struct run_child *child, int report)
{
	const struct run_environment *environment = child->environment;
	int number;

	run_signals_restore(child->signals);
	if (child->again)
		redirect();
	for (size_t i = 0; i < environment->count; i++)
		setenv(environment->variables[i].name, environment->variables[i].value, 1);
	execvp(child->argv[0], child->argv);
	number = errno;
	if (write(report, &number, sizeof(number)) < 0)
		_exit(RUN_STATUS_OURS);
	_exit(RUN_STATUS_NOT_FOUND);
}

static struct probe_err *start_failed(const char *program, int number, int *status)
{
	if (number == ENOENT || number == ENOTDIR) {
		*status = RUN_STATUS_NOT_FOUND;
		return probe_err_create("%s: not found", program);
	}
	*status = RUN_STATUS_NOT_EXECUTABLE;
	return probe_err_create("%s: cannot be executed: %s", program, strerror(number));
}

struct probe_err *run_child_start(const struct run_child *child, pid_t *ret, int *status)
{
	int report[2], number = 0;
	ssize_t got;
	pid_t pid;

	*status = RUN_STATUS_OURS;
	/* A successful exec closes it, and nothing is read from it. */
	if (pipe2(report, O_CLOEXEC))
		return probe_err_create("cannot make a pipe: %s", strerror(errno));
	group_witness_start(&child->signals->witness);
	pid = fork();
	if (pid == 0)
		become(child, report[1]);
	close(report[1]);
	if (pid < 0) {
		close(report[0]);
		return probe_err_create("cannot fork: %s", strerror(errno));
	}
	do
		got = read(report[0], &number, sizeof(number));
	while (got < 0 && errno == EINTR);
	close(report[0]);
	if (got == (ssize_t)sizeof(number)) {
		waitpid(pid, NULL, 0);
		return start_failed(child->argv[0], number, status);
	}
	*ret = pid;
	return NULL;
}

int run_end_like(int wait_status)
{
	struct sigaction plain = {.sa_handler = SIG_DFL};
	struct rlimit none = {0};
	sigset_t one;

	/* Other signals stay blocked: one that is pending must not change the status. */
	if (WIFEXITED(wait_status))
		return WEXITSTATUS(wait_status);
	/* The application has dumped its core; a dump of this process would replace it. */
	setrlimit(RLIMIT_CORE, &none);
	sigaction(WTERMSIG(wait_status), &plain, NULL);
	sigemptyset(&one);
	sigaddset(&one, WTERMSIG(wait_status));
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	raise(WTERMSIG(wait_status));
	return 128 + WTERMSIG(wait_status);
}
