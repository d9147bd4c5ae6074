/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/run/group_witness.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Answers each signal number with whether that signal is pending, until probe-run has ended. */
__attribute__((noreturn)) static void be_witness(int fd, pid_t parent)
{
	const struct timespec now = {0};
	sigset_t set;
	int number;

	sigfillset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	prctl(PR_SET_NAME, "probe-witness");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* It must not keep pipes, terminals and the recorder's socket open. */
	if (fd > 0)
		close_range(0, (unsigned)fd - 1, 0);
	close_range((unsigned)fd + 1, ~0u, 0);
	while (getppid() == parent && recv(fd, &number, sizeof(number), 0) == sizeof(number)) {
		sigemptyset(&set);
		sigaddset(&set, number);
		number = sigtimedwait(&set, NULL, &now);
		send(fd, &number, sizeof(number), MSG_NOSIGNAL);
	}
	_exit(0);
}

void group_witness_start(struct group_witness *witness)
{
	/* It answers at once; a signal may have stopped it. */
	const struct timeval patience = {.tv_sec = 1};
	pid_t parent = getpid();
	int fds[2];

	witness->pid = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return;
	witness->pid = fork();
	if (!witness->pid)
		be_witness(fds[1], parent);
	close(fds[1]);
	witness->fd = fds[0];
	setsockopt(witness->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (witness->pid < 0)
		close(witness->fd);
}

void group_witness_end(struct group_witness *witness)
{
	if (witness->pid <= 0)
		return;
	close(witness->fd);
	kill(witness->pid, SIGKILL);
	while (waitpid(witness->pid, NULL, 0) < 0 && errno == EINTR)
		;
	witness->pid = -1;
}

/*
 * Linux signals the processes of a group in the order in which they joined it, the last one first.
 * So the witness has a signal of the group before probe-run has it.
 */
bool group_witness_has(struct group_witness *witness, int signal_number)
{
	int answer = -1;

	if (witness->pid <= 0)
		return false;
	if (send(witness->fd, &signal_number, sizeof(signal_number), MSG_NOSIGNAL) < 0 ||
	    recv(witness->fd, &answer, sizeof(answer), 0) != sizeof(answer))
		group_witness_end(witness);
	return answer == signal_number;
}
