/* SPDX-License-Identifier: MIT */
/* Text for users on standard output: colours, plurals, foreign text without control characters. */
#ifndef PROBE_CMDS_REPORT_TERMINAL_TEXT_H
#define PROBE_CMDS_REPORT_TERMINAL_TEXT_H

#include <stdint.h>

struct report;

/* Escape sequences; "" if colours are off. */
const char *report_bold(const struct report *report);
const char *report_red(const struct report *report);
const char *report_green(const struct report *report);
const char *report_dim(const struct report *report);
const char *report_plain(const struct report *report);

/* "1 finding", "2 findings". */
const char *report_plural(int64_t count, const char *one, const char *many);

/* Writes text escaped for a terminal. */
void report_put(const char *text);

#endif
