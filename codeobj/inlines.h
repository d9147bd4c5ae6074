/* SPDX-License-Identifier: MIT */
/* From an address in a code object to its function and the calls inlined around it. */
#ifndef PROBE_CODEOBJ_INLINES_H
#define PROBE_CODEOBJ_INLINES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/cleanup.h"

struct probe_buf;
struct probe_err;

#define PROBE_INLINE_NONE UINT32_MAX

/* A function, or a call inlined into its parent. */
struct probe_scope {
	uint32_t parent;   /* index less than its own; PROBE_INLINE_NONE: a function */
	uint32_t function; /* index of its name */
	uint32_t call_file, call_line, call_column; /* of a call: its source position */
	uint32_t implicit; /* 1: the compiler made the function, such as the copy of a struct */
};

/* From this address up to the next row's: the innermost scope, or PROBE_INLINE_NONE. */
struct probe_scope_row {
	uint64_t address;
	uint32_t scope, reserved;
};

struct probe_inlines {
	struct probe_scope *scopes;
	size_t scope_count;
	struct probe_scope_row *rows; /* by address */
	size_t row_count;
	char **names; /* of functions, demangled by inspect.h, and files; "" = unknown */
	uint32_t name_count;
};

void probe_inlines_destroy(struct probe_inlines *inlines);
PROBE_DEFINE_RELEASE(probe_inlines_release, struct probe_inlines *, probe_inlines_destroy)

/* The innermost scope of an address; its parents lead out to the function. NULL: none is known. */
const struct probe_scope *probe_inlines_find(const struct probe_inlines *inlines, uint64_t address);
/* NULL for a function. */
const struct probe_scope *probe_scope_parent(const struct probe_inlines *inlines,
					     const struct probe_scope *scope);

/* ---- For inspect.c and fuzz tests ----------------------------------------------------------- */

/* In the child. An image without debug information gives an empty table. */
struct probe_err *probe_inlines_read(const char *name, const void *bytes, size_t size,
				     struct probe_inlines **ret);
/* In the child: the inlined calls around an address of an ELF image, innermost first. */
struct probe_err *probe_inlined_calls_at(const char *name, const void *bytes, size_t size,
					 uint64_t address,
					 void (*call)(void *user, const char *path, uint64_t line),
					 void *user);
void probe_inlines_send(const struct probe_inlines *inlines, FILE *out);
/* In the parent: accepts a table only if it is sorted. */
struct probe_err *probe_inlines_receive(struct probe_buf *buf, struct probe_inlines **ret);

#endif
