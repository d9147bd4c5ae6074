/* SPDX-License-Identifier: MIT */
#include "cmds/report/kernel_code.h"

#include <stdlib.h>

#include "cmds/report/stored_code.h"

struct kernel_code report_kernel_code(struct report_code *code, const char *symbol)
{
	struct probe_code view = report_code_view(code);
	const struct probe_kernel *kernel = probe_code_kernel(&view, symbol);
	bool function = symbol && *symbol == '@';
	const struct probe_disassembly *disassembly =
		kernel || function ? report_code_disassembly(code) : NULL;
	uint64_t start;

	if (!disassembly)
		return (struct kernel_code){0};
	start = kernel ? kernel->address
		       : probe_function_start(&view, disassembly, strtoull(symbol + 1, NULL, 10));
	/* Where it ends takes long to find. */
	if (!code->kernel.count || code->kernel.start != start) {
		code->kernel.start = start;
		code->kernel.count =
			probe_kernel_extent(&view, disassembly, start, &code->kernel.rows);
	}
	return code->kernel;
}

static int compare(struct line_row a, struct line_row b)
{
	return a.line != b.line ? (a.line > b.line) - (a.line < b.line)
				: (a.row > b.row) - (a.row < b.row);
}

static int compare_rows(const void *a, const void *b)
{
	return compare(*(const struct line_row *)a, *(const struct line_row *)b);
}

static struct line_row *sort(const struct report_code *code)
{
	const struct probe_disassembly *disassembly = code->disassembly;
	struct line_row *ret = calloc(disassembly->count + 1, sizeof(*ret));

	for (size_t i = 0; ret && i < disassembly->count; i++) {
		const struct probe_line *line =
			report_code_line(code, disassembly->rows[i].address);

		ret[i] = (struct line_row){.line = line ? line->line : 0, .row = (uint32_t)i};
	}
	if (ret)
		qsort(ret, disassembly->count, sizeof(*ret), compare_rows);
	return ret;
}

/* Index of the first one that is not before `from`. */
static size_t find(const struct report_code *code, struct line_row from)
{
	size_t low = 0, high = code->disassembly->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(code->by_line[middle], from) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t report_kernel_line(struct report_code *code, const struct kernel_code *kernel, uint32_t line,
			  const struct line_row **ret)
{
	uint32_t first;
	size_t begin;

	if (!code->by_line)
		code->by_line = sort(code);
	*ret = code->by_line;
	if (!code->by_line)
		return 0;
	first = (uint32_t)(kernel->rows - code->disassembly->rows);
	begin = find(code, (struct line_row){line, first});
	*ret = code->by_line + begin;
	return find(code, (struct line_row){line, first + (uint32_t)kernel->count}) - begin;
}
