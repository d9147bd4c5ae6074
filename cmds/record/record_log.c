/* SPDX-License-Identifier: MIT */
#include "cmds/record/record_log.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/log.h"
#include "store/store.h"

void record_log_put(struct record_log *log, int level, const char *origin, const char *format, ...)
{
	char text[1200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/*
	 * Informational messages of handlers go to the database; the terminal shows them with -v.
	 */
	probe_log(level >= PROBE_LOG_INFO ? PROBE_LOG_DEBUG : level, "%s", text);
	if (log->store)
		probe_store_log(log->store, level, origin, text);
}

void record_log_partial(struct record_log *log, const char *format, ...)
{
	va_list args;

	if (*log->partial)
		return;
	va_start(args, format);
	vsnprintf(log->partial, sizeof(log->partial), format, args);
	va_end(args);
}
