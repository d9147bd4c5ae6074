/* SPDX-License-Identifier: MIT */
/*
 * What of a program is the user's? An access in a file that is not, a header of HIP or of the
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

/* What the names of the HIP runtime's own kernels (copies, fills) begin with. */
#define PROBE_RUNTIME_KERNELS "__amd_rocclr_"

static inline bool probe_is_runtime_kernel(const char *symbol)
{
	return !strncmp(symbol, PROBE_RUNTIME_KERNELS, sizeof(PROBE_RUNTIME_KERNELS) - 1);
}

#endif
