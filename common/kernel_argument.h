/* SPDX-License-Identifier: MIT */
/* Reads a kernel's argument as a number, by its offset in the argument block. */
#ifndef PROBE_COMMON_KERNEL_ARGUMENT_H
#define PROBE_COMMON_KERNEL_ARGUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* `arguments` NULL = unknown. False: they do not contain these bytes, or `bytes` exceeds 8. */
static inline bool probe_kernel_argument(const unsigned char *arguments, uint32_t length,
					 uint32_t offset, uint32_t bytes, uint64_t *ret)
{
	if (!arguments || bytes > sizeof(*ret) || offset > length || bytes > length - offset)
		return false;
	*ret = 0;
	memcpy(ret, arguments + offset, bytes);
	return true;
}

#endif
