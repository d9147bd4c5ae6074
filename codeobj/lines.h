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

/* A function outside others, where its source declares it. */
struct probe_function {
	uint64_t address; /* of its first instruction */
	uint32_t file;
	uint32_t line;
};

struct probe_lines {
	size_t count;
	struct probe_line *rows;
	uint32_t file_count;
	size_t function_count;
	struct probe_function *functions; /* by address */
	char **files; /* joined with their directories; "" if the table names none */
};

void probe_lines_destroy(struct probe_lines *lines);

/* The row that covers `address`, or NULL. About 60 ns. */
const struct probe_line *probe_lines_find(const struct probe_lines *lines, uint64_t address);

/* The function that begins at `address`, or NULL. */
const struct probe_function *probe_lines_function(const struct probe_lines *lines,
						  uint64_t address);

#endif
