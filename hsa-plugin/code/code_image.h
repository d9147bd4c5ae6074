/* SPDX-License-Identifier: MIT */
/* The bytes of a loaded code object, copied while their source still exists. */
#ifndef PROBE_HSA_PLUGIN_CODE_CODE_IMAGE_H
#define PROBE_HSA_PLUGIN_CODE_CODE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

enum { PROBE_IMAGE_MAX = 1 << 30 };

struct probe_image {
	void *bytes; /* the caller frees it */
	size_t size;
};

/*
 * Parses "file://PATH?offset=N&size=N", or with '#' for '?'. The caller frees *path, which is
 * decoded. Returns 0, -EINVAL or -ENOMEM.
 */
int probe_image_parse_uri(const char *uri, char **path, uint64_t *offset, uint64_t *size);

/*
 * Copies from memory if `base` is known, else from the file that the URI names. If the source has
 * been freed, it returns -EFAULT and does not fault.
 */
int probe_image_copy(uint64_t base, uint64_t size, const char *uri, struct probe_image *ret);

#endif
