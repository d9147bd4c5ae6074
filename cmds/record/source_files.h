/* SPDX-License-Identifier: MIT */
/*
 * Stores the source text at the time of the run: every line of the user's files that contain sites,
 * with the hash of the file, and the lines of headers that sites refer to.
 */
#ifndef PROBE_CMDS_RECORD_SOURCE_FILES_H
#define PROBE_CMDS_RECORD_SOURCE_FILES_H

#include <stddef.h>
#include <stdint.h>

struct recording;
struct run_code;

/* The files that have been stored. */
struct source_files {
	char **names;
	size_t count;
};

void source_files_store(struct recording *recording, const struct run_code *code);
void source_files_deinit(struct source_files *files);

/* Modification time of the file of a code object's URI, ns since 1970; 0 = unknown. */
uint64_t source_files_built(const char *uri);

#endif
