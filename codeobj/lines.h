/* SPDX-License-Identifier: MIT */
/* From an address in a code object to file, line and column: one flat table sorted by address. */
#ifndef PROBE_CODEOBJ_LINES_H
#define PROBE_CODEOBJ_LINES_H

#include <stddef.h>
#include <stdint.h>

struct probe_err;

struct probe_line {
	uint64_t address; /* the row holds up to the next row's address */
	uint32_t file;	  /* index; PROBE_LINE_END: no code up to the next row */
	uint32_t line;
	uint32_t column;
	uint32_t reserved;
};

#define PROBE_LINE_END UINT32_MAX

struct probe_lines {
	size_t count;
	struct probe_line *rows;
	uint32_t file_count;
	char **files; /* joined with their directories; "" if the table names none */
};

void probe_lines_destroy(struct probe_lines *lines);

/* The row that covers `address`, or NULL. About 60 ns. */
const struct probe_line *probe_lines_find(const struct probe_lines *lines, uint64_t address);

#endif
