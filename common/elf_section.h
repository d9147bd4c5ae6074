/* SPDX-License-Identifier: MIT */
/*
 * A section of an ELF64 little-endian image by name. Without a library or allocation, for readers
 * of untrusted bytes that need no more; every offset is checked.
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
