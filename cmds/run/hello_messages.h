/* SPDX-License-Identifier: MIT */
/* The messages with which a process of the application and its recorder begin. */
#ifndef PROBE_CMDS_RUN_HELLO_MESSAGES_H
#define PROBE_CMDS_RUN_HELLO_MESSAGES_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

struct probe_err;
struct probe_hello;
struct segment_reader;

/* Checks `got` bytes that came from `peer`, as the kernel knows it. */
struct probe_err *run_hello_check(const struct probe_hello *hello, ssize_t got,
				  const struct ucred *peer);
/* Replies, with the segment's descriptor if there is one. */
bool run_hello_reply(int sock, int status, const struct segment_reader *seg);

#endif
