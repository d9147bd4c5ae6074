/* SPDX-License-Identifier: MIT */
/* A file that a report is written to: never over an existing one unasked, never half of it. */
#ifndef PROBE_CMDS_REPORT_OUTPUT_FILE_H
#define PROBE_CMDS_REPORT_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct probe_err;

/* `path` NULL: standard output. */
struct probe_err *output_open(const char *path, bool force, FILE **ret);
/* Close it; removes the file if `err` is set, which is returned, or if it cannot be written. */
struct probe_err *output_close(const char *path, FILE *out, struct probe_err *err);

#endif
