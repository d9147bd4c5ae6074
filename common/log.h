/* SPDX-License-Identifier: MIT */
/*
 * Messages of the programs: one line each on stderr, prefixed "probe: ", written whole in one
 * write(2). Host programs only; nothing loaded into the application prints.
 */
#ifndef PROBE_COMMON_LOG_H
#define PROBE_COMMON_LOG_H

#include <stdbool.h>

#include <probe/handler.h> /* enum probe_level: error, warning, info */

struct probe_err;

#define PROBE_LOG_DEBUG 3 /* after the levels that handlers may use */

enum probe_color { PROBE_COLOR_AUTO = 0, PROBE_COLOR_ALWAYS = 1, PROBE_COLOR_NEVER = 2 };

/* Lines above `level` are not printed. Call before threads start. */
void probe_log_setup(int level, enum probe_color color);

/* "auto", "always" or "never"; false if it is another word. */
bool probe_color_parse(const char *text, enum probe_color *ret);

/* Should output to `fd` be coloured? A terminal, TERM not "dumb", NO_COLOR unset or empty. */
bool probe_color_on(enum probe_color color, int fd);

/* Print one line. Control characters in it are shown as escapes. Any thread. */
void probe_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Print an error with its causes; does not free it. */
void probe_log_err(int level, const struct probe_err *err);

/*
 * While held, lines are kept in memory (errors too), so as not to mix with the application's own
 * output; release prints them in order. At most PROBE_LOG_HELD lines are kept; the number of others
 * is printed.
 */
#define PROBE_LOG_HELD 200
void probe_log_hold(void);
void probe_log_release(void);

#endif
