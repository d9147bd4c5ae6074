/* SPDX-License-Identifier: MIT */
/*
 * probe-sim-line OFFSET SIZE ADDRESS: reads the code object at OFFSET of standard input and prints
 * the source line of ADDRESS and the calls inlined around it. The simulated GPU starts it when a
 * kernel fails. It is a separate process with limits, because the code object is untrusted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "codeobj/inlines.h"
#include "codeobj/lines.h"
#include "common/err.h"

enum { SECONDS = 4 };
#define MEMORY (2ull << 30)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SHADOW_MEMORY 1 /* sanitizers map terabytes */
#else
#define SHADOW_MEMORY 0
#endif

static void limit(__rlimit_resource_t what, uint64_t value)
{
	struct rlimit rlimit = {.rlim_cur = value, .rlim_max = value};

	setrlimit(what, &rlimit);
}

static void *read_input(uint64_t offset, uint64_t size)
{
	char *bytes = size && size < MEMORY ? malloc(size) : NULL;

	for (uint64_t done = 0; bytes && done < size;) {
		ssize_t got =
			pread(STDIN_FILENO, bytes + done, size - done, (off_t)(offset + done));

		if (got > 0) {
			done += (uint64_t)got;
			continue;
		}
		free(bytes);
		return NULL;
	}
	return bytes;
}

/* Line 0 marks compiler-generated code: the nearest line before it is more useful. */
static const struct probe_line *find(const struct probe_lines *lines, uint64_t address)
{
	const struct probe_line *row = probe_lines_find(lines, address);

	while (row && !row->line && row > lines->rows && row[-1].file != PROBE_LINE_END)
		row--;
	return row && row->line ? row : NULL;
}

static void print_call(void *user, const char *path, uint64_t line)
{
	(void)user;
	printf(", inlined at %s:%llu", path, (unsigned long long)line);
}

int main(int argc, char **argv)
{
	const struct probe_line *row;
	struct probe_lines *lines;
	uint64_t offset, size, address;
	void *bytes;

	if (argc != 4)
		return 2;
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, SECONDS);
	if (!SHADOW_MEMORY)
		limit(RLIMIT_AS, MEMORY);
	limit(RLIMIT_FSIZE, 0);
	offset = strtoull(argv[1], NULL, 10);
	size = strtoull(argv[2], NULL, 10);
	address = strtoull(argv[3], NULL, 10);
	bytes = read_input(offset, size);
	if (!bytes || probe_lines_read("code object", bytes, size, &lines))
		return 1;
	row = find(lines, address);
	if (!row)
		return 1;
	printf("%s:%u", lines->files[row->file], row->line);
	/* libdwarf may abort in what follows, so the line is flushed first. */
	fflush(stdout);
	probe_err_destroy(
		probe_inlined_calls_at("code object", bytes, size, address, print_call, NULL));
	putchar('\n');
	return 0;
}
