/* SPDX-License-Identifier: MIT */
/*
 * Finds a section of a 64-bit little-endian ELF image by name. Without a library or allocation, for
 * readers of untrusted bytes that need only that; every offset is checked.
 */
#ifndef PROBE_COMMON_ELF_SECTION_H
#define PROBE_COMMON_ELF_SECTION_H

#include <stddef.h>
#include <stdint.h>

struct probe_err;

/* `*ret` points into `bytes`, NULL with `*ret_size` 0 if there is no such section. */
struct probe_err *probe_image_section(const char *file, const void *bytes, size_t size,
				    const char *section, const uint8_t **ret, size_t *ret_size);

#endif
