/* SPDX-License-Identifier: MIT */
#include "codeobj/lines.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/child.h"
#include "codeobj/dwarf_lines.h"
#include "codeobj/elf_image.h"
#include "common/buf.h"
#include "common/cleanup.h"
#include "common/err.h"

#define ROWS_MAX  (16u << 20)
#define FILES_MAX (1u << 20)

PROBE_DEFINE_RELEASE(lines_release, struct probe_lines *, probe_lines_destroy)

/* Free the content only. */
static void clear(struct probe_lines *lines)
{
	for (uint32_t i = 0; i < lines->file_count; i++)
		free(lines->files[i]);
	free(lines->files);
	free(lines->rows);
	free(lines->functions);
	*lines = (struct probe_lines){0};
}

/* ---- In the child: collect, sort, send ----------------------------------------------------- */

struct table {
	const char *name;
	struct probe_lines lines;
	size_t row_capacity, file_capacity, function_capacity;
};

static void table_deinit(struct table *table)
{
	clear(&table->lines);
}

static struct probe_err *add_file(void *user, const char *path, uint32_t *ret)
{
	struct table *table = user;
	struct probe_lines *lines = &table->lines;
	char **files;

	/* Units share few headers, so that a search of the newest files is sufficient. */
	for (uint32_t i = lines->file_count, seen = 0; i-- > 0 && seen < 64; seen++) {
		if (!strcmp(lines->files[i], path)) {
			*ret = i;
			return NULL;
		}
	}
	if (lines->file_count >= FILES_MAX)
		return probe_err_at(table->name, PROBE_ERR_NO_OFFSET, "over %u source files",
				    FILES_MAX);
	if (lines->file_count == table->file_capacity) {
		table->file_capacity = table->file_capacity ? 2 * table->file_capacity : 64;
		files = realloc(lines->files, table->file_capacity * sizeof(*files));
		if (!files)
			return probe_err_oom();
		lines->files = files;
	}
	lines->files[lines->file_count] = strdup(path);
	if (!lines->files[lines->file_count])
		return probe_err_oom();
	*ret = lines->file_count++;
	return NULL;
}

static struct probe_err *add_row(void *user, uint64_t address, uint32_t file, uint64_t line,
				 uint64_t column, bool end)
{
	struct table *table = user;
	struct probe_lines *lines = &table->lines;
	struct probe_line *rows;

	if (lines->count >= ROWS_MAX)
		return probe_err_at(table->name, PROBE_ERR_NO_OFFSET, "over %u line rows",
				    ROWS_MAX);
	if (lines->count == table->row_capacity) {
		table->row_capacity = table->row_capacity ? 2 * table->row_capacity : 4096;
		rows = realloc(lines->rows, table->row_capacity * sizeof(*rows));
		if (!rows)
			return probe_err_oom();
		lines->rows = rows;
	}
	lines->rows[lines->count] = (struct probe_line){
		.address = address,
		.file = end ? PROBE_LINE_END : file,
		.line = line > UINT32_MAX ? 0 : (uint32_t)line,
		.column = column > UINT32_MAX ? 0 : (uint32_t)column,
		/* Sorting must keep the table's order among equal addresses. */
		.reserved = (uint32_t)lines->count,
	};
	lines->count++;
	return NULL;
}

static struct probe_err *add_function(void *user, uint64_t address, uint32_t file, uint64_t line)
{
	struct table *table = user;
	struct probe_lines *lines = &table->lines;
	struct probe_function *functions;

	if (lines->function_count >= ROWS_MAX)
		return probe_err_at(table->name, PROBE_ERR_NO_OFFSET, "over %u functions",
				    ROWS_MAX);
	if (lines->function_count == table->function_capacity) {
		table->function_capacity =
			table->function_capacity ? 2 * table->function_capacity : 64;
		functions =
			realloc(lines->functions, table->function_capacity * sizeof(*functions));
		if (!functions)
			return probe_err_oom();
		lines->functions = functions;
	}
	lines->functions[lines->function_count++] = (struct probe_function){
		.address = address,
		.file = file,
		.line = line > UINT32_MAX ? 0 : (uint32_t)line,
	};
	return NULL;
}

static int compare_functions(const void *a, const void *b)
{
	const struct probe_function *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* At equal addresses an end precedes: the next sequence may start where one ends. */
static int compare_rows(const void *a, const void *b)
{
	const struct probe_line *x = a, *y = b;
	bool x_end = x->file == PROBE_LINE_END, y_end = y->file == PROBE_LINE_END;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x_end != y_end)
		return x_end ? -1 : 1;
	return x->reserved < y->reserved ? -1 : x->reserved > y->reserved;
}

static int compare_starts(const void *a, const void *b)
{
	const struct probe_line *const *x = a, *const *y = b;

	return compare_rows(*x, *y);
}

/* Are the rows up to `end` in order? */
static bool in_order(const struct probe_line *row, const struct probe_line *end)
{
	for (; row < end; row++)
		if (compare_rows(row, row + 1) > 0)
			return false;
	return true;
}

