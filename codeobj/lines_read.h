/* SPDX-License-Identifier: MIT */
/* Both ends of the line table's way out of a throw-away child; for inspect.c and fuzz tests. */
#ifndef PROBE_CODEOBJ_LINES_READ_H
#define PROBE_CODEOBJ_LINES_READ_H

#include <stdio.h>

#include "codeobj/dwarf_shim.h"
#include "codeobj/lines.h"

struct probe_buf;
struct probe_elf;

/* In the child: what libdwarf and the readers of range lists need of an image. */
struct probe_err *probe_lines_sections(const struct probe_elf *elf,
				       struct probe_dwarf_section sections[PROBE_DWARF_SECTIONS]);

/* In the child: decode the line tables of an ELF image. An image without debug information gives
 * an empty table. */
struct probe_err *probe_lines_read(const char *name, const void *bytes, size_t size,
				   struct probe_lines **ret);
/* The inlined calls around an address of an ELF image, innermost first. */
struct probe_err *probe_lines_inlined_at(const char *name, const void *bytes, size_t size,
					 uint64_t address,
					 void (*call)(void *user, const char *path, uint64_t line),
					 void *user);
void probe_lines_send(const struct probe_lines *lines, FILE *out);

/* In the parent: accept a table only if it is in order and names its own files. */
struct probe_err *probe_lines_receive(struct probe_buf *buf, struct probe_lines **ret);

/* Free the content only. */
void probe_lines_clear(struct probe_lines *lines);

#endif
