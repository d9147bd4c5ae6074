/* SPDX-License-Identifier: MIT */
/*
 * Which files may be sources of a code object. File names in debug information cannot be trusted
 * (#line 1 "/etc/shadow"). A file is a source only if its content has an MD5 that the compiler
 * recorded, or if it is below the directory of a compiled file, or below the one in which a unit
 * was compiled. clang records MD5s only if it can for all files of a unit, which HIP's headers
 * often prevent.
 */
#ifndef PROBE_CODEOBJ_COMPILED_SOURCES_H
#define PROBE_CODEOBJ_COMPILED_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codeobj/digest.h"

struct probe_err;

struct probe_compiled_sources {
	char **directories;
	uint32_t directory_count;
	uint8_t (*md5)[PROBE_MD5_BYTES]; /* sorted */
	size_t md5_count;
};

/* Of an ELF image, in a sandboxed child (child.h). Without debug information there are none. */
struct probe_err *probe_compiled_sources_read(const char *name, const void *bytes, size_t size,
					      struct probe_compiled_sources **ret);
void probe_compiled_sources_destroy(struct probe_compiled_sources *sources);

/* Did the compiler read a file with this content? */
bool probe_compiled_sources_has(const struct probe_compiled_sources *sources, const void *text,
				size_t size);
/* Is the file, with links resolved, below a directory in which a unit was compiled? */
bool probe_compiled_sources_below(const struct probe_compiled_sources *sources, const char *file);

/* The same for one directory; the root directory does not count. */
bool probe_path_is_below(const char *directory, const char *file);

#endif
