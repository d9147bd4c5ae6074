/* SPDX-License-Identifier: MIT */
/* Processes of the program that outlive it, such as daemons. */
#ifndef PROBE_CMDS_RUN_LEFT_PROCESSES_H
#define PROBE_CMDS_RUN_LEFT_PROCESSES_H

#include <sys/types.h>

struct left_processes {
	unsigned count;
	pid_t pid;     /* of one of them */
	char name[32]; /* its name, which Linux cuts at 15 bytes */
};

/*
 * Those that have PROBE_SOCKET=`socket` in the environment with which their program was started,
 * and are no zombies.
 */
struct left_processes run_left_processes(const char *socket);

#endif
