/* SPDX-License-Identifier: MIT */
/* From an address in a code object to file, line and column: one flat table sorted by address. */
#ifndef PROBE_CODEOBJ_LINES_H
#define PROBE_CODEOBJ_LINES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct probe_buf;
struct probe_err;

struct probe_line {
	uint64_t address; /* valid up to the address of the next row */
	uint32_t file;	  /* index; PROBE_LINE_END: no code up to the next row */
	uint32_t line;
	uint32_t column;
	uint32_t reserved;
};

#define PROBE_LINE_END UINT32_MAX

/* A function outside of other functions, and its declaration. */
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
	uint64_t decoded; /* rows of the line tables, before equal neighbours were merged */
	char **files;	  /* joined with their directories; "" if the table names none */
};

void probe_lines_destroy(struct probe_lines *lines);

/* The row that covers `address`, or NULL. About 60 ns. */
const struct probe_line *probe_lines_find(const struct probe_lines *lines, uint64_t address);

/*
 * For many look-ups: an array with the row of every instruction slot (4 bytes), so that a look-up
 * takes two loads. `lines` must outlive it.
 */
struct probe_line_index {
	const struct probe_lines *lines;
	uint64_t base; /* address of slot 0 */
	uint64_t slots;
	uint32_t *row; /* row + 1; 0 = no code */
};

#define PROBE_LINE_INDEX_SPAN (256u << 20) /* bytes of code, and size of the array */

/* Fails without memory, or if the rows span more than that. */
struct probe_err *probe_line_index_create(const struct probe_lines *lines,
					  struct probe_line_index *ret);
void probe_line_index_destroy(struct probe_line_index *index);

/* As probe_lines_find(). */
static inline const struct probe_line *probe_line_index_find(const struct probe_line_index *index,
							     uint64_t address)
{
	uint64_t slot = (address - index->base) >> 2;
	uint32_t row = slot < index->slots ? index->row[slot] : 0;

	return row ? &index->lines->rows[row - 1] : NULL;
}

/* The function that begins at `address`, or NULL. */
const struct probe_function *probe_lines_function(const struct probe_lines *lines,
						  uint64_t address);

/* ---- For inspect.c and fuzz tests ----------------------------------------------------------- */

/* In the child: decode the line tables of an ELF image. Without debug information it is empty. */
struct probe_err *probe_lines_read(const char *name, const void *bytes, size_t size,
				   struct probe_lines **ret);
void probe_lines_send(const struct probe_lines *lines, FILE *out);

/* In the parent: accepts a table only if it is sorted and refers to its own files. */
struct probe_err *probe_lines_receive(struct probe_buf *buf, struct probe_lines **ret);

#endif
