/* SPDX-License-Identifier: MIT */
/* The limit of processes and threads that a control group has (cgroups(7)), as jobs often have. */
#ifndef PROBE_CMDS_RUN_PROCESS_LIMIT_H
#define PROBE_CMDS_RUN_PROCESS_LIMIT_H

#include <stdint.h>

/*
 * How many more the groups of this process allow; UINT64_MAX = no limit, or none is known. The file
 * `groups` is /proc/self/cgroup, and `root` is where the groups are mounted.
 */
uint64_t run_processes_left(const char *groups, const char *root);

/* Warns the user if Probe's own processes may take those that the program needs. */
void run_processes_announce(unsigned handlers);

#endif
