/* SPDX-License-Identifier: MIT */
/* What the process of a handler sends (handler_channel.h): checked, and put into the store and the
 * log. */
#ifndef PROBE_CMDS_RECORD_HANDLER_MESSAGES_H
#define PROBE_CMDS_RECORD_HANDLER_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

struct worker;

/*
 * Reads once from the worker's socket, and handles the messages that are complete. False at the end
 * of the socket, or without memory. Sets `*malformed` if a message breaks the protocol: the caller
 * ends the worker.
 */
bool handler_messages_read(struct worker *worker, bool *malformed);

/* The name of a handler's callback (enum handler_call); "?" if there is none. */
const char *handler_call_word(uint32_t call);

#endif
