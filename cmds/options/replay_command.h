/* SPDX-License-Identifier: MIT */
/* The command that runs handlers again over the records of a database, for messages. */
#ifndef PROBE_CMDS_OPTIONS_REPLAY_COMMAND_H
#define PROBE_CMDS_OPTIONS_REPLAY_COMMAND_H

/*
 * Can be copied into a shell. `handlers` is a list as in -a. The caller frees it. NULL: out of
 * memory.
 */
char *replay_command(const char *handlers, const char *path);

#endif
