/* SPDX-License-Identifier: MIT */
#include "simgpu/base/sim_log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned debug_level;

void sim_log_set_level(unsigned level)
{
	debug_level = level;
}

/* One write(2) per line, because several queues and the application share the stream. */
static void print_line(const char *format, va_list args)
{
	static const char head[] = "probe-sim: ";
	int saved = errno;
	char line[4096];
	size_t used = sizeof(head) - 1;
	int length;

	memcpy(line, head, used);
	length = vsnprintf(line + used, sizeof(line) - used - 1, format, args);
	if (length < 0)
		length = 0;
	used += (size_t)length < sizeof(line) - used - 1 ? (size_t)length : sizeof(line) - used - 2;
	line[used++] = '\n';
	if (write(STDERR_FILENO, line, used) < 0) {
		/* There is no other channel to report a failure. */
	}
	errno = saved;
}

void sim_print(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(format, args);
	va_end(args);
}

void sim_debug(unsigned level, const char *format, ...)
{
	va_list args;

	if (debug_level < level)
		return;
	va_start(args, format);
	print_line(format, args);
	va_end(args);
}
