/* SPDX-License-Identifier: MIT */
/*
 * Which source files are the user's? An access in any other file, a header of HIP or of the
 * compiler, is shown at the innermost call in a file of the user's.
 */
#ifndef PROBE_USER_SOURCE_H
#define PROBE_USER_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool probe_is_user_source(const char *file)
{
	static const char *const folders[] = {"/usr/include/", "/usr/lib/", "/usr/lib64/",
					      "/opt/rocm"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (!strncmp(file, folders[i], strlen(folders[i])))
			return false;
	return true;
}

#endif
