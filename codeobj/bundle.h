/* SPDX-License-Identifier: MIT */
/*
 * Finds the code objects in a file: the file itself, HIP fat binaries in section .hip_fatbin of an
 * executable or library, or a bare offload bundle. Copies nothing: the result is checked ranges of
 * the file.
 */
#ifndef PROBE_CODEOBJ_BUNDLE_H
#define PROBE_CODEOBJ_BUNDLE_H

#include <stddef.h>
#include <stdint.h>

#include "common/cleanup.h"

struct probe_err;

struct probe_bundle_entry {
	char *id;	 /* "hipv4-amdgcn-amd-amdhsa--gfx90a", or "" for a plain code object */
	uint64_t offset; /* in the file */
	uint64_t size;
};

struct probe_bundle {
	size_t count; /* 0: no AMDGPU code object */
	struct probe_bundle_entry *entries;
};

struct probe_err *probe_bundle_find(const char *name, const void *bytes, size_t size,
				    struct probe_bundle **ret);
/* The same in this process: for sandboxed children and fuzz tests. */
struct probe_err *probe_bundle_read(const char *name, const void *bytes, size_t size,
				    struct probe_bundle **ret);
void probe_bundle_destroy(struct probe_bundle *bundle);
PROBE_DEFINE_RELEASE(probe_bundle_release, struct probe_bundle *, probe_bundle_destroy)

#endif
