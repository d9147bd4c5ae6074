/* SPDX-License-Identifier: MIT */
/* What the user reads of a handler that failed, or whose process ended too early. */
#ifndef PROBE_CMDS_RECORD_HANDLER_REPORT_H
#define PROBE_CMDS_RECORD_HANDLER_REPORT_H

#include <stddef.h>

struct worker;

/* How the worker's process ended, as text that follows "handler NAME". */
void handler_describe_end(const struct worker *worker, char *text, size_t size);

/* Both name the handler, and the command that runs it again, in the log of the run. */
void handler_report_death(const struct worker *worker);
/* It has returned an error, which is an errno, from a call. */
void handler_report_failure(const struct worker *worker, const char *call, int number);

/* The name of a handler's callback (enum handler_call); "?" if there is none. */
const char *handler_call_word(unsigned call);

#endif
