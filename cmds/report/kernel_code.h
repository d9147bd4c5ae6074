/* SPDX-License-Identifier: MIT */
/* The instructions of a kernel or function in a database's code object, also by source line. */
#ifndef PROBE_CMDS_REPORT_KERNEL_CODE_H
#define PROBE_CMDS_REPORT_KERNEL_CODE_H

#include <stddef.h>
#include <stdint.h>

struct probe_instruction;
struct report_code;

struct kernel_code {
	uint64_t start; /* address */
	const struct probe_instruction *rows;
	size_t count;
};

/*
 * `symbol` is a kernel's, or "@ADDRESS" for the function at that address; no rows if there is no
 * such code. Rows are valid as long as `code` is.
 */
struct kernel_code report_kernel_code(struct report_code *code, const char *symbol);

/* An instruction with its line. */
struct line_row {
	uint32_t line; /* 0 = unknown */
	uint32_t row;  /* of the code object's disassembly */
};

/*
 * Instructions of one line of a kernel that has rows, in the order of their addresses; valid as
 * long as `code` is. Returns their number; *ret is NULL without memory.
 */
size_t report_kernel_line(struct report_code *code, const struct kernel_code *kernel, uint32_t line,
			  const struct line_row **ret);

#endif