/* The first row after the sequence of `row`. */
static const struct probe_line *sequence_end(const struct probe_line *row,
					     const struct probe_line *end)
{
	while (row < end && row->file != PROBE_LINE_END)
		row++;
	return row < end ? row + 1 : end;
}

/*
 * Compilers write sequences (one per function) that are sorted and do not overlap. Then it is
 * sufficient to sort the sequences by their first rows. False, with the table unchanged, if this
 * does not hold.
 */
static bool sort_sequences(struct probe_lines *lines)
{
	const struct probe_line *row = lines->rows, *end = lines->rows + lines->count, **start;
	struct probe_line *sorted = malloc(lines->count * sizeof(*sorted));
	size_t sequences = 0, at = 0;
	bool good = true;

	for (const struct probe_line *r = row; r < end; r = sequence_end(r, end))
		sequences++;
	start = malloc(sequences * sizeof(*start));
	if (!sorted || !start)
		good = false;
	for (size_t i = 0; good && i < sequences; i++) {
		start[i] = row;
		row = sequence_end(row, end);
		good = in_order(start[i], row - 1);
	}
	if (good)
		qsort(start, sequences, sizeof(*start), compare_starts);
	for (size_t i = 0; good && i < sequences; i++) {
		size_t count = (size_t)(sequence_end(start[i], end) - start[i]);

		good = !at || compare_rows(&sorted[at - 1], start[i]) < 0;
		memcpy(&sorted[at], start[i], count * sizeof(*sorted));
		at += count;
	}
	free(start);
	if (!good) {
		free(sorted);
		return false;
	}
	free(lines->rows);
	lines->rows = sorted;
	return true;
}

/* Of several rows at one address the last one is valid. Merge equal neighbours. */
static void merge_equal_rows(struct probe_lines *lines)
{
	size_t n = 0;

	lines->decoded = lines->count;
	if (lines->count && !sort_sequences(lines))
		qsort(lines->rows, lines->count, sizeof(*lines->rows), compare_rows);
	for (size_t i = 0; i < lines->count; i++) {
		struct probe_line row = lines->rows[i];

		row.reserved = 0;
		if (n && lines->rows[n - 1].address == row.address)
			n--;
		if (n && lines->rows[n - 1].file == row.file &&
		    lines->rows[n - 1].line == row.line && lines->rows[n - 1].column == row.column)
			continue;
		lines->rows[n++] = row;
	}
	lines->count = n;
}

struct probe_err *probe_lines_read(const char *name, const void *bytes, size_t size,
				   struct probe_lines **ret)
{
	struct probe_dwarf_section sections[PROBE_DWARF_SECTIONS] = {0};
	PROBE_AUTO(table_deinit) struct table table = {.name = name};
	PROBE_AUTO(probe_elf_close) struct probe_elf elf = {0};
	struct probe_dwarf_sink sink = {
		.user = &table, .file = add_file, .row = add_row, .function = add_function};
	struct probe_lines *lines;
	struct probe_err *err;

	err = probe_elf_open(name, bytes, size, &elf);
	if (err)
		return err;
	err = probe_dwarf_sections_find(&elf, sections);
	if (err)
		return err;
	err = probe_dwarf_lines(name, sections, &sink);
	if (err)
		return err;
	lines = malloc(sizeof(*lines));
	if (!lines)
		return probe_err_oom();
	merge_equal_rows(&table.lines);
	if (table.lines.function_count)
		qsort(table.lines.functions, table.lines.function_count,
		      sizeof(*table.lines.functions), compare_functions);
	*lines = table.lines;
	table.lines = (struct probe_lines){0};
	*ret = lines;
	return NULL;
}

void probe_lines_send(const struct probe_lines *lines, FILE *out)
{
	probe_put_u32(out, lines->file_count);
	for (uint32_t i = 0; i < lines->file_count; i++)
		probe_put_string(out, lines->files[i]);
	probe_put_u64(out, lines->decoded);
	probe_put_u64(out, lines->count);
	/* Unconverted: both ends are the same program. */
	if (lines->count)
		fwrite(lines->rows, sizeof(*lines->rows), lines->count, out);
	probe_put_u64(out, lines->function_count);
	for (size_t i = 0; i < lines->function_count; i++) {
		probe_put_u64(out, lines->functions[i].address);
		probe_put_u32(out, lines->functions[i].file);
		probe_put_u32(out, lines->functions[i].line);
	}
}

/* ---- In the parent ------------------------------------------------------------------------- */

#define FUNCTION_BYTES 16

static struct probe_err *check_row(struct probe_buf *buf, const struct probe_lines *lines, size_t i)
{
	const struct probe_line *row = &lines->rows[i];

	if (row->file >= lines->file_count && row->file != PROBE_LINE_END)
		return probe_buf_error(buf, "file %u of %u", row->file, lines->file_count);
	if (i && row->address <= row[-1].address)
		return probe_buf_error(buf, "rows out of order");
	return NULL;
}

