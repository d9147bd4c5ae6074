/* SPDX-License-Identifier: MIT */
/*
 * Distinguishes the user's source files from system headers. An access in a header of HIP or of the
 * compiler is attributed to the innermost inlined call in one of the user's files.
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
	/* hipRTC has HIP's headers by paths of the machine that built HIP. */
	return !strstr(file, "/hip/amd_detail/");
}

/* Prefix of the HIP runtime's own kernels (copies, fills). */
#define PROBE_RUNTIME_KERNELS "__amd_rocclr_"

static inline bool probe_is_runtime_kernel(const char *symbol)
{
	return !strncmp(symbol, PROBE_RUNTIME_KERNELS, sizeof(PROBE_RUNTIME_KERNELS) - 1);
}

#endif
