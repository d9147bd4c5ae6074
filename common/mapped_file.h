/* SPDX-License-Identifier: MIT */
/* A file's bytes, mapped for reading. */
#ifndef PROBE_COMMON_MAPPED_FILE_H
#define PROBE_COMMON_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct probe_mapped_file {
	const void *bytes;
	size_t size;
};

/* False if it is not a regular file, is empty, or cannot be read; then *ret is not changed. */
bool probe_file_map(const char *path, struct probe_mapped_file *ret);
/* Also for PROBE_AUTO(); of a zeroed struct it does nothing. */
void probe_file_unmap(struct probe_mapped_file *file);

#endif
