/* SPDX-License-Identifier: MIT */
/* The private directory of the socket to which traced processes connect. */
#ifndef PROBE_CMDS_RUN_SOCKET_DIRECTORY_H
#define PROBE_CMDS_RUN_SOCKET_DIRECTORY_H

struct probe_err;

/*
 * Makes the directory (mode 0700) and the socket's path in it; both to be freed. Removes those of
 * recorders that were killed.
 */
struct probe_err *run_socket_directory(char **ret_directory, char **ret_socket);
/* Makes the socket (SEQPACKET, not blocking) at that path; it gets that name when it listens. */
struct probe_err *run_socket_listen(const char *path, int backlog, int *ret_fd);

#endif
