/* SPDX-License-Identifier: MIT */
/* Messages of the programs; see log.h. */
#include "common/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "common/progress.h"

#define LINE_MAX_BYTES 4096

static struct {
	pthread_mutex_t lock;
	int level;
	bool color;
	bool held;
	size_t count, lost;
	char *lines[PROBE_LOG_HELD];
} logger = {.lock = PTHREAD_MUTEX_INITIALIZER, .level = PROBE_LOG_INFO};

bool probe_color_parse(const char *text, enum probe_color *ret)
{
	static const char *const names[] = {"auto", "always", "never"};

	for (int i = 0; i < 3; i++) {
		if (!strcmp(text, names[i])) {
			*ret = (enum probe_color)i;
			return true;
		}
	}
	return false;
}

bool probe_color_on(enum probe_color color, int fd)
{
	const char *term, *no_color;

	if (color != PROBE_COLOR_AUTO)
		return color == PROBE_COLOR_ALWAYS;
	term = getenv("TERM");
	no_color = getenv("NO_COLOR");
	return isatty(fd) && term && strcmp(term, "dumb") && !(no_color && *no_color);
}

void probe_log_setup(int level, enum probe_color color)
{
	logger.level = level;
	logger.color = probe_color_on(color, STDERR_FILENO);
}

static void write_all(const char *text, size_t len)
{
	probe_progress_hide();
	while (len) {
		ssize_t n = write(STDERR_FILENO, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return; /* there is nowhere left to report it */
		text += n;
		len -= (size_t)n;
	}
}

/*
 * Names and paths of other programs are printed to the terminal, and must not contain control
 * bytes. UTF-8 is kept, except for C1 controls (U+0080..U+009F), which some terminals interpret.
 */
static size_t escape(const char *text, char *out, size_t capacity)
{
	size_t n = 0;

	for (const unsigned char *c = (const unsigned char *)text; *c && n + 5 < capacity; c++) {
		bool c1 = c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0;

		if (*c >= 0x20 && *c != 0x7f && !c1)
			out[n++] = (char)*c;
		else
			n += (size_t)snprintf(out + n, 5, "\\x%02x", *c);
	}
	return n;
}

static size_t format_line(int level, const char *text, char *line, size_t capacity)
{
	static const char *const colors[] = {"\033[1;31m", "\033[33m", "", "\033[2m"};
	static const char *const words[] = {"error: ", "warning: ", "", ""};
	size_t n;

	n = (size_t)snprintf(line, capacity, "%sprobe: %s", logger.color ? colors[level] : "",
			     words[level]);
	n += escape(text, line + n, capacity - n - 8);
	n += (size_t)snprintf(line + n, capacity - n, "%s\n", logger.color ? "\033[0m" : "");
	return n;
}

static void emit(int level, const char *text)
{
	char line[LINE_MAX_BYTES + 64];
	size_t len = format_line(level, text, line, sizeof(line));
	char *copy;

	pthread_mutex_lock(&logger.lock);
	if (!logger.held) {
		write_all(line, len);
	} else if (logger.count < PROBE_LOG_HELD && (copy = strndup(line, len))) {
		logger.lines[logger.count++] = copy;
	} else {
		logger.lost++;
	}
	pthread_mutex_unlock(&logger.lock);
}

void probe_log(int level, const char *format, ...)
{
	char text[LINE_MAX_BYTES];
	int saved = errno;
	va_list args;

	if (level > logger.level)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	emit(level, text);
	errno = saved;
}

void probe_log_err(int level, const struct probe_err *err)
{
	char text[LINE_MAX_BYTES];

	if (level > logger.level)
		return;
	probe_err_format(err, text, sizeof(text));
	emit(level, text);
}

void probe_log_hold(void)
{
	pthread_mutex_lock(&logger.lock);
	logger.held = true;
	pthread_mutex_unlock(&logger.lock);
}

void probe_log_release(void)
{
	size_t lost;

	pthread_mutex_lock(&logger.lock);
	for (size_t i = 0; i < logger.count; i++) {
		write_all(logger.lines[i], strlen(logger.lines[i]));
		free(logger.lines[i]);
	}
	lost = logger.lost;
	logger.held = false;
	logger.count = logger.lost = 0;
	pthread_mutex_unlock(&logger.lock);
	if (lost)
		probe_log(PROBE_LOG_WARNING, "%zu more messages were omitted", lost);
}
