/* SPDX-License-Identifier: MIT */
/*
 * The application as a child: started with nothing changed but some variables, waited for as
 * time(1) does, its end passed on.
 */
#ifndef PROBE_CMDS_RUN_CHILD_PROCESS_H
#define PROBE_CMDS_RUN_CHILD_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct probe_err;
struct run_environment;

enum {
	RUN_STATUS_LOST = 3,
	RUN_STATUS_OURS = 125,
	RUN_STATUS_NOT_EXECUTABLE = 126,
	RUN_STATUS_NOT_FOUND = 127,
};

/* Signal dispositions before we changed them, for the application and for our own end. */
struct run_signals {
	struct sigaction interrupt, quit, pipe, file_size;
	sigset_t mask;
	int fd;	       /* signalfd for SIGINT, SIGQUIT, SIGTERM and SIGHUP */
	unsigned ends; /* SIGINT and SIGTERM received */
	int last;      /* of them; 0 = none */
};

/* Ignore what is meant for the application, take what ends us through a descriptor. */
struct probe_err *run_signals_init(struct run_signals *signals);
void run_signals_restore(const struct run_signals *signals);

/*
 * Take the signals received, and pass those that a process sent on to `child` (-1: there is none):
 * a terminal's reach it by themselves.
 */
void run_signals_take(struct run_signals *signals, pid_t child);

/* What to start. */
struct run_child {
	char **argv;
	const struct run_environment *environment; /* variables to add */
	const struct run_signals *signals;
	/*
	 * A second run: its output is discarded, and it reads its input from the beginning if that
	 * is a file, else nothing.
	 */
	bool again;
};

/* `*status` is 126 or 127 if that fails. */
struct probe_err *run_child_start(const struct run_child *child, pid_t *ret, int *status);

/* End as the child did: its exit status, or its signal raised again on ourselves. */
int run_end_like(int wait_status, const struct run_signals *signals);

#endif