static struct probe_err *receive_rows(struct probe_buf *buf, struct probe_lines *lines)
{
	struct probe_err *err = probe_buf_u64(buf, &lines->decoded);

	if (err)
		return err;
	err = probe_receive_array(buf, "rows", sizeof(*lines->rows), (void **)&lines->rows,
				  &lines->count);
	if (err)
		return err;
	for (size_t i = 0; i < lines->count; i++) {
		err = check_row(buf, lines, i);
		if (err)
			return err;
	}
	return NULL;
}

static struct probe_err *receive_function(struct probe_buf *buf, struct probe_lines *lines)
{
	struct probe_function function;
	struct probe_err *err;

	err = probe_buf_u64(buf, &function.address);
	if (err)
		return err;
	err = probe_buf_u32(buf, &function.file);
	if (err)
		return err;
	err = probe_buf_u32(buf, &function.line);
	if (err)
		return err;
	if (function.file >= lines->file_count)
		return probe_buf_error(buf, "file %u of %u", function.file, lines->file_count);
	if (lines->function_count &&
	    function.address < lines->functions[lines->function_count - 1].address)
		return probe_buf_error(buf, "functions out of order");
	lines->functions[lines->function_count++] = function;
	return NULL;
}

static struct probe_err *receive_functions(struct probe_buf *buf, struct probe_lines *lines)
{
	struct probe_err *err;
	uint64_t count;

	err = probe_buf_u64(buf, &count);
	if (err)
		return err;
	if (count > probe_buf_left(buf) / FUNCTION_BYTES)
		return probe_buf_error(buf, "%llu functions in %zu bytes",
				       (unsigned long long)count, probe_buf_left(buf));
	lines->functions = calloc(count + 1, sizeof(*lines->functions));
	if (!lines->functions)
		return probe_err_oom();
	for (uint64_t i = 0; i < count; i++) {
		err = receive_function(buf, lines);
		if (err)
			return err;
	}
	return NULL;
}

struct probe_err *probe_lines_receive(struct probe_buf *buf, struct probe_lines **ret)
{
	PROBE_AUTO(lines_release) struct probe_lines *lines = calloc(1, sizeof(*lines));
	struct probe_err *err;

	if (!lines)
		return probe_err_oom();
	err = probe_receive_strings(buf, "files", &lines->files, &lines->file_count);
	if (err)
		return err;
	err = receive_rows(buf, lines);
	if (err)
		return err;
	err = receive_functions(buf, lines);
	if (err)
		return err;
	*ret = PROBE_KEEP(lines);
	return NULL;
}

void probe_lines_destroy(struct probe_lines *lines)
{
	if (!lines)
		return;
	clear(lines);
	free(lines);
}

const struct probe_line *probe_lines_find(const struct probe_lines *lines, uint64_t address)
{
	const struct probe_line *base = lines->rows;
	size_t n = lines->count;

	if (!n || address < base->address)
		return NULL;
	/* The last row at or before the address, without branches that could be mispredicted. */
	while (n > 1) {
		size_t half = n / 2;

		base += base[half].address <= address ? half : 0;
		n -= half;
	}
	return base->file == PROBE_LINE_END ? NULL : base;
}

struct probe_err *probe_line_index_create(const struct probe_lines *lines,
					  struct probe_line_index *ret)
{
	struct probe_line_index index = {.lines = lines};
	uint64_t end;

	*ret = index;
	if (!lines->count)
		return NULL;
	/*
	 * The last row ends a sequence. If it does not, in a damaged table, its code is not
	 * covered.
	 */
	index.base = lines->rows[0].address & ~3ull;
	end = (lines->rows[lines->count - 1].address + 3) & ~3ull;
	if (end - index.base > PROBE_LINE_INDEX_SPAN)
		return probe_err_create("line rows from 0x%llx to 0x%llx: over %u MiB of code",
					(unsigned long long)index.base, (unsigned long long)end,
					PROBE_LINE_INDEX_SPAN >> 20);
	index.slots = (end - index.base) / 4;
	index.row = calloc(index.slots + 1, sizeof(*index.row));
	if (!index.row)
		return probe_err_oom();
	for (size_t i = 0; i + 1 < lines->count; i++) {
		uint64_t slot = (lines->rows[i].address + 3 - index.base) / 4;
		uint64_t stop = (lines->rows[i + 1].address + 3 - index.base) / 4;

		if (lines->rows[i].file == PROBE_LINE_END)
			continue;
		for (; slot < stop; slot++)
			index.row[slot] = (uint32_t)i + 1;
	}
	*ret = index;
	return NULL;
}

void probe_line_index_destroy(struct probe_line_index *index)
{
	free(index->row);
	*index = (struct probe_line_index){0};
}

const struct probe_function *probe_lines_function(const struct probe_lines *lines, uint64_t address)
{
	struct probe_function key = {.address = address};

	if (!lines->function_count)
		return NULL;
	return bsearch(&key, lines->functions, lines->function_count, sizeof(*lines->functions),
		       compare_functions);
}
