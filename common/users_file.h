/* SPDX-License-Identifier: MIT */
/* Which source files are the user's: accesses in others are shown where the user calls them. */
#ifndef PROBE_COMMON_USERS_FILE_H
#define PROBE_COMMON_USERS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Headers of the compiler and of HIP, in which nobody mends anything. */
static inline bool probe_users_file(const char *file)
{
	static const char *const folders[] = {"/usr/include/", "/usr/lib/", "/usr/lib64/",
					      "/opt/rocm"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (!strncmp(file, folders[i], strlen(folders[i])))
			return false;
	return true;
}

#endif
