/* SPDX-License-Identifier: MIT */
/* Both ends of the kernel list's way out of a throw-away child; for inspect.c and fuzz tests. */
#ifndef PROBE_CODEOBJ_KERNELS_READ_H
#define PROBE_CODEOBJ_KERNELS_READ_H

#include <stdio.h>

#include "codeobj/kernels.h"

struct probe_buf;

/* In the child: kernels in the metadata of a code object, with the addresses of their symbols. */
struct probe_err *probe_kernels_read(const char *name, const void *bytes, size_t size,
				     struct probe_kernels **ret);
void probe_kernels_send(const struct probe_kernels *kernels, FILE *out);

/* In the parent; also tells clones from originals. */
struct probe_err *probe_kernels_receive(struct probe_buf *buf, struct probe_kernels **ret);

/* In the child: malloc'ed, never NULL but for want of memory. */
char *probe_name_demangle(const char *name);

#endif
