/* SPDX-License-Identifier: MIT */
/*
 * A process that only stays in probe-run's process group, and whose number no other process knows.
 * A signal that reaches it was sent to the group, as timeout(1), a shell's `kill 0` or a batch
 * system does. The application is in the group, too, so it must not get such a signal a second
 * time.
 */
#ifndef PROBE_CMDS_RUN_GROUP_WITNESS_H
#define PROBE_CMDS_RUN_GROUP_WITNESS_H

#include <stdbool.h>
#include <sys/types.h>

struct group_witness {
	pid_t pid; /* <= 0: none; then each signal counts as sent to probe-run alone */
	int fd;
};

void group_witness_start(struct group_witness *witness);
void group_witness_end(struct group_witness *witness);

/* Whether it has this signal, too. It then no longer has it. */
bool group_witness_has(struct group_witness *witness, int signal_number);

#endif
