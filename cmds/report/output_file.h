/* SPDX-License-Identifier: MIT */
/*
 * A file that a report is written to. It is written next to its path, as .probe-report.PID, and gets
 * its name when it is complete: no process reads a partial file, and a report that fails leaves a file
 * that was there before as it was. It replaces an existing file only with --force. Devices and pipes
 * are written to directly.
 */
#ifndef PROBE_CMDS_REPORT_OUTPUT_FILE_H
#define PROBE_CMDS_REPORT_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct probe_err;
struct report;

struct output {
	FILE *file;
	const char *path; /* borrowed from the caller */
	char *real_path;  /* of a file: `path`, or what it links to; else NULL */
	char *temporary;  /* what is written; else NULL */
	bool force;
};

/*
 * An error if the file at `path` is one that is read: a database of the report or the baseline,
 * also by another name or through a link. NULL, standard output, is none.
 */
struct probe_err *output_check(const char *path, const struct report *report);
/* `path` NULL: standard output. After an error there is nothing to close. */
struct probe_err *output_open(const char *path, bool force, struct output *ret);
/* `err`, or an error if memory has run out before: SQLite and libdwarf may then have left out rows. */
struct probe_err *output_complete(struct probe_err *err);
/* Gives the file its name if it is complete; unless `err`, which is returned, is set, or it cannot be written. */
struct probe_err *output_close(struct output *output, struct probe_err *err);

/* The name of what becomes `path`, in the same directory; NULL: no memory. To be freed. */
char *output_temporary_name(const char *path);

/* Closes a stream of open_memstream(): its text is complete unless this returns an error. */
struct probe_err *output_close_memory(FILE *out, struct probe_err *err);

#endif
