/* SPDX-License-Identifier: MIT */
#include "cmds/record/record_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "store/store.h"

enum { HELD_MAX = 16 << 20 };

static void hold(struct record_log *log, int level, const char *origin, const char *text)
{
	size_t origin_size = strlen(origin) + 1, text_size = strlen(text) + 1;
	size_t size = log->held_size + 1 + origin_size + text_size;
	char *at, *grown = size <= HELD_MAX ? realloc(log->held, size) : NULL;

	if (!grown) {
		log->unheld++;
		return;
	}
	at = grown + log->held_size;
	*at = (char)level;
	memcpy(at + 1, origin, origin_size);
	memcpy(at + 1 + origin_size, text, text_size);
	log->held = grown;
	log->held_size = size;
}

void record_log_hold(struct record_log *log)
{
	log->holding = log->store != NULL;
}

void record_log_release(struct record_log *log)
{
	char text[80];

	log->holding = false;
	for (size_t at = 0; at < log->held_size;) {
		const char *origin = log->held + at + 1, *message = origin + strlen(origin) + 1;

		probe_store_log(log->store, log->held[at], origin, message);
		at = (size_t)(message + strlen(message) + 1 - log->held);
	}
	snprintf(text, sizeof(text), "%llu more messages are not stored",
		 (unsigned long long)log->unheld);
	if (log->unheld)
		probe_store_log(log->store, PROBE_LOG_WARNING, "probe-run", text);
	free(log->held);
	log->held = NULL;
	log->held_size = 0;
	log->unheld = 0;
}

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
	if (log->holding)
		hold(log, level, origin, text);
	else if (log->store)
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
