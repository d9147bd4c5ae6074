/* SPDX-License-Identifier: MIT */
/*
 * A file that a report is written to. It never overwrites an existing file without --force, and
 * never leaves a partial file.
 */
#ifndef PROBE_CMDS_REPORT_OUTPUT_FILE_H
#define PROBE_CMDS_REPORT_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct probe_err;

/* `path` NULL: standard output. */
struct probe_err *output_open(const char *path, bool force, FILE **ret);
/*
 * Closes it. Removes a regular file if `err`, which is returned, is set, or if it cannot be
 * written.
 */
struct probe_err *output_close(const char *path, FILE *out, struct probe_err *err);

/* Closes a stream of open_memstream(): its text is complete unless this returns an error. */
struct probe_err *output_close_memory(FILE *out, struct probe_err *err);

#endif
