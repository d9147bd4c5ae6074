/* SPDX-License-Identifier: MIT */
/* What the process of a handler sends (handler_channel.h): checked, and put into the store and the
 * log. */
#ifndef PROBE_CMDS_RECORD_HANDLER_MESSAGES_H
#define PROBE_CMDS_RECORD_HANDLER_MESSAGES_H

#include <stdbool.h>

#include "cmds/record/handler_worker.h"

/* Adds the rows that the handler has written before there was a database. */
void handler_messages_start(struct worker *worker);

/*
 * Reads once from the worker's socket, and handles the messages that are complete. False at the end
 * of the socket, or if the caller must end the worker: `*why` says that a message breaks the
 * protocol, that there were too many bytes, or that memory ran out.
 */
bool handler_messages_read(struct worker *worker, enum worker_kill *why);

#endif
