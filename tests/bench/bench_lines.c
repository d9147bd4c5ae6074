/* SPDX-License-Identifier: MIT */
/*
 * How fast lines are loaded and looked up, on one core:
 *   bench_lines ELF
 * ELF is any 64-bit library with debug information; it is taken for a code object. Prints
 * "decode <million rows per second>" (the whole way: child, libdwarf, pipe, checks), "search" and
 * "index <million look-ups per second>" at random addresses. Processor time, the child's included.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "codeobj/inspect.h"
#include "common/err.h"

enum { LOOKUPS = 20 << 20, ADDRESSES = 1 << 16 };

static double now(void)
{
	struct rusage child;
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	getrusage(RUSAGE_CHILDREN, &child);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9 +
	       (double)(child.ru_utime.tv_sec + child.ru_stime.tv_sec) +
	       (double)(child.ru_utime.tv_usec + child.ru_stime.tv_usec) * 1e-6;
}

static unsigned char *read_all(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	unsigned char *bytes = NULL;
	long end;

	if (!file)
		return NULL;
	if (!fseek(file, 0, SEEK_END) && (end = ftell(file)) > 64) {
		rewind(file);
		*size = (size_t)end;
		bytes = malloc(*size);
		if (bytes && fread(bytes, 1, *size, file) != *size) {
			free(bytes);
			bytes = NULL;
		}
	}
	fclose(file);
	return bytes;
}

static void look_up(const struct probe_lines *lines)
{
	static uint64_t address[ADDRESSES];
	uint64_t seed = 88172645463325252u, found = 0, first, span;
	struct probe_line_index index;
	double start;

	first = lines->rows[0].address;
	span = lines->rows[lines->count - 1].address - first;
	for (int i = 0; i < ADDRESSES; i++) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		address[i] = first + seed % span;
	}
	start = now();
	for (int i = 0; i < LOOKUPS / 4; i++)
		found += probe_lines_find(lines, address[i % ADDRESSES]) != NULL;
	printf("search %.1f\n", LOOKUPS / 4 / (now() - start) / 1e6);
	if (probe_line_index_create(lines, &index))
		return;
	start = now();
	for (int i = 0; i < LOOKUPS; i++)
		found += probe_line_index_find(&index, address[i % ADDRESSES]) != NULL;
	printf("index %.1f\n", LOOKUPS / (now() - start) / 1e6);
	if (found == 1)
		putchar('\n');
	probe_line_index_destroy(&index);
}

int main(int argc, char **argv)
{
	struct probe_codeobj *codeobj;
	struct probe_err *err;
	unsigned char *bytes;
	double start, took;
	size_t size = 0;

	bytes = argc == 2 ? read_all(argv[1], &size) : NULL;
	if (!bytes) {
		fprintf(stderr, "usage: bench_lines ELF\n");
		return 2;
	}
	bytes[18] = 224; /* e_machine: AMDGPU */
	bytes[19] = 0;
	start = now();
	err = probe_codeobj_inspect(argv[1], bytes, size, PROBE_INSPECT_LINES, &codeobj);
	took = now() - start;
	if (err || !codeobj->lines || codeobj->lines->count < 2) {
		fprintf(stderr, "bench_lines: no lines\n");
		return 1;
	}
	printf("rows %llu\ndecode %.2f\n", (unsigned long long)codeobj->lines->decoded,
	       (double)codeobj->lines->decoded / took / 1e6);
	look_up(codeobj->lines);
	probe_codeobj_destroy(codeobj);
	free(bytes);
	return 0;
}
