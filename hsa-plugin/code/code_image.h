/* SPDX-License-Identifier: MIT */
/* The bytes of a loaded code object, copied while their source still exists. */
#ifndef PROBE_HSA_PLUGIN_CODE_CODE_IMAGE_H
#define PROBE_HSA_PLUGIN_CODE_CODE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

enum { PROBE_IMAGE_MAX = 1 << 30 };

struct probe_image {
	void *bytes; /* for free() */
	size_t size;
};

/* "file://PATH?offset=N&size=N" or with '#': path decoded, for free(). 0, -EINVAL or -ENOMEM. */
int probe_image_parse_uri(const char *uri, char **path, uint64_t *offset, uint64_t *size);

/*
 * Copy from memory if `base` is known, else from the file the URI names. A source that was freed
 * too early gives -EFAULT, not a fault.
 */
int probe_image_copy(uint64_t base, uint64_t size, const char *uri, struct probe_image *ret);

#endif
